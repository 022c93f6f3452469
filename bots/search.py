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


def _records(*fields: tuple[str, str]) -> np.dtype[Any]:
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

HEAD = _records(
    ("rng", "u8"),
    ("used", "i8"),  # nodes
    ("stamp", "i8"),  # the last one written to `marks`
    ("moves", "i8"),  # simulated so far, in the tree and in playouts
)


class Tree(NamedTuple):
    """A search tree and all the memory that a search needs, made once and used for every move."""

    head: Array
    """(1,) of HEAD"""
    nodes: Array
    """(most nodes,) of NODE, roots first"""
    blank: Array
    """(1,) a state of zeros"""
    world: Array
    """(1,) the state being played on"""
    path: Array
    """(max_moves + 1,) nodes from the root to the leaf"""
    legal: Array
    """(action_count,) legal moves"""
    children: Array
    """(action_count,) nodes among which to choose"""
    marks: Array
    """(seats, action_count) the stamp of the last node where that seat could play that action"""
    values: Array
    """(seats,) what the leaf is worth"""


def plant(game: Game, nodes: int) -> Tree:
    """An empty tree for `game` that can grow to `nodes` nodes."""
    seats = game.players[-1]
    return Tree(
        head=np.zeros(1, HEAD),
        nodes=np.empty(nodes, NODE),
        blank=kernel.blank(game.state_dtype),
        world=kernel.blank(game.state_dtype),
        path=np.zeros(game.max_moves + 1, np.int32),
        legal=np.zeros(game.action_count, np.int32),
        children=np.zeros(game.action_count, np.int32),
        marks=np.zeros((seats, game.action_count), np.int64),
        values=np.zeros(seats, np.float64),
    )


def clear(tree: Tree, roots: int, word: int) -> None:
    """Cut the tree down to `roots` roots and start the random stream at `word`."""
    tree.nodes[:roots] = 0
    tree.head["used"] = roots
    tree.head["moves"] = 0
    tree.head["rng"] = word


def word(seed: int, view: View) -> int:
    """The random word, not zero, with which a bot of that seed answers that view."""
    digest = hashlib.blake2b(digest_size=8, person=b"arena.bot")
    digest.update(f"{seed}\0".encode())
    digest.update(view.record.tobytes())
    return int.from_bytes(digest.digest(), "little") or 1


def favourite(tree: Tree, roots: int) -> Action:
    """The action with the most visits, all roots together; of equals the one worth most."""
    visits: dict[Action, int] = {}
    values: dict[Action, float] = {}
    for root in range(roots):
        child = tree.nodes["first"][root]
        while child:
            node = tree.nodes[child]
            action = int(node["action"])
            visits[action] = visits.get(action, 0) + int(node["visits"])
            values[action] = values.get(action, 0.0) + float(node["value"])
            child = node["next"]
    return max(visits, key=lambda action: (visits[action], values[action], -action))


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
    """How long a search goes on: iterations, seconds of wall clock, or whichever ends first."""

    CHUNK = 0.002
    """seconds of search between two looks at the clock, and about the most by which one is late"""

    def __init__(self, iterations: int | None, seconds: float | None) -> None:
        if iterations is None and seconds is None:
            raise OptionError(
                "iterations and seconds: found None for both, expected at least one of them"
            )
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
def explore(
    views: Array,
    seat: int,
    tree: Tree,
    worlds: Array,
    first: int,
    count: int,
    exploration: float,
    depth: int,
) -> None:
    """Iterations first … first + count - 1 of a search, which take the roots in turn.

    With `worlds` there is a root for each of them, and they are drawn in the first iterations.
    Without, there is one root and every iteration draws a world.
    """
    fixed = len(worlds)
    for iteration in range(first, first + count):
        root = iteration % fixed if fixed else 0
        if iteration < fixed or not fixed:
            determinise(views[0], seat, tree)
        else:
            tree.world[0] = worlds[root]
        if iteration < fixed:
            worlds[root] = tree.world[0]
        iterate(tree, root, exploration, depth)


