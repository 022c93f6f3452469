"""The rules of Fruit Friends, line by line of the rule sheet, and move by move against the
reference."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from arena.core import State
from arena.errors import IllegalActionError, OptionError
from arena.games.fruit_friends import FruitFriends
from tests.reference_fruit_friends import (
    DEFAULTS,
    POINTS,
    STARTS,
    VARIANT_NAMES,
    VARIANTS,
    Reference,
    all_cards,
    counts,
    deck,
    fruits,
    normal,
    position,
)

GAME = FruitFriends()
SECRET = {"secret_card": True}
EIGHT = "AGKBWYOM"


def at(*hands: str, options: dict[str, Any] | None = None, **where: Any) -> State:
    """The position that `position(hands, **where)` describes."""
    return GAME.restore(position(hands, options, **where), len(hands), options)


def revealed(*pairs: str, **where: Any) -> State:
    """A position in which seat 0 has just turned up its pairs, the first in `pairs`."""
    return at(*[""] * len(pairs), pairs=pairs, phase="take", seat=1, **where)


def play(state: State, *moves: str) -> State:
    for move in moves:
        state = GAME.apply(state, GAME.parse(state, move))
    return state


def moves(state: State) -> list[str]:
    """The texts of the legal moves."""
    return [GAME.describe(state, action) for action in GAME.legal(state)]


def random_game(players: int, options: dict[str, Any] | None = None, seed: int = 0) -> list[State]:
    """All positions of a game of random moves."""
    rng, states = random.Random(seed), [GAME.initial(players, options, seed)]
    while legal := GAME.legal(states[-1]):
        states.append(GAME.apply(states[-1], rng.choice(legal)))
    return states


# --- points -------------------------------------------------------------------------------------


def score(display: str, **options: bool) -> int:
    """What a display is worth. One apple alone is worth nothing."""
    over = at("", "", phase="over", seat=None, round=4, displays=(display, ""), options=options)
    return GAME.scores(over)[0]


@pytest.mark.parametrize(
    ("display", "points"),
    [
        ("AAAAAGKKKBBBOOMWYYY", 46),  # example 1; F3, F4: the start card is one of the apples
        ("AAAAAAOOO", 26),  # example 5
        ("AWWYY", 5),  # example 7, F5
        ("AWWWWWYYYY", 20),
        ("AAAAGGGGOOOMM", 40),  # example 8
        ("AOO", 2),
        ("AMM", 0),
    ],
)
def test_worked_examples_of_points(display: str, points: int) -> None:
    assert score(display) == points


def test_the_best_display_is_worth_71() -> None:
    """With the white peach as its start card."""
    over = {"phase": "over", "seat": None, "round": 3, "starts": STARTS[3::-1]}
    state = at("", "", "", "", displays=["GGGGBBBWWWWWMMMMMMM", "K", "G", ""], **over)
    assert GAME.scores(state)[0] == 71


@pytest.mark.parametrize("fruit", "AGKBWY")
@pytest.mark.parametrize("number", range(9))
def test_points_by_number_of_equal_fruits(fruit: str, number: int) -> None:
    """Examples 2 and 3, F6: more than five are as good as five, bananas then nothing."""
    cards = fruit * (max(number, 1) if fruit == "A" else number)
    (name,) = fruits(fruit)
    assert score("A" * (fruit != "A") + cards) == POINTS[name][min(number, 5)]


@pytest.mark.parametrize(
    ("display", "points"),
    [("AAAAGGGGOOOMM", 32), ("AAAAGGGGOOMMM", 32), ("AAGGOM", 9), ("AAGGGM", 13), ("AAO", 4)],
)
def test_oranges_or_melons(display: str, points: int) -> None:
    """Example 8, F11: only the better of the two counts, equal ones once."""
    assert score(display, oranges_or_melons=True) == points


def test_a_secret_card_counts_and_a_discard_does_not() -> None:
    """Example 19. The secret counts as soon as it is put aside, as in a forfeited game."""
    where: dict[str, Any] = {"displays": ("AGG", "", ""), "secrets": ("M", "A", "A")}
    where |= {"options": SECRET, "discards": ("M", "B", "B")}
    assert GAME.scores(at(*[EIGHT[:7]] * 3, round=2, **where))[0] == 5 + 2
    where |= {"phase": "over", "seat": None, "round": 3, "discards": ("MKK", "BBB", "AAA")}
    assert GAME.scores(at("", "", "", **where))[0] == 5 + 2


@pytest.mark.parametrize(
    ("displays", "ranks"),
    [(("AG", "GG", "GGG"), (2, 1, 0)), (("AG", "GK", "KG"), (2, 0, 0)), (("AG",) * 3, (0, 0, 0))],
)
def test_the_highest_total_wins_and_ties_are_shared(
    displays: tuple[str, ...], ranks: tuple[int, ...]
) -> None:
    shown = position(("", "", ""), phase="over", seat=None, round=3)
    shown["displays"] = [counts(fruits(display)) for display in displays]
    assert GAME.ranks(GAME.restore(shown, 3)) == ranks


# --- setup --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "options"), VARIANTS, ids=VARIANT_NAMES)
def test_setup(players: int, options: dict[str, bool]) -> None:
    shown = GAME.show(GAME.initial(players, options, 1))
    size = 8 if options["secret_card"] else 7
    assert [len(hand) for hand in shown["hands"]] == [size] * players
    assert set(shown["starts"]) == set(STARTS[:players])
    assert shown["displays"] == [{start: 1} for start in shown["starts"]]
    assert all_cards(shown) == deck(players, options) + Counter(shown["starts"])
    assert (shown["phase"], shown["seat"], shown["round"]) == ("split", 0, 1)
    assert shown["active"] == shown["starts"].index("apple")
    assert shown["pairs"] == shown["discards"] == [[]] * players
    assert (shown["secrets"], shown["removed"]) == ([None] * players, {})


@pytest.mark.parametrize(("players", "size"), [(3, 67), (4, 91)])
def test_a_thin_deck(players: int, size: int) -> None:
    assert deck(players, {"thin_deck": True}).total() == size
    shown = GAME.show(GAME.initial(players, {"thin_deck": True}))
    assert len(shown["deck"]) == size - 7 * players


@pytest.mark.parametrize(
    ("players", "options", "told"),
    [
        (2, {"thin_deck": True}, "thin_deck"),
        (5, {"thin_deck": True}, "thin_deck"),
        (5, {"secret_card": True}, "secret_card"),
        (3, {"thin_deck": 1}, "thin_deck"),
        (3, {"oranges_or_melons": "yes"}, "oranges_or_melons"),
        (3, {"secret_cart": True}, "did you mean 'secret_card'"),
        (1, {}, "2 to 5 players"),
        (6, {}, "2 to 5 players"),
    ],
)
def test_what_makes_no_game_is_refused(players: int, options: dict[str, Any], told: str) -> None:
    """F12: a thin deck is for 3 or 4 players, a secret card for 2 to 4."""
    with pytest.raises(OptionError, match=told):
        GAME.initial(players, options)


# --- who decides when ---------------------------------------------------------------------------

ORDERS = {
    2: "0:11 1:00, 1:00 0:11, 0:11 1:00, 1:00 0:11",
    3: "0:12 1:20 2:01, 1:02 0:21 2:10, 2:01 0:12 1:20",
    4: "0:12 1:23 2:30 3:01, 1:03 0:32 3:21 2:10, 2:30 3:01 0:12 1:23",
    5: "0:12 1:23 2:34 3:40 4:01, 1:04 0:43 4:32 3:21 2:10, 2:34 3:40 4:01 0:12 1:23",
}
"""By rounds, who reveals and who chooses then, if seat 0 holds apple, seat 1 grape and so on."""


@pytest.mark.parametrize("shift", range(5))
@pytest.mark.parametrize("players", ORDERS)
def test_the_order_of_decisions(players: int, shift: int) -> None:
    """Examples 11, 12 and 20, F1, F2, F13: rounds 1 and 3 go clockwise, round 2 the other way;
    holders of apple, grape and kiwi start them, of apple and grape by turns with two players;
    splits are asked in the order of seats; a last pair is nobody's decision."""
    shift %= players
    rng, order = random.Random(shift), list(range(players))
    starts = [STARTS[(p - shift) % players] for p in range(players)]
    state = at(*["GABBKKO"] * players, starts=starts, deck_top="")
    expected = []
    for number, reveals in enumerate(ORDERS[players].split(", "), 1):
        turns = [
            [(int(seat) + shift) % players for seat in r if seat != ":"] for r in reveals.split()
        ]
        expected += [(number, "split", turns[0][0], seat) for seat in order]
        second = "remove" if players == 2 else "take"
        for active, one, two in turns:
            expected += [(number, "take", active, one), (number, second, active, two)]
    found = []
    while legal := GAME.legal(state):
        shown = GAME.show(state)
        found.append(tuple(shown[key] for key in ("round", "phase", "active", "seat")))
        state = GAME.apply(state, rng.choice(legal))
    assert found == expected
    shown = GAME.show(state)
    assert (shown["phase"], shown["seat"], shown["round"]) == ("over", None, number)
    assert GAME.mover(state) is None


