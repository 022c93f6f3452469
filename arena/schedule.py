"""Which matches a run has: all line-ups of bots, each on the same deals, from every seat rotation.

A **line-up** is a set of different bots, one for each seat; with self-play also one bot for all
seats. It plays every deal once from each **rotation**: in rotation r seat s belongs to the bot that
is s + r places further on around the table. The matches of one line-up on one deal are a **deal
block**: every bot has met the same cards in every seat.

Rotations leave everybody's neighbours as they are, and whoever plays after a weak bot may be better
off than whoever plays after a strong one. So the order around the table changes from deal to deal,
each time to one in which those sit side by side who have done so least. With n players, eight or
fewer, all (n - 1)! orders are played before one comes again, and neighbours are in balance then.
They nearly are at any time: with six or fewer, how often one bot has played after another differs
by two deals at the most.

Matches are numbered by number of players, deal, line-up and rotation, in this order, so that the
first results already cover all bots. `Matches` computes the match of a number when asked; a
schedule of a billion matches takes no more memory than one of ten.

What happens in a match depends only on what decides it, never on the rest of the schedule: its id
and its seeds derive from the game, its rules and options, the bots by seat, the deal and the run's
seed. A bot that joins the configuration leaves the matches of the others as they were.
"""

from __future__ import annotations

import functools
import json
import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.core import MatchSpec, OptionValue
from arena.errors import ConfigError
from arena.seeding import derive, fingerprint

Array = npt.NDArray[Any]

LineUp = tuple[int, ...]
"""Positions in the list of bots."""

MOST_MATCHES = 2**53


def schedule(
    game_name: str,
    rules: str,
    options_by_players: Mapping[int, Mapping[str, OptionValue]],
    names: Sequence[str],
    identities: Mapping[str, str],
    seed: int,
    deals: int,
    players: Sequence[int],
    self_play: bool = False,
    max_line_ups: int | None = None,
    book: Sequence[int] | None = None,
) -> Matches:
    """The matches of a round robin.

    `identities` tells by name what a bot is, its reference and params: a bot with another name is
    the same bot. `max_line_ups` bounds the line-ups of different bots for each number of players;
    if there are more, a balanced sample of them plays, drawn from the run's `seed`. `book` gives
    the seeds of the deals, at least `deals` of them, else they derive from the run's `seed`.
    Raises ConfigError if there are too many matches to be numbered.
    """
    if book is not None and len(book) < deals:
        raise ValueError(f"a deal book of {len(book)} seeds for {deals} deals")
    sections: list[_Section] = []
    for number in players:
        before = sections[-1] if sections else None
        sections.append(
            _Section(
                players=number,
                line_ups=_LineUps(len(names), number, self_play, max_line_ups, seed),
                deals=deals,
                first_match=before.first_match + before.size if before else 0,
                first_line_up=before.first_line_up + before.line_ups.size if before else 0,
                options=dict(options_by_players[number]),
            )
        )
    total = sum(section.size for section in sections)
    if total >= MOST_MATCHES:
        raise ConfigError([f"the schedule has {total:,} matches; set max_lineups or fewer deals"])
    distinct = _distinct([identities[name] for name in names])
    return Matches(game_name, rules, tuple(names), distinct, seed, tuple(sections), book)


def _distinct(identities: Sequence[str]) -> tuple[str, ...]:
    """Tell equal bots apart, so that they do not play with the same chance."""
    seen: Counter[str] = Counter()
    told = []
    for identity in identities:
        seen[identity] += 1
        told.append(identity if seen[identity] == 1 else f"{identity}#{seen[identity]}")
    return tuple(told)


