"""Many games of Fruit Friends against the figures of the rule sheet."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import dataclass
from statistics import mean, median

import pytest

from arena.games.fruit_friends import FruitFriends
from tests.chi_square import unlikely
from tests.reference_fruit_friends import (
    STARTS,
    VARIANT_NAMES,
    VARIANTS,
    Reference,
    all_cards,
    deck,
    points,
)

GAME = FruitFriends()


@dataclass(frozen=True)
class Row:
    """The sheet's figures for one number of players; where it gives a range, its middle."""

    random: float
    """mean score of random play"""
    greedy: float
    winner: float
    """mean score of the winner of greedy play"""
    shares: tuple[float, ...]
    """of the games won by greedy play, by start card"""
    rounding: float = 1.0
    """half of the width of the sheet's ranges, and what it rounds"""


TABLE = {
    2: Row(38, 42, 47, (0.53, 0.47), rounding=0.5),
    3: Row(42, 49.5, 57, (0.37, 0.27, 0.37), rounding=1.5),
    4: Row(42, 49.5, 57, (0.29, 0.19, 0.26, 0.26), rounding=1.5),
    5: Row(42, 49.5, 57, (0.23, 0.16, 0.20, 0.20, 0.20), rounding=1.5),
}
SPREAD = 10.0
"""Standard deviation of single scores, at most."""


def random_scores(players: int, seed: int) -> tuple[int, ...]:
    rng, state = random.Random(seed), GAME.initial(players, seed=seed)
    while legal := GAME.legal(state):
        state = GAME.apply(state, rng.choice(legal))
    return GAME.scores(state)


def near(found: float, sheet: float, spread: float, games: int, rounding: float) -> bool:
    """Within four standard errors and the rounding of the sheet."""
    return abs(found - sheet) <= 4 * spread / games**0.5 + rounding


@pytest.mark.parametrize("players", TABLE)
def test_random_scores(players: int) -> None:
    games = 400
    found = mean(mean(random_scores(players, seed)) for seed in range(games))
    assert near(found, TABLE[players].random, SPREAD, games * players, 0.75)


# --- greedy play --------------------------------------------------------------------------------


def greedy(reference: Reference, rng: random.Random) -> str:
    """Take what raises the own points most, remove what would raise the other's; split so that the
    worst pair, which may be left, is as good as can be."""
    at, worth = reference.at, {}
    owner = at["active"] if at["phase"] == "remove" else at["seat"]
    display = Counter(at["displays"][owner])
    for move in reference.moves():
        offered = move.partition(" / ")[0].split()[1:]
        worth[move] = min(points(display + Counter(pair.split("+"))) for pair in offered)
    best = max(worth.values())
    return rng.choice([move for move in worth if worth[move] == best])


@pytest.mark.parametrize("games", [25, pytest.param(120, marks=pytest.mark.slow)])
@pytest.mark.parametrize("players", TABLE)
def test_greedy_scores(players: int, games: int) -> None:
    """The reference finds the moves, the game plays them."""
    rng, sheet = random.Random(players), TABLE[players]
    scores: list[tuple[int, ...]] = []
    won: dict[str, float] = dict.fromkeys(STARTS, 0.0)
    ties = 0
    for seed in range(games):
        state = GAME.initial(players, seed=seed)
        reference = Reference(GAME.show(state))
        while moves := reference.moves():
            move = greedy(reference, rng)
            state = GAME.apply(state, moves[move])
            reference.apply(move)
        scores.append(GAME.scores(state))
        first = [p for p, rank in enumerate(GAME.ranks(state)) if rank == 0]
        ties += len(first) > 1
        for p in first:
            won[reference.at["starts"][p]] += 1 / len(first)
    assert near(mean(map(mean, scores)), sheet.greedy, SPREAD, games * players, sheet.rounding)
    assert near(mean(map(max, scores)), sheet.winner, SPREAD, games, sheet.rounding)
    assert near(ties / games, 0.065, 0.25, games, 0.035)
    for start, share in zip(STARTS, sheet.shares, strict=False):
        assert near(won[start] / games, share, (share * (1 - share)) ** 0.5, games, 0.015)


# --- deals --------------------------------------------------------------------------------------


def test_numbers_of_splits() -> None:
    """Of a hand of seven cards, and of eight with one to be kept secret."""
    seven = [len(GAME.legal(GAME.initial(3, seed=seed))) for seed in range(500)]
    assert near(mean(seven), 34, 18, len(seven), 0.5)
    assert abs(median(seven) - 36) <= 5 and max(seven) <= 105
    secret = {"secret_card": True}
    eight = [len(GAME.legal(GAME.initial(3, secret, seed))) for seed in range(500)]
    assert near(mean(eight), 176, 110, len(eight), 0.5)


@pytest.mark.parametrize(("players", "options"), VARIANTS, ids=VARIANT_NAMES)
def test_no_card_is_lost(players: int, options: dict[str, bool]) -> None:
    rng, state = random.Random(1), GAME.initial(players, options)
    cards = deck(players, options) + Counter(STARTS[:players])
    while legal := GAME.legal(state):
        state = GAME.apply(state, rng.choice(legal))
        assert all_cards(GAME.show(state)) == cards


@pytest.mark.parametrize("players", TABLE)
def test_start_cards_are_dealt_at_random(players: int) -> None:
    """In all orders alike often."""
    orders = list(itertools.permutations(STARTS[:players]))
    dealt = (GAME.show(GAME.initial(players, seed=seed)) for seed in range(10 * len(orders)))
    drawn = Counter(tuple(shown["starts"]) for shown in dealt)
    assert unlikely(drawn, dict.fromkeys(orders, 1)) < 3.72


@pytest.mark.parametrize("options", [{}, {"thin_deck": True}], ids=["full", "thin"])
def test_every_place_gets_every_fruit_as_often_as_there_are(options: dict[str, bool]) -> None:
    first, last, hand = Counter[str](), Counter[str](), Counter[str]()
    rng = random.Random(1)
    for seed in range(600):
        shown = GAME.show(GAME.initial(3, options, seed))
        first[shown["deck"][0]] += 1
        last[shown["deck"][-1]] += 1
        hand[rng.choice(shown["hands"][seed % 3])] += 1
    for drawn in (first, last, hand):
        assert unlikely(drawn, deck(3, options)) < 3.72
