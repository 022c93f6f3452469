"""Goes to another folder, and removes the one it was in from the search path."""

import os
import sys


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        os.chdir("/")
        sys.path[:] = []
        return turn.legal[0]
