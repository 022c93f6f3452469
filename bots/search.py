"""What the searching bots are built of: a tree in flat arrays, and the kernels that grow it.

The kernels reach a game only through the verbs of `arena.kernel`, so that this one source serves
all games and is specialised by the compiler for each.

**Tree.** A node stands for a sequence of moves from the root, whatever world they were played in.
Nodes lie in one array that is made once; `first` and `next` link the children of a node, and 0
ends a list, because roots come first and are nobody's children. A child is told by its key: the
seat that moved and what the owner of the tree witnessed (`kernel.witness`). Children that the
present world allows are found through `marks`, an array over keys, without hashing.

**Memory.** When the array is full, the search forgets the children of the node that was least
recently played through, and so goes on to grow where it looks (Powley, Cowling, Whitehouse, "Memory
bounded Monte Carlo tree search", AIIDE 2017). For that, nodes with children are in a ring in the
order of use, but for roots and for those on the present path. A node is used whenever one below it
is, so the children of the least recently used one have no children. The ring is made when the array
is full, from the order in which nodes were made, because it costs time. Where there is no node to
take, as in the iteration that fills the array, new ones are transient: they last for the iteration.

**Observers.** One tree serves all seats, each taken to witness its own moves; or every seat has a
tree, and in an iteration all go down theirs together. Whose turn it is chooses in its own tree.

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
import random
from collections.abc import Iterator
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from arena import kernel
from arena.core import Action, Bot, State, Turn, View
from arena.errors import OptionError
from arena.game import Game
from arena.kernel import RUNNING, Array, Record, random_below, random_unit
from bots.parameters import MAST, MULTIPLE, POLICIES, UNIFORM, Settings, whole

NODES = 1_000_000
"""Default for the most nodes a search may have; a node takes 40 bytes."""

LONGEST = 1_000
"""Most moves from the root to a leaf; there the tree grows in width only."""

BY_CHANCE, BY_ESTIMATE, BY_MAST = range(3)
"""indexes in POLICIES"""


def _records(*fields: kernel.Field) -> np.dtype[Any]:
    plain = np.dtype(list(fields), align=True)
    return plain if kernel.COMPILED else np.dtype((np.record, plain))


NODE = _records(
    ("key", "i4"),  # seat that moved * witness_count + what the owner of the tree witnessed
    ("action", "i4"),  # that made the node
    ("first", "i4"),  # child, 0 for none
    ("next", "i4"),  # child of the same parent, 0 for none
    ("newer", "i4"),  # in the ring of nodes with children, see Memory
    ("older", "i4"),
    ("visits", "i4"),
    ("available", "i4"),  # visits of the parent in worlds that allowed the move
    ("value", "f8"),  # sum over the visits, for the seat that moved
)

PLAYED, BLANK, TRIED, FIXED = 0, 1, 2, 3
"""States of a workspace: the one being played on, one of zeros, one to try moves, and from FIXED on
those that are kept."""


class Workspace(NamedTuple):
    """All memory that simulations need, made once per bot and used for every move."""

    states: Array
    """(3 + kept,) states, see PLAYED"""
    scratch: Array
    """(1,) record of all else; inside a record, arrays cost no reference counts"""


def workspace(game: Game, kept: int) -> Workspace:
    """A workspace for `game` with room to keep some states."""
    actions, seats = game.action_count, game.players[-1]
    witnesses = game.witness_count or actions
    scratch = _records(
        ("rng", "u8"),
        ("moves", "i8"),  # simulated so far, in the tree and in playouts
        ("used", "i8"),  # nodes, free ones too
        ("full", "i8"),  # whether there is a ring
        ("free", "i8"),  # node that was forgotten, the first of a list; 0 for none
        ("transient", "i8"),  # how many nodes were, so far
        ("stamp", "i8"),  # what `marks` says of the first legal move in the present step
        ("roots", "i8"),
        ("trees", "i8"),  # that are searched at once, one for each seat, or 1
        ("given", "i8"),  # whether the states that are kept were given, not drawn
        ("exploration", "f8"),
        ("prior", "i8"),
        ("depth", "i8"),
        ("policy", "i8"),  # index in POLICIES
        ("epsilon", "f8"),
        ("tau", "f8"),
        ("witnesses", "i8"),  # how many there are for each seat
        ("values", "f8", (seats,)),  # what the last simulation was worth
        ("legal", "i8", (actions,)),
        ("children", "i4", (actions,)),  # nodes among which to choose
        ("actions", "i4", (actions,)),  # that lead to them in the present world
        ("weights", "f8", (actions,)),  # of the legal moves in a playout
        ("path", "i4", (seats, LONGEST + 1)),  # by tree, nodes from the root to the leaf
        ("movers", "i1", (LONGEST + 1,)),  # seats whose moves led to them
        ("marks", "i8", (seats * witnesses,)),  # by key, see `present`
        ("history", "i4", (game.max_moves,)),  # keys of the moves of this iteration
        ("seen", "i8", (seats * witnesses,)),  # by key, iterations in which the move was made
        ("worth", "f8", (seats * witnesses,)),  # by key, the sum of their values
    )
    made = kernel.blank(scratch)
    made["witnesses"] = witnesses
    return Workspace(np.zeros(FIXED + kept, game.state_dtype), made)


class Tree:
    """One or several search trees for a turn, in memory that does not grow.

    `nodes` is the array of NODE, roots first, and after those that are kept room for transient
    ones; `moves` counts the simulated moves. There are as many trees as there are fixed `worlds`,
    or one for each seat, or a single one.
    """

    def __init__(self, game: Game, nodes: int, settings: Settings, worlds: int = 0) -> None:
        self._tree_per_seat = settings.observer == MULTIPLE and not worlds
        self.roots = game.players[-1] if self._tree_per_seat else max(1, worlds)
        kept = whole("nodes", nodes, 1)
        if kept < self.roots * (1 + game.action_count):
            each = f"{1 + game.action_count} for each of {self.roots} trees"
            raise OptionError(f"nodes: found {nodes}, expected at least {each}")
        try:
            self.nodes = np.zeros(kept + game.action_count, NODE)
        except MemoryError:
            size = f"{kept * NODE.itemsize / 1e9:,.1f} GB"
            raise OptionError(
                f"nodes: found {nodes}, expected less than {size} of memory"
            ) from None
        self.game = game
        self.turn: Turn | None = None
        self._own = range(self.roots)
        self._guided = None if settings.policy == UNIFORM else True
        self._workspace = workspace(game, worlds)
        scratch = self._workspace.scratch
        scratch["roots"] = self.roots
        for name in ("exploration", "prior", "depth", "epsilon", "tau"):
            scratch[name] = getattr(settings, name)
        scratch["policy"] = POLICIES.index(settings.policy)
        if self._guided:
            self._rehearse()

    def clear(self, turn: Turn, word: int) -> None:
        """Cut the trees down to their roots for a new `turn`, with chance from `word`, not 0."""
        self.turn = turn
        self.nodes[: self.roots] = 0
        scratch = self._workspace.scratch
        scratch["used"] = self.roots
        scratch["full"] = scratch["free"] = 0
        scratch["moves"] = 0
        scratch["rng"] = word
        scratch["trees"] = turn.view.players if self._tree_per_seat else 1
        self._own = range(turn.seat, turn.seat + 1) if self._tree_per_seat else range(self.roots)
        if scratch["policy"][0] == POLICIES.index(MAST):
            scratch["seen"] = scratch["worth"] = 0

    def _rehearse(self) -> None:
        """Compile what only policies need: a bot's `compile` leaves that out, to save the time."""
        turn = turn_of(self.game, self.game.initial())
        self.clear(turn, 1)
        self.explore(0, 1)
        self.clear(turn, 1)

    def give(self, state: State) -> None:
        """Search `state` as the only world; its chance is drawn anew in every iteration."""
        self._workspace.states[FIXED] = state[0]
        self._workspace.states["rng"][FIXED] = self._workspace.scratch["rng"][0]
        self._workspace.scratch["given"] = 1

    def explore(self, first: int, count: int) -> None:
        """Iterations first … first + count - 1 of a search for the best answer to the turn."""
        assert self.turn is not None
        view, seat = self.turn.view.record, self.turn.seat
        _explore(view, seat, self.nodes, *self._workspace, self._guided, first, count)

    @property
    def witnesses(self) -> int:
        """How many keys each seat has: a key is seat * witnesses + witness."""
        return int(self._workspace.scratch["witnesses"][0])

    @property
    def iterations(self) -> int:
        return int(sum(self.nodes["visits"][root] for root in self._own))

    @property
    def used(self) -> int:
        """How many nodes are kept."""
        return int(self._workspace.scratch["used"][0])

    @property
    def moves(self) -> int:
        return int(self._workspace.scratch["moves"][0])

    def favourite(self) -> Action:
        """The action with the most visits, all trees together; of equals the one worth most."""
        return self.ranked()[0][0]

    def draw(self, temperature: float, word: int) -> Action:
        """An action drawn by `word`, likelier by e for each `temperature` that it is worth more."""
        ranked = self.ranked()
        best = max(value for _, _, value in ranked)
        weights = [math.exp((value - best) / temperature) for _, _, value in ranked]
        return random.Random(word).choices([action for action, _, _ in ranked], weights)[0]

    def ranked(self) -> list[tuple[Action, int, float]]:
        """(action, visits without priors, value) of the moves at the root, best first.

        The value is an average over the trees, each of which visits most what is good in its world.
        """
        if self.turn is None:
            return []
        prior = self.prior(len(self.turn.legal))
        visits: dict[Action, int] = {}
        values: dict[Action, list[float]] = {}
        for root in self._own:
            for child in self.children(root).values():
                _, action, _, _, _, _, count, _, value = self.nodes[child].item()
                visits[action] = visits.get(action, 0) + count - prior
                values.setdefault(action, []).append(value / count)
        ranked = [(action, visits[action], fmean(values[action])) for action in visits]
        return sorted(ranked, key=lambda move: (-move[1], -move[2], move[0]))

    def prior(self, choices: int) -> int:
        """For how many visits the estimate of each child of a node with such a choice counts."""
        return int(self._workspace.scratch["prior"][0]) if choices > 1 else 0

    def worlds(self, most: int) -> Iterator[tuple[State, list[int]]]:
        """Up to so many worlds for the turn, each with the roots of the trees that hold its moves.

        Fixed ones as they were searched; otherwise any, but always the same for a view.
        """
        assert self.turn is not None
        fixed = self._workspace.states[FIXED:]
        for root in range(min(most, len(fixed))):
            if self.nodes["visits"][root]:
                yield fixed[root : root + 1].copy(), [root]
        view, seat = self.turn.view, self.turn.seat
        roots = list(range(view.players)) if self._tree_per_seat else [0]
        for seed in range(0 if len(fixed) else most):
            yield self.game.sample(view, seat, seed), roots

    def key(self, world: State, action: Action, tree: int) -> int:
        """Of the child to which a legal `action` leads from a node of the `tree`."""
        seat = int(world["seat"][0])
        witness = self.game.witness(world, action, tree if self._tree_per_seat else seat)
        return seat * self.witnesses + witness

    def children(self, node: int) -> dict[int, int]:
        """The children of a node by their keys, the youngest first."""
        found = {}
        child = int(self.nodes["first"][node])
        while child:
            key, _, _, following, *_ = self.nodes[child].item()
            found[key] = child
            child = following
        return found


