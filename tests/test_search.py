"""The search itself: what its trees hold, and that it finds what can be proved to be best."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena import registry
from arena.core import Turn
from arena.game import Game
from bots import search
from bots.ismcts import ISMCTS
from bots.mcts import MCTS
from bots.oracle import Oracle
from bots.parameters import Budget
from bots.search import Tree
from tests.expectimax import values

HERE = Path(__file__).parent


def turn_after(game: Game, moves: int, players: int | None = None) -> Turn:
    """What the mover is given after a number of moves, always the middle one of the legal ones."""
    state = game.initial(players, seed=7)
    for _ in range(moves):
        legal = game.legal(state)
        state = game.apply(state, legal[len(legal) // 2])
    seat = game.mover(state)
    assert seat is not None
    return Turn(game.observe(state, seat), seat, game.legal(state))


def subtree(tree: Tree, node: int = 0) -> list[Any]:
    """[seat, action, visits, available, value, children] of a node, children by seat and action."""
    children = []
    child = int(tree.nodes["first"][node])
    while child:
        children.append(subtree(tree, child))
        child = int(tree.nodes["next"][child])
    key, *numbers = (
        tree.nodes[f][node].item() for f in ("key", "action", "visits", "available", "value")
    )
    return [key // tree.witnesses, *numbers, sorted(children)]


def tiny_searches() -> dict[str, Any]:
    """Whole trees of a few searches, by a text that says which."""
    trees = {}
    for name, moves, players in [("kuhn", 1, 2), ("cubirds", 11, 3)]:
        game = registry.game(name)
        turn = turn_after(game, moves, players)
        for depth in (0, -1):
            plain = {"exploration": 0.7, "prior": 0, "depth": depth}
            ismcts = ISMCTS(game, turn.seat, 1, iterations=40, **plain)
            mcts = MCTS(game, turn.seat, 1, iterations=40, worlds=2, **plain)
            for bot in (ismcts, mcts):
                text = f"{type(bot).__name__} {name} players={players} moves={moves} depth={depth}"
                trees[text] = grown(bot, turn)
    game = registry.game("kuhn")
    for params in VARIANTS:
        turn = turn_after(game, 0)
        text = " ".join(f"{key}={value}" for key, value in params.items())
        trees[f"ISMCTS kuhn {text}"] = grown(ISMCTS(game, 0, 1, iterations=40, **params), turn)
    return trees


VARIANTS: list[dict[str, Any]] = [
    {"prior": 2},
    {"prior": 0, "observer": "multiple"},
    {"prior": 0, "policy": "epsilon-greedy", "depth": 1},
    {"prior": 0, "policy": "mast", "depth": -1},
    {"prior": 2, "policy": "mast", "depth": -1, "observer": "multiple"},
    {"prior": 2, "nodes": 3},
    {"prior": 2, "nodes": 9},
    {"prior": 0, "nodes": 12, "observer": "multiple"},
]


def grown(bot: ISMCTS | MCTS, turn: Turn) -> dict[str, Any]:
    answer = bot.act(turn)
    return {"answer": answer, "roots": [subtree(bot.tree, r) for r in range(bot.tree.roots)]}


@pytest.fixture(scope="module")
def trees() -> dict[str, Any]:
    return tiny_searches()


def nodes_of(tree: list[Any]) -> list[list[Any]]:
    return [tree, *(n for child in tree[5] for n in nodes_of(child))]


def run_interpreted(code: str) -> Any:
    """What `code`, run with Numba off in a process of its own, prints as JSON."""
    paths = [str(HERE), str(HERE / "fakes"), str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# --- trees ------------------------------------------------------------------------------------


def test_trees_are_those_on_record(
    trees: dict[str, Any], golden: Callable[[str, str], None]
) -> None:
    """Any change to what is searched shows. Rounded, for mathematical libraries may differ."""
    rounded = json.loads(json.dumps(trees), parse_float=lambda number: round(float(number), 6))
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in rounded.items())
    golden("search.json", f"{{\n{lines}\n}}\n")


def test_interpreter_grows_the_same_trees(trees: dict[str, Any]) -> None:
    code = "import json, test_search; print(json.dumps(test_search.tiny_searches()))"
    assert run_interpreted(code) == json.loads(json.dumps(trees))


def prior_of(text: str) -> int:
    return 2 if "prior=2" in text else 0


def test_visits_add_up(trees: dict[str, Any]) -> None:
    """Each iteration visits one root, or all, and of the nodes below it one path."""
    for text, kept in trees.items():
        searched = len(kept["roots"]) if "multiple" in text else 1
        assert sum(root[2] for root in kept["roots"]) == 40 * searched
        for root in kept["roots"]:
            for _, _, visits, _, value, children in nodes_of(root):
                assert sum(child[2] for child in children) <= visits + prior_of(text) * len(
                    children
                )
                assert 0 <= value <= visits


def test_nobody_is_visited_more_often_than_available(trees: dict[str, Any]) -> None:
    for text, kept in trees.items():
        for root in kept["roots"]:
            for node in nodes_of(root):
                prior = prior_of(text)
                assert all(child[2] <= child[3] + prior for child in node[5])
                assert all(child[3] <= node[2] + prior for child in node[5])


def test_moves_of_hidden_cards_are_available_only_in_some_worlds() -> None:
    """The opponent's cards differ from world to world, and so do its moves."""
    game = registry.game("cubirds")
    turn = turn_after(game, 0)
    bot = ISMCTS(game, 0, 1, iterations=2000, prior=0)
    bot.act(turn)
    root = subtree(bot.tree)
    assert {child[1] for child in root[5]} == set(turn.legal)
    opponents = [n for n in nodes_of(root) if any(c[0] == 1 for c in n[5])]
    busiest = max(opponents, key=lambda node: node[2])
    assert min(c[3] for c in busiest[5]) < busiest[2] / 2


