"""Pretends that somebody pressed Ctrl-C."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        raise KeyboardInterrupt
