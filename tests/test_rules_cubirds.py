"""The rules of CuBirds, line by line of the rule sheet, and move by move against the reference."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from arena.core import State
from arena.errors import IllegalActionError, OptionError
from arena.games.cubirds import CuBirds
from tests.reference_cubirds import (
    BIG,
    CARDS,
    CHOICES,
    DEFAULTS,
    GAMES,
    LETTERS,
    SMALL,
    SPECIES,
    VARIANT_NAMES,
    VARIANTS,
    Reference,
    action_id,
    all_cards,
    birds,
    counts,
    position,
    tight,
)

GAME = CuBirds()
LETTER = {species: letter for letter, species in LETTERS.items()}


def at(options: dict[str, Any] | None = None, seed: int = 0, **where: Any) -> State:
    """The position that `position(**where)` describes."""
    shown = position(**where)
    return GAME.restore(shown, len(shown["hands"]), options, seed)


def play(state: State, *moves: str) -> State:
    for move in moves:
        state = GAME.apply(state, GAME.parse(state, move))
    return state


def moves(state: State) -> list[str]:
    """The texts of the legal moves."""
    return [GAME.describe(state, action) for action in GAME.legal(state)]


def row(state: State, number: int) -> str:
    """A row in letters, left to right."""
    return "".join(LETTER[s] for s in GAME.show(state)["rows"][number - 1])


def hand(state: State, seat: int) -> dict[str, int]:
    return GAME.show(state)["hands"][seat]


def end_round(**where: Any) -> dict[str, Any]:
    """A position whose mover ends the round by `stay`: in FLY with an empty hand."""
    return {"phase": "fly", "hands": ("", "WWWDD"), **where}


# --- worked examples, by their numbers ----------------------------------------------------------


def test_example_1_cards_between_are_taken_and_a_row_of_one_species_is_refilled() -> None:
    state = at(rows=("OFP", "TDM", "WRO", "FTD"), hands=("PPM", "WWW"), pile="PRT")
    after = play(state, "lay parrot 1 left")
    shown = GAME.show(after)
    assert row(after, 1) == "PPPPR"
    assert shown["hands"][0] == {"flamingo": 1, "owl": 1, "magpie": 1}
    assert shown["pile"][0] == "toucan"
    assert (shown["phase"], shown["took"], shown["seat"]) == ("fly", True, 0)


def test_example_3_an_absent_species_is_added_and_a_draw_offered() -> None:
    after = play(at(rows=("OFD", "TDM", "WRO", "FTD"), hands=("PM", "W")), "lay parrot 1 right")
    assert row(after, 1) == "OFDP"
    assert moves(after) == ["draw", "decline"]
    assert GAME.show(after)["took"] is False


def test_example_4_a_row_that_keeps_two_species_is_not_refilled() -> None:
    state = at(rows=("ODFM", "TPM", "WRO", "FTD"), hands=("DW", "W"))
    after = play(state, "lay duck 1 right")
    assert row(after, 1) == "ODD"
    assert hand(after, 0) == {"flamingo": 1, "magpie": 1, "reed-warbler": 1}
    assert GAME.show(after)["pile"] == GAME.show(state)["pile"]


def test_example_6_all_cards_of_the_species_are_laid() -> None:
    after = play(at(hands=("WWWM", "T")), "lay reed-warbler 1 left")
    assert row(after, 1) == "WWWOFP"
    assert hand(after, 0) == {"magpie": 1}


def test_example_8_an_empty_hand_ends_the_round() -> None:
    state = at(rows=("OFP", "TDM", "WFO", "FTD"), hands=("RR", "WWW", "TD"))
    before = GAME.show(state)["pile"]
    after = play(state, "lay robin 3 left", "decline")
    assert moves(after) == ["stay"]
    after = play(after, "stay")
    shown = GAME.show(after)
    assert [sum(h.values()) for h in shown["hands"]] == [8, 8, 8]
    assert shown["discard"] == {"toucan": 1, "duck": 1, "reed-warbler": 3}
    assert shown["pile"] == before[24:]
    assert (shown["seat"], shown["phase"], shown["turn"]) == (0, "lay", 1)


def test_example_10_flying_the_last_cards_ends_the_round() -> None:
    state = at(rows=("FFP", "TDM", "WRO", "TDM"), hands=("P", "WWW"), pile="R")
    after = play(state, "lay parrot 1 left", "fly flamingo")
    shown = GAME.show(after)
    assert shown["collections"][0] == {"flamingo": 1}
    assert shown["discard"] == {"flamingo": 1, "reed-warbler": 3}
    assert [sum(h.values()) for h in shown["hands"]] == [8, 8]
    assert shown["seat"] == 0


def test_example_10_a_winning_flight_of_the_last_cards_deals_nothing() -> None:
    state = at(
        rows=("FFP", "TDM", "WRO", "TDM"),
        hands=("P", "WWW"),
        pile="R",
        collections=("OTDPMW", "R"),
    )
    after = play(state, "lay parrot 1 left", "fly flamingo")
    shown = GAME.show(after)
    assert (shown["phase"], shown["seat"]) == ("over", None)
    assert shown["hands"] == [{}, {"reed-warbler": 3}]
    assert shown["discard"] == {"flamingo": 1}
    assert GAME.ranks(after) == (0, 1)


def test_example_11_a_big_flock_gives_two_however_big() -> None:
    after = play(at(phase="fly", hands=("R" * 11 + "M", "W")), "fly robin")
    assert GAME.show(after)["collections"][0] == {"robin": 2}
    assert GAME.show(after)["discard"] == {"robin": 9}


def test_example_13_one_flock_a_turn() -> None:
    state = at(rows=("FFFOOOD", "TDM", "WRO", "TDM"), hands=("DM", "WW"), pile="R")
    after = play(state, "lay duck 1 left")
    assert hand(after, 0) == {"flamingo": 3, "owl": 3, "magpie": 1}
    assert moves(after) == ["fly flamingo", "fly owl", "stay"]
    after = play(after, "fly owl")
    assert (GAME.mover(after), GAME.show(after)["phase"]) == (1, "lay")
    assert hand(after, 0) == {"flamingo": 3, "magpie": 1}


def test_example_14_two_species_with_three_birds_win() -> None:
    state = at(phase="fly", hands=("OOOOM", "W"), collections=("FFFOO", ""))
    after = play(state, "fly owl")
    assert GAME.show(after)["collections"][0] == {"flamingo": 3, "owl": 4}
    assert GAME.mover(after) is None
    assert GAME.ranks(after) == (0, 1)


def test_example_16_a_draw_reshuffles_between_its_cards() -> None:
    state = at(phase="draw", hands=("R", "R"), pile="M", discard="WWDTO", rest="row")
    after = play(state, "draw")
    shown = GAME.show(after)
    gained = Counter(shown["hands"][0]) - Counter(["robin"])
    assert gained["magpie"] == 1 and gained.total() == 2
    second = gained - Counter(["magpie"])
    assert Counter(shown["pile"]) == Counter(birds("WWDTO")) - second
    assert len(shown["pile"]) == 4
    assert shown["discard"] == {}


def test_example_18_a_row_without_refill_stays_until_somebody_lays_there() -> None:
    state = at(rows=("OP", "TDM", "WRO", "TDM"), hands=("OPPPPM", "DDW"), rest="row")
    after = play(state, "lay owl 1 right")
    assert row(after, 1) == "OO"
    assert GAME.show(after)["phase"] == "fly"
    after = play(after, "fly parrot")
    assert row(after, 1) == "OO"
    assert GAME.show(after)["discard"] == {"parrot": 4}
    after = play(after, "lay duck 1 right")
    assert row(after, 1) == "OODD"
    assert moves(after) == ["draw", "decline"]


@pytest.mark.parametrize(
    ("collections", "ranks"),
    [(("RR", "D"), (0, 1)), (("RR", "DDD"), (1, 0)), (("RR", "DD"), (0, 0))],
)
def test_example_19_too_few_cards_for_a_deal_end_the_game(
    collections: tuple[str, str], ranks: tuple[int, int]
) -> None:
    state = at(**end_round(pile="MTO", discard="MMMMMMM", rest="row", collections=collections))
    after = play(state, "stay")
    shown = GAME.show(after)
    assert (shown["phase"], shown["seat"], shown["turn"]) == ("over", None, 1)
    assert shown["pile"] == birds("MTO")
    assert shown["discard"] == {"duck": 2, "magpie": 7, "reed-warbler": 3}
    assert shown["hands"] == [{}, {}]
    assert GAME.ranks(after) == ranks
    assert GAME.scores(after) == tuple(map(len, collections))
    assert not GAME.capped(after)


def test_example_19_just_enough_cards_are_dealt() -> None:
    state = at(**end_round(pile="MTO", discard="MMMMMMMM", rest="row"))
    shown = GAME.show(play(state, "stay"))
    assert [sum(h.values()) for h in shown["hands"]] == [8, 8]
    assert (shown["pile"], shown["discard"], shown["phase"]) == ([], {}, "lay")


def test_example_21_the_refill_comes_before_the_flight() -> None:
    """With pile and discard empty the flock's own discards come too late; otherwise the card
    turned up is there when the flight is chosen."""
    rows = ("OFF", "TDM", "WRP", "TDM")
    state = play(at(rows=rows, hands=("OM", "WW"), rest="row"), "lay owl 1 right", "fly flamingo")
    assert row(state, 1) == "OO"
    state = play(at(rows=rows, hands=("OM", "WW"), pile="R"), "lay owl 1 right")
    assert row(state, 1) == "OOR"
    assert moves(state) == ["fly flamingo", "stay"]


def test_example_23_who_ends_the_round_moves_twice_in_a_row() -> None:
    state = at(seat=1, phase="fly", hands=("WW", "", "DD"))
    state = play(state, "stay")
    assert GAME.mover(state) == 1
    state = GAME.apply(state, GAME.legal(state)[0])
    if GAME.show(state)["phase"] == "draw":
        state = play(state, "decline")
    assert GAME.mover(play(state, "stay")) == 2


# --- the turn -----------------------------------------------------------------------------------


@pytest.mark.parametrize("where", range(1, 5))
@pytest.mark.parametrize(
    ("cards", "side", "laid", "left_over", "taken"),
    [
        ("OFP", "left", "MMOFP", None, ""),
        ("OFP", "right", "OFPMM", None, ""),
        ("MFP", "left", "MMMFP", None, ""),
        ("MFP", "right", "MMM", "R", "FP"),
        ("FPM", "left", "MMM", "R", "FP"),
        ("FPM", "right", "FPMMM", None, ""),
        ("FMP", "left", "MMMP", None, "F"),
        ("FMP", "right", "FMMM", None, "P"),
        ("FFMMOOP", "left", "MMMMOOP", None, "FF"),
        ("FFMMOOP", "right", "FFMMMM", None, "OOP"),
        ("M", "left", "MMM", None, ""),
        ("M", "right", "MMM", None, ""),
    ],
)
def test_laying_takes_what_is_between_the_cards_and_the_nearest_of_their_kind(
    where: int, cards: str, side: str, laid: str, left_over: str | None, taken: str
) -> None:
    """On every row, at both ends; nothing taken asks for a draw, a row of one species is refilled
    only after a take."""
    rows = ["TD", "WD", "TW", "DW"]
    rows[where - 1] = cards
    state = at(rows=rows, hands=("MMT", "W"), pile="R")
    after = play(state, f"lay magpie {where} {side}")
    shown = GAME.show(after)
    assert row(after, where) == laid + (left_over or "")
    assert shown["hands"][0] == counts(birds("T" + taken))
    assert shown["took"] is bool(taken)
    assert shown["phase"] == ("fly" if taken else "draw")
    others = [n for n in range(1, 5) if n != where]
    assert [row(after, n) for n in others] == [rows[n - 1] for n in others]


def test_a_species_laid_may_not_be_split_and_needs_a_card_in_hand() -> None:
    state = at(hands=("MMR", "W"))
    assert moves(state) == [
        f"lay {species} {row} {side}"
        for species in ("magpie", "robin")
        for row in (1, 2, 3, 4)
        for side in ("left", "right")
    ]


def test_a_refill_turns_up_cards_until_there_are_two_species() -> None:
    state = at(rows=("OF", "TDM", "WRP", "TDM"), hands=("OM", "WW"), pile="OOOWT")
    after = play(state, "lay owl 1 right")
    assert row(after, 1) == "OOOOOW"
    assert GAME.show(after)["pile"][0] == "toucan"


def test_a_refill_may_turn_up_what_was_taken() -> None:
    state = at(rows=("OF", "TDM", "WRP", "TDM"), hands=("OM", "WW"), pile="F")
    after = play(state, "lay owl 1 left", "decline")
    assert row(after, 1) == "OOF"
    state = at(rows=("OF", "TDM", "WRP", "TDM"), hands=("OM", "WW"), pile="F")
    assert row(play(state, "lay owl 1 right"), 1) == "OOF"


def test_refill_cards_go_to_the_right_end_whichever_side_was_laid() -> None:
    for cards, side in (("OF", "right"), ("FO", "left")):
        state = at(rows=(cards, "TDM", "WRP", "TDM"), hands=("OM", "WW"), pile="OR")
        assert row(play(state, f"lay owl 1 {side}"), 1) == "OOOR"


def test_a_draw_takes_the_two_next_cards_of_the_pile() -> None:
    state = at(phase="draw", hands=("M", "W"), pile="RDT")
    after = play(state, "draw")
    assert hand(after, 0) == {"duck": 1, "magpie": 1, "robin": 1}
    assert GAME.show(after)["pile"] == GAME.show(state)["pile"][2:]
    assert GAME.show(after)["phase"] == "fly"
    assert GAME.show(after)["seat"] == 0


def test_declining_a_draw_changes_nothing_but_the_phase() -> None:
    state = at(phase="draw", hands=("M", "W"))
    expected = {**GAME.show(state), "phase": "fly"}
    assert GAME.show(play(state, "decline")) == expected


@pytest.mark.parametrize("species", SPECIES)
def test_flock_sizes(species: str) -> None:
    """No flight below `small`, one bird from there on, two from `big` on; the rest is discarded."""
    rows = [[s for s in SPECIES if s != species][i : i + 3] for i in range(4)]
    for held in range(1, BIG[species] + 3):
        if held > CARDS[species]:
            break
        letters = LETTER[species] * held + LETTER[next(s for s in SPECIES if s != species)]
        rows_in_letters = ["".join(LETTER[s] for s in r) for r in rows]
        state = at(phase="fly", rows=rows_in_letters, hands=(letters, "" + LETTER["magpie"]))
        if held < SMALL[species]:
            assert f"fly {species}" not in moves(state)
            continue
        shown = GAME.show(play(state, f"fly {species}"))
        kept = 2 if held >= BIG[species] else 1
        assert shown["collections"][0] == {species: kept}
        assert shown["discard"] == counts({species: held - kept})
        assert species not in shown["hands"][0]


def test_staying_is_always_possible_and_passes_the_turn_clockwise() -> None:
    state = at(phase="fly", hands=("FFF", "W", "D"), seat=0)
    assert moves(state) == ["fly flamingo", "stay"]
    assert GAME.mover(play(state, "stay")) == 1
    state = at(phase="fly", hands=("F", "W", "D"), seat=2)
    assert moves(state) == ["stay"]
    assert GAME.mover(play(state, "stay")) == 0


def test_draw_and_fly_are_asked_even_with_one_answer() -> None:
    state = at(hands=("MR", "W"), rest="row", rows=("OFP", "TD", "WO", "FTD"))
    state = play(state, "lay robin 1 left")
    assert moves(state) == ["decline"]
    state = play(state, "decline")
    assert moves(state) == ["stay"]


def test_turn_counters() -> None:
    """`turn` counts finished turns, `turns_since_flight` starts over after a flight."""
    state = at(hands=("MRFF", "WT"), turn=4, turns_since_flight=7)
    for move in ("lay magpie 1 left", "decline"):
        state = play(state, move)
        assert (GAME.show(state)["turn"], GAME.show(state)["turns_since_flight"]) == (4, 7)
    stayed, flew = GAME.show(play(state, "stay")), GAME.show(play(state, "fly flamingo"))
    assert (stayed["turn"], stayed["turns_since_flight"]) == (5, 8)
    assert (flew["turn"], flew["turns_since_flight"]) == (5, 0)


def test_took_is_false_again_in_the_next_turn() -> None:
    state = at(rows=("OFP", "TDM", "WRO", "FTD"), hands=("PPM", "WWW"), pile="PRT")
    state = play(state, "lay parrot 1 left")
    assert GAME.show(state)["took"] is True
    assert GAME.show(play(state, "stay"))["took"] is False


def test_rows_and_collections_persist_across_rounds() -> None:
    state = at(**end_round(collections=("R", "DD")))
    before, after = GAME.show(state), GAME.show(play(state, "stay"))
    assert after["rows"] == before["rows"]
    assert after["collections"] == before["collections"]


# --- the ambiguities ----------------------------------------------------------------------------


@pytest.mark.parametrize("length", [3, 4])
def test_c1_rows_have_that_many_distinct_species(length: int) -> None:
    for seed in range(60):
        shown = GAME.show(GAME.initial(2 + seed % 4, {"row_length": length}, seed))
        assert [len(r) for r in shown["rows"]] == [length] * 4
        assert [len(set(r)) for r in shown["rows"]] == [length] * 4


@pytest.mark.parametrize("requires_take", [False, True])
def test_c2_flying_after_a_draw_or_without(requires_take: bool) -> None:
    options = {"fly_requires_take": requires_take}
    expected = ["stay"] if requires_take else ["fly flamingo", "stay"]
    laid = play(at(options, hands=("MFF", "W"), pile="RR"), "lay magpie 1 left")
    assert moves(play(laid, "draw")) == expected
    assert moves(play(laid, "decline")) == expected


def test_c2_with_a_take_flying_is_possible_either_way() -> None:
    for requires_take in (False, True):
        state = at(
            {"fly_requires_take": requires_take},
            rows=("OFP", "TDM", "WRO", "FTD"),
            hands=("PF", "W"),
            pile="R",
        )
        assert moves(play(state, "lay parrot 1 left")) == ["fly flamingo", "stay"]


def test_c3_laying_next_to_the_same_species_takes_nothing() -> None:
    state = play(at(rows=("OFP", "TD", "WO", "FTD"), hands=("OM", "W")), "lay owl 1 left")
    assert moves(state) == ["draw", "decline"]


def test_c4_declining_does_not_end_the_turn() -> None:
    state = play(at(hands=("MFF", "W")), "lay magpie 1 left", "decline")
    assert GAME.mover(state) == 0
    assert moves(state) == ["fly flamingo", "stay"]


def test_c5_drawing_saves_an_emptied_hand_from_the_end_of_the_round() -> None:
    state = play(at(hands=("M", "WW"), pile="DR"), "lay magpie 1 left", "draw", "stay")
    assert GAME.show(state)["hands"] == [{"duck": 1, "robin": 1}, {"reed-warbler": 2}]
    assert GAME.mover(state) == 1


def test_c6_winning_comes_before_the_end_of_the_round() -> None:
    """Also where the deal would be impossible."""
    state = at(phase="fly", hands=("FF", "WW"), collections=("OTDPMW", "RRRRRRRRRRR"), rest="row")
    after = play(state, "fly flamingo")
    assert GAME.ranks(after) == (0, 1)
    assert GAME.show(after)["hands"][1] == {"reed-warbler": 2}


def test_c7_a_big_flock_cannot_fly_as_a_small_one() -> None:
    state = at(phase="fly", hands=("FFFM", "W"))
    assert moves(state) == ["fly flamingo", "stay"]
    assert GAME.show(play(state, "fly flamingo"))["collections"][0] == {"flamingo": 2}


@pytest.mark.parametrize("split", ["pile", "discard", "both"])
@pytest.mark.parametrize(
    ("short_draw", "had", "drawn", "over"),
    [
        ("partial", 0, None, False),
        ("partial", 1, 1, False),
        ("partial", 2, 2, False),
        ("forbid", 0, None, False),
        ("forbid", 1, None, False),
        ("forbid", 2, 2, False),
        ("end_game", 0, 0, True),
        ("end_game", 1, 1, True),
        ("end_game", 2, 2, False),
    ],
)
def test_c8_draws_with_too_few_cards(
    split: str, short_draw: str, had: int, drawn: int | None, over: bool
) -> None:
    cards = "MM"[:had]
    at_pile = {"pile": had, "discard": 0, "both": had // 2}[split]
    state = at(
        {"short_draw": short_draw},
        phase="draw",
        hands=("RFF", "WW", "T"),
        collections=("DD", "DD", "D"),
        turn=6,
        turns_since_flight=2,
        pile=cards[:at_pile],
        discard=cards[at_pile:],
        rest="row",
    )
    if drawn is None:
        assert moves(state) == ["decline"]
        return
    assert moves(state) == ["draw", "decline"]
    after = play(state, "draw")
    shown = GAME.show(after)
    assert shown["hands"][0] == counts(birds("RFF" + "M" * drawn))
    assert (shown["pile"], shown["discard"]) == ([], {})
    assert (shown["turn"], shown["turns_since_flight"]) == (6, 2)
    if over:
        assert (shown["phase"], shown["seat"]) == ("over", None)
        assert GAME.ranks(after) == (0, 0, 2)
        assert not GAME.capped(after)
    else:
        assert moves(after) == ["fly flamingo", "stay"]


def test_c8_declining_goes_on_where_a_draw_would_end_the_game() -> None:
    state = at({"short_draw": "end_game"}, phase="draw", hands=("RFF", "WW"), rest="row")
    assert moves(play(state, "decline")) == ["fly flamingo", "stay"]


@pytest.mark.parametrize("refill_fail", ["leave", "end_game"])
@pytest.mark.parametrize(("pile", "discard"), [("", ""), ("O", ""), ("", "OO"), ("O", "O")])
def test_c9_a_refill_that_fails(refill_fail: str, pile: str, discard: str) -> None:
    """Cards of the row's own species are turned up all the same."""
    state = at(
        {"refill_fail": refill_fail},
        rows=("OP", "TDM", "WRO", "TDM"),
        hands=("OFF", "WW", "T"),
        collections=("D", "DD", "DD"),
        pile=pile,
        discard=discard,
        rest="row",
        turn=6,
        turns_since_flight=2,
    )
    after = play(state, "lay owl 1 right")
    shown = GAME.show(after)
    assert row(after, 1) == "OO" + pile + discard
    assert shown["hands"][0] == {"flamingo": 2, "parrot": 1}
    assert (shown["pile"], shown["discard"], shown["took"]) == ([], {}, True)
    assert (shown["turn"], shown["turns_since_flight"]) == (6, 2)
    if refill_fail == "leave":
        assert moves(after) == ["fly flamingo", "stay"]
    else:
        assert (shown["phase"], shown["seat"]) == ("over", None)
        assert GAME.ranks(after) == (2, 0, 0)
        assert not GAME.capped(after)