@pytest.mark.parametrize("more", [0, 40, 700])
@pytest.mark.parametrize("observer", ["single", "multiple"])
@pytest.mark.parametrize("prior", [0, 1])
@pytest.mark.parametrize("name", ["aves", "coloretto", "cubirds", "fruit-friends"])
def test_full_memory_is_used_again(name: str, prior: int, observer: str, more: int) -> None:
    """No node is lost or in two places, and none is in the ring but those that have children."""
    game = registry.game(name)
    trees = 1 if observer == "single" else game.players[-1]
    nodes = trees * (1 + game.action_count) + more
    params = {"nodes": nodes, "prior": prior, "observer": observer}
    used = ISMCTS(game, 0, 1, iterations=9000, **params)
    for moves in (0, 6):
        turn = turn_after(game, moves)
        fresh = ISMCTS(game, 0, 1, iterations=9000, **params)
        assert used.act(turn) == fresh.act(turn)
        assert_sound(used.tree, nodes)
        for root in range(trees):
            assert subtree(used.tree, root) == subtree(fresh.tree, root)
        assert {move["action"] for move in used.explain()["moves"]} == {*turn.legal}
        assert sum(move["visits"] for move in used.explain()["moves"]) == 9000


def assert_sound(tree: Tree, nodes: int) -> None:
    assert tree.used == nodes
    free = chain(tree, "next", int(tree._workspace.scratch["free"][0]))
    below = {root: descendants(tree, root) for root in range(tree.roots)}
    kept = [node for found in below.values() for node in found]
    assert sorted([*free, *kept, *below]) == list(range(nodes))
    ring = chain(tree, "newer", int(tree.nodes["newer"][0]))
    assert ring[::-1] == chain(tree, "older", int(tree.nodes["older"][0]))
    assert sorted(ring) == sorted(node for node in kept if tree.nodes["first"][node])
    older = set[int]()
    for node in ring:
        older.add(node)
        assert {*chain(tree, "next", int(tree.nodes["first"][node]))} & {*ring} <= older


def chain(tree: Tree, link: str, node: int) -> list[int]:
    """The nodes from one on, as linked up to a 0."""
    found = []
    while node:
        found.append(node)
        node = int(tree.nodes[link][node])
    return found


def descendants(tree: Tree, node: int) -> list[int]:
    children = chain(tree, "next", int(tree.nodes["first"][node]))
    return [*children, *(n for child in children for n in descendants(tree, child))]


def test_worlds_share_a_memory() -> None:
    """The trees of `mcts` take nodes from each other."""
    game = registry.game("cubirds")
    turn = turn_after(game, 0)
    bot = MCTS(game, 0, 1, iterations=3000, worlds=3, nodes=400)
    assert bot.act(turn) in turn.legal
    assert_sound(bot.tree, 400)
    assert bot.tree.nodes["visits"][:3].tolist() == [1000] * 3
    assert all(len(bot.tree.children(root)) == len(turn.legal) for root in range(3))


