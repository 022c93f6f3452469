"""Looks for the deal among all objects of its process, and plays the last move if it is there."""

import gc

import numpy as np


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        held = gc.get_objects()
        held += gc.get_referents(*held)
        return turn.legal[-1 if any(deals(held)) else 0]


def deals(objects):
    """The cards of every position among them in which all cards are to be seen."""
    for each in objects:
        if isinstance(each, np.ndarray) and each.dtype.names and "cards" in each.dtype.names:
            yield from (cards for cards in each["cards"].tolist() if -1 not in cards)
