"""Answers with an empty message."""

import contextlib
import os
import socket
import stat
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        with socket.socket(fileno=channel()) as answer:
            answer.send(b"")
        return time.sleep(1000)


def channel():
    """The connection to whoever asks for moves."""
    for file in range(3, 100):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(file).st_mode):
                return file
