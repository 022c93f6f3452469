"""Progress: a bar for a terminal, plain lines for all else."""

from __future__ import annotations

import io

import pytest

from arena import progress
from arena.progress import Meter, is_lively


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of a usual kind, and nobody who refuses colour."""
    for name in ("NO_COLOR", "CI", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, to be set."""
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_only_a_terminal_is_lively() -> None:
    """A file or a pipe gets no escape codes."""
    assert is_lively(Terminal())
    assert not is_lively(io.StringIO())


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("CI", "true"), ("TERM", "dumb")])
def test_a_terminal_can_be_told_to_stay_plain(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the usual variables; nothing but lines is written then."""
    monkeypatch.setenv(name, value)
    stream = Terminal()
    with Meter(10, 0, 0, stream) as meter:
        meter.tell("hello")
        meter.advance(10, 0)
    assert "\x1b" not in stream.getvalue()
    assert stream.getvalue().splitlines()[0] == "hello"


def test_plain_lines_come_every_few_seconds(clock: list[float]) -> None:
    """With the count of the whole run, the pace of this session, the time left, the forfeits."""
    stream = io.StringIO()
    with Meter(1000, 100, 1, stream) as meter:
        for _ in range(12):
            clock[0] += 1
            meter.advance(10, 0)
        meter.advance(0, 1)
    assert stream.getvalue().splitlines() == [
        "160/1,000 matches, 10.0 games/s, 1:24 left, 1 forfeit",
        "220/1,000 matches, 10.0 games/s, 1:18 left, 1 forfeit",
        "220/1,000 matches in 0:12, 2 forfeits",
    ]


def test_the_pace_is_that_of_the_last_seconds(clock: list[float]) -> None:
    """A slow beginning is forgotten."""
    stream = io.StringIO()
    with Meter(10_000, 0, 0, stream) as meter:
        meter.advance(1, 0)
        clock[0] += 1000
        for _ in range(60):
            clock[0] += 1
            meter.advance(10, 0)
        lines = stream.getvalue().splitlines()
    assert "10.0 games/s" in lines[-1]


@pytest.mark.usefixtures("clock")
def test_a_bar_shows_the_whole_and_goes_away() -> None:
    """Messages stay above it; one line is left at the end."""
    stream = Terminal()
    with Meter(1000, 100, 0, stream) as meter:
        meter.tell("compiling [kuhn]")
        meter.advance(900, 3)
    text = stream.getvalue()
    assert "compiling [kuhn]" in text
    assert "1000/1000" in text
    assert "3 forfeits" in text
    assert text.rpartition("\x1b[2K")[2] == "1,000/1,000 matches in 0:00, 3 forfeits\n"


def test_nothing_is_told_of_nothing() -> None:
    """When no match was played there is no line about it."""
    stream = io.StringIO()
    with Meter(10, 10, 0, stream):
        pass
    assert stream.getvalue() == ""
