"""What a seat knows in Fruit Friends, and the worlds that its knowledge leaves open."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from arena.core import State
from arena.games.fruit_friends import FruitFriends
from tests.chi_square import unlikely
from tests.reference_fruit_friends import (
    VARIANT_NAMES,
    VARIANTS,
    Reference,
    all_cards,
    deck,
    fruits,
    normal,
    position,
    rearranged,
    seen,
    unseen,
    worlds,
)

GAME = FruitFriends()
Options = dict[str, Any]
SECRET = {"secret_card": True}

variants = pytest.mark.parametrize(("players", "options"), VARIANTS, ids=VARIANT_NAMES)


def random_game(players: int, options: Options, seed: int) -> list[State]:
    """All positions of a game of random moves."""
    rng, states = random.Random(seed), [GAME.initial(players, options, seed)]
    while legal := GAME.legal(states[-1]):
        states.append(GAME.apply(states[-1], rng.choice(legal)))
    return states


def view(state: State, seat: int) -> dict[str, Any]:
    return GAME.show_view(GAME.observe(state, seat), seat)


def play(state: State, move: str) -> State:
    return GAME.apply(state, GAME.parse(state, move))


# --- views --------------------------------------------------------------------------------------


@variants
def test_views_of_whole_games(players: int, options: Options) -> None:
    """For each seat in every position."""
    for state in random_game(players, options, seed=1):
        shown = GAME.show(state)
        for seat in range(players):
            assert normal(view(state, seat)) == normal(seen(shown, seat))
            assert json.loads(json.dumps(view(state, seat))) == view(state, seat)


SPLIT = position(
    ("", "AAGGKKBB", "GGKKBBWW"), SECRET, pairs=("AK GG BM", "", ""), discards=("O", "", ""),
    secrets=("K", "", ""), seat=1,
)  # fmt: skip
TAKE = position(
    ("", "", ""), SECRET, phase="take", active=1, seat=2, round=2, secrets=("K", "M", "G"),
    pairs=("AK GG BM", "OO BM", "AA YY WM"), discards=("OA", "AA", "KK"),
)  # fmt: skip
OVER = position(
    ("", "", ""), SECRET, phase="over", seat=None, round=3, secrets=("K", "M", "G"),
    discards=("OAA", "AAA", "KKK"),
)  # fmt: skip
PAIRS = [fruits(pair) for pair in ("AK", "GG", "BM")]
OPEN = {"phase", "seat", "round", "active", "displays", "removed", "starts"}


@pytest.mark.parametrize(
    ("shown", "seat", "known"),
    [
        (SPLIT, 0, {
            "hands": [[], {"size": 8}, {"size": 8}], "pairs": [PAIRS, [], []],
            "split_done": [True, False, False], "secrets": ["kiwi", None, None],
            "discards": [["orange"], {"size": 0}, {"size": 0}], "deck": {"size": 81},
        }),
        (SPLIT, 1, {
            "hands": [{"size": 0}, fruits("AAGGKKBB"), {"size": 8}], "pairs": [None, [], []],
            "split_done": [True, False, False], "secrets": ["?", None, None],
            "discards": [{"size": 1}, [], {"size": 0}], "deck": {"size": 81},
        }),
        (TAKE, 0, {
            "hands": [[], {"size": 0}, {"size": 0}],
            "pairs": [PAIRS, [fruits("OO"), fruits("BM")], None],
            "split_done": [True] * 3, "secrets": ["kiwi", "?", "?"],
            "discards": [fruits("OA"), {"size": 2}, {"size": 2}], "deck": {"size": 60},
        }),
        (OVER, 0, {
            "hands": [[], {"size": 0}, {"size": 0}], "pairs": [[], [], []],
            "split_done": [True] * 3, "secrets": ["kiwi", "melon", "grape"],
            "discards": [fruits("OAA"), {"size": 3}, {"size": 3}], "deck": {"size": 39},
        }),
    ],
)  # fmt: skip
def test_what_a_seat_is_shown(shown: dict[str, Any], seat: int, known: dict[str, Any]) -> None:
    """F7, F13: splits lie face down until they are turned up, discards for ever."""
    shown = normal(shown)
    found = normal(view(GAME.restore(shown, 3, SECRET), seat))
    assert found == normal(known | {key: shown[key] for key in OPEN} | {"pairs": known["pairs"]})


def test_a_removed_pair_is_seen_by_all() -> None:
    shown = position(("", ""), phase="over", seat=None, round=4, removed="AAGG")
    for seat in range(2):
        assert view(GAME.restore(shown, 2), seat)["removed"] == {"apple": 2, "grape": 2}


def test_a_record_does_not_tell_how_another_seat_has_split() -> None:
    """Neither by its text nor by its number, nor whether there was another way."""
    step = {"seat": 1, "id": 17, "move": "split apple+kiwi grape+grape / apple", "forced": False}
    hidden = {"seat": 1, "id": None, "move": "split", "forced": None}
    assert GAME.show_step(step, "split", 1) == step
    assert GAME.show_step(step, "split", 0) == hidden
    step = {"seat": 1, "id": 106, "move": "take apple+kiwi", "forced": True}
    assert GAME.show_step(step, "take", 0) == step


# --- what is not told ---------------------------------------------------------------------------


def test_equal_knowledge_makes_equal_views() -> None:
    """Two worlds that one seat cannot tell apart are played on for as long as it cannot, the
    others splitting as they like; their views are equal to the byte."""
    compared = Counter[str]()
    for players, options in VARIANTS:
        rng = random.Random(players)
        for state in random_game(players, options, seed=2)[::3]:
            seat, shown = rng.randrange(players), normal(GAME.show(state))
            cards = rng.sample(unseen(shown, seat), len(unseen(shown, seat)))
            others = rearranged(shown, seat, cards)
            true, other = (GAME.restore(s, players, options) for s in (shown, others))
            for phase in undistinguished(true, other, seat, rng):
                compared[phase] += 1
    assert min(compared[phase] for phase in ("split", "take", "remove", "over")) > 20


def undistinguished(true: State, other: State, seat: int, rng: random.Random) -> Iterator[str]:
    """Play on in both worlds, comparing the views of `seat`; yields the phases met."""
    shown = GAME.show(true)
    while normal(seen(shown, seat)) == normal(seen(GAME.show(other), seat)):
        assert GAME.observe(true, seat) == GAME.observe(other, seat)
        yield shown["phase"]
        if not GAME.legal(true):
            break
        action = rng.choice(GAME.legal(true))
        if shown["phase"] == "split" and shown["seat"] != seat:
            other = GAME.apply(other, rng.choice(GAME.legal(other)))
        else:
            other = play(other, GAME.describe(true, action))
        true = GAME.apply(true, action)
        shown = GAME.show(true)


def test_a_hand_does_not_tell_in_which_order_it_was_dealt() -> None:
    for players in range(2, 6):
        states = random_game(players, {}, seed=3)
        for before, after in itertools.pairwise(states):
            shown = GAME.show(before)
            if GAME.show(after)["round"] == shown["round"]:
                continue
            others = shown | {"deck": list(shown["deck"])}
            for p in range(players):
                dealt = slice(7 * p, 7 * p + 7)
                others["deck"][dealt] = reversed(others["deck"][dealt])
            move = GAME.describe(before, GAME.legal(before)[0])
            one, two = (play(GAME.restore(s, players), move) for s in (shown, others))
            assert GAME.show(one) == GAME.show(two)
            for seat in range(players):
                assert GAME.observe(one, seat) == GAME.observe(two, seat)


# --- samples ------------------------------------------------------------------------------------


def check_sample(state: State, seat: int, players: int, options: Options, seed: int) -> State:
    """A sample looks the same to the seat and has every card of the game."""
    observed = GAME.observe(state, seat)
    world = GAME.sample(observed, seat, seed)
    shown, guessed = GAME.show(state), GAME.show(world)
    assert GAME.observe(world, seat) == observed
    assert normal(seen(guessed, seat)) == normal(seen(shown, seat))
    assert all_cards(guessed) == deck(players, options) + Counter(shown["starts"])
    assert guessed == normal(guessed) | {"discards": guessed["discards"]}
    assert GAME.mover(world) == GAME.mover(state)
    if shown["phase"] != "split" or shown["seat"] == seat:
        assert GAME.legal(world) == GAME.legal(state)
    return world


@variants
def test_samples_in_whole_games(players: int, options: Options) -> None:
    """Each seat's sample in every position; a sampled world can be played on."""
    rng = random.Random(players)
    for number, state in enumerate(random_game(players, options, seed=4)):
        sampled = [check_sample(state, p, players, options, number) for p in range(players)]
        world = rng.choice(sampled)
        reference = Reference(GAME.show(world), options)
        if legal := GAME.legal(world):
            move = GAME.describe(world, rng.choice(legal))
            reference.apply(move)
            assert normal(GAME.show(play(world, move))) == normal(reference.shown())