@kernel.kernel
def determinise(view: Record, seat: int, tree: Tree) -> None:
    """Put a world that `seat` cannot rule out, with chance of its own, into `tree.world`."""
    head, world = tree.head[0], tree.world[0]
    tree.world[0] = tree.blank[0]
    upper = np.uint64(random_below(head, 0xFFFFFFFF))
    lower = np.uint64(random_below(head, 0xFFFFFFFF))
    world.rng = upper << np.uint64(32) | lower | np.uint64(1)
    kernel.sample(view, seat, world)


@kernel.kernel
def iterate(tree: Tree, root: int, exploration: float, depth: int) -> None:
    """One iteration on `tree.world`: down the tree, a new node, a playout, and back up."""
    world, path = tree.world[0], tree.path
    path[0] = root
    length = 1
    growing = True
    while growing and world.over == RUNNING:
        child, growing = step(tree, path[length - 1], exploration)
        if child:
            path[length] = child
            length += 1
    tree.head[0].moves += length - 1 + playout(world, depth, tree.legal, tree.head[0])
    evaluate(world, tree.values)
    scale = world.players / 2
    for i in range(length):
        node = tree.nodes[path[i]]
        node.visits += 1
        node.value += scale * tree.values[node.seat]


@kernel.kernel
def step(tree: Tree, parent: int, exploration: float) -> tuple[int, bool]:
    """Play a move of the node `parent` in `tree.world`, a new one if there is any.

    Returns the child it leads to, 0 when there is no room for a new one, and whether to go on. A
    forced move tells nothing, so the descent goes on even where its node is new.
    """
    world, nodes, legal, marks = tree.world[0], tree.nodes, tree.legal, tree.marks
    n = kernel.legal(world, legal)
    seat = world.seat
    stamp = tree.head[0].stamp + 1
    tree.head[0].stamp = stamp
    for i in range(n):
        marks[seat, legal[i]] = stamp
    found = 0
    child = nodes[parent].first
    while child:
        node = nodes[child]
        if node.seat == seat and marks[seat, node.action] == stamp:
            marks[seat, node.action] = 0
            node.available += 1
            tree.children[found] = child
            found += 1
        child = node.next
    if found == n:
        child = select(nodes, tree.children, n, exploration)
        action = nodes[child].action
    else:
        action = unexplored(tree, seat, n, n - found)
        child = grow(tree, parent, seat, action)
    kernel.apply(world, action)
    return child, found == n or (n == 1 and child > 0)


@kernel.kernel
def unexplored(tree: Tree, seat: int, n: int, left: int) -> Action:
    """One of the `left` moves still marked among the `n` legal ones."""
    legal, marks, stamp = tree.legal, tree.marks, tree.head[0].stamp
    skip = random_below(tree.head[0], left) if left > 1 else 0
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
def grow(tree: Tree, parent: int, seat: int, action: int) -> int:
    """Give `parent` a new child; returns its number, or 0 when there is no room for it."""
    child = tree.head[0].used
    if child == len(tree.nodes):
        return 0
    tree.head[0].used = child + 1
    node = tree.nodes[child]
    node.action = action
    node.seat = seat
    node.first = 0
    node.next = tree.nodes[parent].first
    node.visits = 0
    node.available = 1
    node.value = 0.0
    tree.nodes[parent].first = child
    return child


@kernel.kernel
def playout(world: Record, depth: int, legal: Array, dice: Record) -> int:
    """Play random moves, `depth` of them or, if that is -1, to the end; returns how many."""
    played = 0
    while world.over == RUNNING and played != depth:
        n = kernel.legal(world, legal)
        kernel.apply(world, legal[random_below(dice, n)] if n > 1 else legal[0])
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
def _playouts(start: Array, tree: Tree, games: int) -> int:
    moves = 0
    for _ in range(games):
        tree.world[0] = start[0]
        tree.world[0].rng = np.uint64(1) + np.uint64(random_below(tree.head[0], 0xFFFFFFFF))
        moves += playout(tree.world[0], -1, tree.legal, tree.head[0])
    return moves


def random_playouts(game: Game, games: int, players: int | None = None, seed: int = 0) -> int:
    """Play `games` uniformly random games from one deal to their ends; returns the moves made."""
    start = game.initial(players, seed=seed)
    tree = plant(game, 1)
    tree.head["rng"] = start["rng"]
    return int(_playouts(start, tree, games))
