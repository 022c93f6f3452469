"""Answers a legal id as text."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return str(turn.legal[0])
