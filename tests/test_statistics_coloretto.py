"""Many random games of Coloretto against the figures of the rule sheet."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from statistics import mean, pstdev
from typing import Any

import pytest

from arena.core import Turn
from arena.games.coloretto import Coloretto
from bots.greedy import Greedy
from tests.reference_coloretto import COLOURS, VARIANT_NAMES, VARIANTS, all_cards, capacities

GAME = Coloretto()
SHEET_GAMES = 600


@dataclass(frozen=True)
class Row:
    """A row of the sheet's table for random play: means of 600 games."""

    turns: float
    shortest: int
    longest: int
    rounds: float
    draws: float
    score: float
    ties: float


TABLE = {
    (2, "classic"): Row(68, 58, 77, 13.6, 41, 32, 0.04),
    (3, "classic"): Row(87, 77, 98, 11.5, 52, 26, 0.05),
    (4, "classic"): Row(103, 92, 115, 10.6, 61, 20, 0.07),
    (5, "classic"): Row(104, 92, 115, 8.7, 60, 16, 0.09),
    (5, "ipad"): Row(104, 92, 115, 8.7, 60, 16, 0.09),
    (3, "ipad"): Row(112, 101, 121, 14.8, 67, 28, 0.05),
    (4, "ipad"): Row(108, 97, 120, 11.1, 64, 21, 0.07),
}


@dataclass(frozen=True)
class Played:
    turns: int
    rounds: int
    draws: int
    score: float
    shared: bool
    ranks: tuple[int, ...]


def random_game(
    players: int, options: dict[str, Any], seed: int, greedy: int | None = None
) -> Played:
    """A game of uniformly random moves, but for the seat where `greedy` may sit."""
    rng = random.Random(seed)
    state = GAME.initial(players, options, seed)
    bot = Greedy(GAME, greedy or 0, seed)
    moves: Counter[str] = Counter()
    while legal := GAME.legal(state):
        action = rng.choice(legal)
        if GAME.mover(state) == greedy and len(legal) > 1:
            action = bot.act(Turn(GAME.observe(state, greedy), greedy, legal))
        moves["take" if action < 5 else "draw" if action == 5 else "place"] += 1
        state = GAME.apply(state, action)
    turns, ranks = moves["take"] + moves["draw"], GAME.ranks(state)
    assert GAME.observe(state, 0).turn == turns
    rounds, score = GAME.show(state)["round"], mean(GAME.scores(state))
    return Played(turns, rounds, moves["draw"], score, ranks.count(0) > 1, ranks)


def near(found: list[Any], sheet: float, rounding: float) -> bool:
    """Whether two means may differ so much: 4 standard errors, and the rounding of the sheet."""
    error = pstdev(found) * (1 / len(found) + 1 / SHEET_GAMES) ** 0.5
    return abs(mean(found) - sheet) <= 4 * error + rounding


@pytest.mark.parametrize(("players", "edition"), TABLE)
def test_random_games_are_as_the_sheet_says(players: int, edition: str) -> None:
    sheet = TABLE[players, edition]
    played = [random_game(players, {"edition": edition}, seed) for seed in range(600)]
    turns = [g.turns for g in played]
    assert near(turns, sheet.turns, 0.5)
    assert abs(min(turns) - sheet.shortest) <= 6 and abs(max(turns) - sheet.longest) <= 6
    assert near([g.rounds for g in played], sheet.rounds, 0.05)
    assert near([g.draws for g in played], sheet.draws, 0.5)
    assert near([g.score for g in played], sheet.score, 0.5)
    assert near([g.shared for g in played], sheet.ties, 0.005)
    for seat in range(players):
        wins = [(g.ranks[seat] == 0) / g.ranks.count(0) for g in played]
        assert abs(mean(wins) - 1 / players) <= 4 * pstdev(wins) / len(wins) ** 0.5


@pytest.mark.parametrize(("players", "share"), [(2, 0.997), (4, 0.92)])
def test_greedy_beats_random_as_the_sheet_says(players: int, share: float) -> None:
    """As often, or more: the sheet's figures are those of another greedy player."""
    games = 200
    played = [(random_game(players, {}, n, n % players).ranks, n % players) for n in range(games)]
    wins = mean((ranks[seat] == 0) / ranks.count(0) for ranks, seat in played)
    assert wins >= share - 4 * (share * (1 - share) / games) ** 0.5


@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_rounds_and_cards_of_random_games(options: dict[str, Any], players: int) -> None:
    """No card is lost, rows fit, and only the last round begins without the threshold's cards."""
    threshold = GAME.resolve(players, options)["last_round_threshold"]
    places = sum(capacities(players)) + 1  # a golden joker turns up one more
    for seed in range(8):
        rng = random.Random(seed)
        state = GAME.initial(players, options, seed)
        shown = GAME.show(state)
        cards, rounds = all_cards(shown), {1: len(shown["deck"])}
        while legal := GAME.legal(state):
            state = GAME.apply(state, rng.choice(legal))
            shown = GAME.show(state)
            assert all_cards(shown) == cards
            assert all(len(r) <= n for r, n in zip(shown["rows"], capacities(players), strict=True))
            rounds.setdefault(shown["round"], len(shown["deck"]))
        assert min(rounds.values()) >= threshold
        assert threshold > len(shown["deck"]) >= max(0, threshold - places)
        assert players == 2 or not shown["removed"]


def test_the_deal_is_fair() -> None:
    """Missing colours, start cards and the deck's ends are each colour alike often."""
    games = 1400
    places: dict[str, Counter[str]] = {"missing": Counter()}
    for seed in range(games):
        shown = GAME.show(GAME.initial(2, seed=seed))
        places["missing"].update(set(COLOURS) - set(all_cards(shown)))
        for seat, display in enumerate(shown["displays"]):
            places.setdefault(f"start {seat}", Counter()).update(display)
        for name, card in (("next", shown["deck"][0]), ("last", shown["deck"][-1])):
            places.setdefault(name, Counter()).update([card])
    for name, found in places.items():
        share = 41 / 54 / 7 if name in ("next", "last") else 2 / 7
        error = (games * share * (1 - share)) ** 0.5
        assert all(abs(found[c] - games * share) <= 4.5 * error for c in COLOURS), (name, found)
