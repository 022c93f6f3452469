"""Kuhn poker, from its rules; and its value, which is known exactly."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product

import pytest

from arena import registry
from arena.core import State

KUHN = registry.game("kuhn")
CARDS = ("jack", "queen", "king")
Strategy = Callable[[str, tuple[str, ...]], Fraction]
"""The chance of a bet with that card after those moves."""


def after(cards: tuple[str, str], *moves: str) -> State:
    (left,) = set(CARDS) - set(cards)
    return KUHN.restore({"cards": list(cards), "left": left, "moves": list(moves)}, 2)


@pytest.mark.parametrize(
    ("moves", "cards", "scores"),
    [
        (("pass", "pass"), ("king", "jack"), (1, -1)),
        (("pass", "pass"), ("queen", "king"), (-1, 1)),
        (("bet", "pass"), ("jack", "king"), (1, -1)),
        (("pass", "bet", "pass"), ("king", "jack"), (-1, 1)),
        (("bet", "bet"), ("queen", "jack"), (2, -2)),
        (("pass", "bet", "bet"), ("jack", "queen"), (-2, 2)),
    ],
)
def test_who_wins_what(
    moves: tuple[str, ...], cards: tuple[str, str], scores: tuple[int, int]
) -> None:
    """The higher card wins the pot, or whoever bet when the other passed."""
    end = after(cards, *moves)
    assert KUHN.mover(end) is None
    assert KUHN.scores(end) == scores
    assert KUHN.ranks(end) == ((0, 1) if scores[0] > 0 else (1, 0))


def test_a_seat_sees_the_other_card_at_a_showdown_only() -> None:
    """A fold ends the game without showing."""
    folded = KUHN.observe(after(("queen", "king"), "bet", "pass"), 0)
    shown = KUHN.observe(after(("queen", "king"), "bet", "bet"), 0)
    assert KUHN.show_view(folded, 0)["cards"] == ["queen", None]
    assert KUHN.show_view(shown, 0)["cards"] == ["queen", "king"]


def value(first: Strategy, second: Strategy, state: State, moves: tuple[str, ...] = ()) -> Fraction:
    """What the first player wins on average from `state` on."""
    mover = KUHN.mover(state)
    if mover is None:
        return Fraction(KUHN.scores(state)[0])
    card = KUHN.show(state)["cards"][mover]
    chance = (first, second)[mover](card, moves)
    total = Fraction(0)
    for move, weight in (("pass", 1 - chance), ("bet", chance)):
        if weight:
            follow = KUHN.apply(state, KUHN.parse(state, move))
            total += weight * value(first, second, follow, (*moves, move))
    return total


def average(first: Strategy, second: Strategy) -> Fraction:
    deals = list(permutations(CARDS, 2))
    return sum((value(first, second, after(deal)) for deal in deals), Fraction(0)) / len(deals)


def best_first(card: str, moves: tuple[str, ...]) -> Fraction:
    """An equilibrium strategy of the first player (Kuhn 1950, with alpha = 1/3)."""
    if not moves:
        return {"jack": Fraction(1, 3), "queen": Fraction(0), "king": Fraction(1)}[card]
    return {"jack": Fraction(0), "queen": Fraction(2, 3), "king": Fraction(1)}[card]


def best_second(card: str, moves: tuple[str, ...]) -> Fraction:
    """The equilibrium strategy of the second player."""
    if moves == ("pass",):
        return {"jack": Fraction(1, 3), "queen": Fraction(0), "king": Fraction(1)}[card]
    return {"jack": Fraction(0), "queen": Fraction(1, 3), "king": Fraction(1)}[card]


def pure_strategies(decisions: list[tuple[str, ...]]) -> list[Strategy]:
    """All ways to answer each card after each of the move sequences without chance."""
    situations = list(product(CARDS, decisions))

    def following(plan: dict[tuple[str, tuple[str, ...]], Fraction]) -> Strategy:
        return lambda card, moves: plan[card, moves]

    answers = product((Fraction(0), Fraction(1)), repeat=len(situations))
    return [following(dict(zip(situations, each, strict=True))) for each in answers]


def test_the_game_is_worth_an_eighteenth_of_a_chip_to_the_second_player() -> None:
    """With best play, and nobody can do better against it (Kuhn 1950)."""
    assert average(best_first, best_second) == Fraction(-1, 18)
    firsts = pure_strategies([(), ("pass", "bet")])
    seconds = pure_strategies([("pass",), ("bet",)])
    assert max(average(first, best_second) for first in firsts) == Fraction(-1, 18)
    assert min(average(best_first, second) for second in seconds) == Fraction(-1, 18)
