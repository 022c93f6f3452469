"""Ratings: TrueSkill fitted to all games of a tournament at once.

Online TrueSkill updates after every game, so its ratings depend on the order of the games. Bots do
not change during a run, so here TrueSkill's own factor graph is fitted to all games together
(Herbrich, Minka & Graepel, "TrueSkill: a Bayesian skill rating system", 2006): every bot has one
skill with the prior N(25, (25/3)²), plays each game with a performance of N(skill, (25/6)²), and
expectation propagation goes on until nothing changes. The result does not depend, to the bit, on
the order of games, seats or bots, because everything is sorted before it is added up.

**Counts.** Games with the same bots in the same places are one factor of the graph with a count:
it sends the same message once, taken to that power. Ten million games cost no more than a thousand.

**Ties.** In TrueSkill a game is a chain: each player's performance beats the next one's by more
than the draw margin, or differs by less from that of a neighbour who ties. Within a tie the chain
depends on the order in which tied players are written; each message here is the mean (in natural
parameters) over all these orders, so tied players are treated alike.

**Convergence.** Messages alone would need millions of sweeps to move a group of bots that play much
among themselves and rarely lose to others. So each sweep updates the messages of all factors, and
then solves for all means together, in the joint Gaussian that the factors amount to. That is a
Newton step. Only the way there differs from plain message passing, not where it ends.

**Intervals.** `low` and `high` are 95 % limits from a bootstrap over deal blocks: the blocks are
drawn with replacement and the ratings fitted again, starting from those of all games. With G blocks
the variance found is multiplied by G / (G - 3): that makes up for its being estimated from few
blocks (for 95 % intervals it agrees with Student's t), and up to three blocks say nothing. Nor is
the variance ever taken to be less than that of the model's joint posterior, because blocks that all
ended alike do not vary, however few they are. Both are relative to the mean of the pool: that all
bots might be better than 25 by the same amount is left out, since no game could tell.

**Ranks.** A bot's rank is one more than the number of bots that are better than it with 95 %
confidence: those whose 95 % interval of the difference, found in the same way, is above zero.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.errors import ContractError, OptionError
from arena.kernel import Array, kernel
from arena.seeding import derive

MU = 25.0
SIGMA = MU / 3
BETA = MU / 6
"""Prior mean and deviation of a skill; deviation of a performance from the skill."""

POOLS = 1000
"""Blocks with equal numbers modulo this are drawn together by the bootstrap."""

REPLICATES = 200
"""How often the bootstrap draws blocks and fits."""

_SWEEP_BUDGET = 4_000_000  # links that all replicates together may update, about a second

_Z = NormalDist().inv_cdf(0.975)
_PRIOR = SIGMA**-2  # precision
_NOISE = BETA**2
_RAREST = 1e-6  # draws are taken to have at least this probability, and at most 1 minus it


@dataclass(frozen=True, slots=True)
class Rating:
    """How good a bot is."""

    bot: str
    mu: float
    """the rating: mean of the skill; 25 is the middle of the scale"""
    sigma: float
    """TrueSkill's own deviation of the skill, which takes the skills of the others for known"""
    low: float
    high: float
    """95 % limits of the rating within this pool of bots"""
    rank: int
    """1 + the number of bots that are better with 95 % confidence"""


