"""Searches of Kuhn poker, beside what going through everything says.

A search wants a good place, not chips: to it, a pot is won or lost. So what Kuhn (1950) found for
chips, as that a queen never opens with a bet, does not hold. Nothing is lost by betting, and
nothing is won by folding: against the best answers a move is worth what a showdown is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest

from arena import registry
from arena.core import State, Turn
from bots.ismcts import ISMCTS
from bots.mcts import MCTS
from bots.oracle import Oracle

KUHN = registry.game("kuhn")
CARDS = ("jack", "queen", "king")
SITUATIONS = list(product(CARDS, [(), ("pass",), ("bet",), ("pass", "bet")]))
"""The card of who is to move, and the moves before."""
PASS, BET = 0, 1

WHATEVER_THE_CARD = {
    ("jack", ()): PASS,
    ("king", ()): PASS,
    ("jack", ("pass",)): PASS,
    ("queen", ("bet",)): PASS,
    ("king", ("bet",)): PASS,
    ("queen", ("pass", "bet")): PASS,
    ("king", ("pass", "bet")): PASS,
}
CARD_BY_CARD = {**WHATEVER_THE_CARD, ("queen", ()): PASS, ("queen", ("pass",)): PASS}
"""Moves that never do better than the other, however both play on, but worse in some way. In
`WHATEVER_THE_CARD` that holds even where the other player's cards differ."""

Ends = dict[int, dict[str, set[float]]]
"""By move and the other player's card, what the mover may get: 1 for the pot, else 0."""


def kuhn(card: str, moves: tuple[str, ...], other: str) -> tuple[State, int]:
    """A position and its mover, who holds `card`."""
    seat = len(moves) % 2
    cards = [card, other] if seat == 0 else [other, card]
    return KUHN.restore({"cards": cards, "moves": list(moves)}, 2), seat


def kuhn_turn(card: str, moves: tuple[str, ...]) -> Turn:
    state, seat = kuhn(card, moves, next(other for other in CARDS if other != card))
    return Turn(KUHN.observe(state, seat), seat, KUHN.legal(state))


def won(state: State, seat: int) -> float:
    return float(KUHN.ranks(state)[seat] == 0)


def reachable(state: State, seat: int) -> set[float]:
    """What `seat` may get, however both play on."""
    if KUHN.mover(state) is None:
        return {won(state, seat)}
    return {end for a in KUHN.legal(state) for end in reachable(KUHN.apply(state, a), seat)}


def all_ends(card: str, moves: tuple[str, ...]) -> Ends:
    ends: Ends = {PASS: {}, BET: {}}
    for action, other in product(ends, set(CARDS) - {card}):
        state, seat = kuhn(card, moves, other)
        ends[action][other] = reachable(KUHN.apply(state, action), seat)
    return ends


def dominated(worse: list[set[float]], better: list[set[float]]) -> bool:
    pairs = list(zip(worse, better, strict=True))
    return all(max(a) <= min(b) for a, b in pairs) and any(a != b for a, b in pairs)


def test_which_moves_of_kuhn_poker_are_dominated() -> None:
    """A king that may end the game by passing wins by that as well, and a jack that was bet at has
    lost: there both moves are alike."""
    by_card, whatever = {}, {}
    for situation in SITUATIONS:
        ends = all_ends(*situation)
        for a, b in ((PASS, BET), (BET, PASS)):
            worse, better = ([ends[move][other] for other in sorted(ends[a])] for move in (a, b))
            if dominated(worse, better):
                by_card[situation] = a
            if dominated([set().union(*worse)], [set().union(*better)]):
                whatever[situation] = a
    assert whatever == WHATEVER_THE_CARD
    assert by_card == CARD_BY_CARD


KUHN_SEARCHES: dict[str, tuple[Callable[..., Any], dict[Any, int]]] = {
    "single": (partial(ISMCTS, iterations=1000, observer="single"), WHATEVER_THE_CARD),
    "multiple": (partial(ISMCTS, iterations=1000, observer="multiple"), WHATEVER_THE_CARD),
    "mcts": (partial(MCTS, iterations=1000, worlds=20), CARD_BY_CARD),
}


