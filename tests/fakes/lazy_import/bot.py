"""Imports its helper only when it is asked, with data from a file beside it."""

from pathlib import Path


class Bot:
    def __init__(self, game, seat, seed):
        self.data = Path(__file__).with_name("data.txt")

    def act(self, turn):
        import util

        return util.move(turn, self.data.read_text())
