"""Ends by a signal that has no name."""

import os
import signal


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        os.kill(os.getpid(), signal.SIGRTMIN + 3)