def test_c9_a_refill_that_succeeds_with_the_last_card_does_not_end_the_game() -> None:
    state = at(
        {"refill_fail": "end_game"},
        rows=("OP", "TDM", "WRO", "TDM"),
        hands=("OFF", "WW"),
        discard="R",
        rest="row",
    )
    state = play(state, "lay owl 1 right")
    assert row(state, 1) == "OOR"
    assert GAME.mover(state) == 0


@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("missing", [0, 1])
def test_c10_a_deal_needs_eight_cards_for_each(players: int, missing: int) -> None:
    """The cards thrown in count, those of rows and collections do not."""
    thrown = 3 * (players - 1)
    state = at(
        phase="fly",
        rows=("OFP", "DT", "PO", "FTD"),
        hands=("", "DDD", "TTT", "OOO", "PPP")[:players],
        pile="MMMM",
        discard=("W" * 14 + "R" * 20)[: 8 * players - thrown - 4 - missing],
        rest="row",
    )
    after = play(state, "stay")
    assert (GAME.mover(after) is None) is bool(missing)
    sizes = [0 if missing else 8] * players
    assert [sum(h.values()) for h in GAME.show(after)["hands"]] == sizes


@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("length", [3, 4])
def test_c11_setup_duplicates(players: int, length: int) -> None:
    """They go back into the pile, or form the first discard."""
    sizes = []
    for seed in range(40):
        options = {"setup_duplicates": "pile", "row_length": length}
        shown = GAME.show(GAME.initial(players, options, seed))
        assert shown["discard"] == {}
        assert len(shown["pile"]) == 110 - 4 * length - 9 * players
        shown = GAME.show(GAME.initial(players, {**options, "setup_duplicates": "discard"}, seed))
        sizes.append(sum(shown["discard"].values()))
        assert len(shown["pile"]) + sizes[-1] == 110 - 4 * length - 9 * players
        assert all_cards(shown) == Counter(CARDS)
    assert min(sizes) < max(sizes)


