"""Kills every process it can. For sandboxes only!"""

import os
import signal
from pathlib import Path


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        assert Path("/proc/1/comm").read_text() == "bwrap\n"
        os.kill(-1, signal.SIGKILL)
        return turn.legal[0]
