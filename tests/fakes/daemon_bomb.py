"""Leaves 200 processes behind, each with nobody above it, and waits."""

import os
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        for _ in range(200):
            leave_behind()
        time.sleep(1000)


def leave_behind():
    child = os.fork()
    if not child:
        os.setsid()
        if not os.fork():
            time.sleep(1000)
        os._exit(0)
    os.waitpid(child, 0)
