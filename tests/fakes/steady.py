"""Plays the first legal move: an honest bot for the others to meet."""


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return turn.legal[0]
