"""Answers with brackets in brackets in brackets."""

import contextlib
import os
import stat


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        os.write(channel(), b"[" * 100_000)
        return turn.legal[0]


def channel():
    """The connection to whoever asks for moves."""
    for file in range(3, 100):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(file).st_mode):
                return file