@pytest.mark.parametrize("reshuffle", ["lazy", "eager"])
def test_c12_a_draw_that_empties_the_pile(reshuffle: str) -> None:
    state = at(
        {"reshuffle": reshuffle}, phase="draw", hands=("R", "W"), pile="MT", discard="DDO",
        rest="row",
    )  # fmt: skip
    shown = GAME.show(play(state, "draw"))
    assert shown["hands"][0] == {"toucan": 1, "magpie": 1, "robin": 1}
    if reshuffle == "lazy":
        assert (shown["pile"], shown["discard"]) == ([], {"owl": 1, "duck": 2})
    else:
        assert (Counter(shown["pile"]), shown["discard"]) == (Counter(birds("DDO")), {})


@pytest.mark.parametrize("reshuffle", ["lazy", "eager"])
def test_c12_a_refill_that_empties_the_pile(reshuffle: str) -> None:
    state = at(
        {"reshuffle": reshuffle}, rows=("OP", "TDM", "WRO", "TDM"), hands=("OM", "WW"),
        pile="OR", discard="DDF", rest="row",
    )  # fmt: skip
    after = play(state, "lay owl 1 right")
    shown = GAME.show(after)
    assert row(after, 1) == "OOOR"
    assert Counter(shown["pile"]) == Counter(birds("DDF" if reshuffle == "eager" else ""))
    assert shown["discard"] == ({} if reshuffle == "eager" else {"flamingo": 1, "duck": 2})


