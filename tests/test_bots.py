"""The shipped bots, as anybody may use them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena import kernel, registry
from arena.core import Turn
from arena.errors import OptionError
from arena.game import Game
from bots.greedy import Greedy
from bots.ismcts import ISMCTS
from bots.mcts import MCTS
from bots.oracle import Oracle
from bots.uniform import Uniform

CHEAP: dict[str, dict[str, Any]] = {
    "random": {},
    "greedy": {"worlds": 2},
    "mcts": {"iterations": 20, "worlds": 2},
    "ismcts": {"iterations": 20},
    "oracle": {"iterations": 20},
}
SEARCHES: list[Callable[..., Any]] = [
    lambda game, seed: Greedy(game, 0, seed),
    lambda game, seed: MCTS(game, 0, seed, iterations=200),
    lambda game, seed: ISMCTS(game, 0, seed, iterations=200),
    lambda game, seed: ISMCTS(game, 0, seed, iterations=200, observer="multiple"),
]


def turn_of(game: Game, state: Any) -> Turn:
    seat = game.mover(state)
    assert seat is not None
    return Turn(game.observe(state, seat), seat, game.legal(state))


def play(game: Game, players: int, make: Callable[[int], Any], seed: int) -> Iterator[Turn]:
    """Play a game to its end; yields every decision before it is made."""
    bots = [make(seat) for seat in range(players)]
    state = game.initial(players, seed=seed)
    while game.mover(state) is not None:
        turn = turn_of(game, state)
        action = turn.legal[0]
        if len(turn.legal) > 1:
            yield turn
            bot = bots[turn.seat]
            action = bot.act(turn, state) if isinstance(bot, Oracle) else bot.act(turn)
        state = game.apply(state, action)


@pytest.mark.parametrize("bot", registry.BOTS)
@pytest.mark.parametrize("name", registry.GAMES)
def test_every_bot_plays_every_game_to_its_end(name: str, bot: str) -> None:
    """With the fewest and the most players; Game.apply refuses what is not legal."""
    game = registry.game(name)
    factory = registry.load_bot(registry.find_bot(bot))
    for players in {game.players[0], game.players[-1]}:
        decisions = play(game, players, lambda seat: factory(game, seat, seat, **CHEAP[bot]), 3)
        assert len(list(decisions)) > 0


@pytest.mark.parametrize("bot", [b for b in registry.BOTS if b != "random"])
@pytest.mark.parametrize("name", registry.GAMES)
def test_every_bot_can_be_compiled_for_every_game(name: str, bot: str) -> None:
    """With the game's own defaults, as a run does before its first match."""
    registry.load_bot(registry.find_bot(bot)).compile(registry.game(name))  # type: ignore[attr-defined]


@pytest.mark.parametrize("make", SEARCHES)
def test_search_answers_by_seed_and_view_alone(make: Callable[..., Any]) -> None:
    """Not by what the bot was asked before, nor by which object holds the view."""
    game = registry.game("cubirds")
    turns = list(play(game, 2, lambda seat: Uniform(game, seat, seat), 1))[:40:8]
    used = make(game, 5)
    answers = [used.act(turn) for turn in turns]
    assert [make(game, 5).act(turn) for turn in reversed(turns)] == answers[::-1]
    assert [used.act(turn) for turn in turns] == answers


@pytest.mark.parametrize("make", SEARCHES[1:])
def test_seeds_matter(make: Callable[..., Any]) -> None:
    """Where moves are about equal, as some of the first ones are, seeds choose differently."""
    game = registry.game("cubirds")
    turn = turn_of(game, game.initial(2, seed=2))
    assert len({make(game, seed).act(turn) for seed in range(20)}) > 1


def test_greedy_leaves_equal_moves_to_chance() -> None:
    """After a bet a jack has lost, whatever it does."""
    game = registry.game("kuhn")
    shown = {"cards": ["king", "jack"], "moves": ["bet"]}
    turn = turn_of(game, game.restore(shown, 2))
    assert {Greedy(game, 1, seed).act(turn) for seed in range(20)} == {0, 1}


