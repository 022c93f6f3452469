"""The bot `random`."""

from __future__ import annotations

import random

from arena import Game, Turn


class Uniform:
    """Plays any legal move with equal chance."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self._random = random.Random(seed)

    def act(self, turn: Turn) -> int:
        return self._random.choice(turn.legal)