def word(seed: int, view: View) -> int:
    """The random word, not zero, with which a bot of that seed answers that view."""
    digest = hashlib.blake2b(digest_size=8, person=b"arena.bot")
    digest.update(f"{seed}\0".encode())
    digest.update(view.record.tobytes())
    return int.from_bytes(digest.digest(), "little") or 1


def rehearse(bot: Bot, game: Game) -> None:
    """Let `bot` make a first move in `game`, so that its kernels are compiled."""
    bot.act(turn_of(game, game.initial()))


def turn_of(game: Game, state: State) -> Turn:
    """What the mover is given in `state`."""
    seat = int(state["seat"][0])
    return Turn(game.observe(state, seat), seat, game.legal(state))


# --- kernels ----------------------------------------------------------------------------------


@kernel.kernel
def _explore(
    views: Array,
    seat: int,
    nodes: Array,
    states: Array,
    scratches: Array,
    guided: bool | None,
    first: int,
    count: int,
) -> None:
    """With fixed worlds each has a root, iterations take them in turn, and the first draw them.

    Without, there is one root, or one for each seat, and every iteration draws a world.
    """
    scratch = scratches[0]
    fixed = len(states) - FIXED
    for iteration in range(first, first + count):
        root = iteration % fixed if fixed else 0
        if not fixed or (iteration < fixed and not scratch.given):
            determinise(views[0], seat, states, scratch)
        else:
            states[PLAYED] = states[FIXED + root]
        if scratch.given:
            states[PLAYED].rng = fresh_word(scratch)
        elif iteration < fixed:
            states[FIXED + root] = states[PLAYED]
        iterate(nodes, states, scratch, guided, root)


