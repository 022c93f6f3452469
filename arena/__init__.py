"""arena: tournaments between bots for card games with hidden information."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.core import Bot, Limits, MatchResult, MatchSpec, Turn, View
    from arena.errors import ArenaError
    from arena.game import Game

__version__ = "0.3.0"

__all__ = ["ArenaError", "Bot", "Game", "Limits", "MatchResult", "MatchSpec", "Turn", "View"]

_HOME = {"ArenaError": "errors", "Game": "game"}


def __getattr__(name: str) -> Any:
    # Public names load on first use, so that `arena --help` starts without NumPy and Numba.
    if name in __all__:
        return getattr(importlib.import_module(f"arena.{_HOME.get(name, 'core')}"), name)
    raise AttributeError(f"module 'arena' has no attribute {name!r}")
