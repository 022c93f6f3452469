"""Foreign bots as contestants: they play from processes of their own, see `arena.bot_process`.

Each worker has a `Hosts`, whose keepers make the processes. A bot in Python is given views and
nothing else; a program is sent lines of JSON.

**Sandbox.** With `Isolation.STRICT` each bot has a keeper of its own inside a bubblewrap sandbox:
no network, no files but the bot's own and those of the interpreter, no other processes, a private
/tmp that is emptied after every match. Linux only, like all of this module.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from arena import host, kernel, processes
from arena import sandbox as sandboxes
from arena.bot_process import (
    Keeper,
    LoadFault,
    Match,
    Overrun,
    Process,
    Program,
    Usage,
    made,
    message_of,
    raise_fault,
)
from arena.core import Action, Ending, Isolation, Limits, MatchResult, MatchSpec, Turn
from arena.errors import BotLoadError, OptionError
from arena.game import Game
from arena.player import BotFault, Clock, expected_one_of, line, too_long
from arena.registry import BotSource, Param

SANDBOXES = 8
"""kept at a time; each takes about as much memory as a worker"""
PROTOCOL = "arena.bot/1"
READY = {"type": "ready"}


# --- the bots of a worker -----------------------------------------------------------------------


class Hosts:
    """The processes in which the foreign bots of one worker live. Use as a context manager.

    They have the game's kernels in memory. Without a game, bots can only be loaded. `hash_seed`
    decides in which order sets of texts are gone through.
    """

    def __init__(self, game: Game | None, mode: Isolation, hash_seed: int = 0) -> None:
        self._game = game
        self._mode = mode
        self._hash_seed = hash_seed
        self._keepers: OrderedDict[str, Keeper] = OrderedDict()
        self._core: processes.Core | None = None

    def __enter__(self) -> Hosts:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End them all."""
        while self._keepers:
            self._keepers.popitem()[1].close()
        if self._core:
            self._core.release()
            self._core = None

    def guest(self, source: BotSource, params: Mapping[str, Param]) -> Guest:
        """The bot as a contestant; its code is not run before its first match."""
        return Guest(partial(self._keeper, source), source, params)

    def _keeper(self, source: BotSource, apart: bool) -> Keeper:
        """The keeper of a bot, in that bot's sandbox if it is to have one.

        Without a sandbox all bots share one, unless one is to be kept `apart`.
        """
        if sys.platform != "linux":
            raise OptionError(
                "isolation: bots in processes of their own need Linux; trusted lets them run here, "
                "in the process that plays, with nothing to stop them"
            )
        strict = self._mode is Isolation.STRICT
        key = f"{source.path}\0{source.digest}" if strict or apart else ""
        keeper = self._keepers.pop(key, None)
        if keeper is not None and not keeper.usable:
            keeper.close()
            keeper = None
        if keeper is None:
            if self._game and self._core is None:
                # What a keeper compiles in its sandbox would be lost.
                step = partial(host.warm_up, self._game)
                kernel.compile_once(f"{self._game.name}-host", [step])
                self._core = processes.Core()
            command = sandboxes.command(source) if strict else ()
            keeper = Keeper(self._game, command, self._hash_seed, shared=not key)
        self._keepers[key] = keeper
        while len(self._keepers) > SANDBOXES:
            self._keepers.popitem(last=False)[1].close()
        return keeper


class Guest:
    """A bot that plays from a process of its own; see `arena.player.Contestant`."""

    def __init__(
        self,
        keeper: Callable[[bool], Keeper],
        source: BotSource,
        params: Mapping[str, Param],
        apart: bool = False,
    ) -> None:
        self._find_keeper = keeper
        self._keeper = partial(keeper, apart)
        self._source = source
        self._params = params

    def apart(self) -> Guest:
        """See `arena.player.Contestant`."""
        return Guest(self._find_keeper, self._source, self._params, apart=True)

    def player(self, game: Game, spec: MatchSpec, seat: int, limits: Limits) -> GuestPlayer:
        kind = _ProgramPlayer if self._source.kind == "program" else _PythonPlayer
        return kind(self._keeper, self._source, self._params, game, spec, seat, limits)

    def load(self, limits: Limits) -> None:
        """Load the bot as a match would.

        BotLoadError says that it is not what was asked for, BotFault that its code fails.
        """
        if self._source.kind != "program":
            try:
                made(lambda: self._keeper().loaded(self._source, self._params, limits))
            except LoadFault as fault:
                if fault.mistake:
                    raise BotLoadError(fault.detail) from None
                raise


# --- players ------------------------------------------------------------------------------------