class Matches(Sequence[MatchSpec]):
    """The matches of a schedule, each made when it is asked for."""

    def __init__(
        self,
        game: str,
        rules: str,
        names: tuple[str, ...],
        identities: tuple[str, ...],
        seed: int,
        sections: tuple[_Section, ...],
        book: Sequence[int] | None,
    ) -> None:
        self._game = game
        self._rules = rules
        self._names = names
        self._identities = identities
        self._seed = seed
        self._sections = sections
        self._book = book

    def __len__(self) -> int:
        last = self._sections[-1]
        return last.first_match + last.size

    @property
    def line_ups(self) -> int:
        """How many line-ups play, over all numbers of players."""
        last = self._sections[-1]
        return last.first_line_up + last.line_ups.size

    @property
    def sampled(self) -> str:
        """What is left out: `500 of 4,845 line-ups of 4 players`; empty if nothing is."""
        return ", ".join(
            f"{s.line_ups.different:,} of {s.line_ups.possible:,} line-ups of {s.players} players"
            for s in self._sections
            if s.line_ups.different < s.line_ups.possible
        )

    def __getitem__(self, number: int) -> MatchSpec:  # type: ignore[override]
        if not -len(self) <= number < len(self):
            raise IndexError(f"match {number} of {len(self):,}")
        number %= len(self)
        section = next(s for s in reversed(self._sections) if s.first_match <= number)
        return self._match(section, number)

    def of_bot(self, bot: int, after: int) -> npt.NDArray[np.int64]:
        """The numbers of the matches in which a bot plays, beyond the number `after`."""
        found = [np.empty(0, np.int64)]
        for section in self._sections:
            line_ups = np.array(
                [i for i in range(section.line_ups.size) if bot in section.line_ups[i]], np.int64
            )
            deals = np.arange(section.deals, dtype=np.int64)[:, None, None]
            blocks = deals * section.line_ups.size + line_ups[:, None]
            numbers = section.first_match + blocks * section.players + np.arange(section.players)
            found.append(numbers.ravel())
        numbers = np.concatenate(found)
        return numbers[numbers > after]

    def __iter__(self) -> Iterator[MatchSpec]:
        return (self._match(s, s.first_match + i) for s in self._sections for i in range(s.size))

    def _match(self, section: _Section, number: int) -> MatchSpec:
        players = section.players
        block, rotation = divmod(number - section.first_match, players)
        deal, line_up = divmod(block, section.line_ups.size)
        bots = section.line_ups[line_up]
        order = section.orders[deal % len(section.orders)]
        seats = tuple(bots[i] for i in order[rotation:] + order[:rotation])
        if self._book is not None:
            deal_seed = self._book[deal]
        else:
            deal_seed = derive("deal", self._seed, self._game, players, deal)
        identity = fingerprint(
            "match", self._seed, self._game, self._rules, players, section.options_text,
            deal, deal_seed, rotation, *(self._identities[bot] for bot in seats),
        )  # fmt: skip
        return MatchSpec(
            number=number,
            id=identity,
            game=self._game,
            players=players,
            options=section.options,
            bots=tuple(self._names[bot] for bot in seats),
            line_up=section.first_line_up + line_up,
            deal=deal,
            rotation=rotation,
            seed=deal_seed,
            bot_seeds=tuple(derive("bot", identity, seat) for seat in range(players)),
        )


@dataclass(frozen=True)
class _Section:
    """The matches with one number of players."""

    players: int
    line_ups: _LineUps
    deals: int
    first_match: int
    first_line_up: int
    options: Mapping[str, OptionValue]

    @property
    def size(self) -> int:
        return self.deals * self.line_ups.size * self.players

    @functools.cached_property
    def options_text(self) -> str:
        return json.dumps(dict(self.options), sort_keys=True)

    @functools.cached_property
    def orders(self) -> list[LineUp]:
        """Orders around the table, of positions in a line-up; after the last comes the first."""
        return _orders(self.players, self.deals)


MOST_ORDERS = math.factorial(7)
"""among which to choose; where more are possible, random ones"""


def _orders(players: int, wanted: int) -> list[LineUp]:
    """At most so many different orders, each of those whose neighbours have met least before."""
    orders = _possible_orders(players)
    steps = np.array(orders) * players + np.roll(orders, -1, axis=1)  # from each to the next
    met = np.zeros(players * players + 1)
    met[-1] = np.inf  # what a chosen order becomes, lest it be chosen again
    chosen = []
    for _ in range(min(wanted, len(orders))):
        best = int(met[steps].sum(axis=1).argmin())
        chosen.append(orders[best])
        met[steps[best]] += 1
        steps[best] = -1
    return chosen


