"""Kills the process it comes from."""

import os
import signal
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1)
        return turn.legal[0]
