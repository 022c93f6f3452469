"""Tables: every format says the same, whatever the names are."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena import report
from arena.core import Ending, MatchResult, MatchSpec
from arena.report import Format, Standing

NAMES = ["plain", "a|b", 'say "hi", twice', "back\\slash|", "two\nlines", "日本 bot", "=1+1", "*_`"]


def standing(bot: str) -> Standing:
    """A row with all kinds of values."""
    return Standing(1, bot, 40, 25.74649, 24.2151, 27.2772, -0.0751, 23, 0, 17, 2)


STANDINGS = [standing(name) for name in NAMES]


def board(form: Format) -> str:
    """The leaderboard as one text."""
    return "\n".join(report.board_table(STANDINGS, form)) + "\n"


def markdown_cells(line: str) -> list[str]:
    """The cells of a row, as a reader of Markdown takes them apart."""
    inner = line.removeprefix("| ").removesuffix(" |")
    return [re.sub(r"\\([\\|])", r"\1", c) for c in re.split(r"(?<=[^\\]) \| ", inner)]


def test_the_leaderboard_has_these_columns() -> None:
    """In this order, as documented."""
    columns = "rank,bot,matches,rating,low,high,mean score,wins,draws,losses,forfeits"
    assert board(Format.CSV).splitlines()[0] == columns
    assert list(json.loads(board(Format.JSON))[0]) == columns.replace(" ", "_").split(",")
    assert board(Format.TABLE).splitlines()[0].split() == columns.replace(",", " ").split()


def test_csv_reads_back_whatever_the_names() -> None:
    """Commas, quotes and line breaks included."""
    rows = list(csv.DictReader(io.StringIO(board(Format.CSV))))
    assert [row["bot"] for row in rows] == NAMES
    assert rows[0]["rating"] == "25.746"
    assert rows[0]["mean score"] == "-0.075"


def test_json_reads_back_whatever_the_names() -> None:
    """As a list of objects with numbers in them."""
    rows = json.loads(board(Format.JSON))
    assert [row["bot"] for row in rows] == NAMES
    assert rows[0]["rating"] == 25.746


def test_markdown_keeps_its_columns_whatever_the_names() -> None:
    """Bars within names are escaped, line breaks become blanks."""
    head, rule, *rows = board(Format.MD).splitlines()
    assert {len(markdown_cells(line)) for line in (head, rule, *rows)} == {len(report.BOARD)}
    names = [markdown_cells(row)[1] for row in rows]
    assert names == [name.replace("\n", " ") for name in NAMES]


def test_aligned_text_lines_up_also_with_wide_characters() -> None:
    """Numbers end and names begin in one column of the terminal."""
    lines = board(Format.TABLE).splitlines()
    assert len(lines) == len(NAMES) + 1
    assert lines[1].startswith("   1  plain          ")
    assert lines[6].startswith("   1  日本 bot        ")
    assert all(line.endswith(" 2") for line in lines[1:])


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), None])
def test_what_is_no_number_is_told_as_nothing(number: float) -> None:
    """JSON has no NaN: a bot without scores has none in any format."""
    row = replace(standing("x"), mean_score=number)
    assert json.loads("\n".join(report.board_table([row], Format.JSON)))[0]["mean_score"] is None
    assert ",,23," in list(report.board_table([row], Format.CSV))[1]


def test_a_zero_has_no_sign() -> None:
    """A mean score that rounds to nothing is 0.0, not -0.0."""
    row = replace(standing("x"), mean_score=-0.0001)
    assert list(report.board_table([row], Format.CSV))[1].split(",")[6] == "0.0"


@pytest.mark.parametrize("form", list(Format))
def test_tables_without_rows(form: Format) -> None:
    """Only the head; in JSON an empty list."""
    lines = list(report.board_table([], form))
    assert json.loads("".join(lines)) == [] if form is Format.JSON else "rank" in lines[0]


def test_the_files_of_a_run_hold_the_leaderboard() -> None:
    """In the three formats that are written to disk."""
    files = report.board_files(STANDINGS)
    assert files == {f"leaderboard.{form}": board(form) for form in Format if form != "table"}


# --- matches ------------------------------------------------------------------------------------


def result(number: int = 0) -> MatchResult:
    """A forfeited match of three bots with scores of two numbers each."""
    spec = MatchSpec(
        number, "00c0ffee00c0ffee", "aves", 3, {}, ("a", "b,c", "a"), 2, 5, 1, 2**52, (1, 2, 3)
    )
    return MatchResult(
        spec, Ending.CRASH, 1, ((3, 20), (1, 7), (3, 19)), (1, 3, 2), (9, 8, 7, 6), (0.1, 0.2, 0.3)
    )


def test_matches_have_these_columns() -> None:
    """Lists are joined by bars; `moves` is how many there were."""
    head, row = report.matches_table([result()], Format.CSV)
    assert head == "id,deal,players,bots,ending,offender,ranks,scores,moves,seed"
    expected = '00c0ffee00c0ffee,5,3,"a|b,c|a",crash,1,1|3|2,"[3, 20]|[1, 7]|[3, 19]",4,'
    assert row == expected + str(2**52)


def test_matches_in_json_have_real_lists() -> None:
    """And null where no bot was at fault."""
    finished = replace(result(), ending=Ending.FINISHED, offender=None)
    rows = json.loads("\n".join(report.matches_table([result(), finished], Format.JSON)))
    assert rows[0]["bots"] == ["a", "b,c", "a"]
    assert rows[0]["scores"] == [[3, 20], [1, 7], [3, 19]]
    assert [row["offender"] for row in rows] == [1, None]


@pytest.mark.parametrize("form", list(Format))
def test_matches_are_written_as_they_come(form: Format) -> None:
    """However many there are, a few are held at a time."""
    taken = 0

    def endless() -> Iterator[MatchResult]:
        nonlocal taken
        for taken in itertools.count(1):
            yield result(taken)

    lines = list(itertools.islice(report.matches_table(endless(), form), 1000))
    assert len(lines) == 1000
    assert taken <= 1000 + report.ALIGNED_ROWS


# --- messages -----------------------------------------------------------------------------------


def test_forfeits_name_the_first_case_and_how_to_look_at_it() -> None:
    """The command can be copied from the message."""
    first = replace(result(), detail="move 5: raised KeyError: 'x'")
    lines = list(report.forfeits_text([report.Forfeits("b,c", "crash", 2, first)], Path("r/x")))
    assert lines == [
        "2 matches forfeited",
        "  b,c: 2 by crash; the first: move 5: raised KeyError: 'x'",
        "    arena repro r/x 00c0ffee00c0ffee",
    ]
