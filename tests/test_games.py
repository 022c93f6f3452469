"""The contract, for every game of the registry.

A new game is found there; to have its cards counted as well, add it to CARDS. What is to be hidden
from whom and what the rules are is tested in files of each game's own.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from arena import kernel, registry
from arena.check import CountCards, check_game, check_interpreted, variants
from arena.core import OptionValue
from arena.game import Game

GAMES = [registry.game(name) for name in sorted(registry.GAMES)]

NO_CARD = ""
Pile = Iterable[str] | Mapping[str, int]


def tally(*piles: Pile) -> Counter[str]:
    """How many cards of each name lie in lists of names and dictionaries of counts."""
    counts = sum((Counter(pile) for pile in piles), Counter())
    del counts[NO_CARD]
    return counts


CARDS: dict[str, CountCards] = {
    "aves": lambda shown: tally(shown["circle"], *shown["hands"], shown["deck"]),
    "coloretto": lambda shown: tally(
        *shown["rows"],
        *shown["displays"],
        shown["removed"],
        shown["deck"],
        [shown["drawn"] or NO_CARD],
    ),
    "cubirds": lambda shown: tally(
        *shown["rows"], *shown["hands"], *shown["collections"], shown["pile"], shown["discard"]
    ),
    "fruit-friends": lambda shown: tally(
        *shown["hands"],
        *itertools.chain.from_iterable(shown["pairs"]),
        *shown["discards"],
        [secret or NO_CARD for secret in shown["secrets"]],
        *shown["displays"],
        shown["removed"],
        shown["deck"],
    ),
    "kuhn": lambda shown: tally(shown["cards"], [shown["left"]]),
}


def cases() -> list[Any]:
    """Every game with every number of players, and every variant of it with one of them."""
    found = []
    for game in GAMES:
        for index, players in enumerate(game.players):
            name = f"{game.name}-{players}"
            found.append(pytest.param(game, players, [{}], id=name))
            if some := variants(game, players)[1 + index :: len(game.players)]:
                slow = pytest.param(game, players, some, marks=pytest.mark.slow, id=f"{name}-more")
                found.append(slow)
    return found


@pytest.mark.parametrize(("game", "players", "options"), cases())
def test_a_game_keeps_the_contract(
    game: Game, players: int, options: Sequence[Mapping[str, OptionValue]]
) -> None:
    check_game(
        game,
        players=[players],
        options=options,
        seeds=[1],
        cards=CARDS.get(game.name),
        interpreted=0,
    )


@pytest.mark.slow
@pytest.mark.skipif(not kernel.COMPILED, reason="nothing is compiled")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_interpreted_and_compiled_rules_agree(game: Game) -> None:
    check_interpreted(game, games=200)
