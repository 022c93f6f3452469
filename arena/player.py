"""The bot of one seat in this process, and what becomes of all it may do wrong.

Everything that a bot may answer, raise or be is dealt with here, next to the bot: what leaves is a
legal move or a `BotFault`, in words that are the same in every run.
"""

from __future__ import annotations

import json
import operator
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from arena.core import Action, Bot, Ending, Limits, MatchResult, MatchSpec, State, Turn
from arena.errors import Interrupted
from arena.registry import PRIVATE_PACKAGE, Factory, Param

if TYPE_CHECKING:
    from arena.game import Game

DETAIL_CHARS = 200
"""how much of an answer or a message is told in a fault's detail"""
EXPLANATION_CHARS = 100_000
"""a longer explanation is not kept"""
TRACEBACK_CHARS = 4000
"""how much of a traceback is kept: its beginning and, mostly, its end"""


class BotFault(Exception):  # noqa: N818 - what a bot did, no mistake of ours
    """What a bot did wrong: the ending it makes, one line about it, and a crash's traceback."""

    def __init__(self, ending: Ending, detail: str, traceback: str = "") -> None:
        super().__init__(detail)
        self.ending = ending
        self.detail = detail
        self.traceback = traceback


class DisturbedError(Exception):
    """A match cannot go on because of what somebody else did to a bot's process."""


class Player(Protocol):
    """The bot of one seat for one match. `start` and `answer` raise BotFault."""

    seconds: float
    """wall-clock time spent in the bot so far"""

    @property
    def clock(self) -> float | None:
        """Seconds that it may use for its next answer; None is no limit."""

    def start(self) -> None:
        """Build the bot."""

    def answer(self, turn: Turn) -> Action:
        """Ask the bot; what it answers is one of `turn.legal`."""

    def explain(self) -> Any:
        """What it tells of its last answer, as plain data; None if nothing."""

    def finish(self, result: MatchResult | None) -> str:
        """End it, telling it the result; None if the match was broken off.

        Returns what it printed, as far as that is kept. Raises nothing.
        """


class Contestant(Protocol):
    """A bot of a run, from which players are made for any match and seat."""

    def player(self, game: Game, spec: MatchSpec, seat: int, limits: Limits) -> Player:
        """The bot for this seat of `spec`, not started yet."""

    def apart(self) -> Contestant:
        """The same bot, sharing nothing with others that could be at fault."""


class Clock:
    """The time that the limits leave to one bot in one match."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bank = limits.bank

    @property
    def left(self) -> float | None:
        """Seconds for the next answer, None without a limit."""
        times = [t for t in (self._limits.move, self._bank) if t is not None]
        return min(times, default=None)

    def charge(self, seconds: float) -> None:
        """Take the time of an answer off; BotFault if it was too long."""
        left = self.left
        if left is not None and seconds > left:
            raise self.overrun()
        if self._bank is not None:
            self._bank -= seconds

    def overrun(self) -> BotFault:
        """What becomes of a bot that takes longer than is left."""
        # How long it took is not told: results are to be the same in every run.
        if self._bank is not None and self.left == self._bank:
            return too_long(f"the {self._limits.bank:g} s it has for a match")
        return too_long(f"the limit of {self._limits.move:g} s")


def too_long(limit: str) -> BotFault:
    """What becomes of a bot that takes longer than it may."""
    return BotFault(Ending.TIMEOUT, f"took longer than {limit}")


def expected_one_of(found: str, legal: tuple[Action, ...]) -> BotFault:
    """What becomes of a bot that answers with something else than a legal move."""
    expected = line(", ".join(map(str, legal)))
    return BotFault(Ending.ILLEGAL, f"answered {found}; legal were {expected}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot that runs in the process that plays the match."""

    name: str
    factory: Factory
    params: Mapping[str, Param]
    sees_state: bool = False
    """whether it is an oracle, which is shown the true state"""

    def apart(self) -> Entry:
        """See `Contestant`."""
        return self

    def player(self, game: Game, spec: MatchSpec, seat: int, limits: Limits) -> InProcess:
        """See `Contestant`."""
        build = partial(self.factory, game, seat, spec.bot_seeds[seat], **self.params)
        return Oracle(build, limits) if self.sees_state else InProcess(build, limits)