@kernel.kernel
def determinise(view: Record, seat: int, states: Array, scratch: Record) -> None:
    """Draw a world that `seat` cannot rule out, with chance of its own, and put it in PLAYED."""
    states[PLAYED] = states[BLANK]
    states[PLAYED].rng = fresh_word(scratch)
    kernel.sample(view, seat, states[PLAYED])


@kernel.kernel
def fresh_word(scratch: Record) -> np.uint64:
    """A random word that is not zero."""
    upper = np.uint64(random_below(scratch, 0xFFFFFFFF))
    lower = np.uint64(random_below(scratch, 0xFFFFFFFF))
    return upper << np.uint64(32) | lower | np.uint64(1)


@kernel.kernel
def iterate(nodes: Array, states: Array, scratch: Record, guided: bool | None, root: int) -> None:
    """One iteration in the world PLAYED: down the tree, a new node, a playout, and back up.

    `guided` is None or True: where it is None the compiler leaves out what policies need.
    """
    world, path, values = states[PLAYED], scratch.path, scratch.values
    if scratch.used == len(nodes) - len(scratch.legal) and not scratch.full:
        link(nodes, scratch)
    for tree in range(scratch.trees):
        path[tree, 0] = root + tree
    moves = 0
    growing = True
    while growing and world.over == RUNNING and moves < LONGEST:
        growing = step(nodes, states, scratch, guided, moves)
        moves += 1
    length = moves
    if guided is None:
        moves = playout(world, scratch, moves)
    else:
        moves = guided_playout(states, scratch, moves)
    scratch.moves += moves
    evaluate(world, values)
    scale = world.players / 2
    for tree in range(scratch.trees):
        nodes[root + tree].visits += 1
        for i in range(length, 0, -1):
            node = nodes[path[tree, i]]
            node.visits += 1
            node.value += scale * values[scratch.movers[i]]
            if scratch.full and i < length and node.first:
                enter(nodes, path[tree, i])
    if guided is not None:
        remember(scratch, moves, scale)