def rate(
    names: Sequence[str],
    bots: npt.ArrayLike,
    places: npt.ArrayLike,
    blocks: npt.ArrayLike | None = None,
    counts: npt.ArrayLike | None = None,
    *,
    draw_probability: float | None = None,
) -> tuple[Rating, ...]:
    """Rate bots by all their games: one `Rating` for each of `names`, in their order.

    A row stands for one game, or for as many as `counts` says:

    * `bots` (games, seats): who sat there, as an index into `names`;
    * `places` (games, seats): which place that was: 1 is best, ties are equal, and 0 is a seat that
      the game did not have;
    * `blocks` (games,): number of the deal block, any integers. Without blocks the intervals are
      the model's own;
    * `counts` (games,): how often the row happened, once if not given.

    The draw margin is such that two equal bots tie with `draw_probability`; by default that is the
    share of ties among neighbours in the order of places. Games of a bot against itself say nothing
    and are left out. Bots without games keep the prior.

    Raises ContractError for rows that are no results, OptionError for a `draw_probability` outside
    [0, 1) or of 0 though there are ties.
    """
    order = sorted(range(len(names)), key=lambda bot: names[bot])
    table = _tabulate(order, bots, places, blocks, counts)
    margin = _margin(table, draw_probability)
    fit = _unfitted(table, len(names))
    _converge(table, fit, table.counts, margin, 1e-9 + 1e-14 * float(table.counts.sum()), 500)
    moves, stretch = _bootstrap(table, fit, margin)
    variances, differences = _variances(table, fit, moves, stretch)
    half = _Z * np.sqrt(variances)
    better = fit.mean[None, :] - fit.mean[:, None] > _Z * np.sqrt(differences)
    return tuple(
        Rating(
            bot=name,
            mu=float(MU + fit.mean[i]),
            sigma=float(fit.precision[i] ** -0.5),
            low=float(MU + fit.mean[i] - half[i]),
            high=float(MU + fit.mean[i] + half[i]),
            rank=1 + int(np.count_nonzero(better[i])),
        )
        for name, i in zip(names, np.argsort(order), strict=True)
    )


# --- from games to factors --------------------------------------------------------------------


class _Table(NamedTuple):
    """The distinct results, sorted, each a factor of the graph; and how often each happened.

    Bots are numbered alphabetically, so that nothing depends on how they were listed.
    """

    players: Array
    """(factors,)"""
    bots: Array
    """(factors, seats) from best to worst, tied bots ascending"""
    tied: Array
    """(factors, seats - 1) whether a bot ties with the next"""
    counts: Array
    """(factors,) as floats"""
    first: Array
    """(factors + 1,) a factor's first chain: it has one for every order of tied bots"""
    chains: Array
    """(chains, seats) columns of `bots` from best to worst"""
    cells: Array
    """(factors + 1,) a factor's first cell: it has one for every pool in which it happened"""
    pools: Array
    """(cells,) numbered without gaps"""
    pool_counts: Array
    """(cells,) how often the factor happened in the pool, as floats"""


def _tabulate(
    order: Sequence[int],
    bots: npt.ArrayLike,
    places: npt.ArrayLike,
    blocks: npt.ArrayLike | None,
    counts: npt.ArrayLike | None,
) -> _Table:
    """Check, sort and count the rows that `rate` is given."""
    seated = np.ascontiguousarray(bots, np.int32)
    placed = np.ascontiguousarray(places, np.int32)
    if seated.size == 0:
        seated = placed = np.zeros((0, 2), np.int32)
    games, seats = seated.shape
    number = np.zeros(games, np.int64) if blocks is None else np.asarray(blocks, np.int64)
    count = None if counts is None else np.asarray(counts, np.int64)
    if placed.shape != seated.shape or number.shape != (games,):
        raise ContractError(
            f"found places for {placed.shape} and blocks for {number.shape} (games, seats); "
            f"expected them for {seated.shape}, as there are bots"
        )
    if count is not None and (count.shape != (games,) or count.min(initial=0) < 0):
        raise ContractError(
            f"found counts for {count.shape} games, the least {count.min(initial=0)}; "
            f"expected them for ({games},), none below 0"
        )
    cells, counted = _count(_keys(order, seated, placed, number % POOLS), count)
    codes, pools = np.divmod(cells, POOLS)
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    players, ties, *columns = np.unravel_index(codes[starts], _digits(order, seats))
    tied = (ties[:, None] >> np.arange(seats - 1)) & 1 == 1
    first, chains = _orders(players, tied)
    return _Table(
        players=players,
        bots=np.stack(columns, axis=1),
        tied=tied,
        counts=np.add.reduceat(counted, starts) if starts.size else counted,
        first=first,
        chains=chains,
        cells=np.append(starts, len(cells)),
        pools=(np.cumsum(np.bincount(pools, minlength=POOLS) > 0) - 1)[pools].astype(np.int16),
        pool_counts=counted,
    )