@pytest.mark.parametrize("reshuffle", ["lazy", "eager"])
def test_c12_a_flight_while_the_pile_is_empty(reshuffle: str) -> None:
    state = at({"reshuffle": reshuffle}, phase="fly", hands=("TTTTR", "W"), rest="row")
    shown = GAME.show(play(state, "fly toucan"))
    assert shown["pile"] == birds("TT" if reshuffle == "eager" else "")
    assert shown["discard"] == ({} if reshuffle == "eager" else {"toucan": 2})


@pytest.mark.parametrize("reshuffle", ["lazy", "eager"])
def test_c12_a_deal_that_empties_the_pile(reshuffle: str) -> None:
    state = at(
        {"reshuffle": reshuffle}, phase="fly", hands=("", "DDD"), pile="M" * 14 + "TT", rest="row"
    )
    shown = GAME.show(play(state, "stay"))
    assert shown["hands"] == [{"magpie": 8}, {"toucan": 2, "magpie": 6}]
    assert shown["pile"] == birds("DDD" if reshuffle == "eager" else "")
    assert shown["discard"] == ({} if reshuffle == "eager" else {"duck": 3})


def test_c12_no_reshuffle_while_there_are_cards() -> None:
    for reshuffle in ("lazy", "eager"):
        state = at(
            {"reshuffle": reshuffle}, phase="draw", hands=("R", "W"), pile="MTP", discard="DDO",
            rest="row",
        )  # fmt: skip
        shown = GAME.show(play(state, "draw"))
        assert (shown["pile"], shown["discard"]) == (["parrot"], {"owl": 1, "duck": 2})


