"""Ends the process that has loaded it, once it is loaded."""

import os

import __main__ as host

host._request = lambda channel: os._exit(3)


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return turn.legal[0]
