"""Runs out of memory."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        raise MemoryError
