"""Answers an object whose `__repr__` exits."""


class Bomb:
    def __repr__(self):
        raise SystemExit


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return Bomb()
