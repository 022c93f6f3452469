"""Starts processes that start processes, 200 in all, and waits."""

import os
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        for _ in range(200):
            if not os.fork():
                time.sleep(1000)
        time.sleep(1000)
