"""Stops the process it comes from."""

import os
import signal


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        os.kill(os.getppid(), signal.SIGSTOP)
        return turn.legal[0]
