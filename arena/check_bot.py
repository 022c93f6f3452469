"""`check_bot`: whether a bot keeps the rules, found out by playing it as a run would.

It plays in every seat and against itself, for every number of players, with the limits and in the
kind of process that a run would give it. Some matches are then played again, in new processes, in
the same ones, and with sets in another order: a bot whose moves follow from what it is told and
from its seed plays all of them alike.
"""

from __future__ import annotations

import enum
import os
import shlex
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, groupby, islice, zip_longest
from pathlib import Path
from typing import Any

from arena import kernel, match, registry, sandbox, seeding
from arena.bot_process import Usage
from arena.config import RunConfig
from arena.core import Action, Ending, Isolation, Limits, MatchResult, MatchSpec, State, Turn
from arena.errors import BotLoadError, OptionError
from arena.game import Game
from arena.isolation import Guest, GuestPlayer, Hosts
from arena.player import BotFault, Contestant, Entry, Player
from arena.registry import BotSource, Param

LIMITS: Limits = RunConfig.model_fields["limits"].default
"""those of a run whose configuration sets none"""
FAULTS = 3
"""after so many a bot plays no more"""
REPEATED = 100
"""moves that are played again, or one match for each number of players if that is more"""
SECOND_HASH_SEED = 1
WORLDS = 3
"""in which a bot is asked the same decision: the true one, others that look the same to it"""
ASKED = (0, 4)
"""which of its decisions in a match those are"""


class Verdict(enum.StrEnum):
    """What has come of a check."""

    OK = "ok"
    NOTE = "note"
    """worth knowing, and no fault"""
    FAILED = "failed"
    UNKNOWN = "not told"
    """because of another fault"""


@dataclass(frozen=True, slots=True)
class Finding:
    """The row of one check."""

    check: str
    verdict: Verdict
    found: str


