"""The run folder: what was played, in a database that any SQLite program can read.

    config.yaml     the configuration with every default filled in
    run.json        what decides the games (configuration, bots by content, versions) and the state
    matches.sqlite  every game, written batch by batch

Each batch is one transaction, so a process killed at any moment loses no more than the batches that
were not written yet. Apart from the table `timings`, the content of the database follows from the
configuration and the bots alone: not from the workers, the order in which they finished, or how
often the run was interrupted. What bots print, in `printed`, is as repeatable as they are.

`outcomes` holds once more, in fixed-width entries, what boards and ratings are made of and which
games are finished; ten million games are read from there in a second. `Run.check` proves that it
says the same as `matches`.
"""

from __future__ import annotations

import contextlib
import datetime
import difflib
import errno
import functools
import hashlib
import json
import os
import platform
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

import filelock
import numpy as np
import numpy.typing as npt

from arena import __version__, seeding
from arena.core import Ending, MatchResult, MatchSpec, OptionValue
from arena.errors import (
    ArenaError,
    DamagedRunError,
    InfrastructureError,
    ResumeError,
    RunExistsError,
    UnknownNameError,
)

SCHEMA = "arena.run/1"
APPLICATION = 0x6172656E  # "aren", tells `file` and us whose database it is
FORMAT = 1
MOST_MATCHES = 10**9
"""in a run; their outcomes are read as a whole"""
PART = 1024
PAGE = 500
KEPT_PRINTED = 10_000
"""of so many first matches it is kept what bots printed; of the others when they were at fault"""
ENDINGS = tuple(Ending)
_COLUMNS = {"matches": 12, "forfeits": 4, "printed": 3, "explained": 3}

Outcomes = npt.NDArray[Any]
"""Structured array with an entry a match; fields as in `outcome_dtype`."""

