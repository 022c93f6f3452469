"""Exits when it is built."""

import sys


class Bot:
    def __init__(self, game, seat, seed):
        sys.exit("licence expired")

    def act(self, turn):
        return turn.legal[0]
