"""The bot `greedy`: looks one move ahead and trusts the game's estimate."""

from __future__ import annotations

import numpy as np

from arena import kernel
from arena.core import Action, Turn
from arena.game import Game
from arena.kernel import Array, random_below
from bots import search
from bots.parameters import whole
from bots.search import FIXED, PLAYED, determinise, evaluate


class Greedy:
    """Plays the move after which the game's estimate for it is best, over a few sampled worlds.

    All moves are tried in the same `worlds`, drawn from those that the view does not rule out.
    Between moves that come out equal chance decides. Wrong values raise OptionError.

    `Greedy.compile(game)` compiles all that is needed for `game`, or loads it from the disk cache.
    """

    def __init__(self, game: Game, seat: int, seed: int, *, worlds: int = 8) -> None:
        self.seed = seed
        self.worlds = whole("worlds", worlds, 1)
        self.workspace = search.workspace(game, 1)
        self.totals = np.zeros(game.action_count, np.float64)

    def act(self, turn: Turn) -> Action:
        self.workspace.scratch["rng"] = search.word(self.seed, turn.view)
        view, seat = turn.view.record, turn.seat
        return int(_best(view, seat, *self.workspace, self.totals, self.worlds))

    @classmethod
    def compile(cls, game: Game) -> None:
        search.rehearse(cls(game, 0, 0, worlds=1), game)


@kernel.kernel
def _best(
    views: Array, seat: int, states: Array, scratches: Array, totals: Array, worlds: int
) -> Action:
    scratch = scratches[0]
    legal, values = scratch.legal, scratch.values
    n = 0
    for drawn in range(worlds):
        determinise(views[0], seat, states, scratch)
        states[FIXED] = states[PLAYED]
        n = kernel.legal(states[FIXED], legal)
        for i in range(n):
            states[PLAYED] = states[FIXED]
            kernel.apply(states[PLAYED], legal[i])
            evaluate(states[PLAYED], values)
            totals[i] = values[seat] + (totals[i] if drawn else 0.0)
    best, equals = 0, 0
    for i in range(n):
        # Sums that differ by rounding only are equal.
        if equals == 0 or totals[i] > totals[best] + 1e-9:
            best, equals = i, 1
        elif totals[i] >= totals[best] - 1e-9:
            equals += 1
            if random_below(scratch, equals) == 0:
                best = i
    return legal[best]
