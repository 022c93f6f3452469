"""Answers -1, which would index a list of moves from its end."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return -1
