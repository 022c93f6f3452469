"""Looks at all processes, and plays the last move if there are any but its own kind."""

from pathlib import Path


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        lines = {line.read_bytes() for line in Path("/proc").glob("[0-9]*/cmdline")}
        others = [line for line in lines if line and b"arena.host" not in line]
        return turn.legal[-1 if others else 0]
