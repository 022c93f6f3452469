"""A game that can be solved on paper, for tests of search: take 1 to 3 sticks, the last one wins.

After the winner the others come in the order of play. Nothing is hidden.
"""

from __future__ import annotations

from arena import kernel
from arena.game import Game
from arena.kernel import FINISHED, state_dtype, view_dtype

STATE = state_dtype([("sticks", "i4"), ("winner", "i4")])
VIEW = view_dtype([("sticks", "i4"), ("nothing", "i8")])


def deal(state):
    state.sticks = 12


def legal(state, out):
    n = min(state.sticks, 3)
    for i in range(n):
        out[i] = i + 1
    return n


def apply(state, action):
    state.turn += 1
    state.sticks -= action
    if state.sticks == 0:
        state.winner, state.seat, state.over = state.seat, -1, FINISHED
    else:
        state.seat = (state.seat + 1) % state.players


def ranks(state, out):
    for seat in range(state.players):
        out[seat] = (seat - state.winner) % state.players


def observe(state, seat, view):
    for field in ("players", "seat", "over", "turn", "sticks"):
        view[field] = state[field]


def sample(view, seat, world):
    for field in ("players", "seat", "over", "turn", "sticks"):
        world[field] = view[field]


def estimate(state, out):
    for seat in range(state.players):
        out[seat] = 1 / state.players


kernel.register(
    STATE, VIEW, deal=deal, legal=legal, apply=apply, ranks=ranks, observe=observe, sample=sample,
    estimate=estimate,
)  # fmt: skip


class Sticks(Game):
    """Played in the interpreter only: its rules are no compiled kernels."""

    name = "sticks"
    players = range(2, 4)
    options = ()
    action_count = 4
    max_moves = 12
    state_dtype = STATE
    view_dtype = VIEW

    def with_sticks(self, players, sticks):
        state = self.initial(players)
        state["sticks"] = sticks
        return state

    def scores(self, state):
        return (0,) * int(state["players"][0])

    def describe(self, state, action):
        return str(action)

    def show(self, state):
        return {}

    def show_view(self, view, seat):
        return {}

    def restore(self, shown, players, options=None, seed=0):
        return self.initial(players)


def winner(players: int, sticks: int) -> tuple[int, set[int]]:
    """How many seats after the mover the winner sits, and the moves that are best for the mover."""
    moves = range(1, min(sticks, 3) + 1)
    ends = {m: (winner(players, sticks - m)[0] + 1) % players if sticks > m else 0 for m in moves}
    best = min(ends.values(), key=lambda end: -end % players)
    return best, {m for m in moves if ends[m] == best}
