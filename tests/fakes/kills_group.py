"""Kills all processes of its group."""

import os
import signal


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        os.killpg(0, signal.SIGKILL)
