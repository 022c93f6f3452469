"""Reads from address 0."""

import ctypes


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        ctypes.string_at(0)
