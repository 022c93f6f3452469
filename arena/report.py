"""Tables of results, for people and for programs.

A table has the same columns in every format: `table` is aligned text, `md` Markdown, `csv` and
`json` are for programs. In JSON a table is a list of objects, a list is a list and a missing value
is null; elsewhere lists are joined by `|` and a missing value is empty. Tables are written line by
line as their rows come, so that ten million matches take no memory.
"""

from __future__ import annotations

import csv
import enum
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.core import MatchResult

ALIGNED_ROWS = 500
"""The columns of aligned text are as wide as so many first rows need."""

DECIMALS = 3
"""Ratings and mean scores are told to so many decimals, two in aligned text and Markdown."""


class Format(enum.StrEnum):
    """How a table is written."""

    TABLE = "table"
    MD = "md"
    CSV = "csv"
    JSON = "json"


# --- leaderboards -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's row of the leaderboard. Matches of a bot against itself are not counted."""

    rank: int
    """1 + the number of bots that are better with 95 % confidence"""
    bot: str
    matches: int
    rating: float
    low: float
    """95 % limits of the rating"""
    high: float
    mean_score: float | None
    """of the game's own scores, or of their first number; None without any"""
    wins: int
    """first places that were not shared"""
    draws: int
    """first places shared with others"""
    losses: int
    """all other places"""
    forfeits: int
    """the losses that were a fault of the bot's own"""


BOARD = (
    "rank", "bot", "matches", "rating", "low", "high", "mean score", "wins", "draws", "losses",
    "forfeits",
)  # fmt: skip


def board_table(standings: Iterable[Standing], form: Format) -> Iterator[str]:
    """The leaderboard as lines of text."""
    rows = (
        (
            s.rank, s.bot, s.matches, _rounded(s.rating), _rounded(s.low), _rounded(s.high),
            _rounded(s.mean_score), s.wins, s.draws, s.losses, s.forfeits,
        )
        for s in standings
    )  # fmt: skip
    return table(BOARD, rows, form)


def board_files(standings: Sequence[Standing]) -> dict[str, str]:
    """The files of a run folder that hold its leaderboard: text by name."""
    forms = (Format.MD, Format.CSV, Format.JSON)
    return {
        f"leaderboard.{form}": "".join(f"{line}\n" for line in board_table(standings, form))
        for form in forms
    }


def _rounded(number: float | None) -> float | None:
    """Without the digits in which computers may differ; None for what is no number."""
    if number is None or not math.isfinite(number):
        return None
    return round(number, DECIMALS) + 0.0  # never -0.0


# --- matches ------------------------------------------------------------------------------------

MATCHES = (
    "id", "deal", "players", "bots", "ending", "offender", "ranks", "scores", "moves", "seed",
)  # fmt: skip


def matches_table(results: Iterable[MatchResult], form: Format) -> Iterator[str]:
    """Matches as lines of text; `moves` is how many there were, `offender` a seat."""
    rows = (
        (
            r.spec.id, r.spec.deal, r.spec.players, r.spec.bots, r.ending.value, r.offender,
            r.ranks, r.scores, len(r.actions), r.spec.seed,
        )
        for r in results
    )  # fmt: skip
    return table(MATCHES, rows, form)


# --- tables in general --------------------------------------------------------------------------

Row = Sequence[Any]


def table(columns: Sequence[str], rows: Iterable[Row], form: Format) -> Iterator[str]:
    """A table as lines of text, in any format."""
    writers = {
        Format.TABLE: _aligned,
        Format.MD: _markdown,
        Format.CSV: _csv,
        Format.JSON: _json,
    }
    return writers[form](columns, rows)