def _count(keys: Array, counts: Array | None) -> tuple[Array, Array]:
    """The different keys, ascending, and how often there is each; negative ones are left out."""
    if counts is None:
        cells, counted = np.unique(keys, return_counts=True)
    else:
        cells, where = np.unique(keys, return_inverse=True)
        counted = np.bincount(where, counts, len(cells))
    valid = (cells >= 0) & (counted > 0)
    return cells[valid], counted[valid].astype(np.float64)


def _digits(order: Sequence[int], seats: int) -> tuple[int, ...]:
    """Ranges of what a key tells, above the pool: how many players, ties as bits, bots by place."""
    return (seats + 1, 2 ** (seats - 1), *[max(1, len(order))] * seats)


def _keys(order: Sequence[int], bots: Array, places: Array, pools: Array) -> Array:
    """A number for each game, the same for the same result and pool; -1 for mirror games."""
    seats = bots.shape[1]
    if math.prod(_digits(order, seats)) * POOLS >= 2**63:
        raise ContractError(
            f"found {len(order)} bots in games of {seats} players; expected fewer, since their "
            "line-ups are more than a 64-bit number can tell apart"
        )
    keys = np.empty(len(bots), np.int64)
    bad = _encode(bots, places, pools, np.argsort(order), keys)
    if bad >= 0:
        raise ContractError(
            f"game {bad}: found bots {bots[bad].tolist()} in places {places[bad].tolist()}; "
            f"expected bots from 0 to {len(order) - 1} and places from 1 for two seats or more"
        )
    return keys


@kernel
def _encode(bots: Array, places: Array, pools: Array, alphabetical: Array, keys: Array) -> int:
    """Write the keys, digits as in `_digits`; return a game that is no result, or -1."""
    games, seats = bots.shape
    names = alphabetical.size
    found = np.empty(seats, np.int64)
    for game in range(games):
        players = 0
        mirror = True
        for seat in range(seats):
            place, bot = int(places[game, seat]), int(bots[game, seat])
            if place == 0:
                continue
            if place < 0 or bot < 0 or bot >= names:
                return game
            entry = place * names + alphabetical[bot]
            mirror = mirror and (players == 0 or entry % names == found[0] % names)
            at = players
            while at > 0 and found[at - 1] > entry:
                found[at] = found[at - 1]
                at -= 1
            found[at] = entry
            players += 1
        if players < 2:
            return game
        ties = code = 0
        for i in range(seats):
            code *= names
            if i < players:
                code += found[i] % names
            if 0 < i < players and found[i] // names == found[i - 1] // names:
                ties += 1 << (i - 1)
        head = (players * (1 << (seats - 1)) + ties) * names**seats
        keys[game] = -1 if mirror else (head + code) * POOLS + pools[game]
    return -1


def _orders(players: Array, tied: Array) -> tuple[Array, Array]:
    """`first` and `chains` of a table; rows with equal players and ties stand together."""
    chains = [np.zeros((0, tied.shape[1] + 1), np.int64)]
    lengths = [0]
    patterns = itertools.groupby(zip(players.tolist(), map(tuple, tied.tolist()), strict=True))
    for (n, ties), rows in patterns:
        orders = np.array(_orders_of(n, ties), np.int64)
        factors = sum(1 for _ in rows)
        padded = np.zeros((len(orders), tied.shape[1] + 1), np.int64)
        padded[:, :n] = orders
        chains.append(np.tile(padded, (factors, 1)))
        lengths += [len(orders)] * factors
    return np.cumsum(lengths), np.concatenate(chains)


def _orders_of(players: int, tied: Sequence[bool]) -> list[tuple[int, ...]]:
    """All orders of the positions 0, 1, … in which only tied neighbours change places.

    Where all tie, an order and its reverse are the same chain, and one of them is left out.
    """
    groups = [[0]]
    for position in range(1, players):
        if tied[position - 1]:
            groups[-1].append(position)
        else:
            groups.append([position])
    parts = itertools.product(*map(itertools.permutations, groups))
    orders = [tuple(itertools.chain(*part)) for part in parts]
    return [order for order in orders if len(groups) > 1 or order[0] < order[-1]]


