"""Calls itself for ever."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return self.act(turn)