class InProcess:
    """A `Player` in this process.

    Time limits are looked at when the bot comes back: one that never does is not stopped.
    """

    def __init__(self, build: Callable[[], Bot], limits: Limits) -> None:
        self.seconds = 0.0
        self._build = build
        self._startup = limits.startup
        self._clock = Clock(limits)

    @property
    def clock(self) -> float | None:
        return self._clock.left

    def start(self) -> None:
        began = perf_counter()
        try:
            self._bot = self._build()
            self._act = self._bot.act
        except Interrupted:
            raise
        except BaseException as error:
            self._check_start(began)
            raise crash(error) from None
        self._check_start(began)

    def answer(self, turn: Turn) -> Action:
        began = perf_counter()
        try:
            answer = self._act(turn)
            action = answer if type(answer) is int else _whole(answer)
        except Interrupted:
            raise
        except BaseException as error:
            self._clock.charge(self._spent(began))
            raise crash(error) from None
        self._clock.charge(self._spent(began))
        if action not in turn.legal:
            note = ", which is not a whole number" if action is None else ""
            raise expected_one_of(_shown(answer) + note, turn.legal)
        return action

    def explain(self) -> Any:
        try:
            told = json.dumps(self._bot.explain(), allow_nan=False)  # type: ignore[attr-defined]
        except Interrupted:
            raise
        except BaseException:  # it has no such method, or what it tells is no plain data
            return None
        return json.loads(told) if len(told) <= EXPLANATION_CHARS else None

    def finish(self, result: MatchResult | None) -> str:
        return ""

    def _check_start(self, began: float) -> None:
        elapsed = self._spent(began)
        if self._startup is not None and elapsed > self._startup:
            raise too_long(f"the limit of {self._startup:g} s")

    def _spent(self, began: float) -> float:
        elapsed = perf_counter() - began
        self.seconds += elapsed
        return elapsed


class Oracle(InProcess):
    """A bot that is shown a copy of the true state with every turn."""

    state: State
    """the state of the match, to be set before the first turn"""

    def answer(self, turn: Turn) -> Action:
        self._act = partial(self._bot.act, state=self.state.copy())  # type: ignore[call-arg]
        return super().answer(turn)


def crash(error: BaseException) -> BotFault:
    """What becomes of a bot that raises."""
    ending = Ending.MEMORY if isinstance(error, MemoryError) else Ending.CRASH
    detail, text = told(error)
    return BotFault(ending, f"raised {detail}", text)


def _whole(answer: object) -> int | None:
    """The whole number that an answer stands for; None if it is none, as a bool is."""
    if type(answer) in (bool, np.bool_):
        return None
    try:
        return operator.index(answer)  # type: ignore[arg-type]
    except Interrupted:
        raise
    except BaseException:
        return None


# --- telling what happened, in words that are the same in every run -----------------------------


def _shown(value: object) -> str:
    """A bot's object in one short line, whatever its `__repr__` does."""
    try:
        return line(repr(value))
    except Interrupted:
        raise
    except BaseException:
        return line(f"an object of {type.__repr__(type(value))}")


def told(error: BaseException) -> tuple[str, str]:
    """A bot's exception in one short line, and its traceback from the bot's code on."""
    try:
        name, message = type(error).__qualname__, str(error)
        below = error.__traceback__.tb_next if error.__traceback__ else None
        lines = traceback.format_exception(type(error), error, below)
        return line(f"{name}: {message}" if message else name), text("".join(lines))
    except Interrupted:
        raise
    except BaseException:  # an exception that cannot be printed
        return line(f"an exception of {type.__repr__(type(error))}"), ""


def line(text: str, chars: int = DETAIL_CHARS) -> str:
    """Foreign text in one short line."""
    text = str.__str__(text)  # an exact str: a subclass would go on running the bot's code
    line = _plain(" ".join(text[: 2 * chars].split()))
    return line if len(line) <= chars else line[: chars - 1] + "…"


def text(text: str) -> str:
    """Foreign text of several lines, shortened in the middle."""
    if len(text) > TRACEBACK_CHARS:
        head = TRACEBACK_CHARS // 4
        text = f"{text[:head]}\n[…]\n{text[head - TRACEBACK_CHARS :]}"
    return _plain(text)


def _plain(text: str) -> str:
    """The same on every computer, and fit for any file or terminal.

    Without addresses, the names of private packages and the folders in which files lie.
    """
    text = re.sub(rf" at 0x[0-9A-Fa-f]+|{PRIVATE_PACKAGE}", "", text)
    text = re.sub(r'File "[^"\n]*[/\\]([^"/\\\n]+)"', r'File "\1"', text)
    return printable(text)


def printable(text: str) -> str:
    """Foreign text that does nothing to a terminal: what is no character to be seen is escaped."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )
