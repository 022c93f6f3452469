"""Which matches a run has."""

from __future__ import annotations

import itertools
import math
import pickle
import time
from collections import Counter
from collections.abc import Sequence
from math import comb
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.schedule import Matches, balanced_sample, schedule
from arena.seeding import SEED_LIMIT, derive

quickly = settings(max_examples=40, deadline=None)


def round_robin(names: Sequence[str] | int, **settings: Any) -> Matches:
    """A schedule of bots that are what they are called."""
    names = [f"bot{n}" for n in range(names)] if isinstance(names, int) else names
    given: dict[str, Any] = {"seed": 1, "deals": 2, "players": (2,)} | settings
    options = {n: {"cap": 100} for n in given["players"]}
    identities = given.pop("identities", {name: name for name in names})
    return schedule("game", "1", options, names, identities, **given)


@st.composite
def schedules(draw: st.DrawFn) -> dict[str, Any]:
    """Settings of small schedules of all kinds."""
    return {
        "names": draw(st.integers(1, 6)),
        "players": tuple(draw(st.lists(st.integers(2, 5), min_size=1, max_size=2, unique=True))),
        "deals": draw(st.integers(1, 3)),
        "self_play": draw(st.booleans()),
        "max_line_ups": draw(st.none() | st.integers(1, 12)),
        "seed": draw(st.integers(0, SEED_LIMIT - 1)),
    }


# --- what is played -----------------------------------------------------------------------------


@quickly
@given(schedules())
def test_every_line_up_plays_every_deal_from_every_rotation_once(chosen: dict[str, Any]) -> None:
    """Line-ups of different bots, and with self-play each bot by itself, unless sampled."""
    matches = round_robin(**chosen)
    names = [f"bot{n}" for n in range(chosen["names"])]
    played = Counter((m.players, m.deal, m.bots) for m in matches)
    for players in chosen["players"]:
        here = {key: count for key, count in played.items() if key[0] == players}
        line_ups = {tuple(sorted(bots)) for _, _, bots in here}
        mirrors = {(name,) * players for name in names} if chosen["self_play"] else set()
        most = chosen["max_line_ups"] or 10**9
        different = set(itertools.combinations(names, players))
        assert line_ups - mirrors <= different
        assert len(line_ups - mirrors) == min(most, len(different))
        assert line_ups & mirrors == mirrors
        first = {(d, bots) for _, d, bots in here if bots[0] == min(bots)}
        expected: Counter[Any] = Counter()
        for (deal, order), r in itertools.product(first, range(players)):
            expected[players, deal, order[r:] + order[:r]] += 1
        assert here == expected
        assert len(first) == chosen["deals"] * len(line_ups)


@quickly
@given(schedules())
def test_a_deal_block_is_one_line_up_on_one_deal(chosen: dict[str, Any]) -> None:
    """(line_up, deal) names as many matches as seats, on one seed, one from each rotation."""
    matches = list(round_robin(**chosen))
    blocks: dict[tuple[int, int], list[Any]] = {}
    for match in matches:
        blocks.setdefault((match.line_up, match.deal), []).append(match)
    for block in blocks.values():
        first = block[0]
        assert [m.rotation for m in block] == list(range(first.players))
        assert {m.seed for m in block} == {first.seed}
        for m in block:
            r = m.rotation
            assert m.bots == first.bots[r:] + first.bots[:r]


@quickly
@given(schedules())
def test_seats_are_balanced(chosen: dict[str, Any]) -> None:
    """Each bot sits in each seat equally often."""
    seats: dict[tuple[int, str], Counter[int]] = {}
    for match in round_robin(**chosen):
        for seat, bot in enumerate(match.bots):
            seats.setdefault((match.players, bot), Counter())[seat] += 1
    for (players, _), count in seats.items():
        assert len(count) == players
        assert len(set(count.values())) == 1


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_neighbours_are_balanced(players: int) -> None:
    """Over all orders each bot plays after each other one equally often."""
    orders = math.factorial(players - 1)
    for deals in (orders, 2 * orders):
        seatings = Counter[tuple[str, ...]]()
        for match in round_robin(players, deals=deals, players=(players,)):
            seatings[match.bots] += 1
        after = followed(players, deals)
        assert len(after) == players * (players - 1)
        assert len({*after.values()}) == 1
        assert len(seatings) == math.factorial(players)
        assert len({*seatings.values()}) == 1


def followed(players: int, deals: int) -> Counter[tuple[str, str]]:
    """How often each bot played after each other one, in a single line-up."""
    after = Counter[tuple[str, str]]()
    for match in round_robin(players, deals=deals, players=(players,)):
        after.update(itertools.pairwise((*match.bots, match.bots[0])))
    return after


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_neighbours_are_nearly_balanced_after_any_number_of_deals(players: int) -> None:
    """To two deals, each of which is played from every seat."""
    pairs = players * (players - 1)
    for deals in (1, 2, 3, 4, 5, 7, 11, 16, 23):
        counts = [*followed(players, deals).values()]
        counts += [0] * (pairs - len(counts))
        assert max(counts) - min(counts) <= 2 * players