@dataclass(frozen=True, slots=True)
class BotReport:
    """What `check_bot` has found."""

    findings: tuple[Finding, ...]
    traceback: str = ""
    """of the first crash"""
    printed: str = ""
    """what the bot printed in the first match with a fault of its own, else in the first of all"""

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The checks that a run would count against the bot."""
        return tuple(f for f in self.findings if f.verdict is Verdict.FAILED)


def check_bot(
    ref: str,
    game: Game,
    *,
    base: Path | None = None,
    isolation: Isolation = Isolation.ISOLATED,
    limits: Limits = LIMITS,
    matches: int = 1,
) -> BotReport:
    """Check the bot of a reference, as `registry.find_bot` takes it, params included.

    Raises UnknownNameError, BotLoadError or OptionError if there is no such bot. What is wrong with
    its code stands in the report.
    """
    ref, params = registry.split_ref(ref)
    with BotChecker(game, isolation, limits, matches) as checker:
        return checker.check(registry.find_bot(ref, base), params)


class BotChecker:
    """Checks bots, one after another. Use as a context manager: it keeps processes.

    `matches` is how many are played in each seat. OptionError if `isolation` does not work here.
    """

    def __init__(
        self, game: Game, isolation: Isolation, limits: Limits = LIMITS, matches: int = 1
    ) -> None:
        if isolation is Isolation.STRICT:
            sandbox.bubblewrap()
        self._game = game
        self._isolation = isolation
        self._limits = limits
        self._specs = _specs(game, matches)
        self._random = Entry(RANDOM, registry.load_bot(registry.find_bot("random")), {})
        self._stack = ExitStack()

    def __enter__(self) -> BotChecker:
        kernel.compile_once(self._game.name, [self._play_at_random])
        apart = Isolation.ISOLATED if self._isolation is Isolation.TRUSTED else self._isolation
        self._hosts, self._new_hosts, self._other_hosts = (
            self._stack.enter_context(Hosts(self._game, apart, hash_seed))
            for hash_seed in (0, 0, SECOND_HASH_SEED)
        )
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def check(self, source: BotSource, params: Mapping[str, Param]) -> BotReport:
        """What there is to say about a bot."""
        if source.ref == registry.ORACLE:
            raise OptionError(
                f"the {registry.ORACLE} is shown the true state in matches; a check shows views"
            )
        trusted = source.kind == "shipped" or self._isolation is Isolation.TRUSTED
        try:
            contestant = self._trusted(source, params) if trusted else None
            guest = self._hosts.guest(source, params)
            guest.load(self._limits)
        except BotFault as fault:
            return BotReport((Finding(STARTS, Verdict.FAILED, fault.detail),), fault.traceback)
        except (BotLoadError, OptionError) as error:
            return BotReport((Finding(STARTS, Verdict.FAILED, registry.reason(str(error))),))
        games = self._play_all(source, params, contestant, guest)
        return BotReport(tuple(_findings(games, self._limits)), *_evidence(games))

    # --- playing

    def _play_at_random(self) -> None:
        spec = self._specs[0]
        match.play(self._game, spec, [self._random] * spec.players, Limits())

    def _trusted(self, source: BotSource, params: Mapping[str, Param]) -> Entry:
        """A bot in this process."""
        factory = registry.load_bot(source)
        registry.check_params(factory, params)
        if source.kind == "shipped":
            factory(self._game, 0, 0, **params)
        if hasattr(factory, "compile"):
            step = partial(factory.compile, self._game)
            try:
                kernel.compile_once(f"{self._game.name}-{source.digest}-{source.attr}", [step])
            except Exception as error:
                raise BotLoadError(f"compile(game) raises {error!r}") from error
        return Entry(BOT, factory, params)

    def _play_all(
        self, source: BotSource, params: Mapping[str, Param], trusted: Entry | None, guest: Guest
    ) -> _Games:
        """All the matches, and some of them in other ways."""
        bot = trusted or guest
        first_time, alone = _Watched(bot), _Watched(guest)
        first = self._play(self._specs, first_time, most_faults=FAULTS)
        chosen = _chosen([result for result in first if result.offender is None])
        specs = [result.spec for result in chosen]
        return _Games(
            planned=len(self._specs),
            first=first,
            chosen=chosen,
            later=self._play(specs, bot),
            apart=self._play(specs, alone) if trusted else chosen,
            new=self._play(specs, self._new_hosts.guest(source, params)),
            hashed=self._play(specs, self._other_hosts.guest(source, params)),
            asked=[self._ask_in_worlds(bot, result, index) for result in chosen for index in ASKED],
            seconds=first_time.seconds,
            starts=first_time.starts,
            usage=Usage(*map(max, first_time.usage, alone.usage)),
        )

    def _play(
        self, specs: Sequence[MatchSpec], bot: Contestant, most_faults: int | None = None
    ) -> list[MatchResult]:
        results: list[MatchResult] = []
        faults = 0
        for spec in specs:
            contestants = [bot if name == BOT else self._random for name in spec.bots]
            results.append(match.play(self._game, spec, contestants, self._limits))
            faults += results[-1].offender is not None
            if faults == most_faults:
                break
        return results

    # --- asking

    def _ask_in_worlds(self, bot: Contestant, result: MatchResult, index: int) -> set[str]:
        """The answers to one decision of a match, in several worlds; empty if there is none."""
        spec, seat = result.spec, result.spec.bots.index(BOT)
        turns = [
            turn
            for _, _, turn in match.decisions(self._game, spec, result.actions)
            if turn.seat == seat
        ][: index + 1]
        if len(turns) <= index:
            return set()
        return {
            self._ask(bot, spec, turns, self._world(result, turns[-1], len(turns), number))
            for number in range(WORLDS)
        }

    def _world(self, result: MatchResult, turn: Turn, count: int, number: int) -> State:
        """The position at a seat's decision `count`, or one that this seat cannot tell from it."""
        if number:
            return self._game.sample(turn.view, turn.seat, number)
        decisions = match.decisions(self._game, result.spec, result.actions)
        own = (state for _, state, asked in decisions if asked.seat == turn.seat)
        return next(islice(own, count - 1, None))

    def _ask(self, bot: Contestant, spec: MatchSpec, turns: Sequence[Turn], state: State) -> str:
        """What a new bot answers to the last of `turns`, after it has answered the others.

        `state` is what it finds in this process if it looks where it should not.
        """
        player = bot.player(self._game, spec, turns[0].seat, self._limits)
        try:
            player.start()
            return str([player.answer(turn) for turn in turns][-1])
        except BotFault as fault:
            return fault.detail
        finally:
            player.finish(None)


# --- matches ------------------------------------------------------------------------------------

BOT, RANDOM = "bot", "random"


def _specs(game: Game, deals: int) -> list[MatchSpec]:
    """For all numbers of players: `deals` matches in each seat among random bots, and self-play."""
    line_ups = [
        [RANDOM] * seat + [BOT] + [RANDOM] * (players - seat - 1)
        for players in game.players
        for seat in [seat for seat in range(players) for _ in range(deals)]
    ]
    line_ups += [[BOT] * players for players in game.players]
    return [
        MatchSpec(
            number=number,
            id=seeding.fingerprint("check", number),
            game=game.name,
            players=len(bots),
            options=game.resolve(len(bots)),
            bots=tuple(bots),
            line_up=number,
            deal=0,
            rotation=0,
            seed=seeding.derive("check deal", number),
            bot_seeds=tuple(seeding.derive("check bot", number, seat) for seat in range(len(bots))),
        )
        for number, bots in enumerate(sorted(line_ups, key=len))
    ]


