"""Answers an array of one element, which is no number."""

import numpy as np


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return np.array([turn.legal[0]])