@pytest.mark.parametrize(
    ("name", "card", "moves"),
    [(name, *situation) for name, (_, never) in KUHN_SEARCHES.items() for situation in never],
)
def test_no_dominated_move_of_kuhn_poker_is_played(
    name: str, card: str, moves: tuple[str, ...]
) -> None:
    """By no seed: a move that never does better has the lower mean, and so the fewer visits.

    `ismcts` has one mean for all cards: a queen that opens, or may end the game, may meet kings
    more often after one move than after the other, and against best answers both are worth ½.
    """
    make, never = KUHN_SEARCHES[name]
    turn = kuhn_turn(card, moves)
    found = {make(KUHN, turn.seat, seed).act(turn) for seed in range(20)}
    assert never[card, moves] not in found


@pytest.mark.parametrize(("card", "moves"), SITUATIONS)
def test_an_oracle_plays_no_dominated_move_of_kuhn_poker(card: str, moves: tuple[str, ...]) -> None:
    """It knows the card; where both moves are alike it may play any."""
    ends = all_ends(card, moves)
    for other in ends[PASS]:
        state, seat = kuhn(card, moves, other)
        turn = Turn(KUHN.observe(state, seat), seat, KUHN.legal(state))
        never = {a for a in ends if dominated([ends[a][other]], [ends[1 - a][other]])}
        found = {Oracle(KUHN, seat, seed, iterations=200).act(turn, state) for seed in range(5)}
        assert not found & never


def value_of(card: str, moves: tuple[str, ...], action: int, one_plan: bool) -> Fraction:
    """What a move is worth if both play on as well as they can, by all their plans.

    With `one_plan` the other player has one for all cards, as in a tree that does not tell them
    apart. Each has at most one decision left.
    """
    others = sorted({*CARDS} - {card})
    plans = [dict(zip(others, plan, strict=True)) for plan in product((PASS, BET), repeat=2)]
    if one_plan:
        plans = [plan for plan in plans if len({*plan.values()}) == 1]

    def average(own: int, plan: dict[str, int]) -> Fraction:
        total = Fraction(0)
        for other in others:
            state, seat = kuhn(card, moves, other)
            state = KUHN.apply(state, action)
            while (mover := KUHN.mover(state)) is not None:
                state = KUHN.apply(state, own if mover == seat else plan[other])
            total += Fraction(won(state, seat))
        return total / len(others)

    table = [[average(own, plan) for plan in plans] for own in (PASS, BET)]
    least = max(min(row) for row in table)
    most = min(max(column) for column in zip(*table, strict=True))
    assert least == most  # neither gains by knowing the other's plan
    return least


@pytest.mark.parametrize("observer", ["single", "multiple"])
@pytest.mark.parametrize(("card", "moves"), SITUATIONS)
def test_moves_of_kuhn_poker_are_worth_what_best_play_makes_them(
    card: str, moves: tuple[str, ...], observer: str
) -> None:
    """Within four standard errors of drawing cards, and 0.01 for trying the worse answer at times:
    at most about 20 of some thousand times, as UCB1 does where it costs ½, or all."""
    turn = kuhn_turn(card, moves)
    bot = ISMCTS(KUHN, turn.seat, 1, iterations=20_000, observer=observer)
    bot.act(turn)
    ends = all_ends(card, moves)
    for move in bot.explain()["moves"]:
        action, value = move["action"], move["value"]
        wanted = value_of(card, moves, action, one_plan=False)
        assert wanted == value_of(card, moves, action, one_plan=True)
        possible = set().union(*ends[action].values())
        assert min(possible) <= value <= max(possible)
        chance = 2 / math.sqrt(move["visits"]) if wanted == Fraction(1, 2) else 0
        assert value == pytest.approx(float(wanted), abs=0.01 + chance)


@pytest.mark.parametrize(("card", "moves"), SITUATIONS)
def test_values_of_a_world_of_kuhn_poker_are_possible_in_it(
    card: str, moves: tuple[str, ...]
) -> None:
    """Tree by tree, whatever the other player does."""
    turn = kuhn_turn(card, moves)
    ends = all_ends(card, moves)
    bot = MCTS(KUHN, turn.seat, 1, worlds=20)
    bot.act(turn)
    seen = set()
    for world, (root,) in bot.tree.worlds(20):
        other = KUHN.show(world)["cards"][1 - turn.seat]
        seen.add(other)
        for child in bot.tree.children(root).values():
            node = bot.tree.nodes[child]
            possible = ends[int(node["action"])][other]
            assert min(possible) <= node["value"] / node["visits"] <= max(possible)
    assert seen == {*CARDS} - {card}