_TABLES = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
CREATE TABLE bots (
    number INTEGER PRIMARY KEY, -- from 0, in the order of the configuration
    name TEXT NOT NULL
);
CREATE TABLE matches (
    number INTEGER PRIMARY KEY, -- position in the schedule, from 0
    id BLOB NOT NULL,           -- 8 bytes; lower(hex(id)) is the name of the match
    players INTEGER NOT NULL,
    deal INTEGER NOT NULL,      -- number of the deal; (line_up, deal) is the deal block
    line_up INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    seed INTEGER NOT NULL,      -- of the deal
    bots TEXT NOT NULL,         -- numbers in `bots`, by seat, joined by |
    ending TEXT NOT NULL,
    ranks TEXT NOT NULL,        -- places from 1, by seat, joined by |
    scores TEXT NOT NULL,       -- JSON list by seat
    actions BLOB NOT NULL       -- unsigned LEB128 numbers: 7 bits a byte, lowest first, the top bit
                                -- says that more follow; so a byte each for actions below 128
);
CREATE TABLE forfeits (         -- the matches that a bot lost by a fault of its own
    number INTEGER PRIMARY KEY,
    offender INTEGER NOT NULL,  -- seat, from 0
    detail TEXT NOT NULL,
    traceback TEXT NOT NULL
);
CREATE TABLE printed (          -- what bots in their own processes printed, see KEPT_PRINTED
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (number, seat)
) WITHOUT ROWID;
CREATE TABLE explained (        -- what bots told of their decisions, where that was asked for
    number INTEGER NOT NULL,
    move INTEGER NOT NULL,      -- from 1
    told TEXT NOT NULL,         -- JSON
    PRIMARY KEY (number, move)
) WITHOUT ROWID;
-- Below a row stands for {PART} matches, from number {PART} * part. It holds little-endian numbers:
-- for each match an entry, zero while the match is not finished, and in it, where it says "seats",
-- as many numbers as any match of the run has seats.
CREATE TABLE outcomes (         -- what boards are made of; follows from the tables above
    part INTEGER PRIMARY KEY,
    entries BLOB NOT NULL       -- packed: deal u4, line_up u4, ending u1, offender i1 (-1 nobody),
                                -- seats x bot u2, seats x place u1, seats x score f4 (the first of
                                -- a compound score, NaN if not a number). Endings count from 0:
                                -- {", ".join(ENDINGS)}
);
CREATE TABLE timings (          -- the only table that differs when a run is repeated
    part INTEGER PRIMARY KEY,
    entries BLOB NOT NULL       -- seats x f4, seconds spent in the bot
);
"""


# --- what a run is ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """One bot of a run, and what its code was."""

    name: str
    ref: str
    """how the configuration calls it"""
    digest: str
    """hash over its source files"""
    isolation: str = "trusted"
    """where it runs: `trusted` is in the process that plays the match"""


@dataclass(frozen=True, slots=True)
class Plan:
    """All that decides the games of a run. A run is resumed under an equal plan only."""

    config: Mapping[str, Any]
    """the configuration, every default filled in; plain values"""
    config_digest: str
    game: str
    rules: str
    """version of the game's rules"""
    options: Mapping[int, Mapping[str, OptionValue]]
    """for each number of players the game's options, all of them"""
    bots: tuple[BotIdentity, ...]
    matches: int
    """how many there are in the schedule"""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(bot.name for bot in self.bots)

    @property
    def seats(self) -> int:
        """The greatest number of players."""
        return max(self.options)

    def shown(self) -> dict[str, Any]:
        """As it stands in run.json."""
        plain = {
            "config": self.config,
            "config_digest": self.config_digest,
            "game": self.game,
            "rules": self.rules,
            "options": {str(players): dict(o) for players, o in self.options.items()},
            "bots": {
                b.name: {"ref": b.ref, "digest": b.digest, "isolation": b.isolation}
                for b in self.bots
            },
            "matches": self.matches,
        }
        return json.loads(json.dumps(plain))  # type: ignore[no-any-return]

    @classmethod
    def restored(cls, shown: Mapping[str, Any]) -> Plan:
        """What `shown` wrote."""
        return cls(
            config=shown["config"],
            config_digest=shown["config_digest"],
            game=shown["game"],
            rules=shown["rules"],
            options={int(players): o for players, o in shown["options"].items()},
            bots=tuple(BotIdentity(name, **bot) for name, bot in shown["bots"].items()),
            matches=shown["matches"],
        )


@functools.cache
def versions() -> Mapping[str, str]:
    """Versions of what plays the games; `code` is a hash over the sources that decide them."""
    here = Path(__file__).parent
    names = (
        "core",
        "game",
        "host",
        "isolation",
        "kernel",
        "match",
        "player",
        "schedule",
        "seeding",
    )
    paths = [*(here / f"{name}.py" for name in names), *sorted((here / "games").glob("*.py"))]
    digest = hashlib.sha256()
    for path in paths:
        content = path.read_bytes() if path.exists() else b""
        digest.update(f"{path.name}\0{len(content)}\0".encode() + content)
    return {
        "arena": __version__,
        "code": digest.hexdigest()[:16],
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
        "numba": metadata.version("numba"),
    }


# --- batches ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Batch:
    """Results as they go into the database; cheap to send from a worker to the writer."""

    matches: list[tuple[Any, ...]]
    """rows of the table `matches`"""
    forfeits: list[tuple[Any, ...]]
    """rows of the table `forfeits`"""
    printed: list[tuple[Any, ...]]
    """rows of the table `printed`"""
    explained: list[tuple[Any, ...]]
    """rows of the table `explained`"""
    outcomes: Outcomes
    seconds: npt.NDArray[np.float32]
    """(matches, seats) time spent in the bots"""

    def __len__(self) -> int:
        return len(self.matches)

    @property
    def numbers(self) -> npt.NDArray[np.int64]:
        """Of the matches, in the schedule."""
        return np.array([row[0] for row in self.matches], np.int64)