def _possible_orders(players: int) -> list[LineUp]:
    if math.factorial(players - 1) <= MOST_ORDERS:
        return [(0, *others) for others in permutations(range(1, players))]
    drawn = (
        tuple(sorted(range(1, players), key=lambda seat: derive("order", players, number, seat)))
        for number in range(MOST_ORDERS)
    )
    return [(0, *others) for others in dict.fromkeys(drawn)]


# --- line-ups -----------------------------------------------------------------------------------


class _LineUps:
    """Line-ups of `players` of the `bots`: those of different bots, then each bot by itself."""

    def __init__(
        self, bots: int, players: int, self_play: bool, most: int | None, seed: int
    ) -> None:
        self._bots = bots
        self._players = players
        self._seed = seed
        self.possible = math.comb(bots, players)
        self.different = self.possible if most is None else min(most, self.possible)
        self._mirrors = bots if self_play else 0

    @property
    def size(self) -> int:
        return self.different + self._mirrors

    def __getitem__(self, number: int) -> LineUp:
        if number >= self.different:
            return (number - self.different,) * self._players
        if self.different < self.possible:
            return self._sample[number]
        return _combination(self._bots, self._players, number)

    @functools.cached_property
    def _sample(self) -> list[LineUp]:
        return balanced_sample(self._bots, self._players, self.different, self._seed)


@functools.lru_cache(maxsize=100_000)
def _combination(n: int, k: int, number: int) -> LineUp:
    """The `number`th of the combinations of k of n, in the order of itertools.combinations.

    Counted from the end, with elements counted down, the combinations c1 > c2 > … are numbered by
    C(c1, k) + C(c2, k-1) + … (the combinatorial number system), which is taken apart greedily.
    """
    left = math.comb(n, k) - 1 - number
    chosen = []
    top = n
    for size in range(k, 0, -1):
        top = bisect_right(range(top), left, key=lambda c: math.comb(c, size)) - 1
        left -= math.comb(top, size)
        chosen.append(n - 1 - top)
    return tuple(chosen)


# --- sampling -----------------------------------------------------------------------------------


def balanced_sample(bots: int, players: int, size: int, seed: int) -> list[LineUp]:
    """`size` different line-ups in which all bots play equally often, give or take once.

    Pairs of bots meet about equally often too. Each line-up is put together from bots that have
    played least so far and have met each other least, ties being broken by a random order of the
    bots; exchanges then even out what is left. Where more than half of all line-ups are wanted,
    those to be left out are chosen in this way, which makes the rest as balanced.
    """
    possible = math.comb(bots, players)
    if size > possible // 2:
        left_out = set(balanced_sample(bots, players, possible - size, seed))
        return [c for c in combinations(range(bots), players) if c not in left_out]
    sample = _greedy_sample(bots, players, size)
    _even_plays(sample, bots)
    line_ups = np.array([sorted(line_up) for line_up in sample])
    _even_meetings(line_ups, bots)
    order = sorted(range(bots), key=lambda bot: derive("line-ups", seed, players, bot))
    return [tuple(sorted(order[bot] for bot in line_up)) for line_up in line_ups.tolist()]


def _greedy_sample(bots: int, players: int, size: int) -> list[frozenset[int]]:
    played = np.zeros(bots, np.int64)
    met = np.zeros((bots, bots), np.int32)
    sample: dict[frozenset[int], None] = {}
    while len(sample) < size:
        line_up = next(c for c in _by_cost((), players, played, met) if frozenset(c) not in sample)
        sample[frozenset(line_up)] = None
        played[list(line_up)] += 1
        met[np.ix_(line_up, line_up)] += 1
    return list(sample)