def test_c12_an_impossible_deal_leaves_an_empty_pile_untouched() -> None:
    state = at({"reshuffle": "eager"}, **end_round(rest="row"))
    shown = GAME.show(play(state, "stay"))
    assert shown["phase"] == "over"
    assert (shown["pile"], shown["discard"]) == ([], {"duck": 2, "reed-warbler": 3})


def test_c14_a_win_counts_at_the_end_of_the_players_own_turn() -> None:
    """A collection that would win does not before its owner's turn ends, flight or not."""
    collections = ("", "FOTDPMW")
    state = at(phase="fly", hands=("R", "MR"), collections=collections)
    state = play(state, "stay")
    assert GAME.mover(state) == 1
    state = play(state, "lay magpie 1 left", "decline")
    assert GAME.mover(state) == 1
    assert GAME.ranks(play(state, "stay")) == (1, 0)


# --- endings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "hand", "wins"),
    [
        ("OTDPMW", "FFR", True),  # the seventh species
        ("OTDPM", "FFR", False),  # the sixth
        ("OTDPMF", "FFR", False),  # six, one of them twice
        ("FFOOO", "FFR", True),  # two species with three
        ("FFFFOO", "OOOR", True),
        ("FFFFFF", "OOOR", False),  # seven birds, two species
        ("FFFOO", "TTTTR", False),  # three species with 3, 2, 2
        ("FFFTTO", "OOOR", False),  # 3, 2, 2
        ("FOOO", "FFFR", True),  # two birds at once
    ],
)
def test_winning_collections(before: str, hand: str, wins: bool) -> None:
    rows = ("RPD", "TDM", "WRP", "TDM")
    state = at(phase="fly", rows=rows, hands=(hand, "W"), collections=(before, ""), turn=8)
    flight = moves(state)[0]
    after = play(state, flight)
    assert (GAME.mover(after) is None) is wins
    assert GAME.show(after)["turn"] == 9
    assert not GAME.capped(after)
    if wins:
        assert GAME.legal(after) == ()