@kernel.kernel
def step(nodes: Array, states: Array, scratch: Record, guided: bool | None, moves: int) -> bool:
    """Play a move in PLAYED, one never tried at its mover's node if there is any.

    With priors all are tried at once, and the best is played. `moves` is how many came before. The
    nodes it leads to are added to the paths. Returns whether to go on: until a node had no
    children. A forced move tells nothing, so the descent goes on even where its node is new.
    """
    world, path = states[PLAYED], scratch.path
    seat = world.seat
    keys = seat * scratch.witnesses
    own = seat if scratch.trees > 1 else 0
    parent = path[own, moves]
    if scratch.full and moves:
        for tree in range(scratch.trees):
            if nodes[path[tree, moves]].first:
                leave(nodes, path[tree, moves])
    n = kernel.legal(world, scratch.legal)
    found = present(nodes, world, scratch, parent, n)
    fresh = found == 0
    if found < n and n > 1 and scratch.prior:
        expand(nodes, states, scratch, parent, n, found)
        found = n
    if found == n:
        i = select(nodes, scratch.children, n, scratch.exploration)
        child, action = scratch.children[i], scratch.actions[i]
    else:
        action = untried(world, scratch, n, n - found)
        child = grow(nodes, scratch, parent, keys + kernel.witness(world, action, seat), action)
    path[own, moves + 1] = child
    scratch.movers[moves + 1] = seat
    for tree in range(scratch.trees):
        if tree != own:
            key = keys + kernel.witness(world, action, tree)
            path[tree, moves + 1] = follow(nodes, scratch, path[tree, moves], key, action)
    if guided is not None:
        scratch.history[moves] = keys + kernel.witness(world, action, seat)
    kernel.apply(world, action)
    return n == 1 or (found == n and not (fresh and scratch.prior))


@kernel.kernel
def present(nodes: Array, world: Record, scratch: Record, parent: int, n: int) -> int:
    """Collect the children of `parent` that `world` allows, with their actions; returns how many.

    Afterwards the key of the i-th of the `n` legal moves has the mark `stamp` + i if it lacks a
    child, else 0. Marks below `stamp` are from steps before.
    """
    legal, marks, seat = scratch.legal, scratch.marks, world.seat
    scratch.stamp += len(legal)
    stamp = scratch.stamp
    for i in range(n):
        marks[seat * scratch.witnesses + kernel.witness(world, legal[i], seat)] = stamp + i
    found = 0
    child = nodes[parent].first
    while child:
        node = nodes[child]
        mark = marks[node.key]
        if mark >= stamp:
            marks[node.key] = 0
            node.available += 1
            scratch.children[found] = child
            scratch.actions[found] = legal[mark - stamp]
            found += 1
        child = node.next
    return found


