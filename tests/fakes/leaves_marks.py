"""Leaves a file wherever it can, and plays the last move if it finds one. For sandboxes only!"""

import contextlib
import os
from pathlib import Path


class Bot:
    def __init__(self, game, seat, seed):
        assert Path("/proc/1/comm").read_text() == "bwrap\n"

    def act(self, turn):
        marks = [Path(folder) / "mark" for folder, _, _ in walk() if os.access(folder, os.W_OK)]
        found = [mark for mark in marks if mark.exists()]
        for mark in marks:
            with contextlib.suppress(OSError):
                mark.write_text("I was here")
                print(mark.parent)
        return turn.legal[-1 if found else 0]


def walk():
    for mount in Path("/proc/self/mounts").read_text().splitlines():
        _, folder, _, options, *_ = mount.split()
        if options.startswith("rw") and folder != "/proc":
            yield from os.walk(folder)
