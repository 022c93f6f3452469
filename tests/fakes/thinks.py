"""Thinks for 20 ms of processor time, or `seconds`, and plays the first move."""

from time import process_time


class Bot:
    def __init__(self, game, seat, seed, *, seconds=0.02):
        self.seconds = seconds

    def act(self, turn):
        end = process_time() + self.seconds
        while process_time() < end:
            pass
        return turn.legal[0]
