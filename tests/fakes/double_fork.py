"""Leaves a process behind that has a session of its own and nobody above it."""

import os
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        child = os.fork()
        if not child:
            os.setsid()
            if not os.fork():
                time.sleep(1000)
            os._exit(0)
        os.waitpid(child, 0)
        return turn.legal[0]
