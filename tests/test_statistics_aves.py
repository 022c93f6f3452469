"""Many games of AVES against the figures of the rule sheet."""

from __future__ import annotations

import random
from collections.abc import Callable
from statistics import mean, pstdev
from typing import Any

import pytest

from arena.core import State
from arena.games.aves import Aves
from tests.reference_aves import CROW, PASS, RETURN, VARIANT_NAMES, VARIANTS, all_cards, cards_of

GAME = Aves()
SHEET_GAMES = 3000
Choose = Callable[[random.Random, State], int]

# Mean turns, 99th percentile and maximum of random games, by crows and players.
LENGTHS = {
    (0, 2): (10.5, 15, 18), (0, 3): (15.0, 20, 24), (0, 4): (19.3, 25, 28), (0, 5): (23.4, 29, 33),
    (4, 2): (17.2, 24, 29), (4, 3): (21.0, 28, 31), (4, 4): (24.9, 31, 36), (4, 5): (28.8, 35, 40),
}  # fmt: skip


def uniform(rng: random.Random, state: State) -> int:
    return rng.choice(GAME.legal(state))


def greedy(rng: random.Random, state: State) -> int:
    """The most colours, then the most cards, at once; looks at nothing else."""
    mover = GAME.mover(state)

    def worth(action: int) -> tuple[int, int, float]:
        after = GAME.apply(state, action)
        return GAME.scores(after)[mover], int(after["hand_sizes"][0, mover]), rng.random()

    return max(GAME.legal(state), key=worth)


def game(players: int, options: dict[str, Any], seed: int, choosers: list[Choose]) -> State:
    rng = random.Random(seed)
    state = GAME.initial(players, options, seed)
    while (mover := GAME.mover(state)) is not None:
        state = GAME.apply(state, choosers[mover](rng, state))
    return state


def check_lengths(crows: int, players: int, games: int) -> None:
    finals = [game(players, {"crows": crows}, seed, [uniform] * players) for seed in range(games)]
    turns = sorted(int(state["turn"][0]) for state in finals)
    average, percentile, most = LENGTHS[crows, players]
    spread = pstdev(turns) * (1 / games + 1 / SHEET_GAMES) ** 0.5
    assert mean(turns) == pytest.approx(average, abs=4 * spread + 0.05)
    assert abs(turns[games * 99 // 100] - percentile) <= 3
    assert turns[-1] <= most + 4
    seven = mean(max(GAME.scores(state)) == 7 for state in finals)
    assert seven <= 0.015 + 4 * (0.015 * 0.985 / games) ** 0.5


@pytest.mark.parametrize(("crows", "players"), LENGTHS)
def test_random_games_are_as_long_as_the_sheet_says(crows: int, players: int) -> None:
    check_lengths(crows, players, 200)


@pytest.mark.slow
@pytest.mark.parametrize(("crows", "players"), LENGTHS)
def test_many_random_games_are_as_long_as_the_sheet_says(crows: int, players: int) -> None:
    check_lengths(crows, players, 2000)


def test_passes_are_rare() -> None:
    """At most 0.27 in 100 random games with four crows."""
    games, passes = 400, 0

    def watch(rng: random.Random, state: State) -> int:
        nonlocal passes
        passes += GAME.legal(state) == (PASS,)
        return uniform(rng, state)

    for seed in range(games):
        game(2, {"crows": 4}, seed, [watch] * 2)
    assert passes <= 6


@pytest.mark.slow
def test_greedy_beats_random() -> None:
    """In 99.6 % of games for two."""
    games = 200
    won = 0
    for seed in range(games):
        seats = [greedy, uniform] if seed % 2 else [uniform, greedy]
        won += GAME.ranks(game(2, {}, seed, seats))[seats.index(greedy)] == 0
    assert won >= games * (0.996 - 4 * (0.996 * 0.004 / games) ** 0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("turns", "shares"),
    [
        (10.5, (0.64, 0.36)),
        (14.5, (0.46, 0.31, 0.23)),
        (19.0, (0.39, 0.24, 0.24, 0.13)),
        (23.9, (0.30, 0.24, 0.19, 0.16, 0.12)),
    ],
)
def test_greedy_games(turns: float, shares: tuple[float, ...]) -> None:
    """Their length, whether seven colours end them (95 to 100 %), and who wins."""
    players, games = len(shares), 200
    finals = [game(players, {}, seed, [greedy] * players) for seed in range(games)]
    lengths = [int(state["turn"][0]) for state in finals]
    assert mean(lengths) == pytest.approx(turns, abs=4 * pstdev(lengths) / games**0.5 + 0.05)
    seven = mean(max(GAME.scores(state)) == 7 for state in finals)
    assert seven >= 0.95 - 4 * (0.95 * 0.05 / games) ** 0.5
    for seat, share in enumerate(shares):
        won = mean(GAME.ranks(state)[seat] == 0 for state in finals)
        assert won == pytest.approx(share, abs=4 * (share * (1 - share) / games) ** 0.5)


BOUNDS = {2: (15, 70), 3: (19, 98), 4: (23, 126), 5: (27, 154)}
"""By players: the largest circle, and the most distinct plays; 4 and 28 more with crows."""


@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_sizes_stay_within_the_sheets_bounds(options: dict[str, Any]) -> None:
    """In every position; no card is lost, and the game ends within its cap."""
    crows = options.get("crows", 0)
    strict = options.get("deck_end") != "on_failed_draw" and "trade_optional" not in options
    for players in range(2, 6):
        rng = random.Random(players)
        state = GAME.initial(players, options, players)
        largest, plays = BOUNDS[players]
        while legal := GAME.legal(state):
            shown = GAME.show(state)
            assert cards_of(shown) == all_cards(players, crows)
            sizes = [len(hand) for hand in shown["hands"]]
            assert min(sizes) >= 3 and max(sizes) <= (8 if legal[0] >= RETURN else 7)
            assert 1 <= len(shown["circle"]) <= largest + crows
            if strict and legal[0] < RETURN:
                assert len(legal) <= plays + 7 * crows
            state = GAME.apply(state, rng.choice(legal))
        assert GAME.show(state)["turn"] <= GAME.resolve(players, options)["turn_cap"]


def test_games_that_trade_and_return_for_ever_end_by_the_cap() -> None:
    """Seats that keep the deck as it is, which the sheet saw go on for thousands of turns."""

    def stall(rng: random.Random, state: State) -> int:
        def worth(action: int) -> tuple[bool, int]:
            after = GAME.show(GAME.apply(state, action))
            hand = after["hands"][GAME.mover(state)]
            return after["phase"] != "over", len(after["deck"]), hand.count(CROW)

        return max(GAME.legal(state), key=worth)

    finals = [game(2, {"crows": 4}, seed, [stall] * 2) for seed in range(4)]
    capped = [state for state in finals if GAME.capped(state)]
    assert capped
    assert {GAME.show(state)["turn"] for state in capped} == {200}
