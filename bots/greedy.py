"""The bot `greedy`: looks one move ahead and trusts the game's estimate."""

from __future__ import annotations

import numpy as np

from arena import kernel
from arena.core import Action, Turn
from arena.game import Game
from arena.kernel import Array, random_below
from bots import search
from bots.search import Tree


class Greedy:
    """Plays the move after which the game's estimate for it is best, over a few sampled worlds.

    All moves are tried in the same `worlds`, drawn from those that the view does not rule out.
    Between moves that come out equal chance decides. Wrong values raise OptionError.

    `Greedy.compile(game)` compiles all that is needed for `game`, or loads it from the disk cache.
    """

    def __init__(self, game: Game, seat: int, seed: int, *, worlds: int = 8) -> None:
        self.seed = seed
        self.worlds = search.whole("worlds", worlds, 1)
        self.tree = search.plant(game, 1)
        self.after = kernel.blank(game.state_dtype)
        self.totals = np.zeros(game.action_count, np.float64)

    def act(self, turn: Turn) -> Action:
        search.clear(self.tree, 1, search.word(self.seed, turn.view))
        return int(
            _best(turn.view.record, turn.seat, self.tree, self.worlds, self.after, self.totals)
        )

    @classmethod
    def compile(cls, game: Game) -> None:
        search.rehearse(cls(game, 0, 0, worlds=1), game)


@kernel.kernel
def _best(views: Array, seat: int, tree: Tree, worlds: int, after: Array, totals: Array) -> Action:
    n = 0
    for drawn in range(worlds):
        search.determinise(views[0], seat, tree)
        n = kernel.legal(tree.world[0], tree.legal)
        for i in range(n):
            after[0] = tree.world[0]
            kernel.apply(after[0], tree.legal[i])
            search.evaluate(after[0], tree.values)
            totals[i] = tree.values[seat] + (totals[i] if drawn else 0.0)
    best, equals = 0, 0
    for i in range(n):
        # Sums that differ by rounding only are equal.
        if equals == 0 or totals[i] > totals[best] + 1e-9:
            best, equals = i, 1
        elif totals[i] >= totals[best] - 1e-9:
            equals += 1
            if random_below(tree.head[0], equals) == 0:
                best = i
    return tree.legal[best]
