"""Answers an object whose `__index__` raises."""


class Bomb:
    def __index__(self):
        raise RuntimeError("boom")


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return Bomb()
