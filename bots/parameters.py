"""What searches can be told: settings, their defaults by game, budgets; wrong ones are refused."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from arena.errors import OptionError
from arena.game import Game

MOST = 1_000_000_000
"""For whole numbers given to a bot: visits and priors together must fit into 32 bits."""

POLICIES = UNIFORM, EPSILON_GREEDY, MAST = "uniform", "epsilon-greedy", "mast"
USED_BY = {"epsilon": (EPSILON_GREEDY, MAST), "tau": (MAST,)}
"""parameters of some policies only"""

OBSERVERS = SINGLE, MULTIPLE = "single", "multiple"


class Settings(NamedTuple):
    """How a search searches, apart from how long."""

    observer: str
    """one of OBSERVERS: one tree for all seats, or one for each, in which it cannot tell apart the
    moves of others that look the same to it"""
    exploration: float
    """weight of the confidence bound, on values in [0, 1]"""
    prior: int
    """visits that the estimate of a new node counts for; with 0 nodes are not estimated, and
    come one at a time"""
    depth: int
    """moves of a playout before it is cut off and estimated; -1 plays to the end of the game"""
    policy: str
    """one of POLICIES, by which moves of playouts are chosen"""
    epsilon: float
    """share of moves in playouts that are uniformly random, whatever the policy"""
    tau: float
    """temperature of the policy `mast`"""

    @classmethod
    def of(cls, game: Game, **given: object) -> Settings:
        """What is given, and for what is None or missing the defaults of the game.

        Raises OptionError for wrong values, and for those that would have no effect.
        """
        given = {name: value for name, value in given.items() if value is not None}
        values = {**GENERIC._asdict(), **DEFAULTS.get(game.name, {}), **given}
        for name, policies in USED_BY.items():
            if name in given and values["policy"] in [p for p in POLICIES if p not in policies]:
                found = f"{given[name]!r} beside policy {values['policy']}, which has no use for it"
                raise OptionError(f"{name}: found {found}; expected {' or '.join(policies)}")
        settings = cls(
            observer=one_of("observer", values["observer"], OBSERVERS),
            exploration=real("exploration", values["exploration"], 0),
            prior=whole("prior", values["prior"], 0),
            depth=whole("depth", values["depth"], -1),
            policy=one_of("policy", values["policy"], POLICIES),
            epsilon=real("epsilon", values["epsilon"], 0.01, 1),  # playouts must not be all alike
            tau=real("tau", values["tau"], 0.01),  # lest exp(-1 / tau) vanish
        )
        if settings.policy != UNIFORM and settings.depth == 0:
            found = f"{settings.policy!r} beside depth 0, which leaves no moves to choose"
            raise OptionError(f"policy: found {found}; expected a depth from 1, or -1")
        return settings


GENERIC = Settings(
    observer=SINGLE, exploration=0.7, prior=0, depth=8, policy=UNIFORM, epsilon=0.2, tau=0.1
)
"""Defaults for games that are not listed in DEFAULTS."""

DEFAULTS: dict[str, dict[str, Any]] = {
    "aves": {"exploration": 0.05, "prior": 1, "depth": 0},
    "coloretto": {"exploration": 0.1, "prior": 2, "depth": 0},
    "cubirds": {"exploration": 0.1, "prior": 1, "depth": 0},
    "fruit-friends": {"observer": MULTIPLE, "exploration": 0.2, "prior": 1, "depth": 0},
}
"""What is better than GENERIC for a game; `docs/bots.md` has the matches that decided it."""


class Budget:
    """How long a search goes on: iterations, seconds of wall clock, or whichever ends first.

    With neither it is `ITERATIONS`. Raises OptionError for wrong values.
    """

    ITERATIONS = 1000

    CHUNK = 0.001
    """seconds of search between two looks at the clock, and about the most by which one is late"""

    PIECE = 10_000
    """iterations at once where there is no clock, so that Ctrl-C is heard"""

    def __init__(self, iterations: int | None, seconds: float | None) -> None:
        if iterations is None and seconds is None:
            iterations = self.ITERATIONS
        self.iterations = None if iterations is None else whole("iterations", iterations, 1)
        self.seconds = None if seconds is None else real("seconds", seconds, 0.001)

    def spend(self, search: Callable[[int, int], object]) -> int:
        """Call `search(first, count)` for iterations first … first + count - 1; returns how many.

        What is searched does not depend on how it is cut into calls.
        """
        if self.seconds is None:
            assert self.iterations is not None
            for first in range(0, self.iterations, self.PIECE):
                search(first, min(self.PIECE, self.iterations - first))
            return self.iterations
        begin = time.perf_counter()
        done, chunk = 0, 1
        while chunk:
            search(done, chunk)
            done += chunk
            spent = time.perf_counter() - begin
            slice_ = min(self.CHUNK, self.seconds - spent)
            chunk = min(max(int(done / spent * slice_), 1), 2 * done) if slice_ > 0 else 0
            if self.iterations is not None:
                chunk = min(chunk, self.iterations - done)
        return done


def whole(name: str, value: object, least: int) -> int:
    """`value` if it is a whole number from `least` to MOST, otherwise OptionError."""
    if type(value) is int and least <= value <= MOST:
        return value
    raise OptionError(f"{name}: found {value!r}, expected a whole number from {least} to {MOST}")


def real(name: str, value: object, least: float, most: float = sys.float_info.max) -> float:
    """`value` as a float if it is a number from `least` to `most`, otherwise OptionError."""
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if least <= number <= most:
        return float(number)
    limit = f" to {most:g}" if most < sys.float_info.max else ""
    raise OptionError(f"{name}: found {value!r}, expected a number from {least:g}{limit}")


def one_of(name: str, value: object, known: Iterable[str]) -> str:
    """`value` if it is one of the texts that are known, otherwise OptionError."""
    if isinstance(value, str) and value in known:
        return value
    raise OptionError(f"{name}: found {value!r}, expected {' or '.join(known)}")
