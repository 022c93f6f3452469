"""The bot `mcts`: determinised UCT.

Source: Cowling, Ward, Powley, "Ensemble determinization in Monte Carlo tree search for the
imperfect information card game Magic: The Gathering", IEEE Transactions on Computational
Intelligence and AI in Games 4(4), 2012.
"""

from __future__ import annotations

from typing import Any

from arena.core import Action, Turn
from arena.game import Game
from bots import search
from bots.explanation import explain
from bots.parameters import Budget, Settings, whole
from bots.search import Tree


class MCTS:
    """Searches a few worlds, consistent with the view, as if all were known, and sums the visits.

    Each of the `worlds` has a tree of its own, and iterations go to them in turn; `nodes` bounds
    the memory of all trees together. The other parameters are those of `ismcts`. Wrong values raise
    OptionError.

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
        exploration: float | None = None,
        prior: int | None = None,
        depth: int | None = None,
        policy: str | None = None,
        epsilon: float | None = None,
        tau: float | None = None,
        nodes: int = search.NODES,
    ) -> None:
        self.seed = seed
        self.budget = Budget(iterations, seconds)
        settings = Settings.of(
            game,
            exploration=exploration,
            prior=prior,
            depth=depth,
            policy=policy,
            epsilon=epsilon,
            tau=tau,
        )
        self.tree = Tree(game, nodes, settings, worlds=whole("worlds", worlds, 1))

    def act(self, turn: Turn) -> Action:
        self.tree.clear(turn, search.word(self.seed, turn.view))
        self.budget.spend(self.tree.explore)
        return self.tree.favourite()

    def explain(self) -> dict[str, Any]:
        return explain(self.tree)

    @classmethod
    def compile(cls, game: Game) -> None:
        search.rehearse(cls(game, 0, 0, iterations=1, worlds=1), game)