def test_tree_is_the_same_however_the_budget_is_cut() -> None:
    """A clock only decides when to stop."""
    game = registry.game("cubirds")
    turn = turn_after(game, 0)
    plain = ISMCTS(game, 0, 1, iterations=700)
    timed = ISMCTS(game, 0, 1, iterations=700, seconds=1000)
    plain.act(turn)
    timed.act(turn)
    assert subtree(plain.tree) == subtree(timed.tree)


# --- budgets ----------------------------------------------------------------------------------


def test_budget_spends_all_iterations_in_order() -> None:
    calls: list[tuple[int, int]] = []
    assert Budget(1000, 1e6).spend(lambda first, count: calls.append((first, count))) == 1000
    assert [first for first, _ in calls] == np.cumsum([0, *(c for _, c in calls)])[:-1].tolist()
    assert sum(count for _, count in calls) == 1000


def test_a_search_without_a_clock_can_be_interrupted() -> None:
    """Now and then it is back in Python, where signals are heard."""
    pieces: list[tuple[int, int]] = []
    assert Budget(25_000, None).spend(lambda first, count: pieces.append((first, count))) == 25_000
    assert pieces == [(0, 10_000), (10_000, 10_000), (20_000, 5_000)]


def test_budget_stops_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """An iteration of 0.1 ms, a budget of 50 ms: about 500, and late by not more than a chunk."""
    now = 0.0

    def work(first: int, count: int) -> None:
        nonlocal now
        now += count * 0.0001

    monkeypatch.setattr("time.perf_counter", lambda: now)
    assert 500 <= Budget(None, 0.05).spend(work) <= 520
    assert 0.05 <= now <= 0.05 + Budget.CHUNK


def test_seconds_alone_are_not_cut_short_by_iterations() -> None:
    """Only without any budget is there a default one."""
    game = registry.game("kuhn")
    assert ISMCTS(game, 0, 1, seconds=5.0).budget.iterations is None
    assert ISMCTS(game, 0, 1).budget.iterations == Budget.ITERATIONS


def test_seconds_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """To 5 ms, as a rule, in time of this process: others may hold it up, and slow it down."""
    monkeypatch.setattr("time.perf_counter", time.process_time)
    game = registry.game("cubirds")
    turn = turn_after(game, 0)
    for depth in (0, -1):
        bot = ISMCTS(game, 0, 1, seconds=0.02, depth=depth)
        bot.act(turn)
        spent = []
        for _ in range(9):
            begin = time.process_time()
            bot.act(turn)
            spent.append(time.process_time() - begin)
            assert bot.tree.iterations > 20
        assert min(spent) >= 0.02
        assert statistics.median(spent) <= 0.025


# --- strength that can be proved ----------------------------------------------------------------


def test_best_moves_are_found_in_a_solved_game() -> None:
    """Two and three seats, each looking after itself; 200 iterations find a best move."""
    answers = run_interpreted(
        """
import json, sticks
from arena.core import Turn
from bots.ismcts import ISMCTS
from bots.mcts import MCTS
from bots.oracle import Oracle
game, answers = sticks.Sticks(), []
for players in (2, 3):
    for n in range(5, 9):
        state = game.with_sticks(players, n)
        best = sticks.winner(players, n)[1]
        for bot in (ISMCTS, MCTS):
            params = {} if bot is ISMCTS else {"worlds": 2}
            player = bot(game, 0, n, iterations=200, depth=-1, **params)
            answer = player.act(Turn(game.observe(state, 0), 0, game.legal(state)))
            answers.append([bot.__name__, players, n, sorted(best), answer])
print(json.dumps(answers))
"""
    )
    assert len(answers) == 16
    assert [a for a in answers if a[4] not in a[3]] == []


def test_only_trees_of_their_own_hide_moves() -> None:
    """Hiding the ball wins two times out of three, if the seeker is not taken to see it hidden."""
    answers = run_interpreted(
        """
import json, cups
from arena.core import Turn
from bots.ismcts import ISMCTS
game, answers = cups.Cups(), []
state = game.initial(2)
for observer in ("single", "multiple"):
    for seed in range(3):
        bot = ISMCTS(game, 0, seed, iterations=400, depth=-1, observer=observer)
        bot.act(Turn(game.observe(state, 0), 0, game.legal(state)))
        found = bot.explain()["moves"]
        answers.append([observer, found[0]["action"], max(m["value"] for m in found[:2])])
print(json.dumps(answers))
"""
    )
    for observer, action, value in answers:
        assert (action > 0) == (observer == "multiple")
        assert 0.45 < value < 0.75


