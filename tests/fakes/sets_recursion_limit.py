"""Calls itself for ever, having lifted the limit."""

import sys


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        sys.setrecursionlimit(10**9)
        return sorted([0, 1], key=lambda _: self.act(turn))[0]
