"""`check_game` on games that are broken on purpose: each is caught, by the rule that it breaks."""

from __future__ import annotations

import importlib
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from arena import kernel
from arena.check import check_game, check_interpreted, variants
from arena.core import Action, State, View
from arena.errors import ContractError, OptionError
from arena.game import choice, number
from arena.games.kuhn import Kuhn

KUHN = Kuhn()
BROKEN: list[tuple[type[Kuhn], str]] = []


def breaks(rule: str) -> Any:
    """Class decorator: the game breaks this rule, and the message has to say so."""

    def note(game: type[Kuhn]) -> type[Kuhn]:
        BROKEN.append((game, rule))
        return game

    return note


def cards(shown: Mapping[str, Any]) -> Counter[str]:
    return Counter([*shown["cards"], shown["left"]])


def changed(state: State, **fields: Any) -> State:
    after = kernel.copy(state)
    for name, value in fields.items():
        after[name] = value
    return after


# --- chance and moves -------------------------------------------------------------------------


@breaks("the same seed must give the same deal")
class DealsAtWhim(Kuhn):
    def initial(self, players: Any = None, options: Any = None, seed: int = 0) -> State:
        return super().initial(players, options, random.SystemRandom().randrange(2**53))


@breaks("different seeds must give different deals")
class NeverShuffles(Kuhn):
    def initial(self, players: Any = None, options: Any = None, seed: int = 0) -> State:
        return changed(super().initial(players, options, seed), cards=[0, 1, 2])


@breaks("apply must be deterministic")
class AppliesAtWhim(Kuhn):
    def apply(self, state: State, action: Action) -> State:
        return changed(super().apply(state, action), rng=random.SystemRandom().randrange(1, 2**63))


@breaks("apply must not change its arguments")
class AppliesInPlace(Kuhn):
    def apply(self, state: State, action: Action) -> State:
        state[:] = super().apply(state, action)
        return kernel.copy(state)


@breaks("legal must not change its arguments")
class CountsLooks(Kuhn):
    def legal(self, state: State) -> tuple[Action, ...]:
        state["phase"] += 1
        return super().legal(state)


@breaks("the state that apply returns must share no memory with the one before")
class ReturnsItsArgument(Kuhn):
    def apply(self, state: State, action: Action) -> State:
        return state


@breaks("a state must not be changed by later moves")
class ChangesTheStateBefore(Kuhn):
    made: ClassVar[list[State]] = []

    def initial(self, players: Any = None, options: Any = None, seed: int = 0) -> State:
        self.made.append(super().initial(players, options, seed))
        return self.made[-1]

    def apply(self, state: State, action: Action) -> State:
        for earlier in self.made:
            if earlier["turn"] < state["turn"]:
                earlier["phase"] = 7
        self.made.append(super().apply(state, action))
        return self.made[-1]


@breaks("every game must end within its 3 moves (max_moves)")
class NeverEnds(Kuhn):
    def apply(self, state: State, action: Action) -> State:
        after = super().apply(state, action)
        return changed(after, turn=0, seat=0, over=0) if after["over"][0] else after


@breaks("legal moves must be ascending and all different")
class ListsMovesBackwards(Kuhn):
    def legal(self, state: State) -> tuple[Action, ...]:
        return super().legal(state)[::-1]


@breaks("legal moves must be from 0 to 1")
class HasMoreMovesThanItSays(Kuhn):
    def legal(self, state: State) -> tuple[Action, ...]:
        return (*super().legal(state), 2)


@breaks("there must be legal moves until the game is over, and none then")
class HasMovesAfterTheEnd(Kuhn):
    def legal(self, state: State) -> tuple[Action, ...]:
        return super().legal(state) or (0,)


@breaks("the seat to move must be one of the players")
class AsksAThirdSeat(Kuhn):
    def mover(self, state: State) -> int | None:
        return None if super().mover(state) is None else 2


@breaks("advance must list the legal moves")
class OverlooksAMove(Kuhn):
    """In another way than its kernels, by which matches are played."""

    def legal(self, state: State) -> tuple[Action, ...]:
        return super().legal(state)[:1]


# --- results ----------------------------------------------------------------------------------


