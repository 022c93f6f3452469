"""What passes between the parts of arena: plain frozen data without behaviour."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Action: TypeAlias = int
"""A move: a small non-negative integer whose meaning its game defines once and for all."""

State: TypeAlias = npt.NDArray[Any]
"""Everything about a position: an array of shape (1,) of the game's own structured dtype."""

OptionValue: TypeAlias = bool | int | str


VIEW_HEADER = {
    "players": "number of seats",
    "seat": "seat to move, -1 when the game is over",
    "over": "0 while the game runs, 1 finished, 2 ended by a cap",
    "turn": "finished turns",
}
"""The fields that the views of all games have; `phase` is explained by those that use it."""


class View:
    """What one seat knows, with named, read-only access: `view.seat`, `view.hands[seat]`.

    Scalars come as int, arrays as read-only NumPy arrays; `fields` lists the names. The meaning of
    each field is told by `arena games NAME`. `record` is the array of shape (1,) that kernels take;
    it belongs to this view alone and shares no memory with the state.
    """

    __slots__ = ("record",)

    record: npt.NDArray[Any]

    def __init__(self, record: npt.NDArray[Any]) -> None:
        object.__setattr__(self, "record", record)

    @property
    def fields(self) -> tuple[str, ...]:
        return self.record.dtype.names or ()

    def __getattr__(self, name: str) -> Any:
        try:
            value = self.record[name][0]
        except (ValueError, KeyError):
            raise AttributeError(
                f"the view has no field {name!r}; it has {', '.join(self.fields)}"
            ) from None
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
            return value
        return value.item()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a view is read-only; {name!r} cannot be set")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View):
            return NotImplemented
        return self.record.dtype == other.record.dtype and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> bytes:
        """The fields' bytes, without the padding between them, which NumPy does not copy."""
        return b"".join(self.record[name].tobytes() for name in self.fields)

    def __repr__(self) -> str:
        return f"View({', '.join(f'{n}={getattr(self, n)!r}' for n in self.fields)})"

    def __reduce__(self) -> tuple[type[View], tuple[npt.NDArray[Any]]]:
        return View, (self.record,)


class Turn(NamedTuple):
    """Everything a bot is given when it has to move."""

    view: View
    """what the bot's seat knows"""
    seat: int
    """the bot's own seat; seat 0 made the first decision of the game"""
    legal: tuple[Action, ...]
    """the legal moves, ascending; at least two, since forced moves are played without asking"""
    clock: float | None = None
    """seconds left for this answer, or None without a limit"""


class Bot(Protocol):
    """One seat's player in one match, built afresh for every match.

    The constructor is called as `Bot(game, seat, seed, **params)`: the `Game`, the seat this object
    plays, an integer from which all its randomness should come, the params of the configuration.

    A bot may also have a method `explain() -> dict`, which tells about its last answer, JSON-able:
    `{"iterations": 1000, "moves": [{"action": 17, "visits": 640, "value": 0.58, "line": ["stay",
    "draw"]}, …]}`. The moves come best first; `value` is what the bot expects from one, from 0 for
    the last place to 1 for the first alone. `line` is the principal variation: the text of the move
    and those of the answers that the bot looked at most, as they were in a world it imagined.
    """

    def act(self, turn: Turn) -> Action:
        """Choose one of `turn.legal`."""
        ...


class Isolation(enum.StrEnum):
    """Where a bot runs."""

    TRUSTED = "trusted"
    """in the process that plays the match: fast, and free to do anything"""
    ISOLATED = "isolated"
    """in a process of its own, under limits"""
    STRICT = "strict"
    """moreover in a sandbox without network, other files and other processes"""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot may use; None is no limit.

    Times are seconds: of processor time for a bot in a process of its own, else of wall clock. The
    last three limits are for bots in processes of their own only.
    """

    move: float | None = None
    """for one answer"""
    startup: float | None = None
    """for loading and building it"""
    bank: float | None = None
    """for all answers of a match together"""
    memory: int | None = None
    """bytes that it may take"""
    processes: int | None = None
    """processes and threads, its own first one included"""
    output: int = 10_000
    """bytes kept of what it prints in a match, a fifth of them before any one answer"""


class Ending(enum.StrEnum):
    """How a match ended."""

    FINISHED = "finished"
    TURN_CAP = "turn_cap"
    ILLEGAL = "illegal"
    TIMEOUT = "timeout"
    CRASH = "crash"
    MEMORY = "memory"
    RETIRED = "retired"
    """not played, and not rated: one of its bots had been at fault too often before"""

    @property
    def forfeit(self) -> bool:
        """Whether a bot was at fault."""
        return self not in (Ending.FINISHED, Ending.TURN_CAP, Ending.RETIRED)


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match to be played; what happens in it follows from this and the bots' code alone."""

    number: int
    """position in the schedule, from 0"""
    id: str
    """hash over game, rules, options, bots by seat with their params, deal, rotation and the run's
    seed; the code of bots is not in it"""
    game: str
    players: int
    options: Mapping[str, OptionValue]
    """the game's options, all of them"""
    bots: tuple[str, ...]
    """names by seat"""
    line_up: int
    """number of the line-up; its bots play each deal from every rotation of the seats"""
    deal: int
    """number of the deal; (line_up, deal) is the deal block, the unit of all statistics"""
    rotation: int
    seed: int
    """seed of the deal, below 2**53"""
    bot_seeds: tuple[int, ...]
    """by seat, below 2**53"""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What happened in a match. With `spec.seed`, `actions` replay it."""

    spec: MatchSpec
    ending: Ending
    offender: int | None
    """seat at fault, None when no bot was"""
    scores: tuple[Any, ...]
    """by seat, the game's own numbers (as `Game.scores`), at the end or where the match was lost"""
    ranks: tuple[int, ...]
    """by seat, places from 1, equal places shared; an offender is last and alone"""
    actions: tuple[Action, ...]
    """all moves played, forced ones included"""
    seconds: tuple[float, ...]
    """by seat, wall-clock time spent in the bot"""
    detail: str = ""
    """one line about a forfeit: what was answered, what would have been right"""
    traceback: str = ""
    """of a crash, else empty"""
    printed: tuple[str, ...] = ()
    """by seat, what bots in their own processes printed; empty if nothing"""
    explained: Mapping[int, Any] = field(default_factory=dict)
    """what bots told of their decisions, plain data by the number of the move from 1"""
