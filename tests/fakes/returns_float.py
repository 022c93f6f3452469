"""Answers a legal id as a float."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return float(turn.legal[0])
