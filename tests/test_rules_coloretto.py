"""The rules of Coloretto, line by line of the rule sheet, and against the reference."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import product
from typing import Any

import pytest

from arena.core import State
from arena.errors import IllegalActionError, OptionError
from arena.games.coloretto import Coloretto
from tests.reference_coloretto import (
    CARDS,
    CHOICES,
    COLOURS,
    GAMES,
    Reference,
    action_id,
    all_cards,
    capacities,
    cards,
    counts,
    position,
    resolved,
    score,
)

GAME = Coloretto()
CLASSIC = {"edition": "classic"}
JUBILEE = {"edition": "jubilee"}
VIOLET = {"table": "violet"}


def at(options: dict[str, Any] | None = None, **where: Any) -> State:
    """The position that `position(options, **where)` describes."""
    shown = position(options, **where)
    return GAME.restore(shown, len(shown["displays"]), options)


def play(state: State, *moves: str) -> State:
    for move in moves:
        state = GAME.apply(state, GAME.parse(state, move))
    return state


def moves(state: State) -> list[str]:
    """The texts of the legal moves."""
    return [GAME.describe(state, action) for action in GAME.legal(state)]


def points(display: str, options: dict[str, Any] | None = None) -> int:
    return GAME.scores(at(options, displays=(display, "B", "B")))[0]


# --- worked examples, by their numbers ----------------------------------------------------------


@pytest.mark.parametrize(
    ("display", "options", "worth"),
    [
        pytest.param("BBBBBOOOPPPYY+", {}, 26, id="1"),
        pytest.param("BBBBBBB", {}, 21, id="2"),
        pytest.param("BBBBBBOOOGGJ", {}, 34, id="4"),
        pytest.param("BBBBBBOOOGGJ", {"joker": "largest"}, 30, id="4 largest"),
        pytest.param("BBBBBOOOOOJJ", {}, 42, id="6"),
        pytest.param("BBBBBOOOOOJJ", {"joker": "largest"}, 36, id="6 largest"),
        pytest.param("BBBOOOGJ", VIOLET, 20, id="8"),
        pytest.param("BBBOOOGJ", {**VIOLET, "joker": "largest"}, 16, id="8 largest"),
        pytest.param("BBBOOOGGGPPP", VIOLET, 16, id="10 without the joker"),
        pytest.param("BBBOOOGGGPPPJ", VIOLET, 17, id="10"),
        pytest.param("BOGP", {}, 2, id="23 without"),
        pytest.param("BOGP++", {}, 6, id="23: +2 is never negative"),
    ],
)
def test_examples_of_scoring(display: str, options: dict[str, Any], worth: int) -> None:
    assert points(display, options) == worth
    assert score(counts(cards(display)), resolved(3, options)) == worth
    if "joker" not in options:
        assert points(display.replace("J", "*", 1), {**options, **JUBILEE}) == worth


@pytest.mark.parametrize("players", range(2, 6))
def test_example_12_the_first_turn_of_a_round_is_a_draw(players: int) -> None:
    assert moves(GAME.initial(players)) == ["draw"]


def test_example_13_full_rows_must_be_taken() -> None:
    state = at(rows=("BNG", "", "EO+"), taken=[2], out=[2], left=20)
    assert moves(state) == ["take 1", "take 3"]


def test_example_15_the_last_player_cannot_take_an_empty_row() -> None:
    state = at(taken=[1, 2], out=[1, 2], deck="BNG", left=20)
    assert moves(state) == ["draw"]
    state = play(state, "draw")
    assert moves(state) == ["place 3"]
    state = play(state, "place 3")
    assert (GAME.mover(state), moves(state)) == (0, ["take 3", "draw"])
    state = play(state, "draw", "place 3", "draw", "place 3")
    assert (GAME.mover(state), moves(state)) == (0, ["take 3"])


@pytest.mark.parametrize(
    ("players", "options", "threshold"),
    [
        (3, {}, 9), (4, {}, 12), (5, {}, 15), (2, {}, 15), (3, CLASSIC, 15), (3, JUBILEE, 16),
        (3, {"last_round_threshold": 20}, 20),
    ],
)  # fmt: skip
def test_examples_17_and_18_the_last_round(
    players: int, options: dict[str, Any], threshold: int
) -> None:
    """It is the one that draws with the threshold left, and it is played to its end."""
    where = {"displays": ["B"] * players, "rows": ["B"] * max(3, players), "left": threshold}
    state = at(options, **where)
    drawn = GAME.show(play(state, "draw"))
    assert (len(drawn["deck"]), drawn["drawn"]) == (threshold - 1, "blue")
    assert drawn["last_round"] and not GAME.show(state)["last_round"]
    takes = [f"take {row}" for row in range(1, players + 1)]
    again = GAME.show(play(state, *takes))
    assert (again["phase"], again["round"], again["last_round"]) == ("turn", 2, False)
    over = GAME.show(play(state, "take 1", "draw", f"place {players}", *takes[1:]))
    assert (over["phase"], over["seat"], over["round"]) == ("over", None, 1)
    assert over["taken"] == [False] * len(over["rows"]) and over["out"] == [False] * players
    assert over["last_round"] and not any(over["rows"])


DEALS = [
    (3, {}, 73, 7), (4, {}, 72, 7), (5, {}, 71, 7), (2, {}, 54, 5), (2, CLASSIC, 54, 5),
    (3, CLASSIC, 64, 6), (4, CLASSIC, 72, 7), (5, CLASSIC, 71, 7),
    (2, JUBILEE, 54, 5), (3, JUBILEE, 64, 6), (4, JUBILEE, 72, 7), (5, JUBILEE, 71, 7),
]  # fmt: skip


@pytest.mark.parametrize(("players", "options", "left", "colours"), DEALS)
def test_example_20_the_deal(
    players: int, options: dict[str, Any], left: int, colours: int
) -> None:
    golden = options == JUBILEE
    others = {"joker": 2, "golden-joker": 1, "+2": 10} if golden else {"joker": 3, "+2": 10}
    missing, starts = set(), set()
    for seed in range(60):
        shown = GAME.show(GAME.initial(players, options, seed))
        start = [card for display in shown["displays"] for card in display]
        assert len(set(start)) == len(start) == (4 if players == 2 else players)
        assert all(sum(d.values()) == len(start) // players for d in shown["displays"])
        used = [c for c in COLOURS if c in start or c in shown["deck"]]
        assert len(used) == colours
        assert all_cards(shown) == Counter({**dict.fromkeys(used, 9), **others})
        assert len(shown["deck"]) == left
        empty = {"rows": ("",) * max(3, players), "displays": [""] * players}
        plain = position(options, **empty, left=left)
        assert {**shown, "displays": plain["displays"], "deck": plain["deck"]} == plain
        missing |= set(COLOURS) - set(used)
        starts |= set(start)
    assert starts == set(COLOURS)
    assert missing == (set(COLOURS) if colours < 7 else set())


def test_example_21_with_two_players_the_third_row_leaves_the_game() -> None:
    where = {"displays": ("BB", "NN"), "rows": ("O", "PP", "YYY"), "removed": {"grey": 1}}
    state = at(left=30, **where)
    assert moves(state) == ["take 1", "take 2", "take 3"]  # 1, 2 and 3 places are all filled
    after = play(at(left=30, **{**where, "rows": ("O", "P+", "YYY")}), "take 1", "take 3")
    shown = GAME.show(after)
    assert shown["removed"] == {"grey": 1, "pink": 1, "+2": 1}
    assert shown["displays"] == [{"blue": 2, "orange": 1}, {"brown": 2, "yellow": 3}]
    assert GAME.scores(after) == (4, 9)


def test_example_23_a_plus_two_takes_a_place() -> None:
    state = at(rows=("+++", "BB", ""), deck="+", left=20)
    assert moves(state) == ["take 1", "take 2", "draw"]
    assert moves(play(state, "draw")) == ["place 2", "place 3"]


@pytest.mark.parametrize(("options", "left"), [(CLASSIC, 15), ({}, 15), (JUBILEE, 16)])
def test_example_25_the_cards_suffice_for_the_last_round(
    options: dict[str, Any], left: int
) -> None:
    """All places of five rows, and the card that a golden joker turns up."""
    deck = "*" if options == JUBILEE else "B"
    state = at(options, rows=("",) * 5, displays=("B", "N", "G", "O", "P"), deck=deck, left=left)
    for row in (1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5):
        state = play(state, "draw", f"place {row}")
    after = play(state, *(f"take {row}" for row in range(1, 6)))
    shown = GAME.show(after)
    assert (shown["phase"], shown["deck"]) == ("over", [])
    assert sum(sum(d.values()) for d in shown["displays"]) == 5 + left


# --- turns and rounds ---------------------------------------------------------------------------


def test_a_turn_is_a_row_or_a_card_for_one() -> None:
    state = at(rows=("", "BG", ""), deck="NP", left=20)
    assert moves(state) == ["take 2", "draw"]
    drawn = play(state, "draw")
    shown = GAME.show(drawn)
    assert (shown["phase"], shown["seat"], shown["drawn"]) == ("place", 0, "brown")
    assert moves(drawn) == ["place 1", "place 2", "place 3"]
    shown = GAME.show(play(drawn, "place 2"))
    assert (shown["rows"][1], shown["seat"]) == (["blue", "green", "brown"], 1)
    shown = GAME.show(play(state, "take 2"))
    assert (shown["rows"], shown["taken"]) == ([[], [], []], [False, True, False])
    assert (shown["out"], shown["seat"], shown["phase"]) == ([True, False, False], 1, "turn")
    assert shown["displays"][0] == {"blue": 2, "green": 1}


def test_seats_that_are_out_are_passed_over_and_the_last_goes_on_alone() -> None:
    state = at(rows=("B", "N", "", ""), displays="BNGO", taken=[3], out=[2], seat=1, left=30)
    state = play(state, "take 1")
    assert GAME.mover(state) == 3
    state = play(state, "draw", "place 2")
    assert GAME.mover(state) == 0
    state = play(state, "take 2")
    assert (GAME.mover(state), moves(state)) == (3, ["draw"])
    assert GAME.mover(play(state, "draw", "place 4")) == 3


@pytest.mark.parametrize(("rule", "seat"), [("last_taker", 1), ("clockwise", 2)])
@pytest.mark.parametrize("round_", [2, 5])
def test_who_starts_the_next_round(rule: str, seat: int, round_: int) -> None:
    """Whoever took last, or seat (r - 1) mod N in round r."""
    where = {"rows": ("", "", "B+"), "taken": [1, 2], "out": [0, 2], "seat": 1, "round": round_}
    shown = GAME.show(play(at({"next_start": rule}, left=30, **where), "take 3"))
    assert (shown["seat"], shown["round"]) == (seat, round_ + 1)
    assert not any([*shown["rows"], *shown["taken"], *shown["out"]])


@pytest.mark.parametrize("turned_up", ["B", "+", "J"])
def test_a_golden_joker_turns_up_a_card_for_its_taker(turned_up: str) -> None:
    where = {"rows": ("*P", "N", ""), "displays": ("B", "N", "G")}
    after = play(at(JUBILEE, deck=turned_up, left=16, **where), "take 1")
    shown = GAME.show(after)
    assert shown["displays"][0] == counts(cards("B*P" + turned_up))
    assert (len(shown["deck"]), shown["last_round"], shown["seat"]) == (15, True, 1)
    empty = GAME.show(play(at(JUBILEE, **where), "take 1"))
    assert empty["displays"][0] == counts(cards("B*P"))


def test_a_golden_jokers_card_can_end_the_game() -> None:
    where = {"rows": ("", "", "*"), "taken": [1, 2], "out": [1, 2]}
    assert GAME.mover(play(at(JUBILEE, left=17, **where), "take 3")) == 0
    assert GAME.mover(play(at(JUBILEE, left=16, **where), "take 3")) is None


def test_a_golden_joker_in_the_third_row_turns_nothing_up() -> None:
    where = {"displays": ("B", "N"), "rows": ("", "*", "P"), "taken": [1], "out": [0], "seat": 1}
    shown = GAME.show(play(at(JUBILEE, left=30, **where), "take 3"))
    assert (shown["removed"], len(shown["deck"])) == ({"golden-joker": 1}, 30)


@pytest.mark.parametrize(
    ("rows", "out", "takes"),
    [
        (("", "B", "B"), [0], [2]),
        (("", "B+", "+B"), [0], [2]),
        (("B", "", "B"), [0], [1]),
        (("", "B", "N"), [0], [2, 3]),
        (("", "B", "BB"), [0], [2, 3]),
        (("B", "B", "B"), [], [1, 2, 3]),  # what is left has other places
    ],
)
def test_equal_rows_are_one_choice_for_the_last_of_two(
    rows: tuple[str, ...], out: list[int], takes: list[int]
) -> None:
    taken = [row for row, there in enumerate(rows, 1) if out and not there]
    state = at(displays=("B", "N"), rows=rows, taken=taken, out=out, seat=1, left=30)
    assert [m for m in moves(state) if m != "draw"] == [f"take {row}" for row in takes]


def test_with_an_empty_deck_nobody_draws() -> None:
    state = at({"last_round_threshold": 1}, rows=("B", "NP", ""))
    assert moves(state) == ["take 1", "take 2"]


def test_who_can_neither_draw_nor_take_is_out_with_nothing() -> None:
    """Without a step; here that ends the round, and with it the game."""
    state = at({"last_round_threshold": 1}, rows=("B", "", ""))
    shown = GAME.show(play(state, "take 1"))
    assert (shown["phase"], shown["seat"]) == ("over", None)
    assert shown["displays"] == [{"blue": 2}, {"brown": 1}, {"green": 1}]


def test_the_game_goes_on_with_a_single_card_above_the_threshold() -> None:
    """With `last_round_threshold` 1 a round begins as long as there is a card."""
    options = {"last_round_threshold": 1}
    where = {"rows": ("", "", "B"), "taken": [1, 2], "out": [1, 2], "deck": "N"}
    state = play(at(options, **where), "take 3")
    assert moves(state) == ["draw"]
    state = play(state, "draw", "place 2")
    assert (GAME.mover(state), moves(state)) == (1, ["take 2"])
    assert GAME.mover(play(state, "take 2")) is None


# --- scoring ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("display", "options", "worth"),
    [
        ("", {}, 0),
        ("J", {}, 0),
        ("JJ", {"joker_new_colour": True}, 3),
        ("B" * 9, {}, 21),
        ("B" * 9, VIOLET, 5),
        ("BBBBBJ", VIOLET, 5),  # K8: a joker must be used
        ("BBBBBBBJ", {}, 21),  # K7: existing colours only
        ("BBBBBBBJ", {"joker_new_colour": True}, 22),
        ("BBBJ", {**VIOLET, "joker_new_colour": True}, 9),
        ("BBBBNNNNGGGGOO", VIOLET, 7 + 7 + 7 - 4),  # K5: the choice matters in violet only
        ("BBBBBNNNNNGGGGGOOO", VIOLET, 8 + 6 + 6 - 6),
        ("BBBBBNNNNNGGGGGOOO", {**VIOLET, "positive": "largest"}, 6 + 6 + 6 - 8),
        ("BBNNGGOOJ", {"positive": "largest"}, 6 + 3 + 3 - 3),
    ],
)
def test_points(display: str, options: dict[str, Any], worth: int) -> None:
    assert points(display, options) == worth


RULES = [
    dict(zip(("table", "positive", "joker", "joker_new_colour"), values, strict=True))
    for values in product(
        ("brown", "violet"), ("best", "largest"), ("best", "largest"), (False, True)
    )
]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: "-".join(map(str, rules.values())))
def test_points_are_those_of_trying_every_way(rules: dict[str, Any]) -> None:
    rng = random.Random(1)
    for _ in range(40):
        displays = []
        for _ in range(5):
            most = rng.choice((2, 4, 6, 9))
            held = {colour: rng.randint(0, most) for colour in COLOURS if rng.random() < 0.8}
            display = {**held, "joker": rng.randint(0, 2), "golden-joker": rng.randint(0, 1)}
            displays.append(counts({"blue": 1, **display, "+2": rng.randint(0, 10)}))
        shown = {**position(displays="BNGOP", rows=[""] * 5), "displays": displays}
        options = {**rules, **JUBILEE}
        state = GAME.restore({**shown, "last_round": True}, 5, options)
        reference = Reference(shown, options)
        assert GAME.scores(state) == reference.scores()
        assert GAME.ranks(state) == reference.ranks()


@pytest.mark.parametrize(
    ("displays", "ranks"),
    [
        (("BBB", "BB", "B"), (0, 1, 2)),
        (("B", "BBB", "NNN"), (2, 0, 0)),
        (("NN", "BB", "B+"), (0, 0, 0)),
        (("+", "B", "N"), (0, 1, 1)),
    ],
)
def test_ties_are_shared(displays: tuple[str, ...], ranks: tuple[int, ...]) -> None:
    assert GAME.ranks(at(displays=displays)) == ranks


# --- how it is written down ---------------------------------------------------------------------


def test_metadata() -> None:
    assert (GAME.name, list(GAME.players), GAME.action_count) == ("coloretto", [2, 3, 4, 5], 11)
    assert {o.name: tuple(o.values) for o in GAME.options if o.name != "last_round_threshold"} == {
        "edition": ("ipad", "classic", "jubilee"),
        "table": ("brown", "violet"),
        "positive": ("best", "largest"),
        "joker": ("best", "largest"),
        "joker_new_colour": (False, True),
        "next_start": ("last_taker", "clockwise"),
    }


@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize(
    "options", [{}, CLASSIC, JUBILEE, VIOLET, {**JUBILEE, "last_round_threshold": 15}]
)
def test_defaults_depend_on_players_and_edition(players: int, options: dict[str, Any]) -> None:
    found = GAME.resolve(players, options)
    assert found == resolved(players, options)
    assert list(found) == list(resolved(players))
    assert GAME.resolve(players, found) == found


@pytest.mark.parametrize(
    ("players", "options", "told"),
    [
        (1, {}, "2 to 5 players"),
        (6, {}, "2 to 5 players"),
        (2, {"edition": "ipad"}, "ipad.*(2|two) players"),
        (3, {"edition": "clasic"}, "did you mean 'classic'"),
        (3, {"last_round_threshold": 0}, "last_round_threshold"),
        (3, {"last_round_threshold": True}, "last_round_threshold"),
        (3, {"table": "blue"}, "brown.*violet"),
        (3, {"joker_new_colour": 1}, "joker_new_colour"),
        (3, {"next_start": "last taker"}, "did you mean 'last_taker'"),
        (3, {"jokers": "best"}, "did you mean 'joker'"),
    ],
)
def test_wrong_options_are_refused(players: int, options: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        GAME.initial(players, options)


def test_numbers_of_moves() -> None:
    """TAKE r = 0-4, DRAW = 5, PLACE r = 6-10."""
    state = at(rows=["B"] * 5, displays="BNGOP", left=40)
    assert GAME.legal(state) == (0, 1, 2, 3, 4, 5)
    assert moves(state) == ["take 1", "take 2", "take 3", "take 4", "take 5", "draw"]
    state = play(state, "draw")
    assert GAME.legal(state) == (6, 7, 8, 9, 10)
    assert moves(state) == ["place 1", "place 2", "place 3", "place 4", "place 5"]
    assert [GAME.parse(state, move) for move in moves(state)] == [6, 7, 8, 9, 10]


@pytest.mark.parametrize("move", ["take 3", "take 4", "take 0", "place 1", "take", "draw 1", ""])
def test_wrong_moves_are_refused(move: str) -> None:
    state = at(rows=("B", "N", ""), left=20)
    with pytest.raises(IllegalActionError, match="legal ids: 0, 1, 5"):
        GAME.parse(state, move)


@pytest.mark.parametrize("action", [-1, 2, 3, 6, 11])
def test_wrong_numbers_of_moves_are_refused(action: int) -> None:
    with pytest.raises(IllegalActionError, match="legal ids: 0, 1, 5"):
        GAME.apply(at(rows=("B", "N", ""), left=20), action)


def test_a_state_as_json() -> None:
    """Exactly the sheet's keys, plain JSON, counts in the sheet's order and without zeros."""
    where = {
        "rows": ("B+", "", "N*"), "displays": ("+YJB", "PP", "*NG"), "deck": "OJ+B", "taken": [2],
        "out": [1], "phase": "place", "seat": 2, "round": 7, "drawn": "+2",
    }  # fmt: skip
    shown = GAME.show(at(JUBILEE, **where))
    assert shown == position(JUBILEE, **where)
    assert list(shown) == [
        "phase", "seat", "round", "rows", "taken", "out", "displays", "drawn", "removed", "deck",
        "last_round",
    ]  # fmt: skip
    assert json.loads(json.dumps(shown)) == shown
    assert {type(flag) for flag in [*shown["taken"], *shown["out"], shown["last_round"]]} == {bool}
    assert list(shown["displays"][0]) == ["blue", "yellow", "joker", "+2"]
    two = {"rows": ("", "", "P"), "displays": ("B", "N"), "removed": {"yellow": 2, "+2": 1}}
    assert GAME.show(at(left=9, **two)) == position(left=9, **two)


def test_the_game_follows_from_the_seed() -> None:
    def start(seed: int) -> dict[str, Any]:
        return GAME.show(GAME.initial(3, seed=seed))

    assert start(5) == start(5) != start(6)


# --- against the reference ----------------------------------------------------------------------


def compare(state: State, reference: Reference) -> None:
    """All that can be asked about a position."""
    shown = GAME.show(state)
    assert shown == reference.shown()
    assert GAME.mover(state) == reference.seat
    assert [GAME.describe(state, a) for a in GAME.legal(state)] == reference.legal()
    assert [action_id(move) for move in reference.legal()] == list(GAME.legal(state))
    assert GAME.scores(state) == reference.scores()
    assert GAME.ranks(state) == reference.ranks()
    assert not GAME.capped(state)


def play_both(state: State, options: dict[str, Any], rng: random.Random, choose: Any) -> int:
    """Returns how many moves there were."""
    reference = Reference(GAME.show(state), options)
    compare(state, reference)
    played = 0
    while legal := reference.legal():
        move = choose(rng, legal)
        state = GAME.apply(state, action_id(move))
        reference.apply(move)
        compare(state, reference)
        played += 1
    return played


@pytest.mark.parametrize(("options", "players", "choose"), GAMES)
def test_whole_games_agree_with_the_reference(
    options: dict[str, Any], players: int, choose: Any
) -> None:
    rng = random.Random(f"{choose.__name__} {players}")
    state = GAME.initial(players, options, rng.randrange(2**53))
    assert play_both(state, options, rng, choose) <= GAME.max_moves


@pytest.mark.parametrize("number", range(40))
def test_last_rounds_agree_with_the_reference(number: int) -> None:
    """Rows partly filled, hardly a card in the deck, golden jokers, removed cards."""
    rng = random.Random(number)
    players = 2 + number % 4
    options = {**rng.choice(RULES), **JUBILEE, "last_round_threshold": rng.randint(1, 6)}
    deck = [card for card in CARDS for _ in range(1 if card == "golden-joker" else 2)]
    rng.shuffle(deck)
    rows = [[deck.pop() for _ in range(rng.randint(0, n))] for n in capacities(players)]
    held = [deck.pop() for _ in range(players)]
    left = deck[: rng.randint(1, 8)]
    shown = position(options, displays=[""] * players, rows=[""] * len(rows))
    shown |= {
        "rows": rows, "displays": [counts([card]) for card in held], "deck": left,
        "removed": counts(deck[8:]) if players == 2 else {},
        "last_round": len(left) < options["last_round_threshold"],
    }  # fmt: skip
    state = GAME.restore(shown, players, options)
    assert GAME.show(state) == shown
    play_both(state, options, rng, CHOICES[number % 3])