def outcome_dtype(seats: int) -> np.dtype[Any]:
    """Entry of `outcomes`: what a match of at most `seats` players says about its bots.

    `places` are from 1 and 0 for seats that the match does not have; `ending` indexes `ENDINGS`;
    `offender` is -1 when no bot was at fault.
    """
    by_seat = [("bots", "<u2", (seats,)), ("places", "u1", (seats,)), ("scores", "<f4", (seats,))]
    return np.dtype(
        [("deal", "<u4"), ("line_up", "<u4"), ("ending", "u1"), ("offender", "i1"), *by_seat]
    )


@dataclass(frozen=True, slots=True)
class Packer:
    """Turns results into a `Batch`, in whatever process played them."""

    names: tuple[str, ...]
    """of the bots, in the order of the configuration"""
    seats: int
    """the greatest number of players in the run"""

    def __call__(self, results: Sequence[MatchResult]) -> Batch:
        numbers = {name: number for number, name in enumerate(self.names)}
        bots = [tuple(numbers[name] for name in result.spec.bots) for result in results]
        outcomes = list(map(self._outcome, results, bots))
        seconds = [self._padded(result.seconds) for result in results]
        return Batch(
            matches=list(map(_match, results, bots)),
            forfeits=[_forfeit(result) for result in results if result.offender is not None],
            printed=[row for result in results for row in _printed(result)],
            explained=[row for result in results for row in _explained(result)],
            outcomes=np.array(outcomes, outcome_dtype(self.seats)),
            seconds=np.array(seconds, np.float32).reshape(-1, self.seats),
        )

    def _outcome(self, result: MatchResult, bots: tuple[int, ...]) -> tuple[Any, ...]:
        return (
            result.spec.deal,
            result.spec.line_up,
            ENDINGS.index(result.ending),
            -1 if result.offender is None else result.offender,
            self._padded(bots),
            self._padded(result.ranks),
            self._padded(tuple(map(_first_number, result.scores))),
        )

    def _padded(self, by_seat: tuple[Any, ...]) -> tuple[Any, ...]:
        return by_seat + (0,) * (self.seats - len(by_seat))


_compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def _match(result: MatchResult, bots: tuple[int, ...]) -> tuple[Any, ...]:
    spec = result.spec
    return (
        spec.number,
        bytes.fromhex(spec.id),
        spec.players,
        spec.deal,
        spec.line_up,
        spec.rotation,
        spec.seed,
        _joined(bots),
        result.ending.value,
        _joined(result.ranks),
        _compact(result.scores),
        encode_actions(result.actions),
    )


def _forfeit(result: MatchResult) -> tuple[Any, ...]:
    detail, traceback = _storable(result.detail), _storable(result.traceback)
    return (result.spec.number, result.offender, detail, traceback)


def _printed(result: MatchResult) -> Iterator[tuple[Any, ...]]:
    early = result.spec.number < KEPT_PRINTED
    for seat, text in enumerate(result.printed):
        if text and (early or seat == result.offender):
            yield result.spec.number, seat, text


def _explained(result: MatchResult) -> Iterator[tuple[Any, ...]]:
    for move, told in result.explained.items():
        yield result.spec.number, move, _compact(told)


def _joined(numbers: Iterable[int]) -> str:
    return "|".join(map(str, numbers))


def _split(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("|")))


def _first_number(score: Any) -> float:
    while isinstance(score, list | tuple) and score:
        score = score[0]
    return float(score) if isinstance(score, int | float) else float("nan")


def _storable(text: str) -> str:
    # What a bot answered may hold half characters, which UTF-8 cannot express.
    return text.encode("utf-8", "backslashreplace").decode()


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def encode_actions(actions: Sequence[int]) -> bytes:
    """Non-negative numbers as unsigned LEB128."""
    with contextlib.suppress(ValueError):
        single = bytes(actions)
        if single.isascii():
            return single
    out = bytearray()
    for action in actions:
        while action >= 128:
            out.append(action & 127 | 128)
            action >>= 7
        out.append(action)
    return bytes(out)