@breaks("a seat's rank must be the number of seats that are better")
class CountsRanksFromOne(Kuhn):
    def ranks(self, state: State) -> tuple[int, ...]:
        return tuple(rank + 1 for rank in super().ranks(state))


@breaks("scores must be finite, one for each seat")
class ScoresToInfinity(Kuhn):
    def scores(self, state: State) -> tuple[Any, ...]:
        return (float("inf"), 0)


@breaks("estimate must give each seat a share from 0 to 1, together 1")
class PromisesTooMuch(Kuhn):
    def estimate(self, state: State) -> tuple[float, ...]:
        return (0.75, 0.75)


@breaks("estimate must be the rewards")
class NeverDecides(Kuhn):
    def estimate(self, state: State) -> tuple[float, ...]:
        return (0.5, 0.5)


# --- hidden information -----------------------------------------------------------------------


def with_cards(view: View, values: Any) -> View:
    record = kernel.copy(view.record)
    record["cards"] = values
    return View(record)


@breaks("samples must differ somewhere")
class ShowsAllCards(Kuhn):
    """In the view as in what it prints: as a game without secrets would be."""

    def observe(self, state: State, seat: int) -> View:
        return with_cards(super().observe(state, seat), state["cards"])


@breaks("samples must differ from the truth in what show_view hides")
class ViewTellsMoreThanItShows(ShowsAllCards):
    def show_view(self, view: View, seat: int) -> dict[str, Any]:
        hidden = {1 - seat: -1, 2: -1}
        masked = [hidden.get(place, card) for place, card in enumerate(view.cards.tolist())]
        return super().show_view(with_cards(view, masked), seat)


class Peeks(Kuhn):
    """Its samples come from the true state, which it keeps where the checks cannot find it."""

    truth: ClassVar[list[State]] = []

    def observe(self, state: State, seat: int) -> View:
        self.truth[:] = [state]
        return super().observe(state, seat)


@breaks("samples must differ from the truth in what show_view hides")
class SamplesTheTruth(Peeks):
    def sample(self, view: View, seat: int, seed: int) -> State:
        return changed(self.truth[0], rng=seed + 1)


@breaks("must have a random word of its own")
class SamplesTheTrueFuture(Peeks):
    def sample(self, view: View, seat: int, seed: int) -> State:
        return changed(super().sample(view, seat, seed), rng=self.truth[0]["rng"])


@breaks("neither a view nor the game may hold the state, its memory or a copy")
class KeepsTheState(Kuhn):
    def __init__(self) -> None:
        self.met: list[State] = []

    def apply(self, state: State, action: Action) -> State:
        after = super().apply(state, action)
        self.met.append(kernel.copy(after))
        return after


@breaks("neither a view nor the game may hold the state, its memory or a copy")
class ViewIntoTheState(Kuhn):
    def observe(self, state: State, seat: int) -> View:
        return ViewWithSource(super().observe(state, seat).record, state)


class ViewWithSource(View):
    __slots__ = ("source",)

    def __init__(self, record: State, source: State) -> None:
        super().__init__(record)
        object.__setattr__(self, "source", [source["cards"]])


@breaks("a view must not hold the state's random word")
class TellsTheFuture(Kuhn):
    view_dtype = kernel.view_dtype([("cards", "i1", (3,)), ("history", "i1", (3,)), ("word", "u8")])

    def observe(self, state: State, seat: int) -> View:
        view, wider = KUHN.observe(state, seat), kernel.blank(self.view_dtype)
        for name in view.fields:
            wider[name] = view.record[name]
        wider["word"] = state["rng"]
        return View(wider)

    def sample(self, view: View, seat: int, seed: int) -> State:
        narrower = kernel.blank(KUHN.view_dtype)
        for name in KUHN.view_dtype.names or ():
            narrower[name] = view.record[name]
        return KUHN.sample(View(narrower), seat, seed)


@breaks("a view must be a View of view_dtype")
class GivesTheBareRecord(Kuhn):
    def observe(self, state: State, seat: int) -> Any:
        return super().observe(state, seat).record


@breaks("must look the same to that seat")
class ForgetsItsOwnCard(Kuhn):
    def sample(self, view: View, seat: int, seed: int) -> State:
        world = super().sample(view, seat, seed)
        return changed(world, cards=np.roll(world["cards"], 1))


