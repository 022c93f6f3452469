"""What a search tells of itself: how its moves did, and how it expects the game to go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.core import Action, State
from bots.search import Tree

WORLDS = 10
"""in which principal variations are looked for"""


def explain(tree: Tree) -> dict[str, Any]:
    """What the last search found, as `arena.core.Bot` describes it."""
    moves = tree.ranked()
    worlds = list(tree.worlds(WORLDS)) if moves else []
    return {
        "iterations": tree.iterations,
        "moves": [
            {
                "action": action,
                "visits": visits,
                "value": value,
                "line": _line(tree, worlds, action),
            }
            for action, visits, value in moves
        ],
    }


def _line(tree: Tree, worlds: list[tuple[State, list[int]]], action: Action) -> list[str]:
    """The principal variation from `action` on, in the world where it was visited most."""
    lines = [list(_variation(tree, world, roots, action)) for world, roots in worlds]
    return [move for _, move in max(lines, key=lambda line: [visits for visits, _ in line])]


def _variation(
    tree: Tree, world: State, roots: list[int], action: Action
) -> Iterator[tuple[int, str]]:
    """`action` and the answers visited most in `world`, as texts after their visits."""
    nodes: list[int | None] = list(roots)
    step: tuple[int, Action] | None = (0, action)
    while step is not None:
        visits, action = step
        yield visits, tree.game.describe(world, action)
        for i, node in enumerate(nodes):
            if node is not None:
                nodes[i] = tree.children(node).get(tree.key(world, action, i))
        world = tree.game.apply(world, action)
        step = _answer(tree, world, nodes)


def _answer(tree: Tree, world: State, nodes: list[int | None]) -> tuple[int, Action] | None:
    """The answer visited most in `world`, at whose `nodes` the trees are, after its visits.

    None where there is none that was visited twice: what was visited once was tried, not chosen.
    """
    mover = tree.game.mover(world)
    own = 0 if mover is None or len(nodes) == 1 else mover
    node = nodes[own]
    if mover is None or node is None:
        return None
    legal, children = tree.game.legal(world), tree.children(node)
    prior = tree.prior(len(legal))
    found = [
        (int(tree.nodes["visits"][children[key]]) - prior, action)
        for action in legal
        if (key := tree.key(world, action, own)) in children
    ]
    best = max(found, key=lambda answer: answer[0], default=(0, legal[0]))
    return best if best[0] > 1 else None
