"""Counts and win rates over games, with intervals by deal block.

Games are given as arrays with a row a game, as for ratings: `bots` (games, seats) numbers from 0,
`places` (games, seats) from 1, 0 for a seat that the game did not have.

**Intervals.** A deal block is one deal played by one line-up from every rotation of the seats; its
games share their luck, so blocks, not games, are what varies independently. A win rate's 95 %
interval takes the variance between the results of whole blocks, after adding two blocks of average
size that were won throughout and two that were lost throughout. Where every block is a single game
that is the interval of Agresti and Coull ("Approximate is better than 'exact' for interval
estimation of binomial proportions", 1998). It stays honest when all blocks ended alike or there
are only a few, and becomes narrower when rotating the seats has evened out the luck of the deal.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

POOLS = 1000
"""Blocks whose numbers are equal modulo this count as one block."""

_Z = NormalDist().inv_cdf(0.975)

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tally:
    """What a bot has to show. A bot that sits twice in a game is counted for each of its seats."""

    matches: int
    mean_score: float | None
    """of the scores that are numbers; None without any"""
    wins: int
    """first places that were not shared"""
    draws: int
    """first places shared with others"""
    losses: int
    """all other places"""
    forfeits: int
    """the losses that were a fault of the bot's own"""


@dataclass(frozen=True, slots=True)
class WinRate:
    """How often one bot came in before another in the games that both played."""

    games: int
    rate: float
    """share of the games in which it had the better place; equal places count half"""
    low: float
    """95 % limits of the rate"""
    high: float


def tally(
    names: int,
    bots: npt.ArrayLike,
    places: npt.ArrayLike,
    scores: npt.ArrayLike,
    offenders: npt.ArrayLike,
) -> tuple[Tally, ...]:
    """Count the results of the bots 0 … `names` - 1.

    `scores` (games, seats) are the game's own, NaN where it has none; `offenders` (games,) tell the
    seat at fault, -1 for nobody.
    """
    seated, placed = np.asarray(bots), np.asarray(places)
    scored = np.asarray(scores, np.float64)

    def count(chosen: npt.NDArray[np.bool_], weights: Array | None = None) -> Array:
        picked = None if weights is None else weights[chosen]
        return np.bincount(seated[chosen], picked, names).astype(np.float64)

    valued = (placed > 0) & np.isfinite(scored)
    first = placed == 1
    shared = first.sum(axis=1, keepdims=True) > 1
    at_fault = np.arange(placed.shape[1]) == np.asarray(offenders)[:, None]
    matches, wins, draws = count(placed > 0), count(first & ~shared), count(first & shared)
    values, totals, forfeits = count(valued), count(valued, scored), count(at_fault)
    return tuple(
        Tally(
            matches=int(matches[bot]),
            mean_score=float(totals[bot] / values[bot]) if values[bot] else None,
            wins=int(wins[bot]),
            draws=int(draws[bot]),
            losses=int(matches[bot] - wins[bot] - draws[bot]),
            forfeits=int(forfeits[bot]),
        )
        for bot in range(names)
    )


def head_to_head(
    names: int, bots: npt.ArrayLike, places: npt.ArrayLike, blocks: npt.ArrayLike
) -> tuple[tuple[WinRate | None, ...], ...]:
    """The cross-table of the bots 0 … `names` - 1: `[a][b]` is the win rate of a against b.

    `blocks` (games,) are numbers of the deal blocks, any integers. Games with more than two players
    count for every pair of them; None where two bots never met.
    """
    games, won = _by_pool(names, np.asarray(bots), np.asarray(places), np.asarray(blocks))
    total, gained = games.sum(axis=2), won.sum(axis=2)
    with np.errstate(invalid="ignore"):  # 0 / 0 for pairs that never met
        rate = gained / total
        size = total / np.count_nonzero(games, axis=2)
        centre = (gained + 2 * size) / (total + 4 * size)
        squares = ((won - centre[:, :, None] * games) ** 2).sum(axis=2)
        squares += 2 * (size * centre) ** 2 + 2 * (size * (1 - centre)) ** 2
        half = _Z * np.sqrt(squares) / (total + 4 * size)
    low, high = np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)

    def entry(a: int, b: int) -> WinRate | None:
        if not total[a, b]:
            return None
        return WinRate(int(total[a, b]), float(rate[a, b]), float(low[a, b]), float(high[a, b]))

    return tuple(tuple(entry(a, b) for b in range(names)) for a in range(names))


def _by_pool(
    names: int,
    bots: npt.NDArray[np.int_],
    places: npt.NDArray[np.int_],
    blocks: npt.NDArray[np.int_],
) -> tuple[Array, Array]:
    """How many games pairs of bots played, and how many the first won: (names, names, POOLS)."""
    pool = blocks.astype(np.int64) % POOLS
    cells = names * names * POOLS
    games, won = np.zeros(cells), np.zeros(cells)
    for one, other in itertools.permutations(range(bots.shape[1]), 2):
        a, b = bots[:, one].astype(np.int64), bots[:, other].astype(np.int64)
        met = (places[:, one] > 0) & (places[:, other] > 0) & (a != b)
        better = np.where(
            places[:, one] == places[:, other], 0.5, places[:, one] < places[:, other]
        )
        cell = ((a * names + b) * POOLS + pool)[met]
        games += np.bincount(cell, minlength=cells)
        won += np.bincount(cell, better[met], cells)
    shape = (names, names, POOLS)
    return games.reshape(shape), won.reshape(shape)