def test_the_collection_winner_is_first_whatever_the_count_and_the_rest_by_birds() -> None:
    state = at(
        phase="fly",
        seat=1,
        hands=("W", "FFR", "W", "W", "W"),
        collections=("RRRRRRRRR", "OTDPMW", "DD", "RRRRRRRRR", "P"),
    )
    after = play(state, "fly flamingo")
    assert GAME.ranks(after) == (1, 0, 3, 1, 4)
    assert GAME.scores(after) == (9, 7, 2, 9, 1)


def test_before_the_end_ranks_are_the_standing() -> None:
    state = at(hands=("W", "W", "W", "W"), collections=("RR", "D", "PPP", "D"))
    assert GAME.ranks(state) == (1, 2, 0, 2)
    assert GAME.scores(state) == (2, 1, 3, 1)


CAPS = [("turn_cap", "turn", 1000), ("no_flight_cap", "turns_since_flight", 300)]


@pytest.mark.parametrize(("option", "counter", "cap"), [*CAPS, ("turn_cap", "turn", 6)])
def test_a_cap_ends_the_game_by_birds(option: str, counter: str, cap: int) -> None:
    where: dict[str, Any] = {
        "phase": "fly", "hands": ("FFR", "W", "W"), "collections": ("DDD", "DDD", "D"),
    }  # fmt: skip
    going = play(at({option: cap}, **where, **{counter: cap - 2}), "stay")
    assert GAME.mover(going) == 1 and not GAME.capped(going)
    after = play(at({option: cap}, **where, **{counter: cap - 1}), "stay")
    shown = GAME.show(after)
    assert (shown["phase"], shown["seat"], shown[counter]) == ("over", None, cap)
    assert shown["hands"][0] == {"flamingo": 2, "robin": 1}
    assert GAME.capped(after)
    assert GAME.ranks(after) == (0, 0, 2)
    assert GAME.legal(after) == ()


def test_default_caps() -> None:
    capped = at(phase="fly", hands=("R", "W"), turn=999)
    assert GAME.capped(play(capped, "stay"))
    capped = at(phase="fly", hands=("R", "W"), turns_since_flight=299)
    assert GAME.capped(play(capped, "stay"))


def test_a_flight_keeps_the_no_flight_cap_away() -> None:
    state = at(phase="fly", hands=("FFR", "W"), turns_since_flight=299)
    after = play(state, "fly flamingo")
    assert (GAME.mover(after), GAME.show(after)["turns_since_flight"]) == (1, 0)


def test_a_flight_does_not_keep_the_turn_cap_away() -> None:
    after = play(at(phase="fly", hands=("FFR", "W"), turn=999), "fly flamingo")
    assert GAME.capped(after)
    assert GAME.scores(after) == (1, 0)


@pytest.mark.parametrize(("option", "counter", "cap"), CAPS)
def test_a_cap_on_a_turn_that_ends_a_round_deals_first(option: str, counter: str, cap: int) -> None:
    state = at(**end_round(**{counter: cap - 1}))
    pile = GAME.show(state)["pile"]
    after = play(state, "stay")
    shown = GAME.show(after)
    assert [sum(h.values()) for h in shown["hands"]] == [8, 8]
    assert shown["pile"] == pile[16:]
    assert shown["discard"] == {"duck": 2, "reed-warbler": 3}
    assert (shown["phase"], shown["seat"]) == ("over", None)
    assert GAME.capped(after)


@pytest.mark.parametrize(("option", "counter", "cap"), CAPS)
def test_an_impossible_deal_on_the_capped_turn_is_no_cap(
    option: str, counter: str, cap: int
) -> None:
    after = play(at(**end_round(**{counter: cap - 1}, rest="row")), "stay")
    assert GAME.mover(after) is None
    assert not GAME.capped(after)


def test_a_win_on_the_capped_turn_is_no_cap() -> None:
    state = at(phase="fly", hands=("FFR", "W"), collections=("OTDPMW", "RRRRRRRR"), turn=999)
    after = play(state, "fly flamingo")
    assert GAME.ranks(after) == (0, 1)
    assert not GAME.capped(after)


@pytest.mark.parametrize("short_draw", ["partial", "end_game"])
def test_a_game_ended_by_a_short_draw_is_not_capped(short_draw: str) -> None:
    state = at({"short_draw": short_draw}, phase="draw", hands=("R", "W"), turn=999, rest="row")
    if short_draw == "end_game":
        after = play(state, "draw")
        assert (GAME.show(after)["turn"], GAME.capped(after)) == (999, False)
    else:
        assert GAME.capped(play(state, "decline", "stay"))


# --- dealing and shuffling ----------------------------------------------------------------------


@pytest.mark.parametrize("players", range(2, 6))
def test_the_first_position(players: int) -> None:
    for seed in range(30):
        shown = GAME.show(GAME.initial(players, seed=seed))
        assert all_cards(shown) == Counter(CARDS)
        assert [sum(h.values()) for h in shown["hands"]] == [8] * players
        assert [sum(c.values()) for c in shown["collections"]] == [1] * players
        assert len(shown["pile"]) == {2: 80, 3: 71, 4: 62, 5: 53}[players]
        assert shown["discard"] == {}
        plain = ("phase", "seat", "turn", "turns_since_flight", "took")
        assert [shown[key] for key in plain] == ["lay", 0, 0, 0, False]


@pytest.mark.parametrize("dealer", range(3))
def test_eight_cards_go_to_one_seat_after_the_other_the_dealer_first(dealer: int) -> None:
    hands = ["WW", "DD", "TT"]
    hands[dealer] = ""
    pile = "M" * 8 + "R" * 8 + "P" * 5 + "D" * 3 + "F"
    after = play(at(phase="fly", seat=dealer, hands=hands, pile=pile), "stay")
    dealt = [{"magpie": 8}, {"robin": 8}, {"duck": 3, "parrot": 5}]
    assert [hand(after, (dealer + i) % 3) for i in range(3)] == dealt
    assert GAME.show(after)["pile"][0] == "flamingo"
    assert GAME.mover(after) == dealer


