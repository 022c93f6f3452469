"""Prints bytes that are no text, and half a letter at the end."""

import os


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        os.write(1, b"\xff\x00\xe2\x82")
        return turn.legal[0]