@pytest.mark.parametrize(("players", "decisions"), [(2, 24), (3, 27), (4, 36), (5, 45)])
def test_a_game_has_a_fixed_length(players: int, decisions: int) -> None:
    """Three pairs a round for each, or two of four where one is removed."""
    states = random_game(players)
    assert len(states) - 1 == decisions <= GAME.max_moves
    shown = GAME.show(states[-1])
    assert [sum(d.values()) for d in shown["displays"]] == [17 if players == 2 else 19] * players
    assert sum(shown["removed"].values()) == (16 if players == 2 else 0)
    assert [len(discards) for discards in shown["discards"]] == [4 if players == 2 else 3] * players


def test_example_11_picks_of_a_round() -> None:
    """D gains B's second pick, C's first pick and D's own last pair."""
    state = revealed("AG KB OM", "AA GG KK", "BB OO MM", "AK GB WY", "AM GO WW")
    before = GAME.show(state)["displays"]
    state = play(state, "take kiwi+banana", "take orange+melon")
    shown = GAME.show(state)
    assert shown["displays"][0] == {"apple": 2, "grape": 1}
    assert shown["displays"][1] == {"grape": 1, "kiwi": 1, "banana": 1}
    assert shown["displays"][2] == {"kiwi": 1, "orange": 1, "melon": 1}
    assert shown["displays"][3:] == before[3:]
    assert (shown["active"], shown["seat"], shown["pairs"][0]) == (1, 2, [])
    state = play(state, "take apple+apple", "take grape+grape")  # of B
    state = play(state, "take banana+banana", "take orange+orange")  # of C
    state = play(state, "take apple+kiwi", "take grape+banana")  # of D
    gained = {"white-peach": 2, "yellow-peach": 1, "grape": 2, "banana": 2}
    assert GAME.show(state)["displays"][3] == counts(gained)
    state = play(state, "take apple+melon", "take grape+orange")
    shown = GAME.show(state)
    assert [sum(d.values()) for d in shown["displays"][:4]] == [7] * 4
    assert (shown["round"], shown["phase"], shown["active"], shown["seat"]) == (2, "split", 1, 0)