def _margin(table: _Table, draw_probability: float | None) -> float:
    """By how much one performance must exceed another for a win."""
    neighbours = float(table.counts @ (table.players - 1))
    ties = float(table.counts @ table.tied.sum(axis=1))
    share = ties / neighbours if neighbours else 0.0
    if draw_probability is None:
        draw_probability = share
    elif not 0 <= draw_probability < 1:
        raise OptionError(f"draw_probability: found {draw_probability}; expected 0 to below 1")
    elif draw_probability == 0 and ties:
        raise OptionError(
            f"draw_probability: found 0, though {ties:.0f} of {neighbours:.0f} pairs of neighbours "
            f"tie; expected more than 0, as {share:.3g}, which is their share"
        )
    probability = min(max(draw_probability, _RAREST), 1 - _RAREST)
    return NormalDist().inv_cdf((1 + probability) / 2) * math.sqrt(2) * BETA


# --- expectation propagation ------------------------------------------------------------------


class _Fit(NamedTuple):
    """Where the fit stands. Skills are counted from the prior mean.

    What a factor says of the skills s of its players, taken jointly, is exp(-s·C·s/2 + p·s), with
    the matrix `coupling` C and the vector `pull` p. So at the means m the factor moves them with
    the force p - C·m, and at the end all forces and the priors' are in balance.
    """

    mean: Array
    """(bots,) of the skills"""
    precision: Array
    """(bots,) of the skills, 1 / variance"""
    joint: Array
    """(bots, bots) precision matrix of all skills together: the prior's and all couplings"""
    coupling: Array
    """(factors, seats, seats)"""
    pull: Array
    """(factors, seats)"""
    message: Array
    """(factors, seats) precision of the message that one game sends to the skill"""
    links: Array
    """(chains, seats - 1, 2) precision, and precision times mean, of the message that the result
    sends to the difference between neighbouring performances"""


def _unfitted(table: _Table, bots: int) -> _Fit:
    factors, seats = table.bots.shape
    return _Fit(
        mean=np.zeros(bots),
        precision=np.full(bots, _PRIOR),
        joint=np.eye(bots) * _PRIOR,
        coupling=np.zeros((factors, seats, seats)),
        pull=np.zeros((factors, seats)),
        message=np.zeros((factors, seats)),
        links=np.zeros((len(table.chains), seats - 1, 2)),
    )


def _converge(
    table: _Table, fit: _Fit, counts: Array, margin: float, tolerance: float, sweeps: int
) -> None:
    """Sweep until no mean and no deviation moves by more than `tolerance`, `sweeps` times at most.

    Where a bot all but never loses, precisions overshoot: the less is taken to be known of it, the
    more a win tells. So each bot's precision goes only a stride of its way in logarithms: all of it
    at first, what the secant rule says after it has turned back, then more again.
    """
    wanted, stride = np.zeros_like(fit.precision), np.ones_like(fit.precision)
    for _ in range(sweeps):
        mean, precision = fit.mean.copy(), fit.precision.copy()
        _sweep(table, fit, counts, margin, stride)
        _settle(table, fit, counts)
        wider = np.abs(fit.precision**-0.5 - precision**-0.5)
        if max(wider.max(initial=0), np.abs(fit.mean - mean).max(initial=0)) <= tolerance:
            break
        before, wanted = wanted, np.log(fit.precision / precision) / stride
        turned = before * wanted < 0
        secant = before / np.where(turned, before - wanted, 1)
        stride = np.clip(stride * np.where(turned, secant, 2), 0.02, 1)


