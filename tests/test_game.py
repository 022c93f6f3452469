"""Games as people and bots meet them: options, moves, texts, views."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

from arena.core import View
from arena.errors import ArenaError, IllegalActionError, OptionError
from arena.game import Option, choice, number
from arena.games.cubirds import CuBirds
from arena.games.kuhn import BET, PASS, Kuhn

KUHN = Kuhn()
CUBIRDS = CuBirds()


# --- options ----------------------------------------------------------------------------------


def test_resolved_options_are_all_options_in_their_order_with_their_values() -> None:
    resolved = CUBIRDS.resolve(3, {"reshuffle": "eager", "turn_cap": 20})
    assert list(resolved) == [option.name for option in CUBIRDS.options]
    assert resolved["reshuffle"] == "eager"
    assert resolved["turn_cap"] == 20
    assert resolved["fly_requires_take"] is False
    assert CUBIRDS.resolve(3, resolved) == resolved


def test_resolving_leaves_the_given_options_alone() -> None:
    given = {"reshuffle": "eager"}
    CUBIRDS.resolve(2, given)
    assert given == {"reshuffle": "eager"}


@pytest.mark.parametrize(
    ("players", "options", "message"),
    [
        (1, {}, "cubirds is for 2 to 5 players, found 1"),
        (6, {}, "cubirds is for 2 to 5 players, found 6"),
        (1000, {}, "cubirds is for 2 to 5 players, found 1000"),
        (0, {}, "cubirds is for 2 to 5 players, found 0"),
        (2, {"reshufle": "lazy"}, "cubirds has no option 'reshufle'; did you mean 'reshuffle'?"),
        (
            2,
            {"reshuffle": "eagr"},
            "option reshuffle: found 'eagr', expected 'lazy' or 'eager'; did",
        ),
        (2, {"turn_cap": 0}, "option turn_cap: found 0, expected a whole number from 1 to 10000"),
        (2, {"turn_cap": 1.0}, "option turn_cap: found 1.0, expected a whole number"),
        (2, {"turn_cap": True}, "option turn_cap: found true, expected a whole number"),
        (2, {"fly_requires_take": 1}, "option fly_requires_take: found 1, expected false or true"),
        (2, {"short_draw": None}, "option short_draw: found None, expected 'partial' or"),
    ],
)
def test_wrong_options_are_told_with_what_is_right(
    players: int, options: dict[str, Any], message: str
) -> None:
    for method in (CUBIRDS.resolve, CUBIRDS.initial):
        with pytest.raises(OptionError) as caught:
            method(players, options)
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "option",
    [choice("a", "x", "y", doc=""), choice("b", False, True, doc=""), number("c", 5, 3, 9, "")],
)
def test_every_value_of_an_option_is_stored_as_a_number(option: Option) -> None:
    assert option.default in option.values
    for value in option.values:
        decoded = option.decode(option.encode(value))
        assert (decoded, type(decoded)) == (value, type(value))


# --- moves ------------------------------------------------------------------------------------


def test_without_arguments_a_game_begins_with_the_fewest_players() -> None:
    state = KUHN.initial()
    assert state["players"][0] == 2
    assert KUHN.mover(state) == 0
    assert not KUHN.capped(state)


def test_seeds_decide_the_deal() -> None:
    deals = [json.dumps(KUHN.show(KUHN.initial(seed=seed))) for seed in range(40)]
    assert deals == [json.dumps(KUHN.show(KUHN.initial(seed=seed))) for seed in range(40)]
    assert len(set(deals)) == 6


def test_states_are_values_that_no_move_changes() -> None:
    states = [KUHN.initial(seed=1)]
    shown = [KUHN.show(states[0])]
    for action in (PASS, BET, PASS):
        states.append(KUHN.apply(states[-1], action))
        shown.append(KUHN.show(states[-1]))
    assert [KUHN.show(state) for state in states] == shown
    assert [len(s["moves"]) for s in shown] == [0, 1, 2, 3]
    assert KUHN.mover(states[-1]) is None
    assert KUHN.legal(states[-1]) == ()


@pytest.mark.parametrize("action", [-1, 2, 99, "bet", None, 0.5])
def test_an_illegal_action_is_refused_with_the_legal_ones(action: Any) -> None:
    state = KUHN.initial()
    with pytest.raises(IllegalActionError) as caught:
        KUHN.apply(state, action)
    assert str(caught.value).startswith(f"action {action!r} is not legal here")
    assert "pass, bet" in str(caught.value)
    assert str(caught.value).endswith("legal ids: 0, 1")


def test_after_the_end_no_action_is_legal() -> None:
    state = KUHN.apply(KUHN.apply(KUHN.initial(), BET), PASS)
    with pytest.raises(IllegalActionError, match=r"^action 0: the game is over$"):
        KUHN.apply(state, PASS)
    with pytest.raises(IllegalActionError, match=r"^move 'bet': the game is over$"):
        KUHN.parse(state, "bet")


def test_ranks_scores_and_estimate_at_the_end_tell_the_same() -> None:
    state = KUHN.initial(seed=3)
    for action in (BET, PASS):
        state = KUHN.apply(state, action)
    assert KUHN.ranks(state) == (0, 1)
    assert KUHN.scores(state) == (1, -1)
    assert KUHN.estimate(state) == (1.0, 0.0)


def test_an_option_can_end_a_game_by_its_cap() -> None:
    state = CUBIRDS.initial(2, {"turn_cap": 1})
    while CUBIRDS.mover(state) is not None:
        state = CUBIRDS.apply(state, CUBIRDS.legal(state)[-1])
    assert CUBIRDS.capped(state)


# --- text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["bet", "BET", "  bet ", "Bet\n"])
def test_moves_are_read_whatever_their_case_and_spaces(text: str) -> None:
    assert KUHN.parse(KUHN.initial(), text) == BET


def test_a_move_that_cannot_be_read_is_answered_with_the_nearest() -> None:
    with pytest.raises(IllegalActionError) as caught:
        KUHN.parse(KUHN.initial(), "pas")
    assert str(caught.value) == (
        "move 'pas' is not legal here; did you mean 'pass'? (known: pass, bet); legal ids: 0, 1"
    )


def test_errors_of_a_game_can_be_caught_as_one() -> None:
    with pytest.raises(ArenaError):
        KUHN.parse(KUHN.initial(), "raise")


# --- views ------------------------------------------------------------------------------------


@pytest.fixture
def view() -> View:
    return KUHN.observe(KUHN.apply(KUHN.initial(seed=1), BET), 1)


def test_a_view_has_named_fields(view: View) -> None:
    assert view.fields == KUHN.view_dtype.names
    assert (view.players, view.seat, view.turn) == (2, 1, 1)
    assert type(view.turn) is int
    assert view.history.tolist() == [BET, 0, 0]
    assert view.cards[0] == -1
    assert {"cards", "history", "fields", "record"} <= set(dir(view))
    assert repr(view).startswith("View(players=2, seat=1, ")


def test_a_view_is_read_only(view: View) -> None:
    before = view.record.tobytes()
    with pytest.raises(AttributeError, match="read-only; 'turn' cannot be set"):
        view.turn = 5
    with pytest.raises(ValueError, match="read-only"):
        view.cards[0] = 2
    assert view.record.tobytes() == before


def test_a_field_that_a_view_lacks_is_answered_with_those_it_has(view: View) -> None:
    with pytest.raises(AttributeError, match=r"no field 'hand'; it has players, seat, .*history"):
        _ = view.hand
    assert not hasattr(view, "rng")


def test_views_are_equal_if_they_tell_the_same(view: View) -> None:
    state = KUHN.apply(KUHN.initial(seed=1), BET)
    same, other = KUHN.observe(state, 1), KUHN.observe(state, 0)
    assert view == same
    assert hash(view) == hash(same)
    assert view != other
    assert view != CUBIRDS.observe(CUBIRDS.initial(2), 1)
    assert view != "View"


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda view: pickle.loads(pickle.dumps(view))]
)
def test_copies_of_a_view_are_equal_to_it(view: View, duplicate: Any) -> None:
    used = np.full(view.record.nbytes, 255, np.uint8)
    del used  # so that NumPy takes dirty memory for the copy, which has gaps between the fields
    twin = duplicate(view)
    assert twin == view
    assert hash(twin) == hash(view)
    assert repr(twin) == repr(view)


def test_a_view_outlives_later_moves() -> None:
    state = KUHN.initial(seed=1)
    view = KUHN.observe(state, 0)
    before = view.record.tobytes()
    state = KUHN.apply(KUHN.apply(state, BET), BET)
    assert view.record.tobytes() == before
    assert KUHN.observe(state, 0) != view


def test_samples_follow_from_their_seed(view: View) -> None:
    worlds = [KUHN.show(KUHN.sample(view, 1, seed))["cards"] for seed in range(40)]
    assert worlds == [KUHN.show(KUHN.sample(view, 1, seed))["cards"] for seed in range(40)]
    assert {own for _, own in worlds} == {KUHN.show_view(view, 1)["cards"][1]}
    assert len({other for other, _ in worlds}) == 2


def test_states_and_views_are_arrays_of_one_record() -> None:
    state = KUHN.initial()
    assert (state.shape, state.dtype) == ((1,), KUHN.state_dtype)
    assert KUHN.observe(state, 0).record.shape == (1,)
    assert not np.may_share_memory(state, KUHN.observe(state, 0).record)
