"""Prints what its process is allowed to do."""

from pathlib import Path


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(("CapEff", "CapPrm", "NoNewPrivs")):
                print(line)
        return turn.legal[0]
