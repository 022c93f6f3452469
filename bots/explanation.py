"""What a search tells of itself: how its moves did, and how it expects the game to go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.core import Action, State
from bots.search import Tree

WORLDS = 10
"""of which one is chosen to tell how the game would go on"""


def explain(tree: Tree) -> dict[str, Any]:
    """What the last search found, as `arena.core.Bot` describes it.

    The lines of all moves are told in one world, that in which the best move's was visited most.
    """
    moves = tree.ranked()
    lines = _lines(tree, [action for action, _, _ in moves]) if moves else []
    return {
        "iterations": tree.iterations,
        "moves": [
            {"action": action, "visits": visits, "value": value, "line": line}
            for (action, visits, value), line in zip(moves, lines, strict=True)
        ],
    }


def _lines(tree: Tree, actions: Sequence[Action]) -> list[list[str]]:
    """The principal variation of each move, the best one first."""
    worlds = list(tree.worlds(WORLDS))
    looked_at = [
        [visits for visits, _ in _variation(tree, state, roots, actions[0])]
        for state, roots in worlds
    ]
    state, roots = worlds[looked_at.index(max(looked_at))]
    return [[text for _, text in _variation(tree, state, roots, action)] for action in actions]


def _variation(
    tree: Tree, world: State, roots: Sequence[int], action: Action | None
) -> Iterator[tuple[int, str]]:
    """`action` and the answers visited most in `world`: visits, those of a prior too, and texts."""
    nodes: list[int | None] = list(roots)
    while action is not None:
        own = _own(world, nodes)
        text = tree.game.describe(world, action)
        for i, node in enumerate(nodes):
            if node is not None:
                nodes[i] = tree.children(node).get(tree.key(world, action, i))
        reached = nodes[own]
        yield 0 if reached is None else int(tree.nodes["visits"][reached]), text
        world = tree.game.apply(world, action)
        action = _answer(tree, world, nodes)


def _answer(tree: Tree, world: State, nodes: Sequence[int | None]) -> Action | None:
    """The answer visited most in `world`, at whose `nodes` the trees are.

    None where there is none that was visited twice: what was visited once was tried, not chosen.
    """
    if tree.game.mover(world) is None:
        return None
    own, legal = _own(world, nodes), tree.game.legal(world)
    node = nodes[own]
    children = {} if node is None else tree.children(node)
    known = {a: children[key] for a in legal if (key := tree.key(world, a, own)) in children}
    visits = {a: int(tree.nodes["visits"][child]) for a, child in known.items()}
    best = max(visits, key=visits.__getitem__, default=None)
    if best is None or visits[best] - tree.prior(len(legal)) <= 1:
        return None
    return best


def _own(world: State, nodes: Sequence[int | None]) -> int:
    """Which of the trees the mover has, all seats or each its own."""
    return int(world["seat"][0]) if len(nodes) > 1 else 0