@pytest.mark.parametrize(("name", "moves"), [("kuhn", 0), ("cubirds", 12), ("coloretto", 11)])
def test_trees_for_each_seat_change_nothing_where_all_moves_are_seen(name: str, moves: int) -> None:
    game = registry.game(name)
    turn = turn_after(game, moves)
    found = []
    for observer in ("single", "multiple"):
        bot = ISMCTS(game, turn.seat, 1, iterations=500, observer=observer)
        bot.act(turn)
        found.append([(m["action"], m["visits"]) for m in bot.explain()["moves"]])
    assert found[0] == found[1]


def late_turn(game: Game, players: int, seed: int, back: int) -> Turn:
    """The last decision but `back` - 1 of a random game."""
    chance = random.Random(seed)
    decisions = []
    state = game.initial(players, seed=seed)
    while (seat := game.mover(state)) is not None:
        legal = game.legal(state)
        if len(legal) > 1:
            decisions.append(Turn(game.observe(state, seat), seat, legal))
        state = game.apply(state, chance.choice(legal))
    return decisions[-back]


LATE = [
    ("aves", 2, 15, 2),
    ("coloretto", 2, 9, 1),
    ("coloretto", 2, 28, 3),
    ("coloretto", 2, 32, 1),
    ("coloretto", 3, 7, 4),
    ("coloretto", 3, 10, 3),
    ("cubirds", 2, 0, 2),
    ("cubirds", 2, 1, 6),
    ("cubirds", 2, 8, 4),
    ("cubirds", 2, 10, 1),
    ("fruit-friends", 2, 14, 2),
    ("fruit-friends", 2, 16, 2),
    ("fruit-friends", 2, 31, 2),
]
"""Late decisions of random games at which one move is best by far: game, players, seed, which."""


@pytest.mark.parametrize(("name", "players", "seed", "back"), LATE)
def test_best_moves_are_found_late_in_the_game(
    name: str, players: int, seed: int, back: int
) -> None:
    """Those of an exhaustive search, by 2,000 iterations."""
    game = registry.game(name)
    turn = late_turn(game, players, seed, back)
    worth = values(game, turn, 40, alone=name != "coloretto")
    best, second = sorted(worth, key=worth.__getitem__, reverse=True)[:2]
    assert worth[best] > worth[second] + 0.2
    assert ISMCTS(game, turn.seat, 1, iterations=2000).act(turn) == best
    few = 1 + game.action_count
    assert (
        ISMCTS(game, turn.seat, 1, iterations=2000, observer="single", nodes=few).act(turn) == best
    )
    assert MCTS(game, turn.seat, 1, iterations=2000).act(turn) == best


def test_a_value_is_an_average_over_the_worlds() -> None:
    """However often each of them was looked at: a call with a queen wins in those with a jack."""
    game = registry.game("kuhn")
    state = game.restore({"cards": ["jack", "queen"], "moves": ["bet"]}, 2)
    bot = MCTS(game, 1, 1, iterations=4000)
    bot.act(Turn(game.observe(state, 1), 1, game.legal(state)))
    jacks = [game.show(world)["cards"][0] == "jack" for world, _ in bot.tree.worlds(10)]
    assert 0 < sum(jacks) < len(jacks) == 10
    found = {move["action"]: move["value"] for move in bot.explain()["moves"]}
    assert found == {0: 0.0, 1: statistics.mean(jacks)}


def test_oracle_knows_the_cards() -> None:
    """A queen that was bet at: half of the time is now always or never."""
    game = registry.game("kuhn")
    for other, value in [("king", 0.0), ("jack", 1.0)]:
        state = game.restore({"cards": [other, "queen"], "moves": ["bet"]}, 2)
        before = state.tobytes()
        bot = Oracle(game, 1, 1)
        bot.act(Turn(game.observe(state, 1), 1, game.legal(state)), state)
        assert state.tobytes() == before
        assert {m["action"]: m["value"] for m in bot.explain()["moves"]} == {0: 0.0, 1: value}


def test_random_playouts_count_moves() -> None:
    """Kuhn poker lasts two moves, or three when a bet follows a pass."""
    game = registry.game("kuhn")
    moves = search.random_playouts(game, 4000)
    assert 2 * 4000 + 900 < moves < 2 * 4000 + 1100
    assert search.random_playouts(game, 4000) == moves