def _chosen(results: Sequence[MatchResult]) -> list[MatchResult]:
    """One for each number of players, and some more if these are few."""
    groups = [list(group) for _, group in groupby(results, lambda r: r.spec.players)]
    in_turn = [r for round_ in zip_longest(*groups) for r in round_ if r is not None]
    moves = accumulate(len(result.actions) for result in in_turn)
    enough = next((n for n, total in enumerate(moves, start=1) if total >= REPEATED), len(in_turn))
    return in_turn[: max(enough, len(groups))]


@dataclass(frozen=True, slots=True)
class _Games:
    """What a bot has played; after `first`, which are all, each list has the matches of `chosen`.

    Those are some in which the bot was not at fault.
    """

    planned: int
    first: list[MatchResult]
    chosen: list[MatchResult]
    later: list[MatchResult]
    """after all others"""
    apart: list[MatchResult]
    """in processes that hold views and nothing else; the first time, if it always runs there"""
    new: list[MatchResult]
    """in new processes"""
    hashed: list[MatchResult]
    """in processes with another hash seed"""
    asked: list[set[str]]
    """answers to the same decision in different worlds"""
    seconds: list[float]
    """of each answer the first time"""
    starts: list[float]
    """seconds that each start took the first time"""
    usage: Usage

    @property
    def faults(self) -> list[MatchResult]:
        return [result for result in self.first if result.offender is not None]


class _Watched:
    """A contestant about whose players notes are taken."""

    def __init__(self, contestant: Contestant) -> None:
        self._contestant = contestant
        self.starts: list[float] = []
        self.seconds: list[float] = []
        self.usage = Usage(0, 0, 0)

    def player(self, game: Game, spec: MatchSpec, seat: int, limits: Limits) -> Player:
        """See `Contestant`."""
        return _WatchedPlayer(self._contestant.player(game, spec, seat, limits), self)

    def apart(self) -> _Watched:
        """See `Contestant`."""
        self._contestant = self._contestant.apart()
        return self


class _WatchedPlayer:
    def __init__(self, player: Player, notes: _Watched) -> None:
        self.seconds = 0.0
        self._player = player
        self._notes = notes

    @property
    def clock(self) -> float | None:
        return self._player.clock

    def start(self) -> None:
        self._player.start()
        self.seconds = self._player.seconds
        self._notes.starts.append(self.seconds)

    def answer(self, turn: Turn) -> Action:
        try:
            return self._player.answer(turn)
        finally:
            self._notes.seconds.append(self._player.seconds - self.seconds)
            self.seconds = self._player.seconds

    def explain(self) -> Any:
        return self._player.explain()

    def finish(self, result: MatchResult | None) -> str:
        if isinstance(self._player, GuestPlayer):
            self._notes.usage = Usage(*map(max, self._notes.usage, self._player.usage()))
        return self._player.finish(result)


# --- findings -----------------------------------------------------------------------------------

STARTS = "starts"
AT_START = "start"


def _findings(games: _Games, limits: Limits) -> Iterator[Finding]:
    yield _faults(STARTS, games, AT_START, f"in {statistics.median(games.starts or [0]):.3f} s")
    yield _faults("does not crash", games, Ending.CRASH, f"{_count(len(games.first))} played")
    yield _faults("legal", games, Ending.ILLEGAL, f"{len(games.seconds):,} answers")
    yield _faults("time", games, Ending.TIMEOUT, _time(games.seconds, limits))
    memory = f"{games.usage.memory / 1e6:.1f} MB at the end of a match"
    yield _faults("memory", games, Ending.MEMORY, memory)
    yield from _repeated(games)
    yield _output(games, limits)
    yield _left_over(games.usage)


def _faults(check: str, games: _Games, kind: str, found: str) -> Finding:
    """The row of a kind of fault: an ending, or any at the start."""
    faults = [result for result in games.faults if _kind(result) == kind]
    if not faults:
        return Finding(check, Verdict.OK, found)
    first, played = faults[0], len(games.first)
    place = f"as seat {first.offender} of {first.spec.players}"
    text = f"{len(faults)} of {_count(played)} lost; the first {place}: {first.detail}"
    if played < games.planned:
        text += f"; {games.planned - played} not played any more"
    return Finding(check, Verdict.FAILED, text)


def _kind(result: MatchResult) -> str:
    return AT_START if result.detail.startswith("start: ") else result.ending