def test_a_deal_reshuffles_when_the_pile_runs_out() -> None:
    """The hands thrown in are among the cards dealt again."""
    state = at(
        phase="fly", seat=1, hands=("DDD", "", "TTT"), rows=("OFP", "DM", "WO", "FTM"),
        pile="R" * 8 + "PP", discard="W" * 13, rest="row",
    )  # fmt: skip
    shown = GAME.show(play(state, "stay"))
    assert shown["hands"][1] == {"robin": 8}
    assert shown["hands"][2]["parrot"] >= 2
    assert shown["discard"] == {}
    reshuffled = Counter(birds("DDDTTT" + "W" * 13))
    dealt = Counter(shown["hands"][2]) + Counter(shown["hands"][0]) - Counter({"parrot": 2})
    assert dealt + Counter(shown["pile"]) == reshuffled
    assert len(shown["pile"]) == 5


def test_a_shuffle_puts_the_cards_in_every_order() -> None:
    """Drawing two of five cards and leaving three: all orders, alike often."""
    games = 800
    seen: Counter[str] = Counter()
    before = position(phase="draw", seat=1, hands=("R", "W"), discard="DDDTO", rest="row")
    for seed in range(games):
        shown = GAME.show(GAME.apply(GAME.restore(before, 2, seed=seed), action_id("draw")))
        drawn = (Counter(shown["hands"][1]) - Counter(before["hands"][1])).elements()
        seen[" ".join("".join(LETTER[s] for s in cards) for cards in (drawn, shown["pile"]))] += 1
    expected = {"DD": 0.3, "TD": 0.3, "OD": 0.3, "OT": 0.1}
    for drawn, share in expected.items():
        number = sum(n for key, n in seen.items() if key.startswith(drawn))
        assert number == pytest.approx(games * share, abs=4 * (games * share * (1 - share)) ** 0.5)
    # The three cards left lie in 1 + 3 + 3 + 6 orders.
    assert len(seen) == 6 + 3 + 3 + 1


def test_the_game_follows_from_the_seed() -> None:
    def game(seed: int) -> list[dict[str, Any]]:
        state, rng, states = GAME.initial(3, seed=seed), random.Random(1), []
        while GAME.mover(state) is not None:
            states.append(GAME.show(state))
            state = GAME.apply(state, rng.choice(GAME.legal(state)))
        return states

    assert game(5) == game(5)
    assert game(5)[0] != game(6)[0]


def test_moves_leave_earlier_positions_alone() -> None:
    state = GAME.initial(4, seed=3)
    before = state.tobytes()
    for action in GAME.legal(state):
        GAME.apply(state, action)
    GAME.observe(state, 0)
    assert state.tobytes() == before


# --- how it is written down ---------------------------------------------------------------------


