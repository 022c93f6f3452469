"""Answers a NumPy integer, as np.argmax gives it; that is fine."""

import numpy as np


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return np.int64(turn.legal[-1])
