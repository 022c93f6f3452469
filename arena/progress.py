"""How a run tells on stderr where it is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from collections import deque
from time import monotonic
from types import TracebackType
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

PLAIN_SECONDS = 5.0
"""time between two plain lines"""
PACE_SECONDS = 30.0
"""the pace is that of so many last seconds"""


def is_lively(stream: TextIO) -> bool:
    """Whether escape codes may be written: to a terminal that has not been told otherwise."""
    refused = os.environ.get("NO_COLOR") or os.environ.get("CI")
    return stream.isatty() and not refused and os.environ.get("TERM", "dumb") != "dumb"


class Meter:
    """Counts the matches of a run as they finish. Use as a context manager.

    `done` of `total` were finished before, `forfeits` of them lost by a bot's fault.
    """

    def __init__(self, total: int, done: int, forfeits: int, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._total = total
        self._done = self._before = done
        self._forfeits = forfeits
        self._began = self._told = monotonic()
        self._history: deque[tuple[float, int]] = deque()
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def __enter__(self) -> Meter:
        if is_lively(self._stream):
            self._bar = Progress(
                BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rest]}"),
                console=Console(file=self._stream), transient=True,
            )  # fmt: skip
            self._task = self._bar.add_task(
                "", total=self._total, completed=self._done, rest="starting"
            )
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._done > self._before:
            self._say(f"{self._count()} in {_clock(monotonic() - self._began)}{self._lost()}")

    def tell(self, text: str) -> None:
        """Show a message, above the bar if there is one."""
        if self._done == self._before:
            self._began = monotonic()  # compiling and the like is no part of the time it took
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            self._say(text)

    def advance(self, matches: int, forfeits: int) -> None:
        """So many more are finished."""
        self._done += matches
        self._forfeits += forfeits
        now = monotonic()
        self._history.append((now, self._done))
        while now - self._history[0][0] > PACE_SECONDS and len(self._history) > 2:
            self._history.popleft()
        if self._bar is not None:
            rest = f"{self._pace()}{self._lost()}".removeprefix(", ")
            self._bar.update(self._task, completed=self._done, rest=rest)
        elif now - self._told > PLAIN_SECONDS and self._done < self._total:
            self._say(f"{self._count()}{self._pace()}{self._lost()}")

    def _count(self) -> str:
        return f"{self._done:,}/{self._total:,} matches"

    def _pace(self) -> str:
        """How fast it goes and how long it will take; unknown after the first batch only."""
        (then, before), (now, done) = self._history[0], self._history[-1]
        if now <= then or done <= before:
            return ""
        pace = (done - before) / (now - then)
        return f", {pace:,.1f} games/s, {_clock((self._total - done) / pace)} left"

    def _lost(self) -> str:
        plural = "" if self._forfeits == 1 else "s"
        return f", {self._forfeits:,} forfeit{plural}" if self._forfeits else ""

    def _say(self, line: str) -> None:
        self._told = monotonic()
        self._stream.write(f"{line}\n")
        self._stream.flush()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
