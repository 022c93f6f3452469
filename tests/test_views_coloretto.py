"""What a seat knows in Coloretto, all but the order of the deck, and the worlds it leaves open."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from arena.core import State
from arena.games.coloretto import Coloretto
from tests.chi_square import unlikely
from tests.reference_coloretto import (
    CARDS,
    GAMES,
    VARIANT_NAMES,
    VARIANTS,
    all_cards,
    counts,
    position,
    view,
    worlds,
)

GAME = Coloretto()


def walk(state: State, choose: Any, rng: random.Random) -> Iterator[State]:
    """The positions of a game, from the first to the last."""
    yield state
    while legal := GAME.legal(state):
        texts = [GAME.describe(state, action) for action in legal]
        state = GAME.apply(state, GAME.parse(state, choose(rng, texts)))
        yield state


def shuffled(shown: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    return {**shown, "deck": rng.sample(shown["deck"], len(shown["deck"]))}


@pytest.mark.parametrize(("options", "players", "choose"), GAMES[::5])
def test_every_seat_knows_all_but_the_order_of_the_deck(
    options: dict[str, Any], players: int, choose: Any
) -> None:
    """In every position: the view, its bytes when the deck lies in another order, a sample."""
    rng = random.Random(f"views {choose.__name__} {players}")
    start = GAME.initial(players, options, rng.randrange(2**53))
    cards = all_cards(GAME.show(start))
    phases = set()
    for state in walk(start, choose, rng):
        shown = GAME.show(state)
        phases.add(shown["phase"])
        expected = view(shown, cards)
        here, there = (
            GAME.restore(position, players, options, seed)
            for seed, position in enumerate((shown, shuffled(shown, rng)))
        )
        for seat in range(players):
            seen = GAME.observe(state, seat)
            assert GAME.show_view(seen, seat) == expected
            twins = [GAME.observe(world, seat).record.tobytes() for world in (here, there)]
            assert twins[0] == twins[1]
        world = GAME.sample(seen, seat, rng.randrange(2**53))
        guessed = GAME.show(world)
        assert Counter(guessed["deck"]) == Counter(shown["deck"])
        assert {**guessed, "deck": shown["deck"]} == shown
        assert GAME.observe(world, seat) == seen
    assert phases == {"turn", "place", "over"}


@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_the_fields_of_a_view(options: dict[str, Any]) -> None:
    """As the page for bot authors lists them."""
    rng = random.Random(3)
    for state in walk(GAME.initial(3, options, 3), lambda rng, legal: rng.choice(legal), rng):
        shown, seen = GAME.show(state), GAME.observe(state, 1)
        assert (seen.players, seen.round_number, seen.deck_size) == (
            3, shown["round"], len(shown["deck"])
        )  # fmt: skip
        assert (seen.seat, seen.phase) == (
            -1 if shown["seat"] is None else shown["seat"],
            ("turn", "place", "over").index(shown["phase"]),
        )
        assert seen.drawn == (-1 if shown["drawn"] is None else CARDS.index(shown["drawn"]))
        rows = [seen.row_cards[r, :size].tolist() for r, size in enumerate(seen.row_size)]
        assert rows == [[CARDS.index(card) for card in row] for row in shown["rows"]] + [[], []]
        assert seen.taken.tolist() == [*shown["taken"], 0, 0]
        assert seen.out.tolist() == [*shown["out"], 0, 0]
        piles = [*shown["displays"], {}, {}, shown["removed"], Counter(shown["deck"])]
        fields = [*seen.displays.tolist(), seen.removed.tolist(), seen.left.tolist()]
        assert fields == [[pile.get(card, 0) for card in CARDS] for pile in piles]
        resolved = GAME.resolve(3, options)
        assert {o.name: o.decode(getattr(seen, o.name)) for o in GAME.options} == resolved


def test_a_view_as_json() -> None:
    """Plain JSON; the deck's cards are counted in the sheet's order."""
    shown = position(deck="+YJYB", rows=("P+", "", ""))
    seen = GAME.show_view(GAME.observe(GAME.restore(shown, 3), 2), 2)
    assert json.loads(json.dumps(seen)) == seen
    assert list(seen) == list(shown)
    deck = [("size", 5), ("blue", 1), ("yellow", 2), ("joker", 1), ("+2", 1)]
    assert list(seen["deck"].items()) == deck


def test_the_deck_stays_hidden_when_the_game_is_over() -> None:
    shown = position(deck="BN", phase="over", seat=None)
    state = GAME.restore(shown, 3)
    assert GAME.show_view(GAME.observe(state, 0), 0)["deck"] == {"size": 2, "blue": 1, "brown": 1}


def test_a_step_is_seen_by_all() -> None:
    step = {"seat": 1, "id": 5, "move": "draw", "forced": True}
    assert all(GAME.show_step(step, "turn", seat) == step for seat in range(3))


# --- samples ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "moves"), [(2, 40), (3, 60), (5, 81)])
def test_a_thousand_samples_fit_what_is_known(players: int, moves: int) -> None:
    rng = random.Random(players)
    options = {"edition": "jubilee"}
    game = walk(GAME.initial(players, options, 1), lambda rng, legal: rng.choice(legal), rng)
    state = next(state for number, state in enumerate(game) if number == moves)
    shown, seen = GAME.show(state), GAME.observe(state, 1)
    expected = GAME.show_view(seen, 1)
    decks = set()
    for seed in range(1000):
        world = GAME.sample(seen, 1, seed)
        guessed = GAME.show(world)
        assert view(guessed, all_cards(shown)) == expected
        assert counts(guessed["deck"]) == counts(shown["deck"])
        assert GAME.legal(world) == GAME.legal(state)
        decks.add(tuple(guessed["deck"]))
    assert len(decks) == 1000


SITUATIONS: dict[str, dict[str, Any]] = {
    "different cards": {"deck": "BN*+"},
    "pairs": {"deck": "BBN++"},
    "three of a kind": {"deck": "JJJYPP"},
    "placing": {"deck": "GGEO", "phase": "place", "drawn": "grey"},
    "mid-round": {"deck": "PPPNN", "rows": ("", "B+", "YY"), "taken": [1], "out": [2]},
    "two players": {"displays": ("B", "N"), "deck": "BNGG", "removed": {"pink": 2}},
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_samples_are_uniform(name: str) -> None:
    """Every world is drawn alike often, by chi-square."""
    options = {"edition": "jubilee"}
    shown = position(options, **SITUATIONS[name])
    players = len(shown["displays"])
    seen = GAME.observe(GAME.restore(shown, players, options), 1)
    possible = [tuple(world["deck"]) for world in worlds(GAME.show_view(seen, 1))]
    drawn = Counter(tuple(GAME.show(GAME.sample(seen, 1, seed))["deck"]) for seed in range(3000))
    assert set(drawn) == set(possible)
    assert unlikely(drawn, dict.fromkeys(possible, 1)) < 3.72


def test_a_sample_follows_from_its_seed() -> None:
    seen = GAME.observe(GAME.initial(3, seed=1), 1)
    decks = [GAME.show(GAME.sample(seen, 1, seed)) for seed in (1, 1, 2)]
    assert decks[0] == decks[1] != decks[2]
