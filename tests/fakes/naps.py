"""Sleeps for a given time when it is built and before every answer, and plays the first move."""

from time import sleep


class Bot:
    def __init__(self, game, seat, seed, *, seconds=0.2):
        self.seconds = seconds
        sleep(seconds)

    def act(self, turn):
        sleep(self.seconds)
        return turn.legal[0]