class GuestPlayer:
    """A bot in a process of its own; see `arena.player.Player`."""

    def __init__(
        self,
        keeper: Callable[[], Keeper],
        source: BotSource,
        params: Mapping[str, Param],
        game: Game,
        spec: MatchSpec,
        seat: int,
        limits: Limits,
    ) -> None:
        self.seconds = 0.0
        self._keeper = keeper
        self._source = source
        self._params = params
        self._game = game
        self._spec = spec
        self._seat = seat
        self._limits = limits
        self._clock = Clock(limits)
        self._process: Process | None = None
        self._printed = ""

    @property
    def clock(self) -> float | None:
        return self._clock.left

    def start(self) -> None:
        began = perf_counter()
        try:
            self._start()
        except LoadFault as fault:
            self._printed = fault.printed
            raise
        finally:
            self.seconds += perf_counter() - began

    def answer(self, turn: Turn) -> Action:
        assert self._process is not None
        began = perf_counter()
        self._process.resume()
        try:
            action, used = self._ask(self._process, turn)
        finally:
            self.seconds += perf_counter() - began
        self._clock.charge(used)
        self._process.rest()
        return action

    def explain(self) -> Any:
        return None

    def finish(self, result: MatchResult | None) -> str:
        if self._process is not None:
            if result is not None:
                self._process.resume()
                self._take_leave(self._process, result)
            self._printed = self._process.end()
        return self._printed

    def usage(self) -> Usage:
        """What it uses at this moment, before it is ended."""
        return self._process.usage() if self._process else Usage(0, 0, 0)

    def _slow_start(self) -> BotFault:
        return too_long(f"the limit of {self._limits.startup:g} s")

    def _start(self) -> None:
        raise NotImplementedError

    def _ask(self, process: Process, turn: Turn) -> tuple[Action, float]:
        """The answer and the processor time it took."""
        raise NotImplementedError

    def _take_leave(self, process: Process, result: MatchResult) -> None:
        pass


class _PythonPlayer(GuestPlayer):
    """A bot in Python, on the other side of whose socket is `arena.host`."""

    def _start(self) -> None:
        request = {
            "do": "play",
            "seat": self._seat,
            "seed": self._spec.bot_seeds[self._seat],
            "params": dict(self._params),
        }
        self._process = made(lambda: self._match(request))
        self._process.wait(self._limits.startup, self._slow_start)
        raise_fault(message_of(self._process.receive()))

    def _match(self, request: host.Message) -> Process:
        keeper = self._keeper()
        loaded = keeper.loaded(self._source, self._params, self._limits)
        return Match(keeper, loaded, request, self._limits)

    def _ask(self, process: Process, turn: Turn) -> tuple[Action, float]:
        legal = np.array(turn.legal, host.LEGAL).tobytes()
        clock = math.nan if turn.clock is None else turn.clock
        process.send(turn.view.record.tobytes() + legal + host.CLOCK.pack(clock))
        used = process.wait(turn.clock, self._clock.overrun)
        data = process.receive()
        if len(data) != host.ANSWER.size or data[:1] != host.MOVE:
            raise_fault(message_of(data))
            raise BotFault(Ending.ILLEGAL, "answered by other means than its return value")
        _, action = host.ANSWER.unpack(data)
        if action not in turn.legal:
            raise expected_one_of(str(action), turn.legal)
        return action, used


class _ProgramPlayer(GuestPlayer):
    """A program that speaks JSON lines on its standard input and output."""

    def _start(self) -> None:
        request = {"do": "run", "command": self._source.command, "folder": str(self._source.path)}
        self._program = made(lambda: Program(self._keeper(), request, self._limits))
        self._process = self._program
        limits = {"move": self._limits.move, "bank": self._limits.bank}
        self._say(
            self._process,
            {
                "type": "start",
                "protocol": PROTOCOL,
                "game": self._game.name,
                "rules": self._game.rules,
                "players": self._spec.players,
                "options": dict(self._spec.options),
                "seat": self._seat,
                "seed": self._spec.bot_seeds[self._seat],
                "params": dict(self._params),
                "limits": limits,
            },
        )
        answer, _ = self._hear(self._limits.startup, self._slow_start)
        if answer.get("type") == "failed":
            raise BotFault(Ending.CRASH, f"could not be run: {line(str(answer.get('error')))}")
        if answer.get("type") != "ready":
            raise BotFault(Ending.CRASH, f"answered {_shown(answer)}; expected {_shown(READY)}")

    def _ask(self, process: Process, turn: Turn) -> tuple[Action, float]:
        # The texts of moves are made from a world of the view, so that they cannot tell more.
        world = self._game.sample(turn.view, turn.seat, 0)
        self._say(
            process,
            {
                "type": "turn",
                "view": self._game.show_view(turn.view, turn.seat),
                "legal": [
                    {"id": action, "move": self._game.describe(world, action)}
                    for action in turn.legal
                ],
                "clock": turn.clock,
            },
        )
        answer, used = self._hear(turn.clock, self._clock.overrun)
        action = answer.get("id")
        if type(action) is not int or action not in turn.legal:
            raise expected_one_of(_shown(answer), turn.legal)
        return action, used

    def _take_leave(self, process: Process, result: MatchResult) -> None:
        end = {
            "type": "end",
            "ending": result.ending.value,
            "offender": result.offender,
            "ranks": result.ranks,
            "scores": result.scores,
        }
        with contextlib.suppress(BotFault):
            self._say(process, end)
            self._program.hang_up()

    def _say(self, process: Process, message: Mapping[str, Any]) -> None:
        process.send(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def _hear(self, limit: float | None, overrun: Overrun) -> tuple[dict[str, Any], float]:
        data, used = self._program.read_line(limit, overrun)
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            shown = line(data.decode(errors="backslashreplace"))
            raise BotFault(Ending.ILLEGAL, f"answered {shown!r}; expected a JSON object in a line")
        return answer, used


def _shown(message: Mapping[str, Any]) -> str:
    return line(json.dumps(message))
