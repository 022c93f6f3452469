"""Tallies and win rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats import Tally, WinRate, head_to_head, tally


def met(bots: object, places: object, blocks: object, names: int = 2) -> WinRate:
    """The win rate of bot 0 against bot 1."""
    found = head_to_head(names, bots, places, blocks)[0][1]  # type: ignore[arg-type]
    assert found is not None
    return found


def blocks_of(*results: str) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """Games of bot 0 against bot 1, a block a word: w, d, l for each game."""
    places = {"w": [1, 2], "d": [1, 1], "l": [2, 1]}
    games = [(places[letter], block) for block, word in enumerate(results) for letter in word]
    return [[0, 1]] * len(games), [p for p, _ in games], [b for _, b in games]


# --- tallies ----------------------------------------------------------------------------------


def test_first_alone_wins_first_together_draws_the_rest_loses() -> None:
    """With two to four players; seats that a game does not have are at place 0."""
    bots = [[0, 1, 2, 3], [0, 1, 2, 0], [2, 0, 0, 0]]
    places = [[1, 2, 3, 4], [1, 1, 3, 0], [2, 1, 0, 0]]
    counts = tally(4, bots, places, np.zeros((3, 4)), [-1, -1, -1])
    found = [(t.matches, t.wins, t.draws, t.losses) for t in counts]
    assert found == [(3, 2, 1, 0), (2, 0, 1, 1), (3, 0, 0, 3), (1, 0, 0, 1)]


def test_mean_score_leaves_out_what_is_no_number() -> None:
    """And is None when there is none at all."""
    scores = [[3.0, 1.0, math.nan], [4.0, math.nan, math.nan], [5.0, -2.0, math.inf]]
    counts = tally(4, [[0, 1, 2]] * 3, [[1, 2, 3]] * 3, scores, [-1] * 3)
    assert [t.mean_score for t in counts] == [4.0, -0.5, None, None]


def test_forfeits_are_counted_for_the_bot_at_the_seat_at_fault() -> None:
    """They are losses as well."""
    bots, places = [[0, 1], [1, 0], [0, 1]], [[1, 2], [2, 1], [1, 2]]
    counts = tally(2, bots, places, np.ones((3, 2)), [1, 0, -1])
    assert counts[0] == Tally(matches=3, mean_score=1.0, wins=3, draws=0, losses=0, forfeits=0)
    assert counts[1] == Tally(matches=3, mean_score=1.0, wins=0, draws=0, losses=3, forfeits=2)


def test_a_bot_against_itself_is_counted_for_each_seat() -> None:
    (alone,) = tally(1, [[0, 0]], [[1, 2]], [[4.0, 2.0]], [-1])
    assert alone == Tally(matches=2, mean_score=3.0, wins=1, draws=0, losses=1, forfeits=0)


def test_before_the_first_game_all_counts_are_zero() -> None:
    none = np.zeros((0, 2), np.int64)
    assert tally(1, none, none, none, np.zeros(0)) == (Tally(0, None, 0, 0, 0, 0),)


# --- head to head -----------------------------------------------------------------------------


def test_where_every_game_is_a_block_the_interval_is_agresti_and_coulls() -> None:
    """70 wins of 100: 0.692 ± 0.089."""
    found = met(*blocks_of(*"w" * 70, *"l" * 30))
    assert (found.games, found.rate) == (100, 0.7)
    assert (found.low, found.high) == pytest.approx((0.692 - 0.0886, 0.692 + 0.0886), abs=1e-3)


def test_ties_count_half() -> None:
    assert met(*blocks_of("wd", "dl")).rate == 0.5
    assert met(*blocks_of("wd", "ww")).rate == 0.875


def test_games_that_go_alike_within_a_block_widen_the_interval() -> None:
    """Two games a deal that always have the same winner are worth one."""
    alike = met(*blocks_of(*["ww"] * 50, *["ll"] * 50))
    single = met(*blocks_of(*"w" * 50, *"l" * 50))
    assert alike.games == 2 * single.games
    assert (alike.low, alike.high) == pytest.approx((single.low, single.high))


def test_luck_that_the_seats_even_out_narrows_the_interval() -> None:
    """Each bot wins once a deal: the deal decides, and both are known to be equal."""
    even = met(*blocks_of(*["wl"] * 50))
    independent = met(*blocks_of(*"wl" * 50))
    assert even.high - even.low < 0.5 * (independent.high - independent.low)
    assert even.low < 0.5 < even.high


@pytest.mark.parametrize("blocks", [1, 2, 50, 1000])
def test_a_bot_that_won_all_may_lose_yet(blocks: int) -> None:
    """About three losses in as many games cannot be ruled out."""
    found = met(*blocks_of(*["ww"] * blocks))
    assert found.rate == found.high == 1
    assert 1 - 6 / blocks < found.low < 1 - 2 / (blocks + 4)


def test_intervals_hold_the_true_rate_as_often_as_they_say() -> None:
    """At one win in seven and twenty deals, half of which go alike in both games."""
    chance, held = np.random.default_rng(8), 0
    for _ in range(500):
        first = chance.random(20) < 1 / 7
        second = np.where(chance.random(20) < 0.5, first, chance.random(20) < 1 / 7)
        words = ["wl"[not one] + "wl"[not two] for one, two in zip(first, second, strict=True)]
        found = met(*blocks_of(*words))
        held += found.low < 1 / 7 < found.high
    assert 465 <= held <= 490


def test_games_of_many_count_for_every_pair() -> None:
    """With different numbers of players, a bot against itself, and one that never played."""
    bots = [[0, 1, 2], [2, 0, 1], [0, 1, 0], [2, 2, 2]]
    places = [[1, 2, 3], [1, 2, 2], [1, 2, 0], [1, 2, 3]]
    table = head_to_head(4, bots, places, [0, 0, 1, 2])
    rates = [[None if cell is None else (cell.games, cell.rate) for cell in row] for row in table]
    assert rates[0] == [None, (3, 2.5 / 3), (2, 0.5), None]
    assert rates[1] == [(3, 0.5 / 3), None, (2, 0.5), None]
    assert rates[3] == [None] * 4


results = st.lists(st.text("wdl", min_size=1, max_size=4), min_size=1, max_size=12)


@given(results)
def test_rates_turn_round_and_lie_in_their_intervals(words: list[str]) -> None:
    """Whatever the sizes of the blocks."""
    table = head_to_head(2, *blocks_of(*words))
    one, other = table[0][1], table[1][0]
    assert one is not None
    assert other is not None
    assert one.low <= one.rate <= one.high
    turned = (1 - other.rate, 1 - other.high, 1 - other.low)
    assert (one.rate, one.low, one.high) == pytest.approx(turned)


@given(results, st.randoms(use_true_random=False))
def test_the_order_of_games_and_seats_does_not_matter(words: list[str], chance: object) -> None:
    """To the bit."""
    bots, places, blocks = blocks_of(*words)
    rows = [(b[::-1], p[::-1], k) for b, p, k in zip(bots, places, blocks, strict=True)]
    chance.shuffle(rows)  # type: ignore[attr-defined]
    moved = [list(column) for column in zip(*rows, strict=True)]
    assert head_to_head(2, *moved) == head_to_head(2, bots, places, blocks)
