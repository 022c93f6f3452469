"""Forgets to return its move."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        turn.legal[0]
