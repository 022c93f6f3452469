"""Answers a number that is no move."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return 99
