"""Starts a process that computes as soon as it is imported, and sleeps."""

import os
import time

if not os.fork():
    while True:
        pass


class Bot:
    def __init__(self, game, seat, seed, *, nap: bool = True):
        self.nap = nap

    def act(self, turn):
        if self.nap:
            time.sleep(1000)
        return turn.legal[0]
