"""Raises with a message that no terminal and no database would take."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        raise ValueError("\x1b[31m\ud800" * 100_000)
