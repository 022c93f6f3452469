"""Prints every file that it can see, but for those of the system and of Python."""

import sys
from pathlib import Path

SYSTEM = ("/usr", "/lib", "/bin", "/sbin", "/etc", "/proc", "/sys", "/dev")


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        list_files(Path("/"))
        return turn.legal[0]


def list_files(folder):
    for path in folder.iterdir():
        if path.is_file():
            print(path)
        elif path.is_dir() and not str(path).startswith((*SYSTEM, sys.prefix, sys.base_prefix)):
            list_files(path)
