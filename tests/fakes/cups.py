"""A game with a hidden move, for tests of search: seat 0 may hide a ball, seat 1 looks for it.

Seat 0 takes a draw (action 0) or puts the ball under one of three cups (1 to 3), unseen. Then seat
1 lifts a cup and wins if the ball is there. Who hides the ball wins two times out of three, unless
seat 1 knows where it is.
"""

from __future__ import annotations

from arena import kernel
from arena.game import Game
from arena.kernel import FINISHED, random_below, state_dtype, view_dtype

STATE = state_dtype([("cup", "i4"), ("found", "i4"), ("drawn", "i4")])
VIEW = view_dtype([("cup", "i4"), ("found", "i4")])


def deal(state):
    pass


def legal(state, out):
    first = 0 if state.seat == 0 else 1
    for i in range(first, 4):
        out[i - first] = i
    return 4 - first


def apply(state, action):
    state.turn += 1
    if state.seat == 0 and action:
        state.seat, state.cup = 1, action
        return
    state.drawn = action == 0
    state.found = action == state.cup
    state.over, state.seat = FINISHED, -1


def ranks(state, out):
    out[0] = 0 if state.drawn else state.found
    out[1] = 0 if state.drawn else 1 - state.found


def observe(state, seat, view):
    for field in ("players", "seat", "over", "turn", "found"):
        view[field] = state[field]
    view.cup = state.cup if seat == 0 or state.over else 0


def sample(view, seat, world):
    for field in ("players", "seat", "over", "turn", "found", "cup"):
        world[field] = view[field]
    if view.cup == 0 and view.seat == 1:
        world.cup = 1 + random_below(world, 3)


def witness(state, action, seat):
    return action if seat == state.seat or state.seat == 1 else min(action, 1)


def estimate(state, out):
    for seat in range(2):
        out[seat] = 0.5


kernel.register(
    STATE, VIEW, deal=deal, legal=legal, apply=apply, ranks=ranks, observe=observe, sample=sample,
    estimate=estimate, witness=witness,
)  # fmt: skip


class Cups(Game):
    """Played in the interpreter only: its rules are no compiled kernels."""

    name = "cups"
    players = range(2, 3)
    options = ()
    action_count = 4
    max_moves = 2
    state_dtype = STATE
    view_dtype = VIEW

    def scores(self, state):
        return (0, 0)

    def describe(self, state, action):
        return str(action)

    def show(self, state):
        return {}

    def show_view(self, view, seat):
        return {}

    def restore(self, shown, players, options=None, seed=0):
        return self.initial(players)