@pytest.mark.parametrize(
    ("players", "options", "number"), [(2, SECRET, 8), (3, {"thin_deck": True}, 11), (4, SECRET, 1)]
)
def test_a_thousand_samples_of_a_position(players: int, options: Options, number: int) -> None:
    state = random_game(players, options, seed=5)[number]
    found = {check_sample(state, 1, players, options, seed).tobytes() for seed in range(1000)}
    assert len(found) == 1000


def test_a_sample_follows_from_its_seed() -> None:
    observed = GAME.observe(GAME.initial(3, seed=1), 1)
    sampled = [GAME.sample(observed, 1, seed).tobytes() for seed in (1, 1, 2)]
    assert sampled[0] == sampled[1] != sampled[2]


SITUATIONS: dict[str, tuple[int, dict[str, Any]]] = {
    "a hand, a discard and the deck": (
        0,
        position(
            ("BBBBWWO", "AAAAAAG"), {}, round=2, discards=("O", "A"), deck_top="AGK", short=True
        ),
    ),
    "a split": (
        1,
        position(
            ("", "BBBBWWO"), {}, seat=1, pairs=("AA AG KA", ""), discards=("A", ""),
            deck_top="AGM", short=True,
        ),
    ),
    "two splits, of which one is turned up": (
        2,
        position(
            ("", "", ""), {}, phase="take", seat=1, pairs=("BB WW YO", "AG AA AA", "BB WW YM"),
            discards=("A", "G", "O"), deck_top="KM", short=True,
        ),
    ),
    "a split and a hand of another": (
        2,
        position(
            ("", "AAAAAAM", "BBBBWWO"), {}, seat=1, pairs=("AA AG AA", "", ""),
            discards=("K", "", ""), short=True,
        ),
    ),
    "a secret": (
        0,
        position(
            ("", ""), SECRET, phase="take", seat=1, pairs=("BB WW YO", "AG AA AK"),
            discards=("O", "G"), secrets=("B", "A"), deck_top="AM", short=True,
        ),
    ),
    "two secrets": (
        1,
        position(
            ("AAAAAAG", "YYYYOOO", "AAAAAAK"), SECRET, round=2, discards=("A", "B", "A"),
            secrets=("A", "M", "A"), short=True,
        ),
    ),
    "only discards in the end": (
        3,
        position(
            [""] * 5, {}, phase="over", seat=None, round=3, short=True,
            discards=("AGK", "AAA", "AGA", "BBB", "AAA"),
        ),
    ),
    "open secrets in the end": (
        1,
        position(
            [""] * 3, SECRET, phase="over", seat=None, round=3, secrets=("M", "B", "K"),
            discards=("AGG", "BBB", "AAK"), deck_top="AAM", short=True,
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SITUATIONS)
def test_samples_are_uniform(name: str) -> None:
    """Over arrangements of single cards in the hidden places, and so in each place alone."""
    seat, shown = SITUATIONS[name]
    players, options = len(shown["hands"]), SECRET if any(shown["secrets"]) else {}
    weights = Counter(tuple(unseen(world, seat)) for world in worlds(shown, seat))
    assert len(weights) > 20
    observed = GAME.observe(GAME.restore(shown, players, options), seat)
    sampled = Counter[Any]()
    for seed in range(3000):
        world = normal(GAME.show(GAME.sample(observed, seat, seed)))
        sampled[tuple(unseen(world, seat))] += 1
    assert unlikely(sampled, weights) < 3.72
    for place in range(len(unseen(shown, seat))):
        assert unlikely(one_place(sampled, place), one_place(weights, place)) < 3.72


def one_place(arrangements: Counter[Any], place: int) -> Counter[str]:
    """How often each card lies there."""
    found = Counter[str]()
    for cards, number in arrangements.items():
        found[cards[place]] += number
    return found


@pytest.mark.parametrize("players", [2, 5])
def test_hidden_cards_are_of_a_fruit_as_often_as_unseen_ones(players: int) -> None:
    """In every hidden place of a real position, here the first and the last of each kind."""
    shown = GAME.show(state := random_game(players, {}, seed=6)[2])
    left, observed = Counter(unseen(shown, 0)), GAME.observe(state, 0)
    drawn: dict[str, Counter[str]] = {place: Counter() for place in ("deck", "last", "discard")}
    for seed in range(600):
        world = GAME.show(GAME.sample(observed, 0, seed))
        drawn["deck"][world["deck"][0]] += 1
        drawn["last"][world["deck"][-1]] += 1
        drawn["discard"][world["discards"][1][0]] += 1
    for found in drawn.values():
        assert unlikely(found, left) < 3.72
