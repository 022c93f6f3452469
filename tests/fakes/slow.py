"""Thinks for a given time at its first decision, then answers or raises; or starts slowly."""

from time import perf_counter


class Bot:
    def __init__(self, game, seat, seed, *, think=0.0, start=0.0, fail=False):
        self.think = think
        self.fail = fail
        busy(start)

    def act(self, turn):
        busy(self.think)
        if self.fail:
            raise ValueError("too late anyway")
        return 99


def busy(seconds):
    end = perf_counter() + seconds
    while perf_counter() < end:
        pass