@pytest.mark.parametrize("make", SEARCHES)
def test_search_cannot_see_what_the_seat_cannot(make: Callable[..., Any]) -> None:
    """Other worlds that give the same view get the same answer."""
    game = registry.game("cubirds")
    for turn in list(play(game, 2, lambda seat: Uniform(game, seat, seat), 1))[:30:10]:
        answer = make(game, 3).act(turn)
        for seed in range(3):
            world = game.sample(turn.view, turn.seat, seed)
            assert make(game, 3).act(turn_of(game, world)) == answer


@pytest.mark.parametrize("make", SEARCHES)
def test_search_leaves_the_view_alone(make: Callable[..., Any]) -> None:
    game = registry.game("cubirds")
    turn = turn_of(game, game.initial(2, seed=1))
    before = turn.view.record.tobytes()
    make(game, 1).act(turn)
    assert turn.view.record.tobytes() == before


@pytest.mark.parametrize("make", SEARCHES)
def test_obvious_moves_in_kuhn_poker(make: Callable[..., Any]) -> None:
    """A king calls every bet, and so does a queen: who passes has lost.

    A jack may do as it likes, because places do not tell how many chips are lost.
    """
    game = registry.game("kuhn")
    answers: dict[int, set[int]] = {0: set(), 1: set(), 2: set()}
    for seed in range(12):
        dealt = game.initial(seed=seed)
        for moves in ([1], [0, 1]):
            state = dealt
            for move in moves:
                state = game.apply(state, move)
            turn = turn_of(game, state)
            answers[turn.view.cards[turn.seat]].add(make(game, seed).act(turn))
    assert answers[0]
    assert answers[1] == answers[2] == {1}


@pytest.mark.parametrize("bot", [Greedy, MCTS, ISMCTS])
def test_nothing_is_compiled_after_compile(bot: Any) -> None:
    game = registry.game("kuhn")
    turn = turn_of(game, game.initial())
    bot.compile(game)
    compiled: list[str] = []
    with kernel.announce_compiling(compiled.append):
        bot(game, 0, 1).act(turn)
    assert compiled == []


@pytest.mark.parametrize("make", SEARCHES[1:])
def test_search_explains_its_answer(make: Callable[..., Any]) -> None:
    game = registry.game("cubirds")
    state = game.initial(2, seed=1)
    turn = turn_of(game, state)
    bot = make(game, 1)
    assert bot.explain() == {"iterations": 0, "moves": []}
    answer = bot.act(turn)
    told = json.loads(json.dumps(bot.explain()))
    moves = told["moves"]
    assert told["iterations"] == 200
    assert moves[0]["action"] == answer
    assert {move["action"] for move in moves} <= set(turn.legal)
    assert sum(move["visits"] for move in moves) == 200
    assert moves == sorted(moves, key=lambda move: -move["visits"])
    assert all(0 <= move["value"] <= 1 for move in moves)
    assert all(m["line"][0] == game.describe(state, m["action"]) for m in moves)
    assert len(moves[0]["line"]) > 1


def test_levels_get_stronger() -> None:
    game = registry.game("kuhn")
    levels = [ISMCTS(game, 0, 1, level=level) for level in ("easy", "medium", "hard")]
    assert [bot.budget.iterations for bot in levels] == [100, 300, 10_000]
    assert [bot.temperature for bot in levels] == [0.2, 0.02, 0]


def test_temperature_draws_by_value() -> None:
    """A king that calls always wins: at no temperature that tells moves apart does it pass."""
    game = registry.game("kuhn")
    turn = turn_of(game, game.restore({"cards": ["jack", "king"], "moves": ["bet"]}, 2))
    answers = {
        heat: [
            ISMCTS(game, 1, seed, iterations=50, temperature=heat).act(turn) for seed in range(40)
        ]
        for heat in (0.01, 1.0)
    }
    assert set(answers[0.01]) == {1}
    assert set(answers[1.0]) == {0, 1}


@pytest.mark.parametrize("params", [{"policy": "epsilon-greedy"}, {"policy": "mast"}])
def test_policies_answer_by_seed_and_view_alone(params: dict[str, Any]) -> None:
    game = registry.game("kuhn")
    turns = [t for s in range(5) for t in play(game, 2, lambda seat: Uniform(game, seat, seat), s)]
    used = ISMCTS(game, 0, 5, iterations=200, **params)
    answers = [(used.act(turn), used.explain()) for turn in turns]
    for turn, answer in zip(turns, answers, strict=True):
        fresh = ISMCTS(game, 0, 5, iterations=200, **params)
        assert (fresh.act(turn), fresh.explain()) == answer


