"""One match, from the deal to the places; whatever a bot does becomes a result.

Bots are built afresh for every match and asked in turn. What a bot does wrong ends the match: the
bot is last and alone, the others keep the order of their standing. What goes wrong anywhere else
is no bot's fault and is raised.
"""

from __future__ import annotations

import operator
import re
import traceback
from collections.abc import Sequence
from time import perf_counter

import numpy as np

from arena.core import Action, Ending, Limits, MatchResult, MatchSpec, Turn, View
from arena.errors import Interrupted
from arena.game import Game, advance
from arena.game import play as play_on
from arena.kernel import blank
from arena.registry import PRIVATE_PACKAGE, Entry

DETAIL_CHARS = 200
"""how much of an answer or a message is told in a result's detail"""
TRACEBACK_CHARS = 4000
"""how much of a traceback is kept: its beginning and, mostly, its end"""


def play(game: Game, spec: MatchSpec, entries: Sequence[Entry], limits: Limits) -> MatchResult:
    """Play `spec` with the bots `entries`, by seat.

    The `detail` of a result counts moves from 1, forced ones included.

    Never raises for what a bot does. `Interrupted`, and only that, passes through bots: where
    Ctrl-C is to stop a match, the signal handler has to raise it, since a KeyboardInterrupt may
    come from a bot and is taken for a crash.
    """
    state = game.initial(spec.players, spec.options, spec.seed)
    seats = state["seat"]  # shares the state's memory: always the seat to move
    players = [_Player(e, s, spec.bot_seeds[s], limits) for s, e in enumerate(entries)]
    moves = np.empty(game.max_moves, np.int32)
    out = np.empty(game.action_count, np.int32)
    dtype = game.view_dtype
    played, choices = 0, None
    ending, offender, detail, trace = Ending.FINISHED, None, "", ""
    try:
        for player in players:
            player.start(game)
        record = blank(dtype)
        played, choices = advance(state, moves, played, out, record)
        while choices:
            seat = seats.item()
            legal = tuple(out[:choices].tolist())
            action = players[seat].answer(Turn(View(record), seat, legal, limits.move), legal)
            record = blank(dtype)
            played, choices = play_on(state, action, moves, played, out, record)
        if game.capped(state):
            ending = Ending.TURN_CAP
    except _BotError as fault:
        ending, offender, trace = fault.ending, fault.seat, fault.traceback
        detail = f"{'start' if choices is None else f'move {played + 1}'}: {fault.detail}"
    return MatchResult(
        spec=spec,
        ending=ending,
        offender=offender,
        scores=game.scores(state),
        ranks=places(game.ranks(state), offender),
        actions=tuple(moves[:played].tolist()),
        seconds=tuple(player.seconds for player in players),
        detail=detail,
        traceback=trace,
    )


def places(standing: Sequence[int], offender: int | None) -> tuple[int, ...]:
    """Places from 1, equal ones shared and the next ones left out; the offender last and alone."""
    key = [(seat == offender, rank) for seat, rank in enumerate(standing)]
    return tuple(1 + sum(other < own for other in key) for own in key)


class _BotError(Exception):
    """What the bot of a seat did wrong."""

    def __init__(self, seat: int, ending: Ending, detail: str, traceback: str = "") -> None:
        super().__init__(detail)
        self.seat = seat
        self.ending = ending
        self.detail = detail
        self.traceback = traceback


class _Player:
    """The bot of one seat, in this process. Both methods raise _BotError.

    Time limits are looked at when the bot comes back: one that never does is not stopped.
    `seconds` is the time spent in the bot so far.
    """

    def __init__(self, entry: Entry, seat: int, seed: int, limits: Limits) -> None:
        self.seconds = 0.0
        self._entry = entry
        self._seat = seat
        self._seed = seed
        self._limits = limits

    def start(self, game: Game) -> None:
        """Build the bot."""
        began = perf_counter()
        try:
            bot = self._entry.factory(game, self._seat, self._seed, **self._entry.params)
            self._act = bot.act
        except Interrupted:
            raise
        except BaseException as error:
            self._check_clock(began, self._limits.startup)
            raise self._crash(error) from None
        self._check_clock(began, self._limits.startup)

    def answer(self, turn: Turn, legal: tuple[Action, ...]) -> Action:
        """Ask the bot; what it answers is one of `legal`."""
        began = perf_counter()
        try:
            answer = self._act(turn)
            action = answer if type(answer) is int else _whole(answer)
        except Interrupted:
            raise
        except BaseException as error:
            self._check_clock(began, self._limits.move)
            raise self._crash(error) from None
        self._check_clock(began, self._limits.move)
        if action not in legal:
            found = _shown(answer) + (", which is not a whole number" if action is None else "")
            expected = _line(", ".join(map(str, legal)))
            raise _BotError(self._seat, Ending.ILLEGAL, f"answered {found}; legal were {expected}")
        return action

    def _check_clock(self, began: float, limit: float | None) -> None:
        elapsed = perf_counter() - began
        self.seconds += elapsed
        if limit is not None and elapsed > limit:
            # How long it took is not told: results are to be the same in every run.
            raise _BotError(
                self._seat, Ending.TIMEOUT, f"took longer than the limit of {limit:g} s"
            )

    def _crash(self, error: BaseException) -> _BotError:
        ending = Ending.MEMORY if isinstance(error, MemoryError) else Ending.CRASH
        detail, text = _told(error)
        return _BotError(self._seat, ending, f"raised {detail}", text)


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
        return _line(repr(value))
    except Interrupted:
        raise
    except BaseException:
        return _line(f"an object of {type.__repr__(type(value))}")


def _told(error: BaseException) -> tuple[str, str]:
    """A bot's exception in one short line, and its traceback from the bot's code on."""
    try:
        name, message = type(error).__qualname__, str(error)
        below = error.__traceback__.tb_next if error.__traceback__ else None
        lines = traceback.format_exception(type(error), error, below)
        return _line(f"{name}: {message}" if message else name), _text("".join(lines))
    except Interrupted:
        raise
    except BaseException:  # an exception that cannot be printed
        return _line(f"an exception of {type.__repr__(type(error))}"), ""


def _line(text: str) -> str:
    text = str.__str__(text)  # an exact str: a subclass would go on running the bot's code
    line = _plain(" ".join(text[: 2 * DETAIL_CHARS].split()))
    return line if len(line) <= DETAIL_CHARS else line[: DETAIL_CHARS - 1] + "…"


def _text(text: str) -> str:
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
    return "".join(
        c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text
    )
