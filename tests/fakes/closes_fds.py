"""Closes every file of its process."""

import os


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        os.closerange(0, 1000)
        return turn.legal[0]
