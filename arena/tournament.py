"""A tournament from its configuration to its leaderboard: where the parts are put together."""

from __future__ import annotations

import contextlib
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arena import config, rating, registry, replay, report, runner, stats
from arena import schedule as scheduling
from arena.config import RunConfig
from arena.core import Ending, Isolation, MatchResult
from arena.errors import ConfigError, DamagedRunError, UnknownNameError
from arena.game import Game
from arena.registry import BotSource
from arena.report import Forfeits, Standing
from arena.retirement import Numbers, Retirement, unplayed
from arena.schedule import Matches
from arena.store import (
    ENDINGS,
    MOST_MATCHES,
    Batch,
    BotIdentity,
    Outcomes,
    Plan,
    Run,
    find_run,
    new_folder,
    versions,
    write_text,
)

RESULTS = Path("results")

# --- before the first match ---------------------------------------------------------------------


@dataclass(frozen=True)
class Tournament:
    """What a configuration says is to be played."""

    name: str
    config: RunConfig

    @classmethod
    def load(
        cls,
        path: Path,
        overrides: Sequence[str] = (),
        tell: Callable[[str], None] = lambda text: None,
    ) -> Tournament:
        """Read a configuration; `overrides` are `key=value`. ConfigError tells all mistakes.

        `tell` gets a line about each bot whose code fails.
        """
        return cls(path.stem, config.load(path, overrides, tell))

    @cached_property
    def matches(self) -> Matches:
        """The schedule."""
        return _schedule(self.config, registry.game(self.config.game).rules)

    def plan(self, folder: Path) -> Plan:
        """All that decides the games, for a run in `folder`; ConfigError if it would be too big."""
        if len(self.matches) > MOST_MATCHES:
            raise ConfigError(
                [
                    f"{self.name}: the schedule has {len(self.matches):,} matches, a run holds "
                    f"{MOST_MATCHES:,}; set schedule.max_lineups or fewer deals"
                ]
            )
        resolved = self.config.resolved(folder)
        sources = self.config.sources()
        return Plan(
            config=resolved,
            config_digest=self.config.digest(),
            game=self.config.game,
            rules=registry.game(self.config.game).rules,
            options=self.config.options_by_players,
            bots=tuple(
                BotIdentity(
                    entry["name"],
                    entry["bot"],
                    sources[entry["name"]].digest,
                    self._isolation(sources[entry["name"]]).value,
                )
                for entry in resolved["bots"]
            ),
            matches=len(self.matches),
        )

    def _isolation(self, source: BotSource) -> Isolation:
        return Isolation.TRUSTED if source.kind == "shipped" else self.config.isolation

    def summary(self) -> dict[str, Any]:
        """What would be played, as plain data."""
        return {
            "name": self.name,
            "game": self.config.game,
            "players": list(self.config.players),
            "options": {str(n): dict(o) for n, o in self.config.options_by_players.items()},
            "bots": [
                {"name": b.name, "bot": b.ref, "params": dict(e.params), "runs": b.isolation}
                for b, e in zip(self.plan(Path()).bots, self.config.bots, strict=True)
            ],
            "line_ups": self.matches.line_ups,
            "sampled": self.matches.sampled or None,
            "deals": self.config.schedule.deals,
            "matches": len(self.matches),
            "seed": self.config.seed,
        }

    # --- its run

    def begin(self, folder: Path | None) -> Run:
        """A new run, in `folder` or a new one under results/; RunExistsError if it is not empty."""
        folder = folder or new_folder(self.name, RESULTS)
        return Run.create(folder, self.plan(folder), self.config.to_yaml(folder))

    def resume(self, folder: Path | None) -> Run:
        """The run in `folder`, or the latest one, to go on with.

        ResumeError shows what has changed since it was begun, UnknownNameError that there is none.
        """
        folder = find_run(folder) if folder else self.latest()
        return Run.resume(folder, self.plan(folder))

    def latest(self) -> Path:
        """The newest run of this configuration that is unfinished, else the newest of all."""
        # Of `cubirds`, and not of `cubirds-4p`.
        names = re.compile(rf"{re.escape(self.name)}-\d{{8}}-\d{{6}}(-\d+)?")
        runs = list(RESULTS.glob("*/run.json"))
        found = []
        for path in runs:
            if not names.fullmatch(path.parent.name):
                continue
            with contextlib.suppress(OSError, ValueError, KeyError):  # not a run, or damaged
                manifest = json.loads(path.read_text("utf-8"))
                found.append((manifest["state"] != "complete", manifest["created"], path.parent))
        if not found:
            known = [path.parent.name for path in runs]
            raise UnknownNameError("run to resume", f"{RESULTS / self.name}-…", known)
        return max(found)[2]

    def play(
        self,
        run: Run,
        *,
        workers: int | None = None,
        local: bool = False,
        address: str | None = None,
        explain: bool = False,
        tell: Callable[[str], None],
        advance: Callable[[int, int], None],
    ) -> None:
        """Play what is not finished yet and write it to `run`.

        `tell` gets messages; `advance` gets how many matches have been finished and, of these,
        forfeited. With `explain`, trusted bots are asked for their reasons, which are kept. Raises
        Interrupted when a signal kept matches from being played.
        """
        sources = self.config.sources()
        contenders = tuple(
            runner.Contender(e.name, sources[e.name], e.params, self._isolation(sources[e.name]))
            for e in self.config.bots
        )
        job = runner.Job(self.matches, contenders, self.config.limits, run.packer, explain)
        course = _Course(run, self.matches, self.config, tell, advance)
        for batches in runner.run(
            job,
            run.done(),
            workers=workers,
            local=local,
            address=address,
            tell=tell,
            withdrawn=course.withdrawn,
        ):
            course.add(batches)