def _time(seconds: Sequence[float], limits: Limits) -> str:
    if not seconds:
        return "never asked"
    limit = f", the limit is {limits.move:g} s" if limits.move else ""
    return f"median {statistics.median(seconds):.4f} s, worst {max(seconds):.4f} s a move{limit}"


def _repeated(games: _Games) -> Iterator[Finding]:
    """The rows about matches that were played several times; the first that fails ends them."""
    asked = [answers for answers in games.asked if answers]
    several = next((answers for answers in asked if len(answers) > 1), set())
    told_worlds = f"answers {', '.join(sorted(several))} to one decision in {WORLDS} worlds"
    rows = [
        ("deterministic", games.apart, games.new, "in new processes, with the same seeds"),
        ("same under a second hash seed", games.apart, games.hashed, "with another hash seed"),
        ("no memory across games", games.chosen, games.later, "after others"),
        ("no leak", games.chosen, games.apart, "where it can see views only"),
    ]
    reason = "" if games.chosen else "no match without a fault"
    for check, results, again, how in rows:
        differing = _differing(results, again)
        if reason:
            yield Finding(check, Verdict.UNKNOWN, reason)
        elif differing:
            yield Finding(check, Verdict.FAILED, f"plays otherwise {how}: {differing}")
            reason = f"see: {check}"
        elif check == "no leak":
            verdict = Verdict.FAILED if several else Verdict.OK
            told = f"{_count(len(asked), 'decision')} in {WORLDS} worlds each that look the same"
            yield Finding(check, verdict, told_worlds if several else told)
        else:
            yield Finding(check, Verdict.OK, f"{_count(len(again))} {how}")


def _count(count: int, noun: str = "match") -> str:
    plural = "" if count == 1 else "es" if noun.endswith(("ch", "ss")) else "s"
    return f"{count} {noun}{plural}"


def _differing(results: Sequence[MatchResult], again: Sequence[MatchResult]) -> str:
    """Where matches that should be the same are not."""
    for one, other in zip(results, again, strict=True):
        if (one.actions, one.ending) != (other.actions, other.ending):
            pairs = zip_longest(one.actions, other.actions)
            move = next((n for n, (a, b) in enumerate(pairs, start=1) if a != b), None)
            place = f"from move {move} on" if move else f"ended by {other.ending.value}"
            return f"{place}, with {one.spec.players} players"
    return ""


def _output(games: _Games, limits: Limits) -> Finding:
    texts = [text for result in games.first for text in result.printed]
    longest = max(map(len, texts), default=0)
    if longest > limits.output:
        found = f"more than {limits.output:,} bytes in a match; the rest is dropped"
        return Finding("output", Verdict.NOTE, found)
    found = f"at most {longest:,} characters in a match" if longest else "prints nothing"
    return Finding("output", Verdict.OK, found)


def _left_over(usage: Usage) -> Finding:
    check, threads = "processes and threads", usage.threads - usage.children
    if usage.children or threads > 1:
        others = f"{_count(usage.children, 'other process')}, {_count(threads, 'thread')}"
        found = f"up to {others} at the end of a match, when they are killed"
        return Finding(check, Verdict.NOTE, found)
    return Finding(check, Verdict.OK, "none left at the end of a match")


def _evidence(games: _Games) -> tuple[str, str]:
    """The traceback and the printed output that an author wants to see."""
    crashed = next((result for result in games.faults if result.traceback), None)
    shown = next(iter(games.faults), games.first[0])
    printed = "".join(shown.printed)
    return crashed.traceback if crashed else "", printed


# --- many bots ----------------------------------------------------------------------------------


def candidates(folder: Path) -> list[Path]:
    """What in a folder may be meant as a bot: Python files, .zip files, folders and programs.

    BotLoadError if there is nothing of the kind.
    """
    if not folder.is_dir():
        raise BotLoadError(f"there is no folder {folder}")
    found = sorted(
        path
        for path in folder.iterdir()
        if not path.name.startswith((".", "_"))
        and (path.is_dir() or path.suffix in (".py", ".zip") or os.access(path, os.X_OK))
    )
    if not found:
        raise BotLoadError(f"{folder} holds no bots: no .py or .zip file, folder or program")
    return found


def check_candidate(checker: BotChecker, path: Path) -> BotReport:
    """Check what `candidates` has found; that there is no bot in it stands in the report too."""
    plain = path.is_dir() or path.suffix in (".py", ".zip")
    ref = str(path.resolve()) if plain else f"{registry.PROGRAM}{shlex.quote(str(path.resolve()))}"
    try:
        source = registry.find_bot(ref)
    except BotLoadError as error:
        return BotReport((Finding(STARTS, Verdict.FAILED, registry.reason(str(error))),))
    return checker.check(source, {})