def test_a_deal_gives_each_seat_seven_cards_in_turn() -> None:
    state = revealed("AG KB OM", "AA GG KK", deck_top="AGAGAGAMMMMBBB")
    state = play(state, "take apple+grape", "remove kiwi+banana")
    state = play(state, "take apple+apple", "remove grape+grape")
    shown = GAME.show(state)
    assert shown["hands"] == [fruits("AAAAGGG"), fruits("BBBMMMM")]
    assert len(shown["deck"]) == 105 - 28


def test_two_players_remove_a_pair() -> None:
    """F10: it lies open, out of the game."""
    state = revealed("AG KB OM", "AA GG KK", removed="AA", round=3)
    state = play(state, "take kiwi+banana", "remove apple+grape")
    shown = GAME.show(state)
    assert shown["removed"] == {"apple": 3, "grape": 1}
    assert shown["displays"][0] == {"apple": 1, "orange": 1, "melon": 1}


def test_example_14_a_harmful_pair_must_be_taken() -> None:
    state = revealed("AB GB KB", "AA GG KK", "AA GG KK", displays=("A", "GBBB", ""), round=3)
    assert moves(state) == ["take apple+banana", "take grape+banana", "take kiwi+banana"]
    after = play(state, "take apple+banana")
    assert GAME.scores(after)[1] == GAME.scores(state)[1] - 12


def test_example_15_five_players_use_every_card_once() -> None:
    sizes = [len(GAME.show(state)["deck"]) for state in random_game(5)]
    assert sorted(set(sizes), reverse=True) == [70, 35, 0]


def test_example_17_a_secret_card() -> None:
    """It can be any of eight cards, and nobody else can take it; later rounds are as ever."""
    state = at(EIGHT, EIGHT, EIGHT, options=SECRET)
    assert GAME.legal(state) == tuple(range(111, 951))
    split = "split apple+grape kiwi+banana white-peach+yellow-peach / orange // melon"
    state = play(state, split, split, split)
    shown = GAME.show(state)
    assert shown["secrets"] == ["melon"] * 3
    assert shown["discards"] == [["orange"]] * 3
    offered = ["take apple+grape", "take kiwi+banana", "take white-peach+yellow-peach"]
    assert moves(state) == offered
    while GAME.show(state)["round"] == 1:
        state = GAME.apply(state, GAME.legal(state)[0])
    shown = GAME.show(state)
    assert [len(hand) for hand in shown["hands"]] == [7, 7, 7]
    assert shown["secrets"] == ["melon"] * 3
    assert max(GAME.legal(state)) < 105


