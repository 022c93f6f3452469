"""Reads a rival's code and plays the last move if it can."""

from pathlib import Path


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        rival = Path(__file__).with_name("steady.py")
        return turn.legal[-1 if rival.exists() and rival.read_text() else 0]
