"""Bots that are at fault too often: the same matches are left out, whatever is finished first."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from arena import registry
from arena.core import Ending, MatchResult, MatchSpec
from arena.retirement import Retirement, unplayed
from arena.schedule import Matches, schedule
from arena.store import Packer

NAMES = ("fine", "bad", "worse", "good")
MOST = 3


def matches(players: int = 2) -> Matches:
    game = registry.game("cubirds")
    return schedule(
        "cubirds", game.rules, {players: game.resolve(players)}, NAMES, {n: n for n in NAMES},
        seed=1, deals=12, players=[players],
    )  # fmt: skip


def result(spec: MatchSpec) -> MatchResult:
    """`worse` loses every second match by a fault, `bad` every fifth."""
    at_fault = next(
        (
            s
            for s, n in enumerate(spec.bots)
            if spec.number % {"bad": 5, "worse": 2}.get(n, 10**9) == 1
        ),
        None,
    )
    ending = Ending.FINISHED if at_fault is None else Ending.CRASH
    ranks = tuple(range(1, spec.players + 1))
    return MatchResult(spec, ending, at_fault, ranks, ranks, (1,), (0.0,) * spec.players)


def one_by_one(schedule: Matches) -> set[int]:
    """The matches not played when they are played in the order of the schedule."""
    faults: Counter[str] = Counter()
    left_out = set()
    for spec in schedule:
        if any(faults[name] >= MOST for name in spec.bots):
            left_out.add(spec.number)
        elif (offender := result(spec).offender) is not None:
            faults[spec.bots[offender]] += 1
    return left_out


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_finishing_does_not_matter(players: int, seed: int) -> None:
    """Batches of any size come in any order, and some of what is retired has been played."""
    schedule, rng = matches(players), Random(seed)
    retirement = _retirement(schedule)
    pack = Packer(NAMES, players)
    retired: set[int] = set()
    window: list[int] = []
    rest = list(range(len(schedule)))
    while rest or window:
        while rest and len(window) < 12:
            window.append(rest.pop(0))
        batch = rng.sample(window, rng.randint(1, min(4, len(window))))
        window = [n for n in window if n not in batch]
        packed = pack([result(schedule[n]) for n in batch])
        newly = set(retirement.finish(packed.numbers, packed.outcomes).tolist())
        retired |= newly
        rest = [n for n in rest if n not in newly]
    assert retired == one_by_one(schedule)
    assert [NAMES[bot] for bot in retirement.bots] == ["worse", "bad"]


def test_a_run_that_goes_on_finds_the_same() -> None:
    """From what its database holds alone, also when it was killed before it had noted anything."""
    schedule = matches()
    packed = Packer(NAMES, 2)([result(spec) for spec in schedule])
    done = np.ones(len(schedule), np.bool_)
    retirement = Retirement(schedule, MOST, done, packed.outcomes)
    left_out = one_by_one(schedule)
    assert set(retirement.decide().tolist()) == left_out
    noted = [unplayed(schedule, np.array([n]))[0] if n in left_out else result(schedule[n])
             for n in range(len(schedule))]  # fmt: skip
    again = Retirement(schedule, MOST, done, Packer(NAMES, 2)(noted).outcomes)
    assert set(again.decide().tolist()) == left_out


def test_without_faults_nobody_is_retired() -> None:
    schedule = matches()
    pack = Packer(NAMES, 2)
    fine = [r for r in map(result, schedule) if r.offender is None]
    packed = pack(fine)
    retirement = _retirement(schedule)
    assert not len(retirement.finish(packed.numbers, packed.outcomes))
    assert not retirement.bots


def _retirement(schedule: Matches) -> Retirement:
    none = Packer(NAMES, 2)([])
    return Retirement(schedule, MOST, np.zeros(len(schedule), np.bool_), none.outcomes)
