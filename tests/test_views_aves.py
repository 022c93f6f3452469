"""What a seat knows in AVES, and the worlds that its knowledge leaves open."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from arena.core import State
from arena.games.aves import Aves
from tests.chi_square import unlikely
from tests.reference_aves import (
    CHOICES,
    CROW,
    GAMES,
    VARIANT_NAMES,
    VARIANTS,
    Reference,
    all_cards,
    cards_of,
    position,
    redealt,
    secrets,
    tight,
    uniform,
    worlds,
)

GAME = Aves()
Options = dict[str, Any]
Shown = dict[str, Any]

CROWS: Options = {"crows": 4}


def restored(shown: Shown, options: Options) -> State:
    return GAME.restore(shown, len(shown["hands"]), options)


def at(circle: str, hands: tuple[str, ...], options: Options | None = None, **where: Any) -> State:
    options = options or {}
    shown = position(circle, hands, crows=options.get("crows", 0), **where)
    return restored(shown, options)


def play(state: State, *moves: str) -> State:
    for move in moves:
        state = GAME.apply(state, GAME.parse(state, move))
    return state


def view(state: State, seat: int) -> Shown:
    return GAME.show_view(GAME.observe(state, seat), seat)


def hand(state: State, of: int, seen_by: int) -> str:
    return " ".join(view(state, seen_by)["hands"][of])


def walk(state: State, options: Options, rng: random.Random, every: int = 1) -> Iterator[State]:
    """Positions of a game, each `every`th of them and the last."""
    reference = Reference(GAME.show(state), options)
    choose, number = rng.choice(CHOICES), 0
    while reference.legal() and number < 60:
        if number % every == 0:
            yield state
        move = choose(rng, reference)
        state = play(state, move)
        reference.apply(move)
        number += 1
    yield state


def seats(state: State) -> range:
    return range(len(GAME.show(state)["hands"]))


# --- the knowledge table ------------------------------------------------------------------------


@pytest.mark.parametrize("phase", ["play", "return"])
@pytest.mark.parametrize("seat", range(3))
def test_others_numbers_are_hidden_and_all_colours_shown(seat: int, phase: str) -> None:
    held = "R1 R2 O2 O3 G1 B2 X0 X0"
    hands = [held] * 3
    hands[(seat + 1) % 3] = "R3 V1 V2"
    hands[(seat + 2) % 3] = "I3 R4 X0"
    hands[seat] = held
    state = at("G2 B3 Y1", tuple(hands), CROWS, phase=phase, seat=seat, bottom="B1", top="V3")
    seen = view(state, seat)
    assert seen["hands"][seat] == held.split()
    assert seen["hands"][(seat + 1) % 3] == ["R?", "V?", "V?"]
    assert seen["hands"][(seat + 2) % 3] == ["R?", "I?", "X0"]
    assert hand(state, seat, (seat + 1) % 3) == "R? R? O? O? G? B? X0 X0"
    assert seen["deck"]["top"] == "V"
    truth = GAME.show(state)
    assert seen["deck"]["colours"] == Counter(card[0] for card in truth["deck"])
    assert seen["deck"]["size"] == len(truth["deck"])
    assert list(seen["deck"]["colours"]) == [c for c in "ROYGBIVX" if c in seen["deck"]["colours"]]
    for key in ("phase", "seat", "turn", "circle", "known"):
        assert seen[key] == truth[key]


def test_cards_of_the_circle_stay_known_until_they_leave_the_hand() -> None:
    state = at("R1 G3 B2 I4", ("V2 R2 R3 G1", "Y1 Y2 Y3", "O3"), bottom="V4")
    assert hand(state, 0, 1) == "R? R? G? V?"
    state = play(state, "play V2 at 1")
    assert hand(state, 0, 1) == hand(state, 0, 2) == "R1 R? R? G3 G?"
    assert hand(state, 0, 0) == "R1 R2 R3 G1 G3"
    state = play(state, "play Y1 at 3", "play O3 at 1")
    assert hand(state, 1, 0) == "Y? Y? V?"
    state = play(state, "play R1 at 4")
    assert "R1" not in hand(state, 0, 1)
    assert hand(state, 0, 1).startswith("R? R?")


def test_a_returned_card_lies_open() -> None:
    state = at("R1 G2", ("B1 B2 B3 I1 I2 I3 V1", "Y1 Y2 Y3"))
    state = play(state, "play B1 at 1")
    assert hand(state, 0, 1) == "R1 G2 B? B? I? I? I? V?"
    state = play(state, "return I2 at 1")
    assert hand(state, 0, 1) == "R1 G2 B? B? I? I? V?"
    assert view(state, 1)["circle"] == ["B1", "I2"]


def test_crows_are_known_wherever_they_come_from() -> None:
    state = at("R1 G3 B2 I4", ("O1 O2 O3", "Y1 X0", "V1"), CROWS, bottom="X0")
    state = play(state, "play O1 at 1")
    assert hand(state, 0, 1) == "O? O? X0"
    assert hand(state, 1, 0) == "Y? X0"
    assert view(state, 2)["known"] == [["X0"], ["X0"], []]


def test_nothing_is_inferred() -> None:
    """R1 can be in the other hand only, and is not named."""
    state = at("R2 G3 B2 R3", ("O1 O2", "R1"))
    assert (hand(state, 1, 0), view(state, 0)["known"]) == ("R?", [[], []])
    for seed in range(20):
        assert GAME.show(GAME.sample(GAME.observe(state, 0), 0, seed))["hands"][1] == ["R1"]


def test_showdown_opens_all_hands() -> None:
    state = at("R1 G3 B2 I4", ("O1 O2", "V1 V3", "Y2"), known=("O1 O2", "V1 V3", "Y2"),
               options={"showdown": True}, bottom="V2")  # fmt: skip
    state = play(state, "play O1 at 1")
    for seat in range(3):
        assert view(state, seat)["hands"] == GAME.show(state)["hands"]
        assert view(state, seat)["known"] == [["O2", "V2"], ["V1", "V3"], ["Y2"]]


@pytest.mark.parametrize("shown", [True, False])
def test_the_top_card(shown: bool) -> None:
    where: dict[str, Any] = {"options": {"show_deck_top": shown}, "rest": "circle"}
    state = at("Y2 I2 R1", ("R2 R3 O1", "G1 G2 G3"), bottom="V3 B1", **where)
    tops = [view(state, seat)["deck"]["top"] for seat in range(2)]
    assert tops == (["B", "B"] if shown else [None, None])
    state = play(state, "play R2 at 1")
    assert view(state, 1)["deck"] == {"size": 1, "top": "B" if shown else None, "colours": {"B": 1}}
    state = play(state, "play G3 at 1")
    assert view(state, 0)["deck"] == {"size": 0, "top": None, "colours": {}}
    crow = at("Y2 I2 R1", ("R2", "G1"), CROWS, top="X0")
    assert view(crow, 1)["deck"]["top"] == "X"


@pytest.mark.parametrize("capped", [True, False])
def test_hands_are_open_when_the_game_is_over(capped: bool) -> None:
    """But the deck is not."""
    state = at("V1 Y2", ("R1 R2 O1 Y1 G1 B1 I1", "G2 V2 V3"), {"turn_cap": 1})
    state = play(state, "play R2 at 1" if capped else "play R1 at 1")
    assert GAME.capped(state) == capped
    for seat in range(2):
        assert view(state, seat)["hands"] == GAME.show(state)["hands"]
        assert set(view(state, seat)["deck"]) == {"size", "top", "colours"}


def test_ids_of_other_seats_moves_are_hidden() -> None:
    """A slot tells which cards lie before it."""
    step = {"seat": 1, "id": 64, "move": "play B1 at 1", "forced": False}
    for phase in ("play", "return"):
        assert GAME.show_step(step, phase, 1) == step
        assert GAME.show_step(step, phase, 0) == {**step, "id": None}
    assert step["id"] == 64


@pytest.mark.parametrize(("options", "players"), GAMES)
def test_views_of_whole_games(options: Options, players: int) -> None:
    rng = random.Random(f"views {players}")
    for seed in range(3):
        reference = None
        for state in walk(GAME.initial(players, options, seed), options, rng):
            reference = Reference(GAME.show(state), options)
            for seat in range(players):
                assert view(state, seat) == reference.view(seat)
        assert reference is not None and (reference.phase == "over" or reference.turn > 20)


# --- no leak ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "players"), GAMES)
def test_what_a_seat_cannot_know_changes_no_byte_of_its_view(
    options: Options, players: int
) -> None:
    rng = random.Random(f"leak {players}")
    different = 0
    for start in (
        GAME.initial(players, options, 3),
        restored(tight(rng, players, options), options),
    ):
        for state in walk(start, options, rng, every=2):
            if GAME.capped(state):  # a position that is written down does not tell
                continue
            shown = GAME.show(state)
            for seat in range(players):
                other = redealt(shown, seat, options, rng)
                different += other != shown
                seen = GAME.observe(state, seat)
                assert GAME.observe(restored(shown, options), seat) == seen
                assert GAME.observe(restored(other, options), seat) == seen
    assert different > 10


# --- samples ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_a_thousand_samples_in_mid_game(options: Options) -> None:
    """Each looks the same to the seat, by the reference too, and holds all cards."""
    for number, players in enumerate(range(2, 6)):
        rng = random.Random(number)
        states = list(walk(GAME.initial(players, options, number), options, rng))
        state = states[len(states) // 2]
        seat = number % players
        seen, expected = GAME.observe(state, seat), view(state, seat)
        for seed in range(250):
            world = GAME.sample(seen, seat, seed)
            assert GAME.observe(world, seat) == seen
            shown = GAME.show(world)
            assert Reference(shown, options).view(seat) == expected
            assert cards_of(shown) == all_cards(players, options.get("crows", 0))
            if GAME.mover(state) == seat:
                assert GAME.legal(world) == GAME.legal(state)


@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_samples_are_played_by_the_same_rules(options: Options) -> None:
    rng = random.Random(1)
    for players in range(2, 6):
        states = list(walk(restored(tight(rng, players, options), options), options, rng, every=3))
        for state in states:
            for seat in seats(state):
                world = GAME.sample(GAME.observe(state, seat), seat, len(states))
                assert GAME.ranks(world)[seat] >= 0
                reference = Reference(GAME.show(world), options)
                for _ in range(3):
                    if not reference.legal():
                        break
                    move = uniform(rng, reference)
                    world = play(world, move)
                    reference.apply(move)
                    assert GAME.show(world) == reference.shown()


def test_a_sample_follows_from_its_seed() -> None:
    seen = GAME.observe(GAME.initial(3, seed=1), 1)
    first, again, other = (GAME.show(GAME.sample(seen, 1, seed)) for seed in (1, 1, 2))
    assert first == again != other


# --- their distribution -------------------------------------------------------------------------

SMALL: dict[str, tuple[int, State]] = {
    "one hand": (0, at("Y2 I2", ("O1 O2 G3", "R1 O3 V1"), bottom="R2 V3 B1", rest="circle")),
    "top not shown": (
        1,
        at("Y2 I2", ("O1 O2 R2", "G1"), {"show_deck_top": False}, bottom="O3 R3 B1", rest="circle"),
    ),
    "one colour": (0, at("Y2 I2", ("R1", "R2 R3"), bottom="O3 O2 O1 B1 B2", rest="circle")),
    "known cards": (
        1,
        at("Y2 I2", ("O1 O2 R2 X0", "G1"), {"crows": 2}, known=("O1", ""), bottom="O3 R3 X0 R1",
           rest="circle"),
    ),
    "crows": (1, at("Y2 I2", ("O1 X0", "G1"), CROWS, bottom="X0 O3 X0 X0 O2", rest="circle")),
    "three seats": (
        2,
        at("Y2 I2", ("O1 O2", "O3 R4", "G1"), bottom="O4 R3 R2 B1", rest="circle"),
    ),
    "showdown": (
        0,
        at("Y2 I2", ("O1", "G1"), {"showdown": True}, known=("O1", "G1"), bottom="O2 O3 R3 R2 B1",
           rest="circle"),
    ),
    "return": (
        0,
        at("Y2 I2", ("O1 O2 R1 R2 G1 G2 B1 B2", "O3 R3 G3"), phase="return", bottom="B3 V1 V2 V3",
           rest="circle"),
    ),
    "nothing hidden": (0, at("Y2 I2", ("O1", "R2"), bottom="B1", rest="circle")),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_samples_are_uniform_over_all_worlds(name: str) -> None:
    seat, state = SMALL[name]
    shown, expected = GAME.show(state), view(state, seat)
    possible = worlds(expected, cards_of(shown))
    assert secrets(expected, shown) in possible
    assert len(possible) > 1 or name == "nothing hidden"
    seen, observed = Counter[Any](), GAME.observe(state, seat)
    for seed in range(max(1000, 8 * len(possible))):
        seen[secrets(expected, GAME.show(GAME.sample(observed, seat, seed)))] += 1
    assert unlikely(seen, dict.fromkeys(possible, 1)) < 3.72


def test_samples_of_the_deal_put_every_card_everywhere_alike_often() -> None:
    """By colour: an unseen number is in a hand as often as in any place of the deck."""
    state = GAME.initial(3, CROWS, 4)
    observed, expected = GAME.observe(state, 0), view(state, 0)
    games = 1500
    held, next_card = Counter[str](), Counter[str]()
    for seed in range(games):
        world = GAME.show(GAME.sample(observed, 0, seed))
        held.update(card for hand in world["hands"][1:] for card in hand if card != CROW)
        next_card[world["deck"][0]] += 1
    unseen = all_cards(3, 4) - Counter([*expected["circle"], *expected["hands"][0]])
    hidden = Counter(c[0] for h in expected["hands"][1:] for c in h if c != CROW)
    of_colour = Counter(card[0] for card in unseen.elements())
    for card in set(unseen) - {CROW}:
        share = hidden[card[0]] / of_colour[card[0]]
        spread = (games * share * (1 - share)) ** 0.5
        assert held[card] == pytest.approx(games * share, abs=4.5 * spread)
        below = expected["deck"]["colours"].get(card[0], 0) - (card[0] == expected["deck"]["top"])
        share = below / (expected["deck"]["size"] - 1) / of_colour[card[0]]
        spread = (games * share * (1 - share)) ** 0.5
        assert next_card[card] == pytest.approx(games * share, abs=4.5 * spread)