@breaks("must have the same legal moves for it")
class CallsForASecretReason(Kuhn):
    """A move that the mover may make only for what another seat holds."""

    def legal(self, state: State) -> tuple[Action, ...]:
        legal = super().legal(state)
        mover = self.mover(state)
        return legal if mover is None or state["cards"][0, 1 - mover] else legal[:1]


@breaks("observing again must give the same view")
class ObservesAtWhim(Kuhn):
    def observe(self, state: State, seat: int) -> View:
        view = super().observe(state, seat)
        view.record["phase"] = random.SystemRandom().randrange(100)
        return view


@breaks("the same seed must sample the same world")
class SamplesAtWhim(Kuhn):
    def sample(self, view: View, seat: int, seed: int) -> State:
        return super().sample(view, seat, random.SystemRandom().randrange(2**53))


@breaks("must hold the same cards")
class SamplesWithTwoKings(Kuhn):
    def sample(self, view: View, seat: int, seed: int) -> State:
        world = super().sample(view, seat, seed)
        return changed(world, cards=[*world["cards"][0, :2], world["cards"][0, seat]])


@breaks("show_step must not change a seat's own steps")
class HidesOwnMoves(Kuhn):
    def show_step(self, step: Mapping[str, Any], phase: str, seat: int) -> dict[str, Any]:
        return {**step, "id": None}


@breaks("show_step must not tell seat")
class TellsWhatAMoveMeant(Kuhn):
    """In the ids of its moves, which depend on the mover's card."""

    def describe(self, state: State, action: Action) -> str:
        strong = self.mover(state) is not None and state["cards"][0, state["seat"][0]] == 2
        return super().describe(state, 1 - action if strong else action)

    def restore(self, shown: Any, players: Any = 2, options: Any = None, seed: int = 0) -> State:
        return KUHN.restore(shown, players, options, seed)


# --- what is seen of moves --------------------------------------------------------------------


@breaks("witness must be from 0 to 1")
class HasMoreWitnessesThanItSays(Kuhn):
    def witness(self, state: State, action: Action, seat: int) -> int:
        return action + 1


@breaks("are equal must have one witness")
class WitnessesHiddenMoves(Kuhn):
    """Views do not tell what others have done, but the witnesses do."""

    def observe(self, state: State, seat: int) -> View:
        record = super().observe(state, seat).record
        record["history"] = 0
        return View(record)


@breaks("witnesses of its own moves must all differ")
class OverlooksOwnMoves(Kuhn):
    def witness(self, state: State, action: Action, seat: int) -> int:
        return 0


@breaks("must be the same in a world sampled for seat")
class WitnessesOtherHands(Kuhn):
    def witness(self, state: State, action: Action, seat: int) -> int:
        return int(action + state["cards"][0, 1 - seat]) % 2


# --- text -------------------------------------------------------------------------------------


@breaks("parse must read 'move' as describe writes it")
class DescribesAllMovesAlike(Kuhn):
    def describe(self, state: State, action: Action) -> str:
        return "move"


@breaks("parse must not fail")
class DescribesWhatItCannotRead(Kuhn):
    def describe(self, state: State, action: Action) -> str:
        return f" {super().describe(state, action)}"


@breaks("show must give JSON")
class ShowsBytes(Kuhn):
    def show(self, state: State) -> dict[str, Any]:
        return {**super().show(state), "note": b"x"}


@breaks("show must give what JSON reads back")
class ShowsNumbersAsKeys(Kuhn):
    def show(self, state: State) -> dict[str, Any]:
        return {**super().show(state), "chips": {0: 1, 1: 1}}


@breaks("restore(show) must show the same")
class RestoresAnotherDeal(Kuhn):
    def restore(self, shown: Any, players: Any = 2, options: Any = None, seed: int = 0) -> State:
        return super().restore({**shown, "cards": shown["cards"][::-1]}, players, options, seed)


@breaks("show_view must have the keys of show")
class ShowsNoLeftCard(Kuhn):
    def show_view(self, view: View, seat: int) -> dict[str, Any]:
        shown = super().show_view(view, seat)
        del shown["left"]
        return shown


@breaks("equal views of seat 0 must be shown alike")
class ShowsFromElsewhere(Peeks):
    def show_view(self, view: View, seat: int) -> dict[str, Any]:
        return {**super().show_view(view, seat), "left": self.show(self.truth[0])["left"]}


