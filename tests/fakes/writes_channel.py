"""Writes nonsense to the connection over which it is asked."""

import contextlib
import os
import stat


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        os.write(channel(), b"junk")
        return turn.legal[0]


def channel():
    """The connection to whoever asks for moves."""
    for file in range(3, 100):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(file).st_mode):
                return file