# --- moves --------------------------------------------------------------------------------------


def test_numbers_of_splits() -> None:
    """discard*15 + 3i + j, and with a secret card 111 + secret*105 + that."""
    state = at(EIGHT[:7], "", "")
    assert GAME.legal(state) == tuple(range(105))
    assert [GAME.describe(state, action) for action in (0, 5, 14, 104)] == [
        "split grape+kiwi banana+white-peach yellow-peach+orange / apple",
        "split grape+banana kiwi+orange white-peach+yellow-peach / apple",
        "split grape+orange kiwi+yellow-peach banana+white-peach / apple",
        "split apple+yellow-peach grape+white-peach kiwi+banana / orange",
    ]
    state = at(EIGHT, EIGHT, options=SECRET)
    assert [GAME.describe(state, action) for action in (111, 950)] == [
        "split kiwi+banana white-peach+yellow-peach orange+melon / grape // apple",
        "split apple+yellow-peach grape+white-peach kiwi+banana / orange // melon",
    ]


@pytest.mark.parametrize(
    ("hand", "legal"),
    [
        ("AAAAAAA", {0: "apple+apple apple+apple apple+apple / apple"}),
        (
            "AAAAAAG",
            {
                0: "apple+apple apple+apple apple+grape / apple",
                90: "apple+apple apple+apple apple+apple / grape",
            },
        ),
        (
            "AAAAAGG",
            {
                0: "apple+apple apple+apple grape+grape / apple",
                1: "apple+apple apple+grape apple+grape / apple",
                75: "apple+apple apple+apple apple+grape / grape",
            },
        ),
    ],
)
def test_of_equal_splits_the_lowest_is_legal(hand: str, legal: dict[int, str]) -> None:
    """F9: neither the order of pairs nor that of cards in them means anything."""
    state = at(hand, "", "")
    found = {action: GAME.describe(state, action) for action in GAME.legal(state)}
    assert found == {action: f"split {text}" for action, text in legal.items()}


@pytest.mark.parametrize(
    ("pairs", "first", "then"),
    [
        ("AG KB OM", (105, 106, 107), [(106, 107), (105, 107), (105, 106)]),
        ("AG AG OM", (105, 107), [(106, 107), (105,)]),
        ("AG OM OM", (105, 106), [(106,), (105, 107)]),
        ("AG AG AG", (105,), [(106,)]),
    ],
)
def test_numbers_of_pairs_stay(
    pairs: str, first: tuple[int, ...], then: list[tuple[int, ...]]
) -> None:
    """Of equal pairs the lowest is legal, whether they are to be taken or, by two, removed."""
    for others, removing in ((["AB AB AB"], 3), (["AB AB AB"] * 2, 0)):
        state = revealed(pairs, *others)
        assert GAME.legal(state) == first
        found = [GAME.legal(GAME.apply(state, action)) for action in first]
        assert found == [tuple(action + removing for action in legal) for legal in then]


def test_notation() -> None:
    state = at("MAGGKKB", "AAAAAAA", "AAAAAAB")
    move = "split apple+kiwi grape+grape banana+melon / kiwi"
    assert move in moves(state)
    shown = GAME.show(play(state, move))
    assert (shown["hands"][0], shown["discards"][0]) == ([], ["kiwi"])
    assert shown["pairs"][0] == [fruits("AK"), fruits("GG"), fruits("BM")]
    state = revealed("AG KB OM", "AA GG KK")
    assert moves(state) == ["take apple+grape", "take kiwi+banana", "take orange+melon"]
    after = play(state, "take kiwi+banana")
    assert moves(after) == ["remove apple+grape", "remove orange+melon"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("take kiwi+bananna", "did you mean 'take kiwi[+]banana'"),
        ("take banana+kiwi", "'take banana[+]kiwi'"),
        ("take apple+apple", "105, 106, 107"),
        ("remove kiwi+banana", "'take kiwi[+]banana'"),
        ("", "''"),
    ],
)
def test_wrong_moves_are_refused_with_the_nearest_right_one(text: str, told: str) -> None:
    with pytest.raises(IllegalActionError, match=told):
        GAME.parse(revealed("AG KB OM", "AA GG KK"), text)


