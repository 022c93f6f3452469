"""What searches tell of themselves, in trees of which the visits are set by hand."""

from __future__ import annotations

from typing import Any

import pytest

from arena import registry
from arena.core import State, Turn
from arena.game import Game
from bots.ismcts import ISMCTS
from bots.mcts import MCTS
from bots.oracle import Oracle
from bots.search import Tree, turn_of

KUHN = registry.game("kuhn")
BET, PASS = KUHN.parse(KUHN.initial(), "bet"), KUHN.parse(KUHN.initial(), "pass")

Visits = dict[tuple[int, ...], int]
"""by the moves that lead to a node"""


def searched(bot: ISMCTS | MCTS, turn: Turn, *visits: Visits) -> dict[str, Any]:
    """What the bot tells when each of its trees has these nodes, and no others."""
    bot.act(turn)
    bot.tree.clear(turn, 1)
    for root, told in enumerate(visits):
        world, _ = next(bot.tree.worlds(1)) if isinstance(bot, ISMCTS) else (KUHN.initial(), [])
        bot.tree.nodes["visits"][root] = max(told.values())
        placed = {(): root}
        for path, count in told.items():
            placed[path] = plant(bot.tree, world, path, placed[path[:-1]], root, count)
    return bot.explain()


def plant(
    tree: Tree, world: State, path: tuple[int, ...], parent: int, root: int, visits: int
) -> int:
    """A node below `parent`, of the last move of a path."""
    for action in path[:-1]:
        world = tree.game.apply(world, action)
    child = tree.used
    tree._workspace.scratch["used"] = child + 1
    node = tree.nodes[child]
    node["key"] = tree.key(world, path[-1], root)
    node["action"], node["visits"], node["value"] = path[-1], visits, visits / 2
    node["first"], node["next"] = 0, tree.nodes["first"][parent]
    tree.nodes["first"][parent] = child
    return child


def lines(told: dict[str, Any]) -> dict[str, list[str]]:
    return {move["line"][0]: move["line"] for move in told["moves"]}


def opening() -> Turn:
    return turn_of(KUHN, KUHN.restore({"cards": ["king", "queen"], "moves": []}, 2))


def test_a_line_goes_on_with_the_answer_visited_most() -> None:
    """Whichever came first."""
    for visits in ({(BET, PASS): 5, (BET, BET): 4}, {(BET, BET): 4, (BET, PASS): 5}):
        bot = ISMCTS(KUHN, 0, 1, prior=0)
        told = searched(bot, opening(), {(PASS,): 3, (BET,): 9, **visits})
        assert [(m["action"], m["visits"]) for m in told["moves"]] == [(BET, 9), (PASS, 3)]
        assert lines(told) == {"bet": ["bet", "pass"], "pass": ["pass"]}


@pytest.mark.parametrize(
    ("prior", "visits", "chosen"), [(0, 1, False), (0, 2, True), (2, 3, False), (2, 4, True)]
)
def test_an_answer_that_was_tried_but_once_is_not_told(
    prior: int, visits: int, chosen: bool
) -> None:
    """An estimate is no visit, and so no reason to choose."""
    bot = ISMCTS(KUHN, 0, 1, prior=prior)
    told = searched(bot, opening(), {(BET,): 9 + prior, (BET, PASS): visits})
    assert told["moves"][0]["visits"] == 9
    assert lines(told) == {"bet": ["bet", "pass"] if chosen else ["bet"]}


def test_each_seat_answers_by_its_own_tree() -> None:
    bot = ISMCTS(KUHN, 0, 1, prior=0, observer="multiple")
    own = {(PASS,): 9, (PASS, PASS): 5, (PASS, BET): 3, (PASS, BET, PASS): 1, (PASS, BET, BET): 2}
    others = {(PASS,): 9, (PASS, PASS): 3, (PASS, BET): 5, (PASS, BET, PASS): 4}
    assert lines(searched(bot, opening(), own, others)) == {"pass": ["pass", "bet", "bet"]}


@pytest.mark.parametrize("more", [0, 1])
def test_all_lines_are_told_in_the_world_where_the_best_was_visited_most(more: int) -> None:
    """Though another move was visited more in the other one."""
    visits = [
        {(BET,): 5, (BET, BET): 5, (PASS,): 4, (PASS, BET): 4},
        {(BET,): 5, (BET, BET): 5, (PASS,): 4, (PASS, BET): 4},
    ]
    visits[more] = {(BET,): 6, (BET, PASS): 2, (PASS,): 3, (PASS, PASS): 3}
    told = searched(MCTS(KUHN, 0, 1, worlds=2, prior=0), opening(), *visits)
    assert lines(told) == {"bet": ["bet", "pass"], "pass": ["pass", "pass"]}


def test_a_world_is_looked_for_in_which_the_best_answer_is_possible() -> None:
    """At AVES the others may or may not hold the card that answers best."""
    game = registry.game("aves")
    turn = turn_of(game, game.initial(2, seed=3))
    bot = ISMCTS(game, 0, 1, prior=0)
    bot.act(turn)
    first = turn.legal[0]
    worlds = [game.apply(world, first) for world, _ in bot.tree.worlds(10)]
    keys = [{bot.tree.key(after, a, 0): a for a in game.legal(after)} for after in worlds]
    rare = next(key for found in keys[1:] for key in found if key not in keys[0])
    index = next(i for i, found in enumerate(keys) if rare in found)
    answer = keys[index][rare]
    world = [world for world, _ in bot.tree.worlds(10)][index]
    bot.tree.clear(turn, 1)
    child = plant(bot.tree, world, (first,), 0, 0, 9)
    plant(bot.tree, world, (first, answer), child, 0, 5)
    expected = [game.describe(world, first), game.describe(worlds[index], answer)]
    assert [move["line"] for move in bot.explain()["moves"]] == [expected]


def test_an_oracle_does_not_tell_what_chance_will_bring() -> None:
    """Its searches did not know it either."""
    game: Game = registry.game("cubirds")
    state = game.initial(2, seed=1)
    bot = Oracle(game, 0, 1, iterations=50)
    bot.act(turn_of(game, state), state)
    [(world, _)] = bot.tree.worlds(10)
    assert world["rng"] != state["rng"]
    world["rng"] = state["rng"]
    assert world.tobytes() == state.tobytes()


def test_lines_go_on_after_moves_that_are_hidden() -> None:
    """At Fruit Friends, after a split, of which the tree of the other seat knows less."""
    game = registry.game("fruit-friends")
    state = game.initial(2, seed=7)
    bot = ISMCTS(game, 0, 1, iterations=3000)
    bot.act(turn_of(game, state))
    line = bot.explain()["moves"][0]["line"]
    assert [move.split()[0] for move in line[:3]] == ["split", "split", "take"]