@kernel
def _sweep(table: _Table, fit: _Fit, counts: Array, margin: float, stride: Array) -> None:
    """Update the messages of all factors, given the skills."""
    seats = table.bots.shape[1]
    cavity = np.empty((seats, 2))
    sent = np.empty((seats, 2))
    work = np.empty((2, seats, 2))
    for f in range(counts.size):
        if counts[f] == 0:
            continue
        n = table.players[f]
        # The cavity is what all others say of a player's skill: the skill without this message.
        for i in range(n):
            bot = table.bots[f, i]
            force = fit.pull[f, i]
            for j in range(n):
                force -= fit.coupling[f, i, j] * fit.mean[table.bots[f, j]]
            cavity[i, 0] = fit.precision[bot] - fit.message[f, i]
            cavity[i, 1] = fit.mean[bot] - force / cavity[i, 0]
            sent[i, 0] = sent[i, 1] = 0.0
            for j in range(n):
                fit.coupling[f, i, j] = 0.0
        orders = table.first[f + 1] - table.first[f]
        for c in range(table.first[f], table.first[f + 1]):
            chain, links = table.chains[c], fit.links[c]
            _pass_chain(n, chain, table.tied[f], cavity, margin, links, work, sent, 1 / orders)
            _couple(n, chain, links, 1 / orders, work, fit.coupling[f])
        for i in range(n):
            fit.message[f, i] = _stride(fit.message[f, i], sent[i, 0], stride[table.bots[f, i]])
            moved = (sent[i, 1] - sent[i, 0] * cavity[i, 1]) / (cavity[i, 0] + sent[i, 0])
            fit.pull[f, i] = cavity[i, 0] * moved
            cavity[i, 1] += moved
        for i in range(n):
            for j in range(n):
                fit.pull[f, i] += fit.coupling[f, i, j] * cavity[j, 1]


@kernel
def _stride(old: float, new: float, stride: float) -> float:
    """`stride` of the way from `old` to `new` in logarithms; `new` if one of them is next to 0."""
    return old * (new / old) ** stride if stride < 1 and min(old, new) > 1e-100 else new


@kernel
def _pass_chain(
    n: int,
    chain: Array,
    tied: Array,
    cavity: Array,
    margin: float,
    links: Array,
    work: Array,
    sent: Array,
    share: float,
) -> None:
    """Update `links` once along the chain; add `share` of its messages to the skills to `sent`.

    All messages are held as (precision, precision times mean).
    """
    left, right = work[0], work[1]
    _pass_left(n, chain, cavity, links, right)
    left[0, 0] = left[0, 1] = 0.0
    for k in range(n - 1):
        a, a_mean = _performance(cavity[chain[k]], left[k])
        b, b_mean = _performance(cavity[chain[k + 1]], right[k + 1])
        _judge(a_mean - b_mean, 1 / a + 1 / b, tied[k], margin, links[k])
        factor = 1 / (1 + links[k, 0] / a)
        left[k + 1, 0] = links[k, 0] * factor
        left[k + 1, 1] = (links[k, 0] * a_mean - links[k, 1]) * factor
    _pass_left(n, chain, cavity, links, right)
    for k in range(n):
        precision = left[k, 0] + right[k, 0]
        factor = share / (1 + _NOISE * precision)
        sent[chain[k], 0] += precision * factor
        sent[chain[k], 1] += (left[k, 1] + right[k, 1]) * factor


@kernel
def _pass_left(n: int, chain: Array, cavity: Array, links: Array, right: Array) -> None:
    """What each performance hears from the worse end of the chain."""
    right[n - 1, 0] = right[n - 1, 1] = 0.0
    for k in range(n - 2, -1, -1):
        b, b_mean = _performance(cavity[chain[k + 1]], right[k + 1])
        factor = 1 / (1 + links[k, 0] / b)
        right[k, 0] = links[k, 0] * factor
        right[k, 1] = (links[k, 0] * b_mean + links[k, 1]) * factor


@kernel
def _performance(skill: Array, heard: Array) -> tuple[float, float]:
    """Precision and mean of a performance by its skill (precision, mean) and a message."""
    own = 1 / (1 / skill[0] + _NOISE)
    precision = own + heard[0]
    return precision, (own * skill[1] + heard[1]) / precision