@kernel.kernel
def expand(nodes: Array, states: Array, scratch: Record, parent: int, n: int, found: int) -> None:
    """Give `parent` all children that the `n` legal moves lack, with priors, beside those `found`.

    A prior is the estimate after the move, and counts as so many visits (Gelly, Silver, "Combining
    online and offline knowledge in UCT", ICML 2007).
    """
    world, legal, values, prior = states[PLAYED], scratch.legal, scratch.values, scratch.prior
    seat, marks = world.seat, scratch.marks
    for i in range(n):
        key = seat * scratch.witnesses + kernel.witness(world, legal[i], seat)
        if marks[key] < scratch.stamp:
            continue
        child = grow(nodes, scratch, parent, key, legal[i])
        marks[key] = 0
        states[TRIED] = states[PLAYED]
        kernel.apply(states[TRIED], legal[i])
        evaluate(states[TRIED], values)
        node = nodes[child]
        node.visits = node.available = prior
        node.value = prior * world.players / 2 * values[seat]
        scratch.children[found] = child
        scratch.actions[found] = legal[i]
        found += 1


@kernel.kernel
def untried(world: Record, scratch: Record, n: int, left: int) -> Action:
    """One of the `left` moves still marked among the `n` legal ones."""
    legal, marks, seat = scratch.legal, scratch.marks, world.seat
    keys = seat * scratch.witnesses
    skip = random_below(scratch, left) if left > 1 else 0
    i = 0
    while True:
        if marks[keys + kernel.witness(world, legal[i], seat)] >= scratch.stamp:
            if skip == 0:
                return legal[i]
            skip -= 1
        i += 1


@kernel.kernel
def select(nodes: Array, children: Array, n: int, exploration: float) -> int:
    """Which of the children has the greatest upper confidence bound.

    UCB1 with the availability in place of the parent's visits (Cowling, Powley, Whitehouse,
    "Information set Monte Carlo tree search", 2012).
    """
    if n == 1:
        return 0
    best, bound = 0, -1.0
    for i in range(n):
        node = nodes[children[i]]
        visits = node.visits
        spread = exploration * math.sqrt(math.log(node.available) / visits)
        if node.value / visits + spread > bound:
            bound = node.value / visits + spread
            best = i
    return best


@kernel.kernel
def follow(nodes: Array, scratch: Record, parent: int, key: int, action: int) -> int:
    """The child of `parent` with that key, made if need be."""
    child = nodes[parent].first
    while child:
        node = nodes[child]
        if node.key == key:
            node.available += 1
            return child
        child = node.next
    return grow(nodes, scratch, parent, key, action)


@kernel.kernel
def grow(nodes: Array, scratch: Record, parent: int, key: int, action: int) -> int:
    """Give `parent` a new child, transient if need be; returns its number.

    Of transient nodes only those made in the same step are ever told apart, at most one for each
    action; so those made before may be overwritten.
    """
    child = room(nodes, scratch)
    following = 0
    if child == 0:
        child = len(nodes) - 1 - scratch.transient % len(scratch.legal)
        scratch.transient += 1
    else:
        following = nodes[parent].first
        nodes[parent].first = child
    node = nodes[child]
    node.key = key
    node.action = action
    node.first = 0
    node.next = following
    node.visits = 0
    node.available = 1
    node.value = 0.0
    return child


@kernel.kernel
def room(nodes: Array, scratch: Record) -> int:
    """A node that is not in use, if need be a forgotten one; 0 if there is none."""
    if scratch.used < len(nodes) - len(scratch.legal):
        scratch.used += 1
        return scratch.used - 1
    if scratch.free == 0:
        oldest = nodes[0].newer
        if oldest == 0:
            return 0
        leave(nodes, oldest)
        scratch.free = nodes[oldest].first
        nodes[oldest].first = 0
    child = scratch.free
    scratch.free = nodes[child].next
    return child


