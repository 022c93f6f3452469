"""Bots that play no more, because they have lost too many matches by faults of their own.

A bot is retired by its `max_faults`th fault in the order of the schedule; the matches that it would
play after that one are not played, and matches that are not played count no faults of anybody. So
which matches those are follows from the schedule and the bots alone, not from which match was
finished first: a retirement is decided when all matches before it have been.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arena.core import Ending, MatchResult
from arena.schedule import Matches
from arena.store import Outcomes

Numbers = npt.NDArray[np.int64]


class Retirement:
    """Which matches of a run are not to be played.

    `done` says by number which are finished, `outcomes` how those ended.
    """

    def __init__(
        self, matches: Matches, max_faults: int, done: npt.NDArray[np.bool_], outcomes: Outcomes
    ) -> None:
        self._matches = matches
        self._most = max_faults
        self._finished = np.zeros(len(matches), np.bool_)
        self._decided = 0
        self._waiting: list[tuple[int, int, tuple[int, ...]]] = []
        self._faults: Counter[int] = Counter()
        self._last: dict[int, int] = {}
        self._count(np.flatnonzero(done), outcomes)

    @property
    def bots(self) -> Sequence[int]:
        """Those that play no more, in the order in which they were retired."""
        return list(self._last)

    def open(self, numbers: Numbers) -> npt.NDArray[np.bool_]:
        """Which of these matches are neither finished nor retired."""
        return ~self._finished[numbers]

    def finish(self, numbers: Numbers, outcomes: Outcomes) -> Numbers:
        """These have been finished; returns the numbers of the matches that are retired by that.

        Some of them may have been played already.
        """
        fresh = self.open(numbers)
        self._count(numbers[fresh], outcomes[fresh])
        return self.decide()

    def decide(self) -> Numbers:
        """The numbers of the matches whose retirement follows from what is finished."""
        retired: list[Numbers] = []
        while (bot := self._next_retired()) is not None:
            numbers = self._matches.of_bot(bot, after=self._last[bot])
            self._finished[numbers] = True
            retired.append(numbers)
        return np.unique(np.concatenate(retired)) if retired else np.empty(0, np.int64)

    def _count(self, numbers: Numbers, outcomes: Outcomes) -> None:
        self._finished[numbers] = True
        for i in np.flatnonzero(outcomes["offender"] >= 0).tolist():
            bots = tuple(outcomes["bots"][i][outcomes["places"][i] > 0].tolist())
            offender = bots[outcomes["offender"][i]]
            heapq.heappush(self._waiting, (int(numbers[i]), offender, bots))

    def _next_retired(self) -> int | None:
        """The bot retired by the next faults before the first match that is not finished."""
        rest = self._finished[self._decided :]
        self._decided += len(rest) if rest.all() else int(rest.argmin())
        while self._waiting and self._waiting[0][0] < self._decided:
            number, offender, bots = heapq.heappop(self._waiting)
            if any(self._last.get(bot, number) < number for bot in bots):
                continue
            self._faults[offender] += 1
            if self._faults[offender] == self._most:
                self._last[offender] = number
                return offender
        return None


def unplayed(matches: Matches, numbers: Numbers) -> list[MatchResult]:
    """What stands in a run for matches that are retired."""
    return [
        MatchResult(spec, Ending.RETIRED, None, (), (1,) * spec.players, (), (0.0,) * spec.players)
        for spec in (matches[number] for number in numbers.tolist())
    ]
