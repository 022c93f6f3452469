"""The rules of AVES, line by line of the rule sheet, and move by move against the reference."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from arena.core import State
from arena.errors import IllegalActionError, OptionError
from arena.games.aves import Aves
from tests.reference_aves import (
    CHOICES,
    CROW,
    DEFAULTS,
    GAMES,
    PASS,
    RETURN,
    UNTRADED,
    VARIANT_NAMES,
    VARIANTS,
    Reference,
    all_cards,
    cards_of,
    colours,
    position,
    tight,
)

GAME = Aves()
Options = dict[str, Any]

CROWS: Options = {"crows": 4}
LATE: Options = {"deck_end": "on_failed_draw"}
OPTIONAL: Options = {"trade_optional": True}
SIX = "R1 O1 Y1 G1 B1 I1"


def at(circle: str, hands: tuple[str, ...], options: Options | None = None, **where: Any) -> State:
    """The position that `position(circle, hands, **where)` describes."""
    shown = position(circle, hands, crows=(options or {}).get("crows", 0), **where)
    return GAME.restore(shown, len(hands), options)


def play(state: State, *moves: str) -> State:
    for move in moves:
        state = GAME.apply(state, GAME.parse(state, move))
    return state


def moves(state: State) -> list[str]:
    """The texts of the legal moves."""
    return [GAME.describe(state, action) for action in GAME.legal(state)]


def movable(state: State) -> set[str]:
    """The cards that can be played or returned."""
    return {move.split()[1] for move in moves(state)}


def circle(state: State) -> str:
    return " ".join(GAME.show(state)["circle"])


def hand(state: State, seat: int = 0) -> str:
    return " ".join(GAME.show(state)["hands"][seat])


def phase(state: State) -> str:
    return GAME.show(state)["phase"]


# --- worked examples, by their numbers ----------------------------------------------------------


def test_example_1_a_card_that_fits_takes_both_neighbours() -> None:
    after = play(at("R1 G3 B2 I4", ("V2 O1 O2", "Y1", "O3")), "play V2 at 1")
    assert circle(after) == "V2 B2 I4"
    assert hand(after) == "R1 O1 O2 G3"
    assert GAME.mover(after) == 1


def test_example_4_no_fruit_fits_between_equal_numbers() -> None:
    state = at("Y2 I2 R1 B3", ("O1 O2 O3", "G1 G2 G3"), bottom="V3")
    for card in ("O1", "O2", "O3"):
        after = play(state, f"play {card} at 1")
        assert circle(after) == f"Y2 {card} I2 R1 B3"
        assert "V3" in hand(after)


def test_example_6_a_crow_in_the_circle_is_taken_too() -> None:
    state = at("X0 R4 B2 I1", ("G4 O1 O2", "V1", "V2"), CROWS)
    after = play(state, "play G4 at 1")
    assert (circle(after), hand(after)) == ("G4 B2 I1", "R4 O1 O2 X0")


def test_example_7_a_circle_of_one_card_is_refilled_from_the_top() -> None:
    state = at("R1 G2", ("B1 O1 O2", "V1 V2 V3"), top="I1 I2 I3 Y1 Y2 Y3")
    after = play(state, "play B1 at 1")
    assert circle(after) == "B1 Y3 Y2 Y1 I3 I2 I1"
    assert len(GAME.show(state)["deck"]) - len(GAME.show(after)["deck"]) == 6
    assert (GAME.mover(after), hand(after)) == (1, "R1 O1 O2 G2")


FULL = ("B1 B2 B3 I1 I2 I3 V1", "Y1 Y2 Y3")


def test_example_9_before_return_refills_first() -> None:
    state = at("R1 G2", FULL, {"refill_timing": "before_return"})
    after = play(state, "play B1 at 1")
    assert (phase(after), len(circle(after).split())) == ("return", 7)
    assert len(moves(after)) == 5 * 7  # B2, B3 and the indigo cards, anywhere
    after = play(after, "return B2 at 7")
    assert circle(after).split()[-1] == "B2"
    assert (GAME.mover(after), len(circle(after).split())) == (1, 8)


def test_the_return_comes_first_and_leaves_nothing_to_refill() -> None:
    """Example 9 with the default."""
    after = play(at("R1 G2", FULL), "play B1 at 1")
    assert (phase(after), circle(after)) == ("return", "B1")
    assert moves(after) == [f"return {card} at 1" for card in ("B2", "B3", "I1", "I2", "I3")]
    after = play(after, "return I2 at 1")
    assert (GAME.mover(after), circle(after)) == (1, "B1 I2")


def test_example_10_seven_colours_win_with_eight_cards() -> None:
    after = play(at("V1 Y2", ("R1 R2 O1 Y1 G1 B1 I1", "G2 V2 V3")), "play R1 at 1")
    assert hand(after) == "R2 O1 Y1 Y2 G1 B1 I1 V1"
    assert (GAME.mover(after), phase(after), circle(after)) == (None, "over", "R1")
    assert (GAME.ranks(after), GAME.scores(after)) == ((0, 1), (7, 2))
    assert GAME.show(after)["turn"] == 1


def test_example_12_only_doubled_colours_return() -> None:
    state = at("Y1 Y3 Y2", ("R1 R2 O1 G1 G2 B1 I1 V1", "G3"), phase="return")
    assert moves(state) == [
        f"return {c} at {g}" for c in ("R1", "R2", "G1", "G2") for g in (1, 2, 3)
    ]
    assert circle(play(state, "return G2 at 2")) == "Y1 Y3 G2 Y2"
    assert circle(play(state, "return R1 at 3")) == "Y1 Y3 Y2 R1"


def test_example_13_the_last_card_drawn_ends_the_game() -> None:
    state = at("Y2 I2", ("R1 R2 O1", "G1 G2 G3"), bottom="V3", rest="circle")
    after = play(state, "play R1 at 1")
    assert (hand(after), GAME.show(after)["deck"]) == ("R2 O1 V3", [])
    assert (GAME.mover(after), phase(after), GAME.show(after)["turn"]) == (None, "over", 1)
    assert (GAME.ranks(after), GAME.capped(after)) == ((0, 1), False)


def test_example_15_the_colour_of_the_last_card_is_known() -> None:
    state = at("Y2 I2", ("R1 R2 O1", "G1 G2 G3"), bottom="V3", rest="circle")
    for seat in range(2):
        view = GAME.show_view(GAME.observe(state, seat), seat)
        assert view["deck"] == {"size": 1, "top": "V", "colours": {"V": 1}}


def test_example_16_a_crow_needs_equal_neighbours() -> None:
    state = at("R2 G3 B2 I4", ("X0 R1 O2", "V1", "V2"), CROWS)
    assert movable(state) == {"R1", "O2"}
    state = at("R2 G2 B3 I4", ("X0 R1 O2", "V1", "V2"), CROWS)
    assert [move for move in moves(state) if CROW in move] == ["play X0 at 1"]
    assert hand(play(state, "play X0 at 1")) == "R1 R2 O2 G2"


STUCK = ("X0 X0 X0", "V1", "V2")


def test_example_18_nothing_but_crows_and_no_gap_pass() -> None:
    state = at("R2 G3 B2 I4", STUCK, CROWS)
    assert (GAME.legal(state), moves(state)) == ((PASS,), ["pass"])
    before, after = GAME.show(state), GAME.show(play(state, "pass"))
    assert after == {**before, "seat": 1, "turn": 1}


def test_example_20_a_crow_is_no_colour() -> None:
    state = at("V2 O3 G3 G2", ("R1 O1 Y1 G1 B1 B2 X0", "V3"), CROWS, bottom="I1")
    after = play(state, "play B2 at 1")
    assert (hand(after), GAME.mover(after)) == ("R1 O1 Y1 G1 B1 I1 X0", 1)
    after = play(at("I2 V1 G2", ("R1 R2 O1 Y1 G1 B1 X0", "V3"), CROWS), "play R1 at 1")
    assert (hand(after), GAME.mover(after)) == ("R2 O1 Y1 G1 B1 I2 V1 X0", None)
    assert GAME.scores(after) == (7, 1)


# --- turns --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "ring"),
    [
        ("play O3 at 1", "R1 O3 R3 G1 G2"),
        ("play O3 at 4", "R1 R3 G1 G2 O3"),
        ("play O2 at 1", "O2 G1 G2"),
        ("play O2 at 2", "R1 O2 G2"),
        ("play O1 at 3", "R1 R3 O1"),
        ("play O1 at 4", "R3 G1 O1"),
    ],
)
def test_where_cards_go(move: str, ring: str) -> None:
    """A card between two others; a trade in the last gap opens the ring after its right one."""
    state = at("R1 R3 G1 G2", ("O1 O2 O3", "V1 V2 V3"), bottom="I3")
    after = play(state, move)
    assert circle(after) == ring
    taken = 4 - len(ring.split()) + 1
    assert len(hand(after).split()) == (4 if taken > 0 else 3)
    assert ("I3" in hand(after)) == (taken <= 0)


def test_a_draw_takes_the_bottom_card() -> None:
    state = at("Y2 I2 R1", ("O1 O2 O3", "V1 V2 V3"), bottom="G1 G2", top="B1")
    after = GAME.show(play(state, "play O1 at 1"))
    assert (after["deck"][0], after["deck"][-1], after["hands"][0]) == (
        "G2",
        "B1",
        ["O2", "O3", "G1"],
    )
    assert after["known"] == [[], []]


def test_every_fruit_goes_into_every_gap() -> None:
    state = at("R1 R3 G1 G2 B2", ("O1 O2 O3", "V1 V2 V3"))
    assert moves(state) == [f"play O{card} at {gap}" for card in (1, 2, 3) for gap in range(1, 6)]


def test_two_cards_have_one_gap() -> None:
    assert moves(at("R1 R3", ("O1 O3", "V1"))) == ["play O1 at 1", "play O3 at 1"]


def test_equal_crows_are_one_choice() -> None:
    state = at("R1 G1 B2 B3", ("O1 X0 X0", "V1", "V2"), CROWS)
    assert GAME.legal(state) == (0, 1, 2, 3, 32)


@pytest.mark.parametrize(
    ("ring", "crow", "three"),
    [
        ("X0 X0 X0 B2", [1], [1, 2, 3, 4]),  # a crow anywhere in the row
        ("X0 X0 B2 X0", [1], [1, 2, 3, 4]),  # which may go round
        ("X0 B2 X0 X0", [3], [1, 2, 3, 4]),
        ("X0 R3 X0", [3], [1, 3]),  # a three takes the only fruit on either side
        ("R3 X0 X0", [2], [1, 2]),
        ("X0 X0 X0", [1], [1]),
        ("X0 X0", [1], [1]),
    ],
)
def test_gaps_that_lead_to_the_same_circle_are_one(
    ring: str, crow: list[int], three: list[int]
) -> None:
    state = at(ring, ("X0 G3 O1", "V1"), CROWS)
    assert [move for move in moves(state) if CROW in move] == [f"play X0 at {g}" for g in crow]
    assert [move for move in moves(state) if "G3" in move] == [f"play G3 at {g}" for g in three]


def test_a_crow_goes_between_two_crows() -> None:
    state = at("R1 X0 X0 B3", ("O1 O2 X0", "V1", "V2"), CROWS)
    after = play(state, "play X0 at 2")
    assert (circle(after), hand(after)) == ("R1 X0 B3", "O1 O2 X0 X0")


@pytest.mark.parametrize("fruits", ["R1 O1 Y1 G1 B1 I1", "R1 R2 O1 Y1 G1 B1"])
def test_eight_cards_with_two_crows(fruits: str) -> None:
    """No crow is returned; without a doubled colour any fruit is."""
    state = at("V1 V2 V3", (f"{fruits} X0 X0", "I3"), CROWS, phase="return")
    back = {"R1", "R2"} if "R2" in fruits else set(fruits.split())
    assert movable(state) == back
    after = play(state, "return R1 at 1")
    assert (GAME.mover(after), GAME.show(after)["turn"], circle(after)) == (1, 1, "V1 R1 V2 V3")


def test_seats_take_turns() -> None:
    state = at("R1 R2 R3", ("O1 O2 O3", "G1 G2 G3", "B1 B2 B3"))
    state = play(state, "play O3 at 1", "play G3 at 1", "play B3 at 1")
    assert (GAME.mover(state), GAME.show(state)["turn"]) == (0, 3)


# --- the end ------------------------------------------------------------------------------------

LAST_DRAW = {"bottom": "V3", "rest": "circle"}


@pytest.mark.parametrize(
    ("hands", "tiebreak", "scores", "ranks"),
    [
        (("Y3 R1 O1 Y1", "G1 G2 G3", "B1 B2 I4"), "sum", (4, 1, 2), (0, 2, 1)),
        (("Y3 R1 O1", "G1 G2 B4", "B1 B2 I3"), "sum", (3, 2, 2), (0, 1, 2)),
        (("Y3 R1 O1", "G1 B4", "B1 B2 I1"), "sum", (3, 2, 2), (0, 1, 2)),
        (("Y3 R1 O1", "G1 B4", "B1 B2 I1"), "cards", (3, 2, 2), (0, 2, 1)),
        (("Y3 R1 O1", "G1 B4", "B1 I1 I3"), "sum", (3, 2, 2), (0, 1, 1)),
        (("Y3 R1 O1", "G2 B1 I1", "Y1 G1 B2"), "sum", (3, 3, 3), (0, 1, 1)),
        (("Y3 R1 O1", "G2 B2 I1", "G1 B1 I3"), "sum", (3, 3, 3), (0, 0, 0)),
        (("Y3 R1 R2", "G4 B4", "G1 B3"), "sum", (2, 2, 2), (1, 0, 2)),
        (("Y3 R1 R2", "G4 B4", "G1 B3"), "cards", (2, 2, 2), (0, 1, 1)),
    ],
)
def test_ranks_when_the_deck_is_empty(
    hands: tuple[str, ...], tiebreak: str, scores: tuple[int, ...], ranks: tuple[int, ...]
) -> None:
    """Seat 0 plays Y3 and draws V3; colours, then the sum or the number of cards."""
    after = play(at("O2 I2", hands, {"tiebreak": tiebreak}, **LAST_DRAW), "play Y3 at 1")
    assert (GAME.scores(after), GAME.ranks(after)) == (scores, ranks)
    assert GAME.mover(after) is None


@pytest.mark.parametrize(("tiebreak", "ranks"), [("sum", (0, 1)), ("cards", (0, 0))])
def test_crows_count_neither_as_cards_nor_in_the_sum(tiebreak: str, ranks: tuple[int, ...]) -> None:
    options = {**CROWS, "tiebreak": tiebreak}
    state = at("O2 I2", ("Y3 R1", "G1 B2 X0 X0"), options, **LAST_DRAW)
    after = play(state, "play Y3 at 1")
    assert (GAME.scores(after), GAME.ranks(after)) == ((2, 2), ranks)


def test_seven_colours_end_the_game_before_a_refill() -> None:
    for timing in ("after_return", "before_return"):
        state = at("V1 I2", (SIX, "R2 R3"), {"refill_timing": timing})
        after = play(state, "play R1 at 1")
        assert GAME.mover(after) == 1  # no red card any more
        state = at("V1 I2", (f"{SIX} R2", "R3"), {"refill_timing": timing})
        after = play(state, "play R1 at 1")
        assert (GAME.mover(after), circle(after), GAME.ranks(after)) == (None, "R1", (0, 1))


def test_seven_colours_by_a_draw_win_and_order_the_losers() -> None:
    hands = (f"{SIX} R2", "R3 O3", "R4 O4", "V1")
    after = play(at("B2 B3", hands, bottom="V5"), "play R2 at 1")
    assert GAME.scores(after) == (7, 2, 2, 1)
    assert GAME.ranks(after) == (0, 2, 1, 3)
    assert (phase(after), GAME.capped(after)) == ("over", False)


def test_a_refill_before_the_return_empties_the_deck() -> None:
    """The card is still returned; then the game ends."""
    shown = GAME.show(at("R1 G2", FULL))
    shown["deck"] = shown["deck"][:4]
    options = {"refill_timing": "before_return"}
    after = play(GAME.restore(shown, 2, options), "play B1 at 1")
    assert (phase(after), GAME.show(after)["deck"]) == ("return", [])
    after = play(after, "return B2 at 1")
    assert (phase(after), GAME.show(after)["turn"]) == ("over", 1)


# --- options ------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("crows", range(5))
def test_the_deal(players: int, crows: int) -> None:
    for deal in ("before", "after"):
        for seed in range(5):
            options = {"crows": crows, "crow_deal": deal}
            shown = GAME.show(GAME.initial(players, options, seed))
            assert cards_of(shown) == all_cards(players, crows)
            assert [len(h) for h in shown["hands"]] == [3] * players
            assert (len(shown["circle"]), len(shown["deck"])) == (7, 4 * players + crows)
            assert [shown[key] for key in ("phase", "seat", "turn")] == ["play", 0, 0]
            assert shown["known"] == [[c for c in h if c == CROW] for h in shown["hands"]]
            if deal == "after":
                assert shown["deck"].count(CROW) == crows


def test_crows_are_shuffled_in_before_the_deal() -> None:
    """So they lie everywhere alike often."""
    seen: Counter[str] = Counter()
    games = 400
    for seed in range(games):
        shown = GAME.show(GAME.initial(3, CROWS, seed))
        seen["hands"] += sum(h.count(CROW) for h in shown["hands"])
        seen["circle"] += shown["circle"].count(CROW)
        seen["bottom"] += shown["deck"][0] == CROW
        seen["top"] += shown["deck"][-1] == CROW
    for place, cards in (("hands", 9), ("circle", 7), ("bottom", 1), ("top", 1)):
        wanted = games * cards * 4 / 32
        assert seen[place] == pytest.approx(wanted, abs=4 * wanted**0.5)


def test_every_card_is_dealt_everywhere_alike_often() -> None:
    seen: dict[str, Counter[str]] = {"hand": Counter(), "circle": Counter(), "deck": Counter()}
    games = 600
    for seed in range(games):
        shown = GAME.show(GAME.initial(2, seed=seed))
        seen["hand"].update(shown["hands"][1])
        seen["circle"].update(shown["circle"])
        seen["deck"].update(shown["deck"])
    for place, cards in (("hand", 3), ("circle", 7), ("deck", 8)):
        for card in all_cards(2):
            wanted = games * cards / 21
            assert seen[place][card] == pytest.approx(wanted, abs=4.5 * wanted**0.5)


def test_trades_are_a_duty_unless_optional() -> None:
    where: dict[str, Any] = {
        "circle": "R1 R3 G3 X0 X0",
        "hands": ("O2 O1 X0", "V1"),
        "bottom": "I1",
    }
    assert "play O2 at 1 untraded" not in moves(at(options=CROWS, **where))
    state = at(options=CROWS | OPTIONAL, **where)
    untraded = [move for move in moves(state) if "untraded" in move]
    assert untraded == [f"play {c} untraded" for c in ("O1 at 5", "O2 at 1", "X0 at 2", "X0 at 4")]
    after = play(state, "play O2 at 1 untraded")
    assert (circle(after), hand(after)) == ("R1 O2 R3 G3 X0 X0", "O1 I1 X0")
    after = play(state, "play X0 at 2 untraded")
    assert (circle(after), hand(after)) == ("R1 R3 X0 G3 X0 X0", "O1 O2 I1")
    assert circle(play(state, "play O2 at 1")) == "O2 G3 X0 X0"


def test_deck_end_on_failed_draw() -> None:
    """An empty deck ends nothing; the draw that fails leaves the card and ends the game."""
    state = at("Y2 I2", ("R1 R2 O1", "G1 G2 G3"), LATE, **LAST_DRAW)
    state = play(state, "play R1 at 1")
    assert (GAME.mover(state), GAME.show(state)["deck"]) == (1, [])
    after = play(state, "play G3 at 1")
    assert circle(after).startswith("Y2 G3 R1 I2")
    assert (hand(after, 1), phase(after), GAME.show(after)["turn"]) == ("G1 G2", "over", 2)
    assert (GAME.scores(after), GAME.capped(after)) == ((3, 1), False)
    # A trade needs no draw.
    state = at("Y2 I3", ("R1 R2 O1", "G1 G2 G3"), LATE, rest="circle")
    after = play(state, "play R1 at 1")
    assert (GAME.mover(after), hand(after)) == (1, "R2 O1 Y2 I3")


def test_one_card_in_the_circle_and_none_in_the_deck() -> None:
    """Its only gap has it on both sides; a crow takes it, a fruit stays beside it."""
    options = CROWS | LATE | OPTIONAL
    shown = GAME.show(at("Y2 I2", ("X0 R1 R2 R3", "G1 G2 G3"), options))
    shown["circle"], shown["deck"] = ["I2"], []
    state = GAME.restore(shown, 2, options)
    assert moves(state) == [
        "play R1 at 1", "play R2 at 1", "play R3 at 1", "play X0 at 1", "play X0 at 1 untraded",
    ]  # fmt: skip
    after = play(state, "play X0 at 1")
    assert (circle(after), hand(after), GAME.mover(after)) == ("X0", "R1 R2 R3 I2", 1)
    assert GAME.show(after)["known"] == [["I2"], []]
    for move in ("play X0 at 1 untraded", "play R3 at 1"):
        after = play(state, move)
        assert (circle(after), phase(after)) == (f"I2 {move.split()[1]}", "over")


def test_a_short_refill_turns_up_what_is_there() -> None:
    """And ends the game, unless only a failed draw does."""
    shown = GAME.show(at("V1 V2", ("B1 B2 B3", "G1 G2 G3")))
    shown["deck"] = ["Y1", "Y2"]
    after = play(GAME.restore(shown, 2), "play B1 at 1")
    assert (phase(after), circle(after)) == ("over", "B1 Y2 Y1")
    after = play(GAME.restore(shown, 2, LATE), "play B1 at 1")
    assert (phase(after), circle(after)) == ("play", "B1 Y2 Y1")
    shown["deck"] = []
    after = play(GAME.restore(shown, 2, LATE), "play B1 at 1")
    assert (GAME.mover(after), circle(after)) == (1, "B1")


@pytest.mark.parametrize("deck_end", ["on_empty", "on_failed_draw"])
def test_crow_stuck_draw(deck_end: str) -> None:
    options = CROWS | {"crow_stuck": "draw", "deck_end": deck_end}
    state = at("R2 G3 B2 I4", STUCK, options, bottom="O1")
    assert GAME.legal(state) == (PASS,)
    after = play(state, "pass")
    assert (hand(after), circle(after)) == ("O1 X0 X0 X0", "R2 G3 B2 I4")
    assert (GAME.mover(after), GAME.show(after)["turn"]) == (1, 1)
    shown = GAME.show(state)
    shown["deck"] = ["O1"]
    after = play(GAME.restore(shown, 3, options), "pass")
    assert (GAME.mover(after) is None) == (deck_end == "on_empty")
    if deck_end == "on_failed_draw":
        shown["deck"] = []
        after = play(GAME.restore(shown, 3, options), "pass")
        assert (phase(after), GAME.show(after)["turn"]) == ("over", 1)


def test_crow_stuck_free_play() -> None:
    options = CROWS | {"crow_stuck": "free_play"}
    state = at("R2 G3 B2 I4", STUCK, options, bottom="O1")
    assert moves(state) == [f"play X0 at {gap}" for gap in range(1, 5)]
    assert GAME.legal(state) == (0, 1, 2, 3)
    after = play(state, "play X0 at 2")
    assert (circle(after), hand(after)) == ("R2 G3 X0 B2 I4", "O1 X0 X0")
    assert moves(at("R2 G2 B3 I4", STUCK, options)) == ["play X0 at 1"]
    assert movable(at("R2 G3 B2 I4", ("X0 X0 O1", "V1", "V2"), options)) == {"O1"}


def test_showdown_makes_every_card_known() -> None:
    options = {"showdown": True}
    shown = GAME.show(GAME.initial(3, options, 1))
    assert shown["known"] == shown["hands"]
    state = GAME.restore(shown, 3, options)
    rng = random.Random(1)
    while GAME.mover(state) is not None:
        state = GAME.apply(state, rng.choice(GAME.legal(state)))
        assert GAME.show(state)["known"] == GAME.show(state)["hands"]


def test_turn_cap() -> None:
    where: dict[str, Any] = {"circle": "R1 R2 R3 G1", "hands": ("O1 O2 O3", "B1 B2 B3")}
    after = play(at(**where, turn=199), "play O3 at 1")
    assert (phase(after), GAME.show(after)["turn"], GAME.mover(after)) == ("over", 200, None)
    assert GAME.capped(after) and GAME.legal(after) == ()
    assert GAME.mover(play(at(**where, turn=198), "play O3 at 1")) == 1
    assert GAME.capped(play(at(**where, options={"turn_cap": 1}), "play O3 at 1"))


def test_a_turn_that_ends_the_game_anyway_is_no_cap() -> None:
    won = play(at("V1 Y2", ("R1 R2 O1 Y1 G1 B1 I1", "G2"), turn=199), "play R1 at 1")
    empty = at("Y2 I2", ("R1 R2 O1", "G1 G2 G3"), turn=199, **LAST_DRAW)
    for after in (won, play(empty, "play R1 at 1")):
        assert (phase(after), GAME.show(after)["turn"], GAME.capped(after)) == ("over", 200, False)


def test_a_capped_turn_includes_its_return() -> None:
    after = play(at("R1 G2", FULL, turn=199), "play B1 at 1")
    assert (phase(after), GAME.show(after)["turn"]) == ("return", 199)
    assert GAME.capped(play(after, "return B2 at 1"))


# --- what is known ------------------------------------------------------------------------------


def test_cards_from_the_circle_are_known_until_they_leave() -> None:
    state = at("R1 G3 B2 I4", ("V2 O1 O2", "Y1 Y2 Y3", "O3"), bottom="V4")
    state = play(state, "play V2 at 1")
    assert GAME.show(state)["known"] == [["R1", "G3"], [], []]
    state = play(state, "play Y1 at 3", "play O3 at 1", "play R1 at 4")
    assert GAME.show(state)["known"][0] == ["G3"]


def test_a_crow_drawn_is_known_and_a_fruit_is_not() -> None:
    state = at("R1 G3 B2 I4", ("O1 O2 O3", "Y1 Y2 Y3", "V1"), CROWS, bottom="X0 V3")
    state = play(state, "play O1 at 1", "play Y3 at 1")
    assert GAME.show(state)["known"] == [["X0"], [], []]


# --- how it is written down ---------------------------------------------------------------------


def test_metadata() -> None:
    assert (GAME.name, list(GAME.players)) == ("aves", [2, 3, 4, 5])
    assert GAME.resolve(3) == DEFAULTS
    assert [o.name for o in GAME.options] == list(DEFAULTS)
    assert {o.name: tuple(o.values) for o in GAME.options if o.name != "turn_cap"} == {
        "crows": (0, 1, 2, 3, 4),
        "crow_deal": ("before", "after"),
        "showdown": (False, True),
        "trade_optional": (False, True),
        "refill_timing": ("after_return", "before_return"),
        "deck_end": ("on_empty", "on_failed_draw"),
        "tiebreak": ("sum", "cards"),
        "crow_stuck": ("pass", "draw", "free_play"),
        "show_deck_top": (True, False),
    }
    assert GAME.action_count == UNTRADED + 256


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"crows": 5}, "crows"),
        ({"crows": True}, "crows"),
        ({"showdown": 1}, "showdown"),
        ({"crow_stuck": "freeplay"}, "did you mean 'free_play'"),
        ({"tie_break": "sum"}, "did you mean 'tiebreak'"),
        ({"turn_cap": 0}, "turn_cap"),
    ],
)
def test_wrong_options_are_refused(options: Options, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        GAME.initial(3, options)


@pytest.mark.parametrize("players", [1, 6])
def test_wrong_numbers_of_players_are_refused(players: int) -> None:
    with pytest.raises(OptionError, match="2 to 5 players"):
        GAME.initial(players)


def test_numbers_of_moves() -> None:
    """PLAY = slot*32 + gap, RETURN = 256 + …, PASS = 512, untraded 513 + …; crows last."""
    state = at("V1 V2 V3 X0 X0", ("X0 R2 G1 R1", "I3"), CROWS | OPTIONAL)
    numbered = dict(zip(moves(state), GAME.legal(state), strict=True))
    assert numbered["play R1 at 1"] == 0
    assert numbered["play R2 at 5"] == 1 * 32 + 4
    assert numbered["play X0 at 4"] == 3 * 32 + 3
    assert numbered["play R1 at 1 untraded"] == UNTRADED
    assert numbered["play X0 at 4 untraded"] == UNTRADED + 3 * 32 + 3
    assert max(n for text, n in numbered.items() if "untraded" not in text) == 3 * 32 + 3
    state = at("V1 V2 V3", ("R1 R2 O1 G1 G2 B1 I1 I2", "I3"), phase="return")
    numbered = dict(zip(moves(state), GAME.legal(state), strict=True))
    assert numbered["return I2 at 3"] == RETURN + 7 * 32 + 2
    assert list(numbered.values()) == sorted(numbered.values())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("play O1 at 5", "did you mean 'play O1 at ."),
        ("play V1 at 1", "'play V1 at 1'"),
        ("play O1 at 1 untraded", "did you mean 'play O1 at 1'"),
        ("return O1 at 1", "'return O1 at 1'"),
        ("pass", "'pass'"),
        ("", "''"),
    ],
)
def test_wrong_moves_are_refused_with_the_nearest_right_one(text: str, told: str) -> None:
    with pytest.raises(IllegalActionError, match=told):
        GAME.parse(at("R1 G2 B3 I1", ("O1 O2", "V1")), text)


@pytest.mark.parametrize("action", [-1, 4, 64, 256, PASS, UNTRADED, UNTRADED + 256])
def test_wrong_numbers_of_moves_are_refused(action: int) -> None:
    with pytest.raises(IllegalActionError, match=f"action {action} "):
        GAME.apply(at("R1 G2 B3 I1", ("O1 O2", "V1")), action)


def test_after_the_end_there_are_no_moves() -> None:
    over = play(at("V1 Y2", ("R1 R2 O1 Y1 G1 B1 I1", "G2")), "play R1 at 1")
    with pytest.raises(IllegalActionError, match="over"):
        GAME.apply(over, 0)


def test_a_state_as_json() -> None:
    """The sheet's keys in the sheet's order; hands by colour and number, crows last."""
    state = at("R1 G3 B2 I3", ("X0 O2 R2", "V1"), CROWS, known=("O2", ""), bottom="B1", top="Y1")
    text = json.dumps(GAME.show(state))
    assert text.startswith(
        '{"phase": "play", "seat": 0, "turn": 0, "circle": ["R1", "G3", "B2", "I3"], '
        '"hands": [["R2", "O2", "X0"], ["V1"]], "known": [["O2", "X0"], []], "deck": ["B1", '
    )
    assert text.endswith(', "Y1"]}')


def test_a_view_as_json() -> None:
    state = at(
        "R1 G3 B2 I3", ("X0 O2 O1 O3 R2", "V1 V2"), CROWS, known=("O2", "V2"), top="B1",
        rest="circle", bottom="Y1 X0",
    )  # fmt: skip
    ring = json.dumps(GAME.show(state)["circle"])
    assert json.dumps(GAME.show_view(GAME.observe(state, 1), 1)) == (
        f'{{"phase": "play", "seat": 0, "turn": 0, "circle": {ring}, '
        '"hands": [["R?", "O2", "O?", "O?", "X0"], ["V1", "V2"]], '
        '"known": [["O2", "X0"], ["V2"]], '
        '"deck": {"size": 3, "top": "B", "colours": {"Y": 1, "B": 1, "X": 1}}}'
    )


def test_the_game_follows_from_the_seed() -> None:
    first = GAME.show(GAME.initial(3, seed=5))
    assert first == GAME.show(GAME.initial(3, seed=5)) != GAME.show(GAME.initial(3, seed=6))


# --- against the reference ----------------------------------------------------------------------


def compare(state: State, reference: Reference) -> None:
    """All that can be asked about a position."""
    assert GAME.show(state) == reference.shown()
    assert GAME.mover(state) == reference.seat
    legal = reference.legal()
    assert {a: GAME.describe(state, a) for a in GAME.legal(state)} == legal
    assert list(GAME.legal(state)) == list(legal)
    assert GAME.scores(state) == reference.scores()
    assert GAME.ranks(state) == reference.ranks()
    assert GAME.capped(state) is reference.capped


def play_both(state: State, options: Options, rng: random.Random, choose: Any, most: int) -> None:
    reference = Reference(GAME.show(state), options)
    compare(state, reference)
    while reference.legal() and most:
        move = choose(rng, reference)
        state = GAME.apply(state, GAME.parse(state, move))
        reference.apply(move)
        compare(state, reference)
        most -= 1


@pytest.mark.parametrize(("options", "players"), GAMES)
def test_whole_games_agree_with_the_reference(options: Options, players: int) -> None:
    for choose in CHOICES:
        for seed in range(2):
            rng = random.Random(f"{choose.__name__} {players} {seed}")
            state = GAME.initial(players, options, rng.randrange(2**53))
            play_both(state, options, rng, choose, most=60)


@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_tight_positions_agree_with_the_reference(options: Options) -> None:
    """Few cards in circle or deck, full hands, many crows."""
    for number in range(24):
        rng = random.Random(number)
        players = 2 + number % 4
        shown = tight(rng, players, options)
        state = GAME.restore(shown, players, options, number)
        assert GAME.show(state) == shown
        play_both(state, options, rng, CHOICES[number % 2], most=30)


@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("options", [v for v in VARIANTS if v.get("crows", 0) > 1], ids=str)
def test_every_position_is_reached_by_one_move(options: Options, players: int) -> None:
    """Wherever two crows or more lie in the circle; in most games, many crows in a small one."""
    for number in range(4):
        rng = random.Random(number)
        state = GAME.initial(players, options, number)
        if number % 3:
            state = GAME.restore(tight(rng, players, options), players, options, number)
        while legal := GAME.legal(state):
            shown = GAME.show(state)
            if shown["circle"].count(CROW) > 1:
                afters = [GAME.show(GAME.apply(state, action)) for action in legal]
                reached = {Reference(after).key() for after in afters}
                assert len(reached) == len(legal)
                reference = Reference(shown, options)
                candidates = reference.candidates().values()
                assert {reference.after(move).key() for move in candidates} == reached
            state = GAME.apply(state, rng.choice(legal))


def test_tight_positions_reach_everything() -> None:
    """What the comparison is worth: passes, full and single circles, returns, all endings."""
    met: Counter[str] = Counter()
    for number in range(200):
        rng, options = random.Random(number), VARIANTS[number % len(VARIANTS)]
        reference = Reference(tight(rng, 2 + number % 4, options), options)
        while legal := reference.legal():
            met["one card"] += len(reference.circle) == 1
            met["pass"] += PASS in legal
            met["untraded"] += any("untraded" in move for move in legal.values())
            met[reference.phase] += 1
            reference.apply(CHOICES[number % 2](rng, reference))
        met["capped"] += reference.capped
        met["seven colours"] += max(reference.scores()) == 7
        met["deck empty"] += not reference.deck
        met["hands"] += max(map(colours, reference.hands)) < 7
    assert min(met.values()) > 0, met
