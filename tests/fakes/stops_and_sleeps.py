"""Stops the process that keeps all bots, and does not come back."""

import os
import signal
import time
from pathlib import Path


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        fields = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()
        os.kill(int(fields[1]), signal.SIGSTOP)
        time.sleep(1000)
        return turn.legal[0]
