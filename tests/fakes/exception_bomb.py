"""Raises an exception that cannot be printed."""


class Bomb(Exception):  # noqa: N818
    def __str__(self):
        raise RuntimeError("boom")


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        raise Bomb
