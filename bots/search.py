"""What the searching bots are built of: a tree in flat arrays, and the kernels that grow it.

The kernels reach a game only through the verbs of `arena.kernel`, so that this one source serves
all games and is specialised by the compiler for each.

**Tree.** A node stands for a sequence of moves from the root, whatever world they were played in.
Nodes lie in one array that is made once; `first` and `next` link the children of a node, and 0
ends a list, because roots come first and are nobody's children. A child is told by the seat that
moved and its action. Children that the present world allows are found through `marks`, an array
over (seat, action), without hashing. When the array is full, the search goes on without new nodes.

**Values.** Every seat maximises its own reward (max^n). `kernel.rewards` shares 1 among the seats;
with n of them the best is 2/n and the average 1/n. Values in the tree are rewards times n/2, which
puts them into [0, 1], with 1 for the first alone, 0 for the last and ½ on average, for any number
of seats. So `exploration` means the same everywhere.

**Randomness.** A bot's choices follow from its seed and the view it is given, and from nothing
else: it may be asked again, in another process or without its past, and answers the same.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arena import kernel
from arena.core import Action, Bot, Turn, View
from arena.errors import OptionError
from arena.game import Game
from arena.kernel import RUNNING, Array, Record, random_below

NODES = 1_000_000
"""Default for the most nodes a search may have; a node takes 32 bytes."""


def _records(*fields: kernel.Field) -> np.dtype[Any]:
    plain = np.dtype(list(fields), align=True)
    return plain if kernel.COMPILED else np.dtype((np.record, plain))


NODE = _records(
    ("action", "i4"),
    ("seat", "i4"),  # that played `action`
    ("first", "i4"),  # child, 0 for none
    ("next", "i4"),  # child of the same parent, 0 for none
    ("visits", "i4"),
    ("available", "i4"),  # visits of the parent in worlds that allowed `action`
    ("value", "f8"),  # sum over the visits, for `seat`
)

PLAYED, BLANK, FIXED = 0, 1, 2
"""States of a workspace: the one being played on, one of zeros, and from here on those kept."""


class Workspace(NamedTuple):
    """All memory that simulations need, made once per bot and used for every move."""

    states: Array
    """(2 + kept,) states, see PLAYED"""
    scratch: Array
    """(1,) record of all else; inside a record, arrays cost no reference counts"""


def workspace(game: Game, kept: int) -> Workspace:
    """A workspace for `game` with room to keep some states."""
    actions, seats = game.action_count, game.players[-1]
    scratch = _records(
        ("rng", "u8"),
        ("moves", "i8"),  # simulated so far, in the tree and in playouts
        ("used", "i8"),  # nodes
        ("stamp", "i8"),  # the last one written to `marks`
        ("marks", "i8", (seats, actions)),  # stamp of the last node where a seat had that action
        ("values", "f8", (seats,)),  # what the last simulation was worth
        ("legal", "i8", (actions,)),
        ("children", "i4", (actions,)),  # nodes among which to choose
        ("path", "i4", (game.max_moves + 1,)),  # nodes from the root to the leaf
    )
    return Workspace(np.zeros(2 + kept, game.state_dtype), kernel.blank(scratch))


class Tree:
    """A search tree, or as many trees as there are fixed worlds, in memory that does not grow.

    `nodes` is the array of NODE, roots first; `moves` counts the simulated moves.
    """

    def __init__(self, game: Game, nodes: int, worlds: int = 0) -> None:
        self.roots = max(1, worlds)
        self.nodes = np.empty(nodes, NODE)
        self._workspace = workspace(game, worlds)

    def clear(self, word: int) -> None:
        """Cut the trees down to their roots and start the random stream at `word`, not 0."""
        self.nodes[: self.roots] = 0
        scratch = self._workspace.scratch
        scratch["used"] = self.roots
        scratch["moves"] = 0
        scratch["rng"] = word

    def explore(self, turn: Turn, exploration: float, depth: int, first: int, count: int) -> None:
        """Iterations first … first + count - 1 of a search for the best answer to `turn`."""
        view, seat = turn.view.record, turn.seat
        _explore(view, seat, self.nodes, *self._workspace, exploration, depth, first, count)

    @property
    def used(self) -> int:
        """How many nodes there are."""
        return int(self._workspace.scratch["used"][0])

    @property
    def moves(self) -> int:
        return int(self._workspace.scratch["moves"][0])

    def favourite(self) -> Action:
        """The action with the most visits, all trees together; of equals the one worth most."""
        visits: dict[Action, int] = {}
        values: dict[Action, float] = {}
        for root in range(self.roots):
            child = self.nodes["first"][root]
            while child:
                action, _, _, child, seen, _, value = self.nodes[child].item()
                visits[action] = visits.get(action, 0) + seen
                values[action] = values.get(action, 0.0) + value
        return max(visits, key=lambda action: (visits[action], values[action], -action))


def word(seed: int, view: View) -> int:
    """The random word, not zero, with which a bot of that seed answers that view."""
    digest = hashlib.blake2b(digest_size=8, person=b"arena.bot")
    digest.update(f"{seed}\0".encode())
    digest.update(view.record.tobytes())
    return int.from_bytes(digest.digest(), "little") or 1


def rehearse(bot: Bot, game: Game) -> None:
    """Let `bot` make a first move in `game`, so that its kernels are compiled."""
    state = game.initial()
    seat = int(state["seat"][0])
    bot.act(Turn(game.observe(state, seat), seat, game.legal(state)))


# --- parameters -------------------------------------------------------------------------------


def whole(name: str, value: object, least: int) -> int:
    """`value` if it is a whole number from `least` on, otherwise OptionError."""
    if type(value) is int and value >= least:
        return value
    raise OptionError(f"{name}: found {value!r}, expected a whole number from {least}")


def real(name: str, value: object, least: float) -> float:
    """`value` as a float if it is a finite number from `least` on, otherwise OptionError."""
    if type(value) in (int, float) and least <= float(value) < math.inf:  # type: ignore[arg-type]
        return float(value)  # type: ignore[arg-type]
    raise OptionError(f"{name}: found {value!r}, expected a number from {least:g}")


class Budget:
    """How long a search goes on: iterations, seconds of wall clock, or whichever ends first.

    With neither it is `ITERATIONS`.
    """

    ITERATIONS = 1000

    CHUNK = 0.002
    """seconds of search between two looks at the clock, and about the most by which one is late"""

    def __init__(self, iterations: int | None, seconds: float | None) -> None:
        if iterations is None and seconds is None:
            iterations = self.ITERATIONS
        self.iterations = None if iterations is None else whole("iterations", iterations, 1)
        self.seconds = None if seconds is None else real("seconds", seconds, 0.001)

    def spend(self, search: Callable[[int, int], object]) -> int:
        """Call `search(first, count)` for iterations first … first + count - 1; returns how many.

        What is searched does not depend on how it is cut into calls.
        """
        if self.seconds is None:
            assert self.iterations is not None
            search(0, self.iterations)
            return self.iterations
        begin = time.perf_counter()
        done, chunk = 0, 1
        while chunk:
            search(done, chunk)
            done += chunk
            spent = time.perf_counter() - begin
            slice_ = min(self.CHUNK, self.seconds - spent)
            chunk = min(max(int(done / spent * slice_), 1), 2 * done) if slice_ > 0 else 0
            if self.iterations is not None:
                chunk = min(chunk, self.iterations - done)
        return done


# --- kernels ----------------------------------------------------------------------------------


@kernel.kernel
def _explore(
    views: Array,
    seat: int,
    nodes: Array,
    states: Array,
    scratch: Array,
    exploration: float,
    depth: int,
    first: int,
    count: int,
) -> None:
    """With fixed worlds each has a root, iterations take them in turn, and the first draw them.

    Without, there is one root and every iteration draws a world.
    """
    fixed = len(states) - FIXED
    for iteration in range(first, first + count):
        root = iteration % fixed if fixed else 0
        if iteration < fixed or not fixed:
            determinise(views[0], seat, states, scratch[0])
        else:
            states[PLAYED] = states[FIXED + root]
        if iteration < fixed:
            states[FIXED + root] = states[PLAYED]
        iterate(nodes, states[PLAYED], scratch[0], root, exploration, depth)


@kernel.kernel
def determinise(view: Record, seat: int, states: Array, scratch: Record) -> None:
    """Draw a world that `seat` cannot rule out, with chance of its own, and put it in PLAYED."""
    states[PLAYED] = states[BLANK]
    upper = np.uint64(random_below(scratch, 0xFFFFFFFF))
    lower = np.uint64(random_below(scratch, 0xFFFFFFFF))
    states[PLAYED].rng = upper << np.uint64(32) | lower | np.uint64(1)
    kernel.sample(view, seat, states[PLAYED])


@kernel.kernel
def iterate(
    nodes: Array, world: Record, scratch: Record, root: int, exploration: float, depth: int
) -> None:
    """One iteration in `world`: down the tree, a new node, a playout, and back up."""
    path, values = scratch.path, scratch.values
    path[0] = root
    length = 1
    growing = True
    while growing and world.over == RUNNING:
        child, growing = step(nodes, world, scratch, path[length - 1], exploration)
        scratch.moves += 1
        if child:
            path[length] = child
            length += 1
    scratch.moves += playout(world, depth, scratch)
    evaluate(world, values)
    scale = world.players / 2
    for i in range(length):
        node = nodes[path[i]]
        node.visits += 1
        node.value += scale * values[node.seat]


@kernel.kernel
def step(
    nodes: Array, world: Record, scratch: Record, parent: int, exploration: float
) -> tuple[int, bool]:
    """Play a move of the node `parent` in `world`, one never tried there if there is any.

    Returns the child it leads to, 0 when there is no room for a new one, and whether to go on. A
    forced move tells nothing, so the descent goes on even where its node is new.
    """
    legal, children, marks = scratch.legal, scratch.children, scratch.marks
    n = kernel.legal(world, legal)
    seat = world.seat
    scratch.stamp += 1
    stamp = scratch.stamp
    for i in range(n):
        marks[seat, legal[i]] = stamp
    found = 0
    child = nodes[parent].first
    while child:
        node = nodes[child]
        if node.seat == seat and marks[seat, node.action] == stamp:
            marks[seat, node.action] = 0
            node.available += 1
            children[found] = child
            found += 1
        child = node.next
    if found == n:
        child = select(nodes, children, n, exploration)
        action = nodes[child].action
    else:
        action = untried(scratch, seat, n, n - found)
        child = grow(nodes, scratch, parent, seat, action)
    kernel.apply(world, action)
    return child, found == n or (n == 1 and child > 0)


@kernel.kernel
def untried(scratch: Record, seat: int, n: int, left: int) -> Action:
    """One of the `left` moves still marked among the `n` legal ones."""
    legal, marks, stamp = scratch.legal, scratch.marks, scratch.stamp
    skip = random_below(scratch, left) if left > 1 else 0
    i = 0
    while skip or marks[seat, legal[i]] != stamp:
        if marks[seat, legal[i]] == stamp:
            skip -= 1
        i += 1
    return legal[i]


@kernel.kernel
def select(nodes: Array, children: Array, n: int, exploration: float) -> int:
    """The child with the greatest upper confidence bound.

    UCB1 with the availability in place of the parent's visits (Cowling, Powley, Whitehouse,
    "Information set Monte Carlo tree search", 2012).
    """
    if n == 1:
        return children[0]
    best, bound = 0, -1.0
    for i in range(n):
        node = nodes[children[i]]
        visits = node.visits
        spread = exploration * math.sqrt(math.log(node.available) / visits)
        if node.value / visits + spread > bound:
            bound = node.value / visits + spread
            best = children[i]
    return best


@kernel.kernel
def grow(nodes: Array, scratch: Record, parent: int, seat: int, action: int) -> int:
    """Give `parent` a new child; returns its number, or 0 when there is no room for it."""
    child = scratch.used
    if child == len(nodes):
        return 0
    scratch.used += 1
    node = nodes[child]
    node.action = action
    node.seat = seat
    node.first = 0
    node.next = nodes[parent].first
    node.visits = 0
    node.available = 1
    node.value = 0.0
    nodes[parent].first = child
    return child


@kernel.kernel
def playout(world: Record, depth: int, scratch: Record) -> int:
    """Play random moves, `depth` of them or, if that is -1, to the end; returns how many."""
    legal = scratch.legal
    played = 0
    while world.over == RUNNING and played != depth:
        n = kernel.legal(world, legal)
        kernel.apply(world, legal[random_below(scratch, n)] if n > 1 else legal[0])
        played += 1
    return played


@kernel.kernel
def evaluate(world: Record, values: Array) -> None:
    """Write each seat's reward to `values`, estimated when the game is not over."""
    if world.over:
        kernel.rewards(world, values)
    else:
        kernel.estimate(world, values)


@kernel.kernel
def _playouts(start: Array, states: Array, scratch: Array, games: int) -> int:
    moves = 0
    for _ in range(games):
        states[PLAYED] = start[0]
        states[PLAYED].rng = np.uint64(1) + np.uint64(random_below(scratch[0], 0xFFFFFFFF))
        moves += playout(states[PLAYED], -1, scratch[0])
    return moves


def random_playouts(game: Game, games: int, players: int | None = None, seed: int = 0) -> int:
    """Play `games` uniformly random games from one deal to their ends; returns the moves made."""
    start = game.initial(players, seed=seed)
    states, scratch = workspace(game, 0)
    scratch["rng"] = start["rng"]
    return int(_playouts(start, states, scratch, games))