@breaks("no card may be lost or added")
class LosesACard(Kuhn):
    def apply(self, state: State, action: Action) -> State:
        after = super().apply(state, action)
        after["cards"][0, 2] = after["cards"][0, 0]
        return after


@breaks("scores must not fail; found ZeroDivisionError")
class Fails(Kuhn):
    def scores(self, state: State) -> tuple[Any, ...]:
        return (1 // 0,)


@pytest.mark.parametrize(
    ("broken", "rule"), BROKEN, ids=[f"{game.__name__}: {rule}" for game, rule in BROKEN]
)
def test_a_broken_game_is_caught_by_the_rule_it_breaks(broken: type[Kuhn], rule: str) -> None:
    with pytest.raises(ContractError) as error:
        check_game(broken(), cards=cards, interpreted=0)
    place, _, told = str(error.value).partition(": ")
    assert rule in told
    assert place.startswith("kuhn, 2 players, options={}, seed ")
    assert "move" in place or "deal" in place


def test_a_sound_game_passes() -> None:
    check_game(KUHN, cards=cards, interpreted=0)


def test_a_game_may_say_that_it_has_no_secrets() -> None:
    """This one is caught all the same, since its kernels do have them."""
    with pytest.raises(ContractError, match="advance must observe for the seat to move"):
        check_game(ShowsAllCards(), hidden=False, interpreted=0)


def test_the_message_tells_where_the_rule_was_broken_and_how() -> None:
    with pytest.raises(ContractError) as error:
        check_game(ListsMovesBackwards(), seeds=[5], interpreted=0)
    assert str(error.value) == (
        "kuhn, 2 players, options={}, seed 5, after the deal: "
        "legal moves must be ascending and all different; found (1, 0)"
    )


# --- compiled and interpreted -----------------------------------------------------------------

TWO_FACED = """
from arena import kernel
from arena.games.kuhn import Kuhn
class TwoFaced(Kuhn):
    def initial(self, players=None, options=None, seed=0):
        state = super().initial(players, options, seed)
        if not kernel.COMPILED:
            state["cards"] = state["cards"][:, ::-1].copy()
        return state
"""


def test_a_game_that_plays_differently_in_the_interpreter_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "two_faced.py").write_text(TWO_FACED)
    monkeypatch.syspath_prepend(tmp_path)
    game = importlib.import_module("two_faced").TwoFaced()
    with pytest.raises(ContractError) as error:
        check_game(game, seeds=[0], interpreted=2)
    assert "seed 0, after the deal: compiled and interpreted rules must agree" in str(error.value)
    assert "found a difference in the state" in str(error.value)


def test_a_game_that_another_process_cannot_import_is_told() -> None:
    class Local(Kuhn):
        pass

    with pytest.raises(ContractError, match=r"NUMBA_DISABLE_JIT=1 must work for .*<locals>.Local"):
        check_interpreted(Local(), games=1)


# --- variants ---------------------------------------------------------------------------------


class Choosy(Kuhn):
    options = (
        choice("ante", "one", "two", "three", doc=""),
        choice("open", False, True, doc=""),
        number("rounds", 3, 1, 9, doc=""),
        number("chips", 2, 2, 5, doc=""),
    )

    def check_combination(self, players: int, options: Mapping[str, Any]) -> None:
        if options["ante"] == "three" and options["open"]:
            raise OptionError("three needs closed cards")


def test_variants_try_every_choice_alone_and_mix_them() -> None:
    found = variants(Choosy(), 2)
    alone = [
        {"ante": "two"}, {"ante": "three"}, {"open": True}, {"rounds": 1}, {"rounds": 9},
        {"chips": 5},
    ]  # fmt: skip
    assert found[: len(alone) + 2] == [{}, *alone, {"rounds": 9, "chips": 5}]
    mixtures = found[len(alone) + 2 :]
    assert mixtures
    assert all(list(mixture) == ["ante", "open"] for mixture in mixtures)


def test_variants_leave_out_what_the_game_refuses() -> None:
    refused = {"ante": "three", "open": True}
    assert all(not refused.items() <= variant.items() for variant in variants(Choosy(), 2))
    assert variants(KUHN, 2) == [{}]
