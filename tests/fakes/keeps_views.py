"""Keeps every view and crashes if an old one ever changes."""

import numpy as np


class Bot:
    def __init__(self, game, seat, seed):
        self.kept = []

    def act(self, turn):
        for view, content in self.kept:
            if view.record.tobytes() != content:
                raise RuntimeError("an old view has changed")
            if np.shares_memory(view.record, turn.view.record):
                raise RuntimeError("two views share memory")
        self.kept.append((turn.view, turn.view.record.tobytes()))
        return turn.legal[0]