def decode_actions(blob: bytes) -> tuple[int, ...]:
    """What `encode_actions` wrote."""
    if blob.isascii():
        return tuple(blob)
    actions, action, shift = [], 0, 0
    for byte in blob:
        action |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            actions.append(action)
            action, shift = 0, 0
    return tuple(actions)


# --- the run ----------------------------------------------------------------------------------


class Run:
    """A run folder. `create` and `resume` write to it, and nobody else can; `open` reads.

    Use as a context manager. All methods raise DamagedRunError for a database that cannot be read,
    InfrastructureError when the disk is full or fails.
    """

    folder: Path
    plan: Plan

    def __init__(self, folder: Path, *, lock: filelock.BaseFileLock | None = None) -> None:
        self.folder = folder
        self._lock = lock
        self._manifest, self.plan = _read_manifest(folder)
        self._db = _connect(folder / "matches.sqlite", write=lock is not None)

    @classmethod
    def create(cls, folder: Path, plan: Plan, config: str) -> Run:
        """Begin a run in a folder that is new or empty; RunExistsError otherwise.

        `config` is the text of config.yaml.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise RunExistsError(
                f"{folder} cannot be a folder, a file is in the way; choose another by -o"
            ) from None
        except OSError as error:
            raise RunExistsError(
                f"{folder} cannot be made: {error.strerror}; choose another by -o"
            ) from None
        lock = _take(folder)
        try:
            _refuse_content(folder)
            with _disk(folder):
                write_text(folder / "config.yaml", config)
                _create_database(folder / "matches.sqlite", plan.names)
                created = datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0)
                manifest = {
                    "schema": SCHEMA,
                    "run": folder.resolve().name,
                    "created": f"{created.isoformat()}Z",
                    "state": "running",
                    "versions": versions(),
                    **plan.shown(),
                }
                _write_manifest(folder, manifest)
            return cls(folder, lock=lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def resume(cls, folder: Path | str, plan: Plan) -> Run:
        """Go on with a run; ResumeError shows, line by line, where `plan` differs from its own."""
        path = find_run(folder)
        lock = _take(path)
        try:
            run = cls(path, lock=lock)
            begun, now = run._manifest, {**plan.shown(), "versions": versions()}
            _refuse_difference(path, begun, now)
            run._set_state("running")
            return run
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(cls, folder: Path | str) -> Run:
        """Read a run, by its folder or its name under results/; it may be under way."""
        return cls(find_run(folder))

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the folder and note in run.json whether everything was played."""
        try:
            if self._lock is not None:
                complete = self.finished() == self.plan.matches
                self._set_state("complete" if complete else "interrupted")
        finally:
            self._db.close()
            if self._lock is not None:
                self._lock.release()

    @property
    def state(self) -> str:
        """`complete`, `interrupted`, or `running`, which is also what a killed process leaves."""
        return str(self._manifest["state"])

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The content of run.json."""
        return self._manifest

    def _set_state(self, state: str) -> None:
        self._manifest["state"] = state
        with _disk(self.folder):
            _write_manifest(self.folder, self._manifest)

    # --- writing ----------------------------------------------------------------------------

    @property
    def packer(self) -> Packer:
        """Makes the batches that `add` takes."""
        return Packer(self.plan.names, self.plan.seats)

    def add(self, *batches: Batch) -> None:
        """Write batches in one transaction; a match that is there already stays as it is."""
        with _disk(self.folder), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for batch in batches:
                self._add(batch)

    def replace(self, batch: Batch) -> None:
        """Write a batch, in the place of the matches of these numbers that are there already."""
        with _disk(self.folder), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for table in _COLUMNS:
                self._db.executemany(
                    f"DELETE FROM {table} WHERE number = ?", [row[:1] for row in batch.matches]
                )
            for table, like in (("outcomes", batch.outcomes), ("timings", batch.seconds)):
                for part in np.unique(batch.numbers // PART).tolist():
                    entries = self._entries(table, part, like)
                    entries[batch.numbers[batch.numbers // PART == part] % PART] = 0
                    row = (part, entries.tobytes())
                    self._db.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", row)
            self._add(batch)

    def _add(self, batch: Batch) -> None:
        numbers = batch.numbers
        fresh = np.ones(len(numbers), np.bool_)
        parts = numbers // PART
        for part in np.unique(parts).tolist():
            chosen = np.flatnonzero(parts == part)
            where = numbers[chosen] - part * PART
            entries = self._entries("outcomes", part, batch.outcomes)
            seconds = self._entries("timings", part, batch.seconds)
            fresh[chosen] = entries["places"][where, 0] == 0
            new = fresh[chosen]
            entries[where[new]] = batch.outcomes[chosen[new]]
            seconds[where[new]] = batch.seconds[chosen[new]]
            for table, blob in (("outcomes", entries), ("timings", seconds)):
                row = (part, blob.tobytes())
                self._db.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", row)
        new_numbers = set(numbers[fresh].tolist())
        for table in _COLUMNS:
            rows = getattr(batch, table)
            values = ",".join("?" * _COLUMNS[table])
            new_rows = rows if fresh.all() else [row for row in rows if row[0] in new_numbers]
            self._db.executemany(f"INSERT INTO {table} VALUES ({values})", new_rows)

    def _entries(self, table: str, part: int, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The entries of a part, to be changed; zeros if there are none yet."""
        query = f"SELECT entries FROM {table} WHERE part = ?"
        for (blob,) in self._db.execute(query, (part,)):
            return np.frombuffer(blob, like.dtype).reshape(PART, *like.shape[1:]).copy()
        return np.zeros((PART, *like.shape[1:]), like.dtype)

    # --- reading ----------------------------------------------------------------------------

    def finished(self) -> int:
        """How many matches are finished."""
        return int(np.count_nonzero(self.done()))

    def done(self) -> npt.NDArray[np.bool_]:
        """Which matches of the schedule are finished, by number."""
        done = np.zeros(self.plan.matches, np.bool_)
        for part, entries in self._parts():
            chosen = done[part * PART : (part + 1) * PART]
            chosen[:] = entries["places"][: len(chosen), 0] > 0
        return done

    def outcomes(self) -> Outcomes:
        """The finished matches in the order of their numbers, as `outcome_dtype` describes."""
        dtype = outcome_dtype(self.plan.seats)
        # NumPy copies plain bytes thirty times faster than it copies fields.
        outcomes = np.empty(self.plan.matches, np.dtype((np.void, dtype.itemsize)))
        count = 0
        for _, entries in self._parts():
            finished = entries["places"][:, 0] > 0
            played = entries if finished.all() else entries[finished]
            outcomes[count : count + len(played)] = played.view(outcomes.dtype)
            count += len(played)
        return outcomes[:count].view(dtype)

    def _parts(self) -> Iterator[tuple[int, Outcomes]]:
        dtype = outcome_dtype(self.plan.seats)
        with _disk(self.folder):
            for part, blob in self._db.execute("SELECT part, entries FROM outcomes ORDER BY part"):
                if len(blob) != PART * dtype.itemsize:
                    raise DamagedRunError(
                        f"{self.folder / 'matches.sqlite'}: part {part} of outcomes has "
                        f"{len(blob)} bytes, expected {PART * dtype.itemsize}"
                    )
                entries = np.frombuffer(blob, dtype)
                if entries["places"][max(0, self.plan.matches - part * PART) :, 0].any():
                    raise DamagedRunError(
                        f"{self.folder / 'matches.sqlite'}: outcomes holds matches after number "
                        f"{self.plan.matches - 1}, where the schedule ends"
                    )
                yield part, entries

    def result(self, match: int | str) -> MatchResult:
        """A match by its number, its id (16 hexadecimal digits) or the beginning of its id.

        Raises UnknownNameError, with those that are near, if it is not exactly one.
        """
        text = str(match).lower()
        if text.isdecimal() and (len(text) < 4 or int(text) < self.plan.matches):
            found = self._select("WHERE number = ?", (int(text),))
        else:
            found = self._beginning(text) if text else []
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownNameError("single match", str(match), [r.spec.id for r in found])
        near = self._beginning(text[:8]) or self._beginning(text[:4]) if text else []
        hint = (
            f"the nearest are {', '.join(r.spec.id for r in near[:3])}"
            if near
            else (
                f"matches have numbers, 0 to {self.plan.matches - 1}, and ids, which "
                f"`arena matches {self.folder}` lists"
            )
        )
        raise UnknownNameError("finished match", str(match), hint=hint)

    def _beginning(self, text: str) -> list[MatchResult]:
        """Matches whose ids begin so, at most as many as a message can name."""
        return self._select("WHERE instr(lower(hex(id)), ?) = 1 LIMIT 20", (text,))

    def results(
        self, bot: str | None = None, ending: Ending | None = None
    ) -> Iterator[MatchResult]:
        """Finished matches in the order of their numbers: all, those of a bot, those so ended."""
        wanted, values = "", []
        if bot is not None:
            if bot not in self.plan.names:
                raise UnknownNameError("bot of this run", bot, self.plan.names)
            wanted += " AND '|' || bots || '|' LIKE ?"
            values.append(f"%|{self.plan.names.index(bot)}|%")
        if ending is not None:
            wanted += " AND ending = ?"
            values.append(ending.value)
        last = -1
        # In pages, because an open query would keep the process that plays from writing.
        while page := self._select(
            f"WHERE number > ?{wanted} ORDER BY number LIMIT {PAGE}", (last, *values)
        ):
            yield from page
            last = page[-1].spec.number

    def _select(self, condition: str, values: tuple[Any, ...]) -> list[MatchResult]:
        query = f"SELECT * FROM matches LEFT JOIN forfeits USING (number) {condition}"
        with _disk(self.folder):
            rows = self._db.execute(query, values).fetchall()
            seconds = self._seconds([row[0] for row in rows])
        return [self._result(row, s) for row, s in zip(rows, seconds, strict=True)]

    def _seconds(self, numbers: Sequence[int]) -> list[list[float]]:
        like = np.zeros((0, self.plan.seats), np.float32)
        parts = {n // PART: self._entries("timings", n // PART, like) for n in numbers}
        return [parts[n // PART][n % PART].tolist() for n in numbers]

    def _result(self, row: tuple[Any, ...], seconds: list[float]) -> MatchResult:
        try:
            return self._unpacked(row, seconds)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise DamagedRunError(
                f"{self.folder / 'matches.sqlite'} is damaged: match number {row[0]}: {error}"
            ) from error

    def _unpacked(self, row: tuple[Any, ...], seconds: list[float]) -> MatchResult:
        number, id_, players, deal, line_up, rotation, seed, bots, ending = row[:9]
        ranks, scores, actions, offender, detail, traceback = row[9:]
        match_id = id_.hex()
        spec = MatchSpec(
            number=number,
            id=match_id,
            game=self.plan.game,
            players=players,
            options=self.plan.options[players],
            bots=tuple(self.plan.names[bot] for bot in _split(bots)),
            line_up=line_up,
            deal=deal,
            rotation=rotation,
            seed=seed,
            bot_seeds=tuple(seeding.derive("bot", match_id, seat) for seat in range(players)),
        )
        return MatchResult(
            spec=spec,
            ending=Ending(ending),
            offender=offender,
            scores=_tuples(json.loads(scores)),
            ranks=_split(ranks),
            actions=decode_actions(actions),
            seconds=tuple(seconds[:players]),
            detail=detail or "",
            traceback=traceback or "",
        )

    def printed(
        self, bot: str | None = None, match: int | None = None
    ) -> Iterator[tuple[MatchResult, int, str]]:
        """Match, seat and text of what bots have printed, in the order of the matches.

        All of it, or that of a bot or of a match by its number.
        """
        if bot is not None and bot not in self.plan.names:
            raise UnknownNameError("bot of this run", bot, self.plan.names)
        query = "SELECT number, seat, text FROM printed WHERE ? IS NULL OR number = ?"
        with _disk(self.folder):
            rows = self._db.execute(f"{query} ORDER BY number, seat", (match, match)).fetchall()
        for number, seat, text in rows:
            result = self.result(number)
            if bot in (None, result.spec.bots[seat]):
                yield result, seat, text

    def explained(self, match: int) -> dict[int, Any]:
        """What bots have told of their decisions in a match, by the number of the move from 1."""
        query = "SELECT move, told FROM explained WHERE number = ? ORDER BY move"
        with _disk(self.folder):
            return {m: json.loads(told) for m, told in self._db.execute(query, (match,))}

    def check(self) -> None:
        """Read everything; DamagedRunError if pages are damaged or `outcomes` says otherwise."""
        path = self.folder / "matches.sqlite"
        with _disk(self.folder):
            ((verdict,),) = self._db.execute("PRAGMA integrity_check(1)").fetchall()
        if verdict != "ok":
            raise DamagedRunError(f"{path} is damaged: {' '.join(str(verdict).split())}")
        pack, derived = self.packer, iter(self.outcomes())
        for result in self.results():
            expected = pack([result]).outcomes[0]
            entry = next(derived, None)
            if entry is None or entry.tobytes() != expected.tobytes():
                raise DamagedRunError(
                    f"{path}: match {result.spec.id} (number {result.spec.number}) has another "
                    f"result in the table outcomes than in the table matches"
                )
        if next(derived, None) is not None:
            raise DamagedRunError(f"{path}: outcomes holds matches that are not in matches")


# --- files ------------------------------------------------------------------------------------


def new_folder(stem: str, parent: Path = Path("results")) -> Path:
    """A folder for a new run of the configuration called `stem`, which is not there yet."""
    name = f"{stem}-{datetime.datetime.now(datetime.UTC):%Y%m%d-%H%M%S}"
    number = 1
    while (folder := parent / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return folder


def find_run(ref: Path | str, parent: Path = Path("results")) -> Path:
    """The folder of a run by its path or its name under `parent`; UnknownNameError if none."""
    for folder in (Path(ref), parent / ref):
        if folder.is_dir():
            return folder
    beside = {p.parent.name: p for p in Path(ref).parent.glob("*/run.json")}
    below = {p.parent.name: p for p in parent.glob("*/run.json")}
    raise UnknownNameError("run", str(ref), {**beside, **below})


def write_text(path: Path, text: str) -> None:
    """Replace the file as a whole: whoever reads it sees the old text or the new one."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(0o644)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    text = json.dumps(manifest, indent=2, ensure_ascii=False, allow_nan=False)
    write_text(folder / "run.json", text + "\n")


def _read_manifest(folder: Path) -> tuple[dict[str, Any], Plan]:
    path = folder / "run.json"
    try:
        manifest = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise DamagedRunError(f"{folder} is not a run folder: it has no run.json") from None
    except ValueError as error:
        raise DamagedRunError(f"{path} is not JSON: {error}") from None
    found = manifest.get("schema") if isinstance(manifest, dict) else None
    if found != SCHEMA:
        raise DamagedRunError(f"{path}: found schema {found!r}, this version reads {SCHEMA!r}")
    try:
        _ = manifest["state"], manifest["versions"]["code"]
        return manifest, Plan.restored(manifest)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedRunError(f"{path} does not describe a run: {error!r}") from None


def _take(folder: Path) -> filelock.BaseFileLock:
    lock = filelock.FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise RunExistsError(
            f"{folder} is being written by another process; wait for it or choose another folder"
        ) from None
    return lock


def _refuse_content(folder: Path) -> None:
    found = sorted(path.name for path in folder.iterdir() if path.name != ".lock")
    if "run.json" in found:
        raise RunExistsError(
            f"{folder} holds a run already; go on with it by --resume or choose another by -o"
        )
    if found:
        names = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
        raise RunExistsError(
            f"{folder} is not empty: it holds {names}; choose another folder by -o"
        )


def _refuse_difference(folder: Path, begun: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    old, new = _lines(_decisive(begun)), _lines(_decisive(now))
    if old != new or _changed_code(begun, now):
        lines = [line for line in difflib.ndiff(old, new) if line[0] in "+-"]
        lines += _changed_code(begun, now)
        raise ResumeError(
            f"{folder} was begun otherwise (- begun with, + found now); begin a new run instead:\n"
            + "\n".join(lines)
        )


def _decisive(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The part of run.json on which results depend, without digests of code."""
    shown = Plan.restored(manifest).shown()
    del shown["config_digest"]  # says nothing that the configuration does not
    for bot in shown["bots"].values():
        del bot["digest"]
    return {**shown, "arena": manifest["versions"].get("arena")}


def _changed_code(begun: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """A line for every bot whose code has changed, and for arena's own."""
    before, after = Plan.restored(begun).bots, Plan.restored(now).bots
    digests = {bot.name: bot.digest for bot in after}
    changed = [b.name for b in before if digests.get(b.name, b.digest) != b.digest]
    lines = [f"  the code of bot {name!r} has changed" for name in changed]
    if begun["versions"].get("code") != now["versions"].get("code"):
        lines.append("  the code of arena that plays the games has changed")
    return lines


def _lines(value: Any, path: str = "") -> list[str]:
    """A line `path: value` for every plain value within."""
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return [
            line for key, v in items for line in _lines(v, f"{path}.{key}" if path else str(key))
        ]
    return [f"{path}: {json.dumps(value, ensure_ascii=False)}"]


# --- database ---------------------------------------------------------------------------------


def _create_database(path: Path, names: Sequence[str]) -> None:
    db = sqlite3.connect(path)
    try:
        db.executescript(_TABLES)
        db.executemany("INSERT INTO bots VALUES (?, ?)", enumerate(names))
        db.commit()
    finally:
        db.close()


def _connect(path: Path, write: bool) -> sqlite3.Connection:
    """Open the database after seeing that it is ours, whole, and of this format."""
    if not path.exists():
        raise DamagedRunError(f"{path} is missing")
    with _disk(path.parent):
        # Readers open it for writing too: what a killed process left half-written has to be undone.
        db = sqlite3.connect(
            f"file:{quote(str(path.resolve()))}?mode=rw", uri=True, timeout=60, isolation_level=None
        )
        try:
            _inspect(db, path)
            if not write:
                db.execute("PRAGMA query_only = 1")
            return db
        except BaseException:
            db.close()
            raise


def _inspect(db: sqlite3.Connection, path: Path) -> None:
    def pragma(name: str) -> int:
        return int(db.execute(f"PRAGMA {name}").fetchone()[0])

    if pragma("application_id") != APPLICATION:
        raise DamagedRunError(f"{path} is not a database of arena")
    if (found := pragma("user_version")) != FORMAT:
        raise DamagedRunError(f"{path}: found format {found}, this version reads {FORMAT}")


_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextlib.contextmanager
def _disk(folder: Path) -> Iterator[None]:
    """Tell damaged data, a full disk and other failures of the disk apart."""
    way_out = "what was finished before is saved; go on with --resume"
    try:
        yield
    except ArenaError:
        raise
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise InfrastructureError(f"{folder}: the disk is full; {way_out}") from error
        if isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR:
            raise InfrastructureError(f"{folder}: {error}; {way_out}") from error
        raise DamagedRunError(f"{folder / 'matches.sqlite'} is damaged: {error}") from error
    except OSError as error:
        what = "the disk is full" if error.errno in _FULL else str(error)
        raise InfrastructureError(f"{folder}: {what}; {way_out}") from error