def test_a_large_table_has_orders_too() -> None:
    """More than could be listed."""
    matches = round_robin(14, deals=50, players=(14,))
    assert len({m.bots for m in matches}) == len(matches) == 50 * 14


@quickly
@given(schedules())
def test_a_match_is_found_by_its_number(chosen: dict[str, Any]) -> None:
    """Indexing agrees with iteration; there is nothing beyond the ends."""
    matches = round_robin(**chosen)
    listed = list(matches)
    assert len(listed) == len(matches)
    assert [m.number for m in listed] == list(range(len(matches)))
    for number in reversed(range(len(matches))):
        assert matches[number] == listed[number]
    with pytest.raises(IndexError):
        matches[len(matches)]


def test_the_first_deal_comes_first() -> None:
    """So the first results already compare all bots."""
    matches = list(round_robin(4, deals=3))
    assert [m.deal for m in matches] == [0] * 12 + [1] * 12 + [2] * 12
    assert len({bot for m in matches[:12] for bot in m.bots}) == 4


# --- what a match depends on --------------------------------------------------------------------


@quickly
@given(schedules())
def test_ids_and_bot_seeds_are_unique(chosen: dict[str, Any]) -> None:
    """Also in self-play, where the rotations of a line-up have the same bots in the same seats."""
    matches = list(round_robin(**chosen))
    assert len({m.id for m in matches}) == len(matches)
    seeds = [seed for m in matches for seed in m.bot_seeds]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < SEED_LIMIT for seed in seeds)
    assert {m.seed for m in matches}.isdisjoint(seeds)


@quickly
@given(schedules(), st.integers(0, 6))
def test_another_bot_leaves_the_other_matches_as_they_are(
    chosen: dict[str, Any], place: int
) -> None:
    """Ids and all seeds stay, wherever the bot joins the list."""
    chosen["max_line_ups"] = None
    names = [f"bot{n}" for n in range(chosen.pop("names"))]
    before = round_robin(names, **chosen)
    after = round_robin([*names[:place], "another", *names[place:]], **chosen)
    decided = {(m.id, m.bots, m.seed, m.bot_seeds, m.deal, m.rotation) for m in before}
    remaining = {
        (m.id, m.bots, m.seed, m.bot_seeds, m.deal, m.rotation)
        for m in after
        if "another" not in m.bots
    }
    assert remaining == decided


def test_more_deals_or_numbers_of_players_leave_the_other_matches_as_they_are() -> None:
    """A longer run begins with the shorter one's games."""
    few = {m.id for m in round_robin(4, deals=2, players=(2,))}
    many = {m.id for m in round_robin(4, deals=5, players=(3, 2), self_play=True)}
    assert few < many


def test_what_decides_a_match_decides_its_id() -> None:
    """Seed, game, rules, options and what the bots are; not what they are called."""

    def first(**changes: Any) -> Any:
        arguments: dict[str, Any] = {
            "game_name": "game",
            "rules": "1",
            "options_by_players": {2: {"cap": 100}},
            "names": ["a", "b"],
            "identities": {"a": "one", "b": "two"},
            "seed": 1,
            "deals": 1,
            "players": (2,),
        }
        return schedule(**(arguments | changes))[0]

    same = first()
    renamed = first(names=["x", "b"], identities={"x": "one", "b": "two"})
    assert (renamed.id, renamed.bot_seeds) == (same.id, same.bot_seeds)
    others = [
        first(game_name="other"),
        first(rules="2"),
        first(options_by_players={2: {"cap": 99}}),
        first(identities={"a": "one", "b": "three"}),
        first(seed=2),
        first(book=[5]),
    ]
    assert len({m.id for m in [same, *others]}) == 1 + len(others)
    assert len({m.bot_seeds for m in [same, *others]}) == 1 + len(others)


def test_one_bot_under_two_names_plays_with_two_kinds_of_luck() -> None:
    """Else comparing a bot with itself would compare it with its double."""
    matches = list(round_robin(["a", "b", "c"], identities={"a": "x", "b": "x", "c": "y"}))
    assert len({m.id for m in matches}) == len(matches)


def test_deal_seeds_derive_from_the_run_or_come_from_the_book() -> None:
    """They are the same for all line-ups, and independent for different numbers of players."""
    derived = round_robin(4, deals=2, players=(2, 3))
    for match in derived:
        assert match.seed == derive("deal", 1, "game", match.players, match.deal)
    booked = round_robin(4, deals=2, players=(2, 3), book=[11, 22, 33])
    assert {(m.deal, m.seed) for m in booked} == {(0, 11), (1, 22)}


