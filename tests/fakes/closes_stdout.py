"""Closes what it could print to."""

import os
import sys


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        sys.stdout.close()
        os.closerange(1, 3)
        return turn.legal[0]