def _json(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    keys = [column.replace(" ", "_") for column in columns]
    yield "["
    before = ""
    for row in rows:
        if before:
            yield f"{before},"
        item = dict(zip(keys, row, strict=True))
        before = " " + json.dumps(item, ensure_ascii=False, allow_nan=False)
    if before:
        yield before
    yield "]"


def _csv(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    for row in chain([columns], rows):
        line.seek(0)
        line.truncate()
        writer.writerow([_text(value) for value in row])
        yield line.getvalue().removesuffix("\n")


def _markdown(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    first, rows = _peek(rows, 1)
    sides = ["---:" if right else "---" for right in _numeric(columns, first)]
    yield _bars(columns)
    yield _bars(sides)
    for row in rows:
        yield _bars(
            [_line(_text(value, 2)).replace("\\", "\\\\").replace("|", "\\|") for value in row]
        )


def _bars(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _aligned(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    first, rows = _peek(rows, ALIGNED_ROWS)
    right = _numeric(columns, first)
    shown = [columns, *([_line(_text(value, 2)) for value in row] for row in first)]
    widths = [max(map(_width, cells)) for cells in zip(*shown, strict=True)]
    for row in chain([columns], rows):
        cells = [_line(_text(value, 2)) for value in row]
        spaces = [" " * (w - _width(cell)) for w, cell in zip(widths, cells, strict=True)]
        padded = [
            space + cell if flush else cell + space
            for cell, space, flush in zip(cells, spaces, right, strict=True)
        ]
        yield "  ".join(padded).rstrip()


def _peek(rows: Iterable[Row], count: int) -> tuple[list[Row], Iterator[Row]]:
    """The first rows, and all of them."""
    rows = iter(rows)
    first = list(islice(rows, count))
    return first, chain(first, rows)


def _numeric(columns: Sequence[str], rows: Sequence[Row]) -> list[bool]:
    """Which columns hold numbers, and belong to the right."""
    kinds = zip(*rows, strict=True) if rows else ((),) * len(columns)
    return [any(isinstance(value, int | float) for value in column) for column in kinds]


def _text(value: Any, decimals: int | None = None) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and decimals is not None:
        return f"{value:.{decimals}f}"
    if isinstance(value, list | tuple):
        return "|".join(
            json.dumps(v) if isinstance(v, list | tuple) else _text(v, decimals) for v in value
        )
    return str(value)


def _line(text: str) -> str:
    return " ".join(text.split()) if not text.isprintable() else text


def _width(text: str) -> int:
    from rich.cells import cell_len  # not needed for `arena --help`

    return len(text) if text.isascii() else cell_len(text)


# --- forfeits -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Forfeits:
    """The matches that one bot lost by one kind of fault."""

    bot: str
    ending: str
    count: int
    first: MatchResult


def forfeits_text(forfeits: Sequence[Forfeits], run: Path) -> Iterator[str]:
    """What went wrong, as lines of text: for each bot and cause how often, and the first case."""
    total = sum(f.count for f in forfeits)
    yield f"{total:,} match{'' if total == 1 else 'es'} forfeited"
    for f in forfeits:
        yield f"  {f.bot}: {f.count:,} by {f.ending}; the first: {f.first.detail}"
        yield f"    arena repro {run} {f.first.spec.id}"


# --- what would be played -----------------------------------------------------------------------


def summary_text(summary: Mapping[str, Any], form: Format) -> Iterator[str]:
    """What `Tournament.summary` says, as one JSON document or as lines of text."""
    if form is Format.JSON:
        yield json.dumps(summary, ensure_ascii=False, indent=2)
        return
    players = ", ".join(map(str, summary["players"]))
    yield f"{summary['name']}: {summary['game']}, players {players}, seed {summary['seed']}"
    rows = [
        (b["name"], b["bot"], ", ".join(f"{k}={v}" for k, v in b["params"].items()), b["runs"])
        for b in summary["bots"]
    ]
    yield from table(("name", "bot", "params", "runs"), rows, Format.TABLE)
    sampled = f" ({summary['sampled']}, a balanced sample)" if summary["sampled"] else ""
    yield (
        f"{summary['line_ups']:,} line-ups{sampled} on {summary['deals']:,} deals from all seats: "
        f"{summary['matches']:,} matches"
    )
