"""Thinks for 20 ms of processor time and plays the first move."""

from time import process_time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        end = process_time() + 0.02
        while process_time() < end:
            pass
        return turn.legal[0]