@kernel
def _judge(mean: float, variance: float, tied: bool, margin: float, link: Array) -> None:
    """Set `link` to what the result says of a difference of performances, N(mean, variance)."""
    deviation = math.sqrt(variance)
    low = (-margin - mean if tied else margin - mean) / deviation
    high = (margin - mean) / deviation if tied else np.inf
    moved, left, gain = _truncated(low, high)
    link[0] = gain / (left * variance)
    link[1] = deviation * moved / (left * variance) + mean * link[0]


@kernel
def _couple(n: int, chain: Array, links: Array, share: float, work: Array, coupling: Array) -> None:
    """Add `share` of the chain's precision matrix for the skills to `coupling`.

    With D taking the differences of neighbours and L their links' precisions, the matrix is
    D' (noise D D' + 1/L)^-1 D. It is computed as D' R (1 + noise R D D' R)^-1 R D with R = √L,
    where the inverse is of a tridiagonal matrix and L may be zero.
    """
    diagonal = work[0, :, 0]
    column = work[0, :, 1]
    for i in range(n):
        for k in range(n - 1):
            root = math.sqrt(links[k, 0])
            diagonal[k] = 1 + 2 * _NOISE * links[k, 0]
            column[k] = root if i == k else (-root if i == k + 1 else 0.0)
            if k > 0:
                off = -_NOISE * root * math.sqrt(links[k - 1, 0])
                diagonal[k] -= off * off / diagonal[k - 1]
                column[k] -= off * column[k - 1] / diagonal[k - 1]
        for k in range(n - 2, -1, -1):
            root = math.sqrt(links[k, 0])
            if k < n - 2:
                off = -_NOISE * root * math.sqrt(links[k + 1, 0])
                column[k] -= off * column[k + 1]
            column[k] /= diagonal[k]
            coupling[chain[k], chain[i]] += share * root * column[k]
            coupling[chain[k + 1], chain[i]] -= share * root * column[k]


@kernel
def _settle(table: _Table, fit: _Fit, counts: Array) -> None:
    """Add up all messages: bring the means into balance and take over the precisions."""
    bots = fit.mean.size
    pull = np.zeros((bots, 1))
    for i in range(bots):
        fit.precision[i] = _PRIOR
        for j in range(bots):
            fit.joint[i, j] = _PRIOR if i == j else 0.0
    for f in range(counts.size):
        for i in range(table.players[f]):
            bot = table.bots[f, i]
            pull[bot, 0] += counts[f] * fit.pull[f, i]
            fit.precision[bot] += counts[f] * fit.message[f, i]
            for j in range(table.players[f]):
                fit.joint[bot, table.bots[f, j]] += counts[f] * fit.coupling[f, i, j]
    _solve(fit.joint.copy(), pull)
    for bot in range(bots):
        fit.mean[bot] = pull[bot, 0]


@kernel
def _solve(matrix: Array, sides: Array) -> None:
    """Replace the columns of `sides` by the solutions for a positive definite matrix (Cholesky).

    Not LAPACK, whose last digits depend on the machine and its number of threads.
    """
    n = matrix.shape[0]
    for i in range(n):
        for j in range(i + 1):
            value = matrix[i, j]
            for k in range(j):
                value -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = math.sqrt(value) if i == j else value / matrix[j, j]
    for column in range(sides.shape[1]):
        for i in range(n):
            for k in range(i):
                sides[i, column] -= matrix[i, k] * sides[k, column]
            sides[i, column] /= matrix[i, i]
        for i in range(n - 1, -1, -1):
            for k in range(i + 1, n):
                sides[i, column] -= matrix[k, i] * sides[k, column]
            sides[i, column] /= matrix[i, i]


# --- intervals --------------------------------------------------------------------------------


