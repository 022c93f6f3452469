"""Imports what lies beside it relatively, and a folder without __init__.py."""

from . import util
from .inner import deep
from .util import first


class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        return first(turn) if util.first is deep.first else None
