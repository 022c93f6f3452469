"""The bot `oracle`: UCT on the true state, the upper bound for what knowing the cards is worth."""

from __future__ import annotations

from typing import Any

from arena.core import Action, State, Turn
from arena.game import Game
from bots import search
from bots.explanation import explain
from bots.parameters import Budget, Settings
from bots.search import Tree


class Oracle:
    """Cheats: searches the true state, with all hidden cards and the order of decks.

    It sees whatever lies on the table, but not chance to come: reshuffles differ from iteration to
    iteration. `act` is given a copy of the state beside the turn, which a match does for bots with
    `sees_state`, and only where its configuration allows it. The parameters are those of `ismcts`.
    Wrong values raise OptionError.

    `Oracle.compile(game)` compiles all that is needed for `game`, or loads it from the disk cache.
    """

    sees_state = True

    def __init__(
        self,
        game: Game,
        seat: int,
        seed: int,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
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
        self.tree = Tree(game, nodes, settings, worlds=1)

    def act(self, turn: Turn, state: State) -> Action:
        self.tree.clear(turn, search.word(self.seed, turn.view))
        self.tree.give(state)
        self.budget.spend(self.tree.explore)
        return self.tree.favourite()

    def explain(self) -> dict[str, Any]:
        return explain(self.tree)

    @classmethod
    def compile(cls, game: Game) -> None:
        state = game.initial()
        cls(game, 0, 0, iterations=1).act(search.turn_of(game, state), state)