class _Course:
    """The course of a run: results are written to it, and bots at fault too often retire."""

    def __init__(
        self,
        run: Run,
        matches: Matches,
        settings: RunConfig,
        tell: Callable[[str], None],
        advance: Callable[[int, int], None],
    ) -> None:
        self._run = run
        self._matches = matches
        self._names = settings.names
        self._most = settings.max_faults or len(matches) + 1
        self._tell = tell
        self._advance = advance
        self._retirement = Retirement(matches, self._most, run.done(), run.outcomes())
        self._told = 0
        self._withdrawn: list[Numbers] = []
        self._retire(self._retirement.decide())

    def add(self, batches: Sequence[Batch]) -> None:
        """Write what has been played, and what is not to be played because of it."""
        self._run.add(*batches)
        for batch in batches:
            fresh = self._retirement.open(batch.numbers)
            self._advance(int(fresh.sum()), int((batch.outcomes["offender"][fresh] >= 0).sum()))
        for batch in batches:
            self._retire(self._retirement.finish(batch.numbers, batch.outcomes))

    def withdrawn(self) -> Numbers | None:
        """The matches that have been given up since this was asked last, None for none."""
        numbers = np.concatenate(self._withdrawn) if self._withdrawn else None
        self._withdrawn.clear()
        return numbers

    def _retire(self, numbers: Numbers) -> None:
        if not len(numbers):
            return
        run = self._run
        fresh, lost = np.count_nonzero(~run.done()[numbers]), _forfeited(run)
        run.replace(run.packer(unplayed(self._matches, numbers)))
        self._advance(int(fresh), _forfeited(run) - lost)  # some have been played already
        self._withdrawn.append(numbers)
        newly = self._retirement.bots[self._told :]
        self._told += len(newly)
        names = ", ".join(self._names[bot] for bot in newly)
        self._tell(f"{self._most} faults each, and they play no more: {names}")


def _schedule(settings: RunConfig, rules: str) -> Matches:
    return scheduling.schedule(
        game_name=settings.game,
        rules=rules,
        options_by_players=settings.options_by_players,
        names=settings.names,
        identities=settings.identities(),
        seed=settings.seed,
        deals=settings.schedule.deals,
        players=settings.players,
        self_play=settings.schedule.self_play,
        max_line_ups=settings.schedule.max_line_ups,
        book=settings.book(),
    )


# --- what came of it ----------------------------------------------------------------------------


def board(run: Run) -> list[Standing]:
    """The leaderboard over all finished matches, the best first."""
    names = run.plan.names
    outcomes = _between_bots(run.outcomes())
    ratings = rating.rate(names, outcomes["bots"], outcomes["places"], _blocks(outcomes))
    tallies = stats.tally(
        len(names),
        outcomes["bots"],
        outcomes["places"],
        outcomes["scores"],
        outcomes["offender"],
    )
    standings = [
        Standing(rank=r.rank, bot=r.bot, rating=r.mu, low=r.low, high=r.high, **asdict(tally))
        for r, tally in zip(ratings, tallies, strict=True)
    ]
    return sorted(standings, key=lambda s: (s.rank, -round(s.rating, report.DECIMALS), s.bot))


def _blocks(outcomes: Outcomes) -> npt.NDArray[np.int64]:
    """A number for each match's deal block, well mixed.

    Ratings pool blocks by the remainder of their numbers; numbers in the order of line-ups would
    make pools of line-ups.
    """
    block = outcomes["deal"].astype(np.uint64) << np.uint64(32) | outcomes["line_up"]
    block *= np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing (Knuth, TAOCP 3, 6.4)
    mixed: npt.NDArray[np.int64] = (block >> np.uint64(32)).astype(np.int64)
    return mixed


def write_board(run: Run, standings: Sequence[Standing]) -> None:
    """Write the leaderboard's files into the run folder, each as a whole."""
    for name, text in report.board_files(standings).items():
        write_text(run.folder / name, text)


def _forfeited(run: Run) -> int:
    """How many matches have been lost by a fault so far."""
    return int(np.count_nonzero(run.outcomes()["offender"] >= 0))


def _between_bots(outcomes: Outcomes) -> Outcomes:
    """Without the matches of a bot against itself and those that were not played."""
    seated = outcomes["places"] > 0
    others = (outcomes["bots"] != outcomes["bots"][:, :1]) & seated
    played = outcomes["ending"] != ENDINGS.index(Ending.RETIRED)
    chosen: Outcomes = outcomes[others.any(axis=1) & played]
    return chosen


