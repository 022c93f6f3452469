"""The bot `ismcts`: information set Monte Carlo tree search.

Source: Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search", IEEE Transactions on
Computational Intelligence and AI in Games 4(2), 2012.
"""

from __future__ import annotations

from typing import Any

from arena.core import Action, Turn
from arena.errors import OptionError
from arena.game import Game
from bots import search
from bots.explanation import explain
from bots.parameters import Budget, Settings, one_of, real
from bots.search import Tree

LEVELS = {"easy": (100, 0.2), "medium": (300, 0.02), "hard": (10_000, 0.0)}
"""Opponents for people: iterations for a move, temperature."""


class ISMCTS:
    """Searches through a new world, consistent with the view, in every iteration.

    `iterations` and `seconds` are the budget for a move, whichever is used up first; 1,000
    iterations if neither is given. The move visited most is played; or, with a `temperature`, a
    random one that is e times as likely as another for each `temperature` that it is worth more.
    `level`, easy, medium or hard, stands for iterations and a temperature for playing with people.

    With `observer` single all seats share one tree; with multiple each has its own, in which it
    cannot tell apart the moves of others that look the same to it. `exploration` is the weight of
    the confidence bound on values in [0, 1]. With a `prior` a new node gets all its children at
    once, each with the game's estimate for it, which counts as so many visits; with 0 they come one
    at a time and know nothing. A playout is cut off after `depth` moves and valued by the estimate;
    with -1 it goes on to the end of the game. Its moves are chosen by `policy`: uniform,
    epsilon-greedy (best by the estimate) or mast (drawn by what they were worth in this search,
    with temperature `tau`), the last two uniformly with probability `epsilon`. What is not given of
    these is as `bots.parameters.DEFAULTS` says for the game.

    `nodes` bounds the memory, 40 bytes each: when they are used up, the children of the node that
    was least recently played through are forgotten. Wrong values raise OptionError.

    `ISMCTS.compile(game)` compiles all that is needed for `game`, or loads it from the disk cache.
    """

    def __init__(
        self,
        game: Game,
        seat: int,
        seed: int,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        temperature: float | None = None,
        level: str | None = None,
        observer: str | None = None,
        exploration: float | None = None,
        prior: int | None = None,
        depth: int | None = None,
        policy: str | None = None,
        epsilon: float | None = None,
        tau: float | None = None,
        nodes: int = search.NODES,
    ) -> None:
        self.seed = seed
        if level is not None:
            _check_alone(level, iterations=iterations, seconds=seconds, temperature=temperature)
            iterations, temperature = LEVELS[one_of("level", level, LEVELS)]
        self.budget = Budget(iterations, seconds)
        self.temperature = real("temperature", 0 if temperature is None else temperature, 0)
        settings = Settings.of(
            game,
            observer=observer,
            exploration=exploration,
            prior=prior,
            depth=depth,
            policy=policy,
            epsilon=epsilon,
            tau=tau,
        )
        self.tree = Tree(game, nodes, settings)

    def act(self, turn: Turn) -> Action:
        word = search.word(self.seed, turn.view)
        self.tree.clear(turn, word)
        self.budget.spend(self.tree.explore)
        if self.temperature:
            return self.tree.draw(self.temperature, word)
        return self.tree.favourite()

    def explain(self) -> dict[str, Any]:
        return explain(self.tree)

    @classmethod
    def compile(cls, game: Game) -> None:
        search.rehearse(cls(game, 0, 0, iterations=1), game)


def _check_alone(level: str, **given: float | None) -> None:
    for name, value in given.items():
        if value is not None:
            raise OptionError(
                f"level: found {level!r} beside {name} {value!r}, expected one of them"
            )