@pytest.mark.parametrize("action", [-1, 0, 104, 108, 110, 111, 951])
def test_wrong_numbers_of_moves_are_refused(action: int) -> None:
    with pytest.raises(IllegalActionError, match=f"action {action} "):
        GAME.apply(revealed("AG KB OM", "AA GG KK"), action)


def test_after_the_end_there_are_no_moves() -> None:
    over = random_game(2)[-1]
    assert GAME.legal(over) == ()
    with pytest.raises(IllegalActionError, match="over"):
        GAME.apply(over, 0)


def test_metadata() -> None:
    assert (GAME.name, list(GAME.players)) == ("fruit-friends", [2, 3, 4, 5])
    assert GAME.action_count == 111 + 840
    assert GAME.resolve(3) == DEFAULTS
    assert {o.name: o.values for o in GAME.options} == dict.fromkeys(DEFAULTS, (False, True))


# --- positions ----------------------------------------------------------------------------------


def test_a_state_as_json() -> None:
    """Exactly the sheet's keys, plain JSON, the sheet's order of fruits and no zeros."""
    where: dict[str, Any] = {
        "pairs": ("AK GG BM", "", ""), "discards": ("OO", "A", "A"), "seat": 1, "round": 2,
        "displays": ("AMG", "GA", ""), "secrets": ("K", "", "M"), "options": SECRET,
    }  # fmt: skip
    shown = GAME.show(at("", "OYWBKGA", EIGHT[:7], **where))
    assert set(shown) == {
        "phase", "seat", "round", "active", "hands", "pairs", "discards", "secrets", "displays",
        "removed", "deck", "starts",
    }  # fmt: skip
    assert json.loads(json.dumps(shown)) == shown
    assert shown == position(("", "OYWBKGA", EIGHT[:7]), **where)
    assert list(shown["displays"][0].items()) == [("apple", 1), ("grape", 1), ("melon", 1)]
    assert shown["hands"][1] == fruits(EIGHT[:7])
    assert shown["pairs"] == [[fruits("AK"), fruits("GG"), fruits("BM")], [], []]
    assert shown["secrets"] == ["kiwi", None, "melon"]


@pytest.mark.parametrize(("players", "options"), VARIANTS, ids=VARIANT_NAMES)
def test_positions_can_be_written_down_and_restored(players: int, options: dict[str, bool]) -> None:
    for state in random_game(players, options, seed=players):
        shown = GAME.show(state)
        again = GAME.restore(json.loads(json.dumps(shown)), players, options)
        assert GAME.show(again) == shown
        assert moves(again) == moves(state)
        assert GAME.ranks(again) == GAME.ranks(state)


def test_the_game_follows_from_the_seed() -> None:
    assert list(map(GAME.show, random_game(3, seed=5))) == list(
        map(GAME.show, random_game(3, seed=5))
    )
    assert GAME.show(GAME.initial(3, seed=5)) != GAME.show(GAME.initial(3, seed=6))


def test_moves_leave_earlier_positions_alone() -> None:
    for state in random_game(2):
        before = state.tobytes()
        for action in GAME.legal(state):
            GAME.apply(state, action)
        GAME.observe(state, 0)
        assert state.tobytes() == before


# --- against the reference ----------------------------------------------------------------------


def uniform(rng: random.Random, legal: list[str]) -> str:
    return rng.choice(legal)


def alike(rng: random.Random, legal: list[str]) -> str:
    """A split with equal pairs, if there is one."""
    rng.shuffle(legal)
    return min(legal, key=lambda move: len(set(move.split()[1:4])))


@pytest.mark.parametrize("choose", [uniform, alike])
@pytest.mark.parametrize(("players", "options"), VARIANTS, ids=VARIANT_NAMES)
def test_whole_games_agree_with_the_reference(
    players: int, options: dict[str, bool], choose: Any
) -> None:
    for seed in range(3):
        rng = random.Random(seed)
        state = GAME.initial(players, options, seed)
        reference = Reference(GAME.show(state), options)
        while True:
            assert normal(GAME.show(state)) == normal(reference.shown())
            assert GAME.show(state)["hands"] == reference.shown()["hands"]
            legal = reference.moves()
            assert moves(state) == list(legal)
            assert GAME.legal(state) == tuple(legal.values())
            assert GAME.mover(state) == reference.at["seat"]
            assert GAME.scores(state) == reference.scores()
            assert GAME.ranks(state) == reference.ranks()
            assert not GAME.capped(state)
            if not legal:
                break
            move = choose(rng, list(legal))
            state = play(state, move)
            reference.apply(move)
