"""Prints without a line end or a pause."""

import sys


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        while True:
            sys.stdout.write("x" * 10_000)