@pytest.mark.parametrize(
    ("bot", "params", "message"),
    [
        (Greedy, {"worlds": 0}, "worlds: found 0"),
        (Greedy, {"worlds": True}, "worlds: found True"),
        (MCTS, {"worlds": -1}, "worlds: found -1"),
        (
            MCTS,
            {"worlds": 5, "nodes": 5},
            "nodes: found 5, expected at least 3 for each of 5 trees",
        ),
        (MCTS, {"iterations": 0}, "iterations: found 0"),
        (ISMCTS, {"iterations": -3}, "iterations: found -3"),
        (ISMCTS, {"iterations": 10.5}, "iterations: found 10.5"),
        (ISMCTS, {"iterations": "many"}, "iterations: found 'many'"),
        (ISMCTS, {"seconds": 0}, "seconds: found 0"),
        (ISMCTS, {"seconds": float("inf")}, "seconds: found inf"),
        (ISMCTS, {"seconds": float("nan")}, "seconds: found nan"),
        (ISMCTS, {"exploration": -0.1}, "exploration: found -0.1"),
        (ISMCTS, {"depth": -2}, "depth: found -2"),
        (ISMCTS, {"nodes": 1}, "nodes: found 1"),
        (
            ISMCTS,
            {"observer": "multiple", "nodes": 5},
            "nodes: found 5, expected at least 3 for each",
        ),
        (ISMCTS, {"observer": "all"}, "observer: found 'all', expected single or multiple"),
        (ISMCTS, {"policy": 1}, "policy: found 1, expected uniform or epsilon-greedy or mast"),
        (ISMCTS, {"policy": "mast", "epsilon": 0}, "epsilon: found 0, expected a number from 0.01"),
        (ISMCTS, {"policy": "mast", "epsilon": 20}, "found 20, expected a number from 0.01 to 1"),
        (ISMCTS, {"policy": "mast", "tau": 0}, "tau: found 0, expected a number from 0.01"),
        (ISMCTS, {"prior": 2**32}, "prior: found 4294967296, expected a whole number from 0 to"),
        (ISMCTS, {"depth": 10**20}, "depth: found 100000000000000000000"),
        (ISMCTS, {"level": "expert"}, "level: found 'expert', expected easy or medium or hard"),
        (ISMCTS, {"level": "easy", "iterations": 5}, "level: found 'easy' beside iterations 5"),
        (ISMCTS, {"level": "easy", "seconds": 0.1}, "level: found 'easy' beside seconds 0.1"),
        (ISMCTS, {"level": "hard", "temperature": 1}, "'hard' beside temperature 1, expected one"),
        (ISMCTS, {"level": "easy", "temperature": 0}, "'easy' beside temperature 0, expected one"),
        (ISMCTS, {"epsilon": 0.1}, "epsilon: found 0.1 beside policy uniform, which has no use"),
        (MCTS, {"tau": 0.1}, "for it; expected mast"),
        (ISMCTS, {"policy": "epsilon-greedy", "tau": 0.1}, "tau: found 0.1 beside policy epsilon"),
        (ISMCTS, {"policy": "mast", "depth": 0}, "policy: found 'mast' beside depth 0, which"),
        (ISMCTS, {"exploration": 10**400}, "expected a number from 0"),
        (ISMCTS, {"policy": ["mast"], "tau": 0.1}, "policy: found ['mast'], expected uniform or"),
    ],
)
def test_wrong_params_are_refused(bot: Any, params: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as refused:
        bot(registry.game("kuhn"), 0, 0, **params)
    assert message in str(refused.value)


def test_more_nodes_than_there_is_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise MemoryError

    monkeypatch.setattr("numpy.zeros", full)
    with pytest.raises(OptionError, match=r"nodes: found 500000000, expected less than 20\.0 GB"):
        ISMCTS(registry.game("kuhn"), 0, 0, nodes=500_000_000)
