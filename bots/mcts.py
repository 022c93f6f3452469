"""The bot `mcts`: determinised UCT.

Source: Cowling, Ward, Powley, "Ensemble determinization in Monte Carlo tree search for the
imperfect information card game Magic: The Gathering", IEEE Transactions on Computational
Intelligence and AI in Games 4(4), 2012.
"""

from __future__ import annotations

from functools import partial

from arena.core import Action, Turn
from arena.game import Game
from bots import search
from bots.search import Budget, Tree


class MCTS:
    """Searches a few worlds, consistent with the view, as if all were known, and sums the visits.

    Each of the `worlds` has a tree of its own, and iterations go to them in turn. The rest is as
    in `ismcts`: `iterations` and `seconds` are the budget for a move, whichever is used up first;
    1,000 iterations if neither is given. `exploration` is the weight of the confidence bound on
    values in [0, 1]. A playout is cut off after `depth` random moves and valued by the game's
    estimate; with None or -1 it goes on to the end of the game. `nodes` bounds the memory, 32 bytes
    each, of all trees together. Wrong values raise OptionError.

    `MCTS.compile(game)` compiles all that is needed for `game`, or loads it from the disk cache.
    """

    def __init__(
        self,
        game: Game,
        seat: int,
        seed: int,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        worlds: int = 10,
        exploration: float = 0.7,
        depth: int | None = 8,
        nodes: int = search.NODES,
    ) -> None:
        self.seed = seed
        self.budget = Budget(iterations, seconds)
        self.exploration = search.real("exploration", exploration, 0)
        self.depth = -1 if depth is None else search.whole("depth", depth, -1)
        worlds = search.whole("worlds", worlds, 1)
        self.tree = Tree(game, search.whole("nodes", nodes, worlds + 1), worlds)

    def act(self, turn: Turn) -> Action:
        self.tree.clear(search.word(self.seed, turn.view))
        self.budget.spend(partial(self.tree.explore, turn, self.exploration, self.depth))
        return self.tree.favourite()

    @classmethod
    def compile(cls, game: Game) -> None:
        search.rehearse(cls(game, 0, 0, iterations=1, worlds=1, nodes=2), game)
