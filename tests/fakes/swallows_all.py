"""Catches whatever could stop it."""

import contextlib
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        while True:
            with contextlib.suppress(BaseException):
                time.sleep(1)