def test_metadata() -> None:
    assert (GAME.name, list(GAME.players), GAME.action_count) == ("cubirds", [2, 3, 4, 5], 75)
    assert GAME.resolve(3) == DEFAULTS
    assert [o.name for o in GAME.options] == list(DEFAULTS)
    caps = ("turn_cap", "no_flight_cap")
    assert {o.name: tuple(o.values) for o in GAME.options if o.name not in caps} == {
        "row_length": (3, 4),
        "fly_requires_take": (False, True),
        "short_draw": ("partial", "forbid", "end_game"),
        "refill_fail": ("leave", "end_game"),
        "setup_duplicates": ("pile", "discard"),
        "reshuffle": ("lazy", "eager"),
        "round_end_discards": ("public", "hidden"),
    }
    assert GAME.max_moves >= 3 * DEFAULTS["turn_cap"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"row_length": 5}, "row_length"),
        ({"row_length": "3"}, "row_length"),
        ({"fly_requires_take": 1}, "fly_requires_take"),
        ({"short_draw": "partiall"}, "did you mean 'partial'"),
        ({"reshufle": "lazy"}, "did you mean 'reshuffle'"),
        ({"turn_cap": 0}, "turn_cap"),
        ({"no_flight_cap": -1}, "no_flight_cap"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        GAME.initial(3, options)


@pytest.mark.parametrize("players", [1, 6])
def test_wrong_numbers_of_players_are_refused(players: int) -> None:
    with pytest.raises(OptionError, match="2 to 5 players"):
        GAME.initial(players)


def test_numbers_of_moves() -> None:
    """LAY = species*8 + row*2 + side, DRAW 64, DECLINE 65, FLY = 66 + species, NO_FLY 74."""
    every = "".join(LETTER[s] * SMALL[s] for s in SPECIES)
    state = at(hands=(every, "R"))
    assert GAME.legal(state) == tuple(range(64))
    assert moves(state)[:3] == [
        "lay flamingo 1 left",
        "lay flamingo 1 right",
        "lay flamingo 2 left",
    ]
    assert [GAME.describe(state, a) for a in (10, 17, 55, 56, 63)] == [
        "lay owl 2 left",
        "lay toucan 1 right",
        "lay reed-warbler 4 right",
        "lay robin 1 left",
        "lay robin 4 right",
    ]
    state = at(phase="draw", hands=(every, "R"))
    assert (GAME.legal(state), moves(state)) == ((64, 65), ["draw", "decline"])
    state = at(phase="fly", hands=(every, "R"))
    assert GAME.legal(state) == tuple(range(66, 75))
    assert moves(state) == [*(f"fly {s}" for s in SPECIES), "stay"]
    for phase in ("lay", "draw", "fly"):
        state = at(phase=phase, hands=(every, "R"))
        assert [action_id(move) for move in moves(state)] == list(GAME.legal(state))
        assert [GAME.parse(state, move) for move in moves(state)] == list(GAME.legal(state))


@pytest.mark.parametrize(
    ("where", "text", "told"),
    [
        ({"hands": ("O", "W")}, "lay owl 5 left", "did you mean 'lay owl . left'"),
        ({"hands": ("O", "W")}, "lay robin 1 left", "'lay robin 1 left'"),
        ({"hands": ("O", "W")}, "lay owls 2 right", "did you mean 'lay owl 2 right'"),
        ({"hands": ("O", "W")}, "draw", "'draw'"),
        ({"hands": ("O", "W"), "phase": "draw"}, "drawn", "did you mean 'draw'"),
        ({"hands": ("O", "W"), "phase": "draw"}, "stay", "known: draw, decline"),
        ({"hands": ("FFO", "W"), "phase": "fly"}, "fly flaminggo", "did you mean 'fly flamingo'"),
        ({"hands": ("FFO", "W"), "phase": "fly"}, "fly owl", "known: fly flamingo, stay"),
        ({"hands": ("FFO", "W"), "phase": "fly"}, "", "''"),
    ],
)
def test_wrong_moves_are_refused_with_the_nearest_right_one(
    where: dict[str, Any], text: str, told: str
) -> None:
    with pytest.raises(IllegalActionError, match=told):
        GAME.parse(at(**where), text)


@pytest.mark.parametrize(
    ("phase", "action"),
    [("lay", 8), ("lay", 64), ("lay", 74), ("draw", 0), ("draw", 74), ("fly", 67), ("fly", 65),
     ("fly", 75), ("fly", -1)],
)  # fmt: skip
def test_wrong_numbers_of_moves_are_refused(phase: str, action: int) -> None:
    state = at(phase=phase, hands=("FFR", "W"))
    with pytest.raises(IllegalActionError, match=f"action {action} .*{GAME.legal(state)[0]}"):
        GAME.apply(state, action)


def test_after_the_end_there_are_no_moves() -> None:
    over = play(at(phase="fly", hands=("R", "W"), turn=999), "stay")
    assert GAME.legal(over) == ()
    with pytest.raises(IllegalActionError, match="over"):
        GAME.apply(over, 74)
    with pytest.raises(IllegalActionError, match="over"):
        GAME.parse(over, "stay")


KEYS = {
    "phase", "seat", "turn", "turns_since_flight", "took", "rows", "hands", "collections", "pile",
    "discard",
}  # fmt: skip


def test_a_state_as_json() -> None:
    """Exactly the sheet's keys, plain JSON, counts in the sheet's order and without zeros."""
    where = {"hands": ("ROOR", "W"), "collections": ("D", "FP"), "discard": "RRRF"}
    shown = GAME.show(at(**where))
    assert set(shown) == KEYS
    assert json.loads(json.dumps(shown)) == shown
    assert shown == position(**where)
    assert type(shown["took"]) is bool and type(shown["seat"]) is int
    assert list(shown["hands"][0].items()) == [("owl", 2), ("robin", 2)]
    assert list(shown["collections"][1].items()) == [("flamingo", 1), ("parrot", 1)]
    assert list(shown["discard"].items()) == [("flamingo", 1), ("robin", 3)]


def test_a_view_as_json() -> None:
    """The same shape; of others' hands and the pile only what can be known."""
    state = at(hands=("ROOR", "WWWD", "MM"), discard="RRRF")
    for seat in range(3):
        shown, view = GAME.show(state), GAME.show_view(GAME.observe(state, seat), seat)
        assert set(view) == KEYS
        assert json.loads(json.dumps(view)) == view
        for p, held in enumerate(shown["hands"]):
            size = sum(held.values())
            hidden = {"known": {}, "hidden": size, "since": dict.fromkeys(SPECIES, size)}
            assert view["hands"][p] == (held if p == seat else hidden)
        assert view["pile"] == {"size": len(shown["pile"]), "at_most": None}
        assert {k: v for k, v in view.items() if k not in ("hands", "pile")} == {
            k: v for k, v in shown.items() if k not in ("hands", "pile")
        }


def test_positions_can_be_written_down_and_restored() -> None:
    rng = random.Random(4)
    for players in range(2, 6):
        state = GAME.initial(players, seed=players)
        for _ in range(80):
            again = GAME.restore(json.loads(json.dumps(GAME.show(state))), players)
            assert GAME.show(again) == GAME.show(state)
            assert GAME.legal(again) == GAME.legal(state)
            state = GAME.apply(state, rng.choice(GAME.legal(state)))


# --- against the reference ----------------------------------------------------------------------


def compare(state: State, reference: Reference) -> None:
    """All that can be asked about a position."""
    assert GAME.show(state) == reference.shown()
    assert GAME.mover(state) == reference.seat
    assert [GAME.describe(state, a) for a in GAME.legal(state)] == reference.legal()
    assert [action_id(move) for move in reference.legal()] == list(GAME.legal(state))
    assert GAME.scores(state) == reference.scores()
    assert GAME.ranks(state) == reference.ranks()
    assert GAME.capped(state) is reference.capped


def play_both(
    state: State, options: dict[str, Any], rng: random.Random, choose: Any, most: int = 1500
) -> None:
    reference = Reference(GAME.show(state), options)
    compare(state, reference)
    while reference.legal() and most:
        move = choose(rng, reference.legal())
        state = GAME.apply(state, action_id(move))
        reference.follow(move, GAME.show(state))
        compare(state, reference)
        most -= 1


@pytest.mark.parametrize(("options", "players", "choose"), GAMES)
def test_whole_games_agree_with_the_reference(
    options: dict[str, Any], players: int, choose: Any
) -> None:
    rng = random.Random(f"{choose.__name__} {players}")
    play_both(GAME.initial(players, options, rng.randrange(2**53)), options, rng, choose)


@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_positions_with_few_cards_agree_with_the_reference(options: dict[str, Any]) -> None:
    """Short draws, failing refills, reshuffles within a step, impossible deals, huge hands."""
    for number in range(36):
        rng = random.Random(number)
        players = 2 + number % 4
        shown = tight(rng, players, options)
        state = GAME.restore(shown, players, options, number)
        assert GAME.show(state) == shown
        play_both(state, options, rng, CHOICES[number % 3], most=50)
