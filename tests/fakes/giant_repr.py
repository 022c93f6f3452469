"""Answers an object with a page-filling `__repr__` full of control characters."""


class Giant:
    def __repr__(self):
        return "\x1b[31m\n\ud800" * 100_000


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return Giant()
