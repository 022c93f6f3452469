"""Measure arena and print one JSON document.

    python -m bench [--full] [PART OF A NAME]

Every figure is the median of several repeats, with the least and the greatest, next to its target
and to a reference: a fixed loop, compiled or interpreted, timed in the same run. The machine may be
slower or busier than another; then the ratio says more than the figure. `--full` adds what takes
minutes: Ray against one process, the rating of ten million games, memory.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena import kernel, match, registry, tournament
from arena.core import Isolation, Limits, MatchSpec, Turn
from arena.game import Game
from arena.isolation import Hosts
from arena.kernel import Array, random_below
from arena.player import Contestant, Entry
from arena.store import PART, Batch, BotIdentity, Plan, Run, outcome_dtype
from bots import search
from bots.ismcts import ISMCTS

Figures = dict[str, Any]


def repeat(measure: Callable[[], float], times: int = 5) -> Figures:
    """Median, least and greatest of `times` measurements."""
    values = [measure() for _ in range(times)]
    figures = {"median": statistics.median(values), "least": min(values), "greatest": max(values)}
    return {name: float(f"{value:.3g}") for name, value in figures.items()}


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


# --- references -----------------------------------------------------------------------------------


@kernel.kernel
def _draw(states: Array, count: int) -> None:
    for _ in range(count):
        random_below(states[0], 52)


@cache
def compiled() -> float:
    """Random numbers a second in compiled code."""
    state = registry.game("kuhn").initial()
    _draw(state, 1)
    return statistics.median(5e7 / seconds(lambda: _draw(state, 50_000_000)) for _ in range(5))


@cache
def interpreted() -> float:
    """Calls of an empty function a second in the interpreter."""

    def nothing() -> None:
        pass

    def calls() -> None:
        for _ in range(1_000_000):
            nothing()

    return statistics.median(1e6 / seconds(calls) for _ in range(5))


# --- figures --------------------------------------------------------------------------------------


def random_play(name: str, players: int) -> Figures:
    game = registry.game(name)
    search.random_playouts(game, 10, players)

    def measure() -> float:
        begin = time.perf_counter()
        moves = search.random_playouts(game, 20_000, players)
        return moves / (time.perf_counter() - begin)

    return repeat(measure)


def ismcts(name: str, counted: str, params: Mapping[str, Any]) -> Figures:
    """A search from the first decision of a game for two; `counted` is iterations or moves."""
    game, iterations = registry.game(name), 20_000
    turn = search.turn_of(game, game.initial(seed=1))
    bot = ISMCTS(game, turn.seat, 1, iterations=iterations, **params)
    bot.act(turn)

    def measure() -> float:
        spent = seconds(lambda: bot.act(turn))
        return (iterations if counted == "iterations" else bot.tree.moves) / spent

    return repeat(measure)


class Hasty:
    """As little as a bot can do; counts how often bots of its kind were asked."""

    asked = 0

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        pass

    def act(self, turn: Turn) -> int:
        Hasty.asked += 1
        return turn.legal[-1]


def match_loop(name: str) -> Figures:
    game, entries = registry.game(name), (Entry("hasty", Hasty, {}),) * 2
    options = game.resolve(2)

    def play(seed: int) -> None:
        spec = MatchSpec(seed, "", name, 2, options, ("a", "b"), 0, seed, 0, seed, (1, 2))
        match.play(game, spec, entries, Limits(5.0, 30.0))

    def measure() -> float:
        Hasty.asked = 0
        spent = seconds(lambda: [play(seed) for seed in range(300)])
        return Hasty.asked / spent

    play(0)
    return repeat(measure)


def isolated(mode: Isolation, part: str) -> Figures:
    """Seconds that a bot in its own process costs for an answer, or to begin and end a match.

    For an answer, what the same bot takes in this process is taken off.
    """
    game = registry.game("cubirds")
    turn = search.turn_of(game, game.initial(seed=1))
    spec = MatchSpec(0, "", game.name, 2, game.resolve(2), ("a", "b"), 0, 0, 0, 1, (1, 2))
    limits = Limits(move=5.0, startup=30.0, memory=1 << 30, processes=32)
    source = registry.find_bot(str(Path(__file__).with_name("hasty.py")))

    def answers(contestant: Contestant) -> float:
        player = contestant.player(game, spec, 0, limits)
        player.start()
        spent = seconds(lambda: [player.answer(turn) for _ in range(2000)]) / 2000
        player.finish(None)
        return spent

    def begin_and_end() -> None:
        player = guest.player(game, spec, 0, limits)
        player.start()
        player.finish(None)

    with Hosts(game, mode) as hosts:
        guest = hosts.guest(source, {})
        begin_and_end()
        if part == "match":
            return repeat(lambda: seconds(begin_and_end), 21)
        here = Entry("hasty", registry.load_bot(source), {})
        return repeat(lambda: answers(guest) - answers(here))


def arena(*arguments: str) -> str:
    """Run the command line; returns what it says on stderr."""
    command = [sys.executable, "-m", "arena", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr


def start_up() -> Figures:
    return repeat(lambda: seconds(lambda: arena("--help")), 9)


def ray_efficiency() -> Figures:
    """Games a second of two workers on Ray over twice those of one process, a minute each."""
    folder = Path(tempfile.mkdtemp())

    def pace(name: str, deals: int, *how: str) -> float:
        started = "configs/cubirds.yaml", "-o", str(folder / name)
        said = arena("run", *started, "--set", f"schedule.deals={deals}", *how)
        return _pace(said)

    try:
        alone = pace("local", 100, "--local")
        return {**repeat(lambda: pace("ray", 250, "--workers", "2") / (2 * alone), 1)}
    finally:
        shutil.rmtree(folder)


def _pace(said: str) -> float:
    return float(re.findall(r"([\d.,]+) games/s", said)[-1].replace(",", ""))


def rating(games: int, players: int) -> Figures:
    """Seconds from opening the database of a run with twenty bots to its leaderboard."""
    folder = Path(tempfile.mkdtemp())
    try:
        _invent(folder / "run", games, players)

        def rate() -> None:
            with Run.open(folder / "run") as run:
                tournament.board(run)

        return repeat(lambda: seconds(rate), 3)
    finally:
        shutil.rmtree(folder)


def _invent(folder: Path, games: int, players: int) -> None:
    """A run whose bots differ in strength a little."""
    names = [f"bot{number:02}" for number in range(20)]
    plan = Plan(
        config={}, config_digest="", game="kuhn", rules="1", options={players: {}},
        bots=tuple(BotIdentity(name, name, "") for name in names), matches=games,
    )  # fmt: skip
    line_ups = np.array(list(combinations(range(len(names)), players)))
    random = np.random.default_rng(1)
    with Run.create(folder, plan, "") as run:
        for first in range(0, games, PART):
            numbers = np.arange(first, min(first + PART, games))
            block, rotation = np.divmod(numbers, players)
            deal, line_up = np.divmod(block, len(line_ups))
            seats = (np.arange(players) + rotation[:, None]) % players
            outcomes = np.zeros(len(numbers), outcome_dtype(players))
            outcomes["bots"] = np.take_along_axis(line_ups[line_up], seats, 1)
            strength = outcomes["bots"] * 0.1 + random.normal(size=seats.shape)
            outcomes["places"] = (-strength).argsort(1).argsort(1) + 1
            outcomes["deal"], outcomes["line_up"], outcomes["offender"] = deal, line_up, -1
            rows = [
                (n, n.to_bytes(8), players, 0, 0, 0, 0, "", "", "", "", b"")
                for n in numbers.tolist()
            ]
            spent = np.zeros(seats.shape, np.float32)
            run.add(Batch(rows, [], [], [], outcomes, spent))


SEARCHES: dict[str, dict[str, Any]] = {
    "defaults": {},
    "full playouts": {
        "observer": "single",
        "prior": 0,
        "depth": -1,
        "policy": "uniform",
        "exploration": 0.7,
    },
}


class Benchmark(NamedTuple):
    name: str
    unit: str
    target: str
    reference: Callable[[], float] | None
    measure: Callable[[], Figures]
    full: bool = False


BENCHMARKS = (
    *(
        Benchmark(
            f"random play, {name}, {players} players",
            "moves/s",
            ">= 8e6" if name == "cubirds" else ">= 5e6",
            compiled,
            partial(random_play, name, players),
        )
        for name in sorted(registry.GAMES)
        for players in (2, 4)
        if players in registry.game(name).players
    ),
    *(
        Benchmark(
            f"ISMCTS, {how}, {name}, {counted}",
            f"{counted}/s",
            ">= 6e6" if (name, how, counted) == ("cubirds", "full playouts", "moves") else "",
            compiled,
            partial(ismcts, name, counted, params),
        )
        for name in sorted(registry.GAMES)
        for how, params in SEARCHES.items()
        for counted in ("iterations", "moves")
    ),
    Benchmark(
        "match loop, CuBirds, trivial bots",
        "decisions/s",
        ">= 2e5",
        interpreted,
        partial(match_loop, "cubirds"),
    ),
    *(
        Benchmark(f"{mode} bot, {what}", "s", target, None, partial(isolated, mode, part))
        for mode in (Isolation.ISOLATED, Isolation.STRICT)
        for what, part, target in (
            ("an answer", "answer", "<= 40e-6"),
            # In a sandbox the bot is loaded as well.
            ("a match's beginning and end", "match", "<= 5e-3" if mode == "isolated" else ""),
        )
    ),
    Benchmark("arena --help", "s", "<= 0.3", None, start_up),
    Benchmark(
        "rating 1M games of 20 bots, 2 players", "s", "", None, partial(rating, 1_000_000, 2)
    ),
    Benchmark(
        "rating 10M games of 20 bots, 2 players",
        "s",
        "<= 5",
        None,
        partial(rating, 10_000_000, 2),
        True,
    ),
    Benchmark(
        "rating 10M games of 20 bots, 4 players",
        "s",
        "<= 5",
        None,
        partial(rating, 10_000_000, 4),
        True,
    ),
    Benchmark(
        "Ray, two workers over two processes", "ratio", ">= 0.95", None, ray_efficiency, True
    ),
)


def main() -> None:
    full = "--full" in sys.argv
    wanted = [argument for argument in sys.argv[1:] if argument != "--full"]
    measured = []
    for benchmark in BENCHMARKS:
        if benchmark.full > full or not all(word in benchmark.name for word in wanted):
            continue
        print(benchmark.name, file=sys.stderr)
        figures = benchmark.measure()
        entry = {
            "name": benchmark.name,
            **figures,
            "unit": benchmark.unit,
            "target": benchmark.target,
        }
        if benchmark.reference is not None:
            entry["per_reference"] = float(f"{figures['median'] / benchmark.reference():.3g}")
            entry["reference"] = benchmark.reference.__name__
        measured.append(entry)
    document = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "references": {f.__name__: float(f"{f():.3g}") for f in (compiled, interpreted)},
        "benchmarks": measured,
    }
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