def forfeits(run: Run) -> list[Forfeits]:
    """The forfeited matches by bot and cause, the most frequent first."""
    outcomes = run.outcomes()
    (lost,) = np.nonzero(outcomes["offender"] >= 0)
    numbers = np.flatnonzero(run.done())[lost]
    bots = outcomes["bots"][lost, outcomes["offender"][lost]]
    kinds = np.stack([bots, outcomes["ending"][lost]], axis=1)
    found, firsts, counts = np.unique(kinds, axis=0, return_index=True, return_counts=True)
    listed = [
        Forfeits(run.plan.names[bot], ENDINGS[ending].value, count, run.result(int(numbers[first])))
        for (bot, ending), first, count in zip(
            found.tolist(), firsts.tolist(), counts.tolist(), strict=True
        )
    ]
    return sorted(listed, key=lambda f: -f.count)


# --- proofs -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found to be right."""

    finished: int
    scheduled: int
    replayed: int


def rules_of(run: Run) -> Game:
    """The game that a run has played; DamagedRunError if its rules have changed since."""
    game = registry.game(run.plan.game)
    if game.rules != run.plan.rules:
        raise DamagedRunError(
            f"{run.folder} was played by rules {run.plan.rules} of {game.name}; this version of "
            f"arena has rules {game.rules} and cannot replay it"
        )
    return game


def verify(run: Run, sample: int | None = None) -> Verified:
    """Prove a run: its files agree, its matches are those of the schedule, and replay as stored.

    All are checked against the schedule; all, or `sample` of them drawn at random, are played
    again. Raises DamagedRunError naming what is wrong.
    """
    game = rules_of(run)
    run.check()
    matches = _schedule(_restored(run.plan.config, run.folder), game.rules)
    if len(matches) != run.plan.matches:
        raise DamagedRunError(
            f"{run.folder}: its configuration makes {len(matches)} matches, run.json says "
            f"{run.plan.matches}"
        )
    finished = run.finished()
    _check_complete(run, finished)
    if run.state == "complete":
        _check_retired(run, matches)
    drawn = range(finished)
    if sample is not None and sample < finished:
        drawn = set(random.sample(drawn, sample))  # type: ignore[assignment]
    prove = replay.prover(game)
    for position, result in enumerate(run.results()):
        if difference := _difference(result, matches):
            raise DamagedRunError(f"{difference}{_other_version(run)}")
        if position in drawn:
            prove(result)
    return Verified(finished, len(matches), len(drawn))


def _check_complete(run: Run, finished: int) -> None:
    if run.state == "complete" and finished < run.plan.matches:
        missing = int(np.flatnonzero(~run.done())[0])
        raise DamagedRunError(
            f"{run.folder} is called complete, but {run.plan.matches - finished} of its "
            f"{run.plan.matches} matches are missing, number {missing} first"
        )


def _check_retired(run: Run, matches: Matches) -> None:
    """Those left out are those that have to be."""
    done, outcomes = run.done(), run.outcomes()
    most = run.plan.config["max_faults"] or len(matches) + 1
    noted = np.flatnonzero(done)[outcomes["ending"] == ENDINGS.index(Ending.RETIRED)]
    due = Retirement(matches, most, done, outcomes).decide()
    if wrong := set(noted.tolist()) ^ set(due.tolist()):
        number = min(wrong)
        raise DamagedRunError(
            f"match {matches[number].id} (number {number}) is "
            f"{'left out' if number in noted else 'not left out'}, contrary to the faults before it"
        )


def _difference(result: MatchResult, matches: Matches) -> str:
    """What a match has that the schedule has otherwise, or nothing."""
    stored = result.spec
    if not 0 <= stored.number < len(matches):
        ends = f"the schedule ends at {len(matches) - 1}"
        return f"match {stored.id} has number {stored.number}; {ends}"
    planned = matches[stored.number]
    for field in ("id", "players", "options", "bots", "line_up", "deal", "rotation", "seed"):
        found, expected = getattr(stored, field), getattr(planned, field)
        if found != expected:
            where = f"match {stored.id} (number {stored.number})"
            return f"{where}: {field} is {found!r}, the schedule has {expected!r}"
    return ""


def _other_version(run: Run) -> str:
    """That another arena has begun the run, which may be why its schedule was another."""
    begun, now = run.manifest["versions"].get("arena"), versions()["arena"]
    if begun == now:
        return ""
    return f"; arena {begun} has begun the run, this is {now}: verify it with that version"


def _restored(resolved: Mapping[str, Any], folder: Path) -> RunConfig:
    """The configuration that `RunConfig.resolved(folder)` wrote, without loading any bot."""
    data = json.loads(json.dumps(resolved))
    for entry in data["bots"]:
        if entry["bot"].startswith("."):
            entry["bot"] = str((folder / entry["bot"]).resolve())
    if book := data["schedule"]["deal_book"]:
        data["schedule"]["deal_book"] = folder / book
    return RunConfig.model_validate(data)
