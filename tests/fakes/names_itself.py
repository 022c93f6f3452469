"""Gives its process a name that is no text."""

import time
from pathlib import Path


class Bot:
    def __init__(self, game, seat, seed):
        Path("/proc/self/comm").write_bytes(b"\xff\xfe")

    def act(self, turn):
        time.sleep(0.1)
        return turn.legal[0]
