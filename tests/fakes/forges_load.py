"""Says that it is loaded and hangs, so that it never makes a match."""

import contextlib
import json
import os
import stat
import time


def channel():
    """The connection to whoever asks for moves."""
    for file in range(3, 100):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(file).st_mode):
                return file


os.write(channel(), json.dumps({"loaded": True, "threads": 1}).encode())
time.sleep(1000)


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return turn.legal[0]