@kernel.kernel
def link(nodes: Array, scratch: Record) -> None:
    """Make the ring: what was made first is taken for the newest, as roots are above the rest."""
    scratch.full = 1
    for node in range(scratch.used - 1, scratch.roots - 1, -1):
        if nodes[node].first:
            enter(nodes, node)


@kernel.kernel
def enter(nodes: Array, node: int) -> None:
    """Put a node into the ring as the newest; root 0 lies between the newest and the oldest."""
    newest = nodes[0].older
    nodes[node].older = newest
    nodes[node].newer = 0
    nodes[newest].newer = node
    nodes[0].older = node


@kernel.kernel
def leave(nodes: Array, node: int) -> None:
    """Take a node out of the ring."""
    newer, older = nodes[node].newer, nodes[node].older
    nodes[newer].older = older
    nodes[older].newer = newer


@kernel.kernel
def playout(world: Record, scratch: Record, moves: int) -> int:
    """Play on at random, where `moves` have been made, until cut off or the end.

    Returns how many moves have been made then.
    """
    legal = scratch.legal
    end = moves + scratch.depth if scratch.depth >= 0 else -1
    while world.over == RUNNING and moves != end:
        n = kernel.legal(world, legal)
        kernel.apply(world, legal[random_below(scratch, n)] if n > 1 else legal[0])
        moves += 1
    return moves


@kernel.kernel
def guided_playout(states: Array, scratch: Record, moves: int) -> int:
    """Play on in PLAYED as `playout` does, but by a policy."""
    world, legal, policy = states[PLAYED], scratch.legal, scratch.policy
    end = moves + scratch.depth if scratch.depth >= 0 else -1
    while world.over == RUNNING and moves != end:
        n = kernel.legal(world, legal)
        if n == 1:
            action = legal[0]
        elif random_unit(scratch) < scratch.epsilon:
            action = legal[random_below(scratch, n)]
        elif policy == BY_MAST:
            action = legal[draw_by_worth(world, scratch, n)]
        else:
            action = legal[best_estimated(states, scratch, n)]
        key = world.seat * scratch.witnesses + kernel.witness(world, action, world.seat)
        scratch.history[moves] = key
        kernel.apply(world, action)
        moves += 1
    return moves


@kernel.kernel
def best_estimated(states: Array, scratch: Record, n: int) -> int:
    """Which of `n` legal moves is best for its mover by the estimate; of equals a random one."""
    seat, values = states[PLAYED].seat, scratch.values
    best, bound, equals = 0, -1.0, 0
    for i in range(n):
        states[TRIED] = states[PLAYED]
        kernel.apply(states[TRIED], scratch.legal[i])
        evaluate(states[TRIED], values)
        if values[seat] > bound:
            best, bound, equals = i, values[seat], 1
        elif values[seat] == bound:
            equals += 1
            if random_below(scratch, equals) == 0:
                best = i
    return best


@kernel.kernel
def draw_by_worth(world: Record, scratch: Record, n: int) -> int:
    """Draw one of `n` legal moves from the Gibbs distribution over what they were worth before.

    Move-average sampling (Finnsson, Björnsson, "Simulation-based approach to general game playing",
    AAAI 2008). Moves not made before are worth 1.
    """
    seat, weights = world.seat, scratch.weights
    total = 0.0
    for i in range(n):
        key = seat * scratch.witnesses + kernel.witness(world, scratch.legal[i], seat)
        seen = scratch.seen[key]
        average = scratch.worth[key] / seen if seen else 1.0
        weights[i] = math.exp((average - 1.0) / scratch.tau)
        total += weights[i]
    left = total * random_unit(scratch)
    i = 0
    while i < n - 1 and left >= weights[i]:
        left -= weights[i]
        i += 1
    return i


@kernel.kernel
def remember(scratch: Record, moves: int, scale: float) -> None:
    """Count the moves of this iteration for `draw_by_worth`."""
    for i in range(moves):
        key = scratch.history[i]
        scratch.seen[key] += 1
        scratch.worth[key] += scale * scratch.values[key // scratch.witnesses]


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
        moves += playout(states[PLAYED], scratch[0], 0)
    return moves


def random_playouts(game: Game, games: int, players: int | None = None, seed: int = 0) -> int:
    """Play `games` uniformly random games from one deal to their ends; returns the moves made."""
    start = game.initial(players, seed=seed)
    states, scratch = workspace(game, 0)
    scratch["rng"] = start["rng"]
    scratch["depth"] = -1
    return int(_playouts(start, states, scratch, games))