def _bootstrap(table: _Table, fit: _Fit, margin: float) -> tuple[Array, float]:
    """How the means move when pools are drawn with replacement: (replicates, bots), and by what
    factor the variance of that is too small.

    A replicate starts with one Newton step. Sweeps follow as far as `_SWEEP_BUDGET` goes; there are
    none when the results are so many that games must be plenty, and then the step is enough.
    """
    pools = int(table.pools.max(initial=-1)) + 1
    moves = np.zeros((REPLICATES, len(fit.mean)))
    if pools <= 3:
        return moves, 0.0
    sweeps = min(50, _SWEEP_BUDGET // (REPLICATES * fit.links[:, :, 0].size))
    # The stream of RandomState, unlike that of newer generators, is promised never to change.
    random = np.random.RandomState(derive("bootstrap") % 2**32)
    draws = random.randint(pools, size=(REPLICATES, pools))
    counts = np.empty_like(table.counts)
    trial = _Fit(*(array.copy() for array in fit))
    for move, draw in zip(moves, draws, strict=True):
        _recount(table, np.bincount(draw, minlength=pools), counts)
        if sweeps:
            for array, fitted in zip(trial, fit, strict=True):
                array[...] = fitted
        _settle(table, trial, counts)
        _converge(table, trial, counts, margin, 1e-3, sweeps)
        move[:] = trial.mean - fit.mean
    return moves, pools / (pools - 3)


@kernel
def _recount(table: _Table, times: Array, counts: Array) -> None:
    """Set `counts` to how often each result happened if every pool counts so many `times`."""
    for f in range(counts.size):
        counts[f] = 0.0
        for cell in range(table.cells[f], table.cells[f + 1]):
            counts[f] += table.pool_counts[cell] * times[table.pools[cell]]


def _variances(table: _Table, fit: _Fit, moves: Array, stretch: float) -> tuple[Array, Array]:
    """Variances of the ratings (bots,) and of all their differences (bots, bots)."""
    played = np.zeros(len(fit.mean))
    for seat in range(table.bots.shape[1]):
        played[table.bots[seat < table.players, seat]] = 1.0
    # A stiff spring on the common level of all who played takes it out of the model's covariance.
    level = 1e4 * float(fit.joint.max(initial=0)) * np.outer(played, played)
    model = np.eye(len(played))
    _solve(fit.joint + level, model)
    found = stretch * np.einsum("ri,rj->ij", moves, moves) / len(moves)
    return (
        np.maximum(np.diag(model), np.diag(found)),
        np.maximum(_of_differences(model), _of_differences(found)),
    )


def _of_differences(covariance: Array) -> Array:
    variance: Array = np.diag(covariance)
    return variance[:, None] + variance[None, :] - covariance - covariance.T


# --- the truncated normal distribution ----------------------------------------------------------

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2  # on [0, 1]


@kernel
def _truncated(low: float, high: float) -> tuple[float, float, float]:
    """Mean and variance of a standard normal variable within [low, high], and 1 - variance.

    Wherever the limits lie, the variance and its complement both have many digits; `high` may be
    infinite.
    """
    if low + high < 0:
        mean, variance, gain = _truncated_right(-high, -low)
        return -mean, variance, gain
    return _truncated_right(low, high)


@kernel
def _truncated_right(low: float, high: float) -> tuple[float, float, float]:
    """As `_truncated`, for intervals whose middle is not below zero."""
    if low < 3.0 and high - low > 1.0:
        root, norm = math.sqrt(0.5), 1 / math.sqrt(2 * math.pi)
        mass = (math.erfc(low * root) - math.erfc(high * root)) / 2
        first = norm * math.exp(-low * low / 2) / mass
        last = norm * math.exp(-high * high / 2) / mass
        mean = first - last
        gain = mean * mean - low * first
        if high < 40.0:
            gain += high * last
        return mean, 1 - gain, gain
    # Far out or narrow, the formulas above lose all digits. Beyond `reach` the density has fallen
    # by exp(-40).
    reach = min(high - low, 80.0 / (low + math.sqrt(low * low + 80.0)))
    mass = mean = square = 0.0
    for k in range(_NODES.size):
        step = _NODES[k] * reach
        weight = _WEIGHTS[k] * math.exp(-step * (low + step / 2))
        mass += weight
        mean += weight * step
    mean /= mass
    for k in range(_NODES.size):
        step = _NODES[k] * reach
        weight = _WEIGHTS[k] * math.exp(-step * (low + step / 2))
        square += weight * (step - mean) ** 2
    variance = square / mass
    return low + mean, variance, 1 - variance