def _by_cost(chosen: LineUp, players: int, played: Array, met: Array) -> Iterator[LineUp]:
    """Line-ups that begin with `chosen`, the most wanted first: little played, then little met."""
    if len(chosen) == players:
        yield chosen
        return
    taken = list(chosen)
    cost = (played << 32) + met[taken].sum(axis=0)
    cost[taken] = np.iinfo(np.int64).max
    yield from _by_cost((*chosen, int(cost.argmin())), players, played, met)
    for bot in np.argsort(cost, kind="stable")[1 : len(cost) - len(chosen)].tolist():
        yield from _by_cost((*chosen, bot), players, played, met)


def _even_plays(sample: list[frozenset[int]], bots: int) -> None:
    """Replace bots in line-ups until none plays more than once more often than another.

    If u plays at least twice more often than v, some line-up has u without v and is not in the
    sample with v in the place of u: fewer line-ups have v without u.
    """
    known = set(sample)
    played = Counter(bot for line_up in sample for bot in line_up)
    while True:
        most = max(range(bots), key=lambda bot: played[bot])
        least = min(range(bots), key=lambda bot: played[bot])
        if played[most] - played[least] < 2:
            return
        i, replaced = next(
            (i, line_up - {most} | {least})
            for i, line_up in enumerate(sample)
            if most in line_up and least not in line_up
            and line_up - {most} | {least} not in known
        )  # fmt: skip
        known ^= {sample[i], replaced}
        sample[i] = replaced
        played[most] -= 1
        played[least] += 1


def _even_meetings(line_ups: Array, bots: int) -> None:
    """Swap bots between line-ups, rows of the array, where a pair meets more than need be."""
    known = {frozenset(row) for row in line_ups.tolist()}
    met = np.zeros((bots, bots), np.int64)
    for line_up in line_ups:
        met[np.ix_(line_up, line_up)] += 1
    np.fill_diagonal(met, 0)
    needed = -(-int(met.sum()) // (bots * (bots - 1)))
    helped = True
    while helped:
        helped = False
        for pair in np.argwhere(np.triu(met) > needed).tolist():
            for i in np.flatnonzero(np.isin(line_ups, pair).sum(axis=1) == 2).tolist():
                helped = _swap(line_ups, known, met, i, pair[0]) or helped


def _swap(line_ups: Array, known: set[frozenset[int]], met: Array, i: int, out: int) -> bool:
    """Swap bot `out` of line-up `i` with a bot of another one, if that evens out the meetings.

    Uneven is what makes the sum of their squares large. Bots that both line-ups have in common
    meet as often as before; their terms cancel in `gain`, half of what the sum decreases by.
    """
    here = line_ups[i]
    is_here = np.isin(line_ups, here)
    common = is_here.sum(axis=1, keepdims=True)
    others = here[here != out]
    there = met[line_ups[:, :, None], line_ups[:, None, :]].sum(axis=2)
    gain = met[out, others].sum() - met[:, others].sum(axis=1)[line_ups]
    gain += there - met[out][line_ups].sum(axis=1, keepdims=True) + met[out][line_ups]
    gain -= 2 * (len(others) - common)
    gain[is_here | (line_ups == out).any(axis=1, keepdims=True)] = 0
    for flat in np.argsort(-gain, axis=None, kind="stable")[: np.count_nonzero(gain > 0)]:
        j, seat = divmod(int(flat), line_ups.shape[1])
        back = line_ups[j, seat]
        swapped = [
            np.where(here == out, back, here),
            np.where(line_ups[j] == back, out, line_ups[j]),
        ]
        new = {frozenset(row.tolist()) for row in swapped}
        if known.isdisjoint(new):
            known -= {frozenset(here.tolist()), frozenset(line_ups[j].tolist())}
            known |= new
            for row, change in ((here, -1), (line_ups[j], -1), (swapped[0], 1), (swapped[1], 1)):
                met[np.ix_(row, row)] += change
            np.fill_diagonal(met, 0)
            line_ups[[i, j]] = swapped
            return True
    return False
