"""Ends its process without a word."""

import os


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        os._exit(0)
