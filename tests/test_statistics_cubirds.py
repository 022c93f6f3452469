"""Many random games of CuBirds against the figures of the rule sheet."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from statistics import mean
from typing import Any

import pytest

from arena.games.cubirds import CuBirds
from tests.reference_cubirds import CARDS, VARIANT_NAMES, VARIANTS, all_cards, deal

GAME = CuBirds()
SHEET_GAMES = 500


@dataclass(frozen=True)
class Row:
    """A column of the sheet's table for random play: 500 games of one number of players."""

    mean: float
    p99: int
    rounds: float
    impossible: float
    """share of games ended by an impossible deal"""


TABLE = {
    2: Row(79, 114, 3.6, 0.008),
    3: Row(93, 139, 3.7, 0.10),
    4: Row(98, 146, 3.4, 0.41),
    5: Row(94, 139, 2.7, 0.78),
}
TURNS_SPREAD, ROUNDS_SPREAD = 20.0, 1.1
"""Standard deviations of turns and rounds over single games."""
SHARED = 0.17
"""Share of five-player games with more than one winner."""


@dataclass(frozen=True)
class Played:
    turns: int
    rounds: int
    impossible: bool
    shared: bool


def random_game(players: int, seed: int) -> Played:
    """A game of uniformly random moves."""
    rng = random.Random(seed)
    state = GAME.initial(players, seed=seed)
    rounds, mover = 1, 0
    while legal := GAME.legal(state):
        lays = legal[0] < 64
        if lays and mover == GAME.mover(state) and GAME.show(state)["turn"]:
            rounds += 1  # only who ends a round lays twice in a row
        mover = GAME.mover(state) if lays else mover
        state = GAME.apply(state, rng.choice(legal))
    shown = GAME.show(state)
    impossible = not any(shown["hands"])
    return Played(shown["turn"], rounds, impossible, GAME.ranks(state).count(0) > 1)


def near(found: float, sheet: float, spread: float, games: int, rounding: float) -> bool:
    """Whether two averages may differ so much: 4 standard errors, and the rounding of the sheet."""
    return abs(found - sheet) <= 4 * spread * (1 / games + 1 / SHEET_GAMES) ** 0.5 + rounding


def check_against_sheet(players: int, games: int) -> list[Played]:
    played = [random_game(players, seed) for seed in range(games)]
    sheet = TABLE[players]
    assert near(mean(g.turns for g in played), sheet.mean, TURNS_SPREAD, games, 0.5)
    assert near(mean(g.rounds for g in played), sheet.rounds, ROUNDS_SPREAD, games, 0.05)
    spread = (sheet.impossible * (1 - sheet.impossible)) ** 0.5
    assert near(mean(g.impossible for g in played), sheet.impossible, spread, games, 0.005)
    return played


@pytest.mark.parametrize("players", TABLE)
def test_random_games_are_as_long_as_the_sheet_says(players: int) -> None:
    check_against_sheet(players, 60)


@pytest.mark.slow
@pytest.mark.parametrize("players", TABLE)
def test_many_random_games_are_as_long_as_the_sheet_says(players: int) -> None:
    played = check_against_sheet(players, 500)
    turns = sorted(g.turns for g in played)
    assert abs(turns[len(turns) * 99 // 100] - TABLE[players].p99) <= 20
    assert turns[-1] < 200
    if players == 5:
        spread = (SHARED * (1 - SHARED)) ** 0.5
        assert near(mean(g.shared for g in played), SHARED, spread, len(played), 0.005)


@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_no_card_is_lost_and_every_row_is_one_block_a_species(options: dict[str, Any]) -> None:
    """In every state of a game; and a row has a card, a collection never loses one."""
    for players in (2, 4):
        rng = random.Random(players)
        state = GAME.initial(players, options, players)
        birds = [0] * players
        moves = 0
        while legal := GAME.legal(state):
            state = GAME.apply(state, rng.choice(legal))
            moves += 1
            shown = GAME.show(state)
            assert all_cards(shown) == Counter(CARDS)
            for row in shown["rows"]:
                assert len(list(groupby(row))) == len(set(row)) > 0
            now = [sum(c.values()) for c in shown["collections"]]
            assert all(n >= before for n, before in zip(now, birds, strict=True))
            birds = now
        resolved = GAME.resolve(players, options)
        assert shown["turn"] <= resolved["turn_cap"]
        assert shown["turns_since_flight"] <= resolved["no_flight_cap"]
        assert moves <= 3 * shown["turn"] + 2


@pytest.mark.parametrize(
    ("options", "turns"),
    [
        ({"turn_cap": 120}, 120),
        ({}, 300),
        pytest.param({"no_flight_cap": 1000}, 1000, marks=pytest.mark.slow),
    ],
)
def test_games_without_flights_end_by_the_cap(options: dict[str, int], turns: int) -> None:
    """Seats that only gather cards can go on for ever."""

    def gathered(action: int) -> int:
        return sum(GAME.show(GAME.apply(state, action))["hands"][mover].values())

    state = GAME.initial(5, options, 3)
    while legal := GAME.legal(state):
        mover = GAME.mover(state)
        state = GAME.apply(state, max(legal, key=gathered) if legal[0] < 64 else legal[-1])
    assert GAME.capped(state)
    assert GAME.show(state)["turn"] == turns


@pytest.mark.parametrize("length", [3, 4])
def test_first_positions_are_dealt_like_the_references(length: int) -> None:
    """Which species lie in rows, hands and collections, and how many duplicates were set aside."""
    options = {"row_length": length, "setup_duplicates": "discard"}
    games, rng = 700, random.Random(length)
    found = [GAME.show(GAME.initial(3, options, seed)) for seed in range(games)]
    wanted = [deal(3, options, rng) for _ in range(games)]

    def figures(shown: dict[str, Any]) -> dict[str, float]:
        places = {
            "row": shown["rows"][0], "last row": shown["rows"][3], "first hand": shown["hands"][0],
            "last hand": shown["hands"][2], "collection": shown["collections"][1],
            "discard": shown["discard"], "next": shown["pile"][:1], "last": shown["pile"][-1:],
        }  # fmt: skip
        return {
            f"{species} in {name}": Counter(place)[species]
            for name, place in places.items()
            for species in CARDS
        }

    ours, theirs = [figures(s) for s in found], [figures(s) for s in wanted]
    for key in ours[0]:
        mine, other = [f[key] for f in ours], [f[key] for f in theirs]
        both = mean([*mine, *other])
        spread = mean((x - both) ** 2 for x in [*mine, *other]) ** 0.5
        difference = abs(mean(mine) - mean(other))
        assert difference <= 4.5 * spread * (2 / games) ** 0.5, key
