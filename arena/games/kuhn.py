"""Kuhn poker, the smallest game with hidden information: the worked example for new games.

Two players put one chip each into the pot and get one card each of a deck of three. Each may pass
or bet one more chip, until both have passed or both have bet, and the higher card wins the pot, or
until one passes after a bet and so loses. With best play the first player loses 1/18 chip a game.

Source: H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games 1, 1950.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from arena import kernel
from arena.core import Action, State, View
from arena.errors import IllegalActionError
from arena.game import Game
from arena.kernel import (
    FINISHED,
    Array,
    Field,
    Record,
    random_below,
    shuffle,
    state_dtype,
    view_dtype,
)

PASS, BET = 0, 1
NOBODY = -1
CARDS = ("jack", "queen", "king")
MOVES = ("pass", "bet")

FIELDS: list[Field] = [
    ("cards", "i1", (3,)),  # of seat 0, of seat 1, the one left over; in a view -1 when not seen
    ("history", "i1", (3,)),  # moves so far, `turn` of them
]
STATE = state_dtype(FIELDS)
VIEW = view_dtype(FIELDS)


@kernel.kernel
def deal(state: Record) -> None:
    for card in range(3):
        state.cards[card] = card
    shuffle(state, state.cards, 3)


@kernel.kernel
def legal(state: Record, out: Array) -> int:
    if state.over:
        return 0
    out[0] = PASS
    out[1] = BET
    return 2


@kernel.kernel
def apply(state: Record, action: int) -> None:
    state.history[state.turn] = action
    state.turn += 1
    answered = state.turn >= 2 and action == state.history[state.turn - 2]
    folded = state.turn >= 2 and action == PASS
    if answered or folded:
        state.over = FINISHED
        state.seat = NOBODY
    else:
        state.seat = 1 - state.seat


@kernel.kernel
def chips(state: Record, seat: int) -> int:
    """What `seat` has won or, negative, lost; 0 before the end."""
    if not state.over:
        return 0
    last, before = state.history[state.turn - 1], state.history[state.turn - 2]
    stake = 2 if last == BET else 1
    winner = 0 if state.cards[0] > state.cards[1] else 1
    if last == PASS and before == BET:
        winner = state.turn % 2
    return stake if seat == winner else -stake


@kernel.kernel
def ranks(state: Record, out: Array) -> None:
    for seat in range(2):
        out[seat] = 0 if chips(state, seat) >= 0 else 1


@kernel.kernel
def observe(state: Record, seat: int, view: Record) -> None:
    view.players = state.players
    view.seat = state.seat
    view.over = state.over
    view.turn = state.turn
    for move in range(state.turn):
        view.history[move] = state.history[move]
    view.cards[:] = -1
    view.cards[seat] = state.cards[seat]
    if state.over and not (
        state.history[state.turn - 1] == PASS and state.history[state.turn - 2] == BET
    ):
        for card in range(3):
            view.cards[card] = state.cards[card]


@kernel.kernel
def sample(view: Record, seat: int, world: Record) -> None:
    world.players = view.players
    world.seat = view.seat
    world.over = view.over
    world.turn = view.turn
    for move in range(3):
        world.history[move] = view.history[move]
        world.cards[move] = view.cards[move]
    if view.cards[1 - seat] >= 0:
        return
    own = view.cards[seat]
    other = (own + 1 + random_below(world, 2)) % 3
    world.cards[1 - seat] = other
    world.cards[2] = 3 - own - other


@kernel.kernel
def estimate(state: Record, out: Array) -> None:
    if state.over:
        kernel.rewards(state, out)
    else:
        out[0] = 0.75 if state.cards[0] > state.cards[1] else 0.25
        out[1] = 1.0 - out[0]


kernel.register(
    STATE, VIEW, deal=deal, legal=legal, apply=apply, ranks=ranks, observe=observe, sample=sample,
    estimate=estimate,
)  # fmt: skip


class Kuhn(Game):
    name = "kuhn"
    title = "Kuhn poker"
    rules = "1"
    players = range(2, 3)
    options = ()
    action_count = 2
    max_moves = 3
    state_dtype = STATE
    view_dtype = VIEW
    view_fields: ClassVar[Mapping[str, str]] = {
        "cards": "(3,) cards of seat 0, of seat 1, left over: 0 jack, 1 queen, 2 king, -1 not seen",
        "history": "(3,) the first `turn` entries are the moves so far: 0 pass, 1 bet",
    }

    def scores(self, state: State) -> tuple[int, ...]:
        return tuple(int(chips(state[0], seat)) for seat in range(2))

    def describe(self, state: State, action: Action) -> str:
        return MOVES[action]

    def show(self, state: State) -> dict[str, Any]:
        cards = state["cards"][0].tolist()
        return {
            **self._public(state),
            "cards": [CARDS[c] for c in cards[:2]],
            "left": CARDS[cards[2]],
        }

    def show_view(self, view: View, seat: int) -> dict[str, Any]:
        cards = [CARDS[c] if c >= 0 else None for c in view.cards.tolist()]
        return {**self._public(view.record), "cards": cards[:2], "left": cards[2]}

    def _public(self, record: State) -> dict[str, Any]:
        turn = int(record["turn"][0])
        return {
            "seat": self.mover(record),
            "moves": [MOVES[m] for m in record["history"][0, :turn].tolist()],
        }

    def restore(
        self,
        shown: Mapping[str, Any],
        players: int = 2,
        options: Mapping[str, object] | None = None,
        seed: int = 0,
    ) -> State:
        state = self._blank(players, options, seed)
        cards = [CARDS.index(card) for card in shown["cards"]]
        state["cards"] = [*cards, 3 - sum(cards)]
        for move in shown["moves"]:
            if self.mover(state) is None:
                raise IllegalActionError(f"move {move!r}: the game is over")
            state = self.apply(state, self.parse(state, move))
        return state
