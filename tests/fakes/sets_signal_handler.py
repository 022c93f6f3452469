"""Ignores every signal that can be ignored, and sleeps."""

import signal
import time


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        time.sleep(10**6)