def test_matches_never_change() -> None:
    """Pinned: stored runs are told apart and resumed by these ids."""
    match = round_robin(3, players=(3,))[4]
    assert (match.id, match.seed, match.bot_seeds) == (
        "8111bd6e702cd5a8",
        5302656039647191,
        (8631615527376165, 5647201853782868, 6112866613649198),
    )
    assert match.bots == ("bot2", "bot1", "bot0")
    assert match.options == {"cap": 100}


# --- samples of line-ups ------------------------------------------------------------------------


@st.composite
def samples(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """Bots, players, size of the sample, seed."""
    bots = draw(st.integers(3, 10))
    players = draw(st.integers(2, min(5, bots - 1)))
    size = draw(st.integers(1, min(60, comb(bots, players) - 1)))
    return bots, players, size, draw(st.integers(0, 3))


@quickly
@given(samples())
@example((6, 2, 6, 0))
@example((10, 2, 20, 0))
@example((9, 4, 36, 0))
@example((7, 3, 34, 0))
def test_bots_of_a_sample_play_equally_often(sample: tuple[int, int, int, int]) -> None:
    """Different line-ups of different bots; numbers of matches differ by one at most."""
    bots, players, size, _ = sample
    line_ups = balanced_sample(*sample)
    assert len(set(line_ups)) == len(line_ups) == size
    assert all(len(set(line_up)) == players for line_up in line_ups)
    plays = Counter(bot for line_up in line_ups for bot in line_up)
    counts = [plays[bot] for bot in range(bots)]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize(("bots", "players", "size"), [(7, 3, 7), (9, 3, 12), (10, 4, 30)])
def test_pairs_meet_equally_often_where_designs_are_known(
    bots: int, players: int, size: int
) -> None:
    """The Fano plane, the affine plane of order 3 and a 2-(10, 4, 4) design are found."""
    for seed in range(3):
        line_ups = balanced_sample(bots, players, size, seed)
        meetings = Counter(pair for c in line_ups for pair in itertools.combinations(c, 2))
        assert len(meetings) == comb(bots, 2)
        assert len(set(meetings.values())) == 1


@pytest.mark.parametrize(("bots", "players", "size"), [(20, 4, 100), (30, 5, 60), (60, 4, 300)])
def test_pairs_of_large_samples_meet_about_equally_often(
    bots: int, players: int, size: int
) -> None:
    """No pair meets more than once too often; chance alone would make twice the differences."""
    meetings: Counter[Any] = Counter()
    for line_up in balanced_sample(bots, players, size, 1):
        meetings.update(itertools.combinations(line_up, 2))
    pairs = comb(bots, 2)
    mean = size * comb(players, 2) / pairs
    assert max(meetings.values()) <= mean + 2
    squares = sum((meetings[p] - mean) ** 2 for p in itertools.combinations(range(bots), 2))
    assert squares / pairs < 0.5 * mean


def test_a_sample_follows_from_the_run_seed() -> None:
    """Same seed, same line-ups; another seed, others."""
    assert balanced_sample(20, 4, 50, 1) == balanced_sample(20, 4, 50, 1)
    assert balanced_sample(20, 4, 50, 1) != balanced_sample(20, 4, 50, 2)


def test_a_sample_is_announced() -> None:
    """And only a sample; bots against themselves are not left out."""
    matches = round_robin(20, players=(2, 4), max_line_ups=500, self_play=True)
    assert matches.sampled == "500 of 4,845 line-ups of 4 players"
    assert matches.line_ups == 190 + 20 + 500 + 20
    assert round_robin(20, players=(2,), max_line_ups=190).sampled == ""


# --- size ---------------------------------------------------------------------------------------


def test_a_thousand_bots_are_no_trouble() -> None:
    """Nothing is listed that is not asked for: 8 million million matches, at once."""
    begin = time.perf_counter()
    matches = round_robin(1000, players=(4,), deals=50)
    last = matches[len(matches) - 1]
    assert len(matches) == comb(1000, 4) * 4 * 50
    assert last.bots == ("bot997", "bot996", "bot999", "bot998")
    sampled = round_robin(1000, players=(4,), deals=50, max_line_ups=10**6)
    assert len(sampled) == 10**6 * 4 * 50
    assert sampled.sampled == "1,000,000 of 41,417,124,750 line-ups of 4 players"
    assert time.perf_counter() - begin < 1


def test_too_many_matches_to_be_numbered_are_refused() -> None:
    """With the number, and what to do."""
    with pytest.raises(ConfigError) as caught:
        round_robin(1000, players=(4,), deals=10**9)
    assert str(caught.value) == (
        "the schedule has 165,668,499,000,000,000,000 matches; set max_lineups or fewer deals"
    )


def test_a_schedule_can_be_sent_to_a_worker() -> None:
    """A worker that has the schedule needs only numbers."""
    matches = round_robin(6, players=(2, 3), max_line_ups=5)
    assert list(pickle.loads(pickle.dumps(matches))) == list(matches)
