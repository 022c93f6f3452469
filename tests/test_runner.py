"""Playing a run: the same results wherever it is played and whatever goes wrong on the way."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import registry, runner
from arena.core import Ending, Limits
from arena.errors import BotLoadError, InfrastructureError, Interrupted
from arena.runner import Contender, Job
from arena.schedule import schedule
from arena.store import BotIdentity, Plan, Run

GAME = "kuhn"


class Tournament:
    """A run of Kuhn poker between some bots, to be played into any folder."""

    def __init__(self, refs: dict[str, str], deals: int) -> None:
        game = registry.game(GAME)
        options = {2: game.resolve(2)}
        names = tuple(refs)
        self.contenders = tuple(Contender(n, registry.find_bot(ref)) for n, ref in refs.items())
        self.matches = schedule(
            GAME, game.rules, options, names, refs, seed=1, deals=deals, players=[2]
        )
        bots = tuple(BotIdentity(c.name, c.source.ref, c.source.digest) for c in self.contenders)
        self.plan = Plan({"deals": deals}, "digest", GAME, "1", options, bots, len(self.matches))
        self.told: list[str] = []

    def job(self, run: Run) -> Job[Any]:
        return Job(self.matches, self.contenders, Limits(), run.packer)

    def begin(self, folder: Path) -> Run:
        return Run.create(folder, self.plan, "")

    def play(self, run: Run, **how: Any) -> None:
        """Play what is missing."""
        for batches in runner.run(self.job(run), run.done(), tell=self.told.append, **how):
            run.add(*batches)

    def content(self, folder: Path, **how: Any) -> list[str]:
        """What the database says after playing all into a new folder."""
        with self.begin(folder) as run:
            self.play(run, **how)
        return content(folder)


def content(folder: Path) -> list[str]:
    """All that a run's database says, apart from timings."""
    db = sqlite3.connect(folder / "matches.sqlite")
    try:
        return [s for s in db.iterdump() if not s.startswith('INSERT INTO "timings"')]
    finally:
        db.close()


def numbers(run: Run) -> list[int]:
    return np.flatnonzero(run.done()).tolist()


def bot_file(folder: Path, body: str, name: str = "bot.py") -> str:
    """Write a bot whose `act` has this body; `self.seed` and `turn` are at hand."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "import os, signal, sys, time\n"
        "from pathlib import Path\n\n"
        "class Made:\n"
        "    def __init__(self, game, seat, seed):\n"
        "        self.seed = seed\n"
        "    def act(self, turn):\n" + textwrap.indent(textwrap.dedent(body), " " * 8)
    )
    return str(path)


@pytest.fixture
def pair() -> Tournament:
    """Two bots that play by chance."""
    return Tournament({"a": "random", "b": "random"}, deals=100)


# --- in this process --------------------------------------------------------------------------


def test_all_matches_are_played_once_and_in_order(tmp_path: Path, pair: Tournament) -> None:
    played: list[int] = []
    with pair.begin(tmp_path) as run:
        for batches in runner.run(pair.job(run), run.done(), local=True):
            played += [row[0] for batch in batches for row in batch.matches]
    assert played == list(range(200))


def test_only_what_is_missing_is_played(tmp_path: Path, pair: Tournament) -> None:
    with pair.begin(tmp_path) as run:
        done = np.ones(200, np.bool_)
        done[[7, 8, 11, 199]] = False
        for batches in runner.run(pair.job(run), done, local=True):
            run.add(*batches)
        assert numbers(run) == [7, 8, 11, 199]
        assert list(runner.run(pair.job(run), np.ones(200, np.bool_))) == []


def test_what_is_withdrawn_is_not_played(tmp_path: Path, pair: Tournament) -> None:
    """From the next batch on; what the batch under way holds is delivered all the same."""
    asked: list[np.ndarray] = [np.arange(150, 200), np.arange(100, 200, 2)]
    played: list[int] = []
    with pair.begin(tmp_path) as run:
        how = {"local": True, "withdrawn": lambda: asked.pop() if asked else None}
        for batches in runner.run(pair.job(run), run.done(), **how):
            played += [row[0] for batch in batches for row in batch.matches]
    rest = set(range(100)) | set(range(101, 150, 2))
    assert rest <= set(played)
    assert len(played) == len(set(played)) < 200


def test_a_short_run_never_starts_ray(
    tmp_path: Path, pair: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pair.content(tmp_path / "local", local=True)
    monkeypatch.setitem(sys.modules, "ray", None)
    assert pair.content(tmp_path / "automatic") == whole


@pytest.mark.parametrize(
    ("seconds", "cores", "pays"),
    [(60, 2, True), (15, 2, False), (17, 2, True), (10**6, 1, False), (9, None, True)],
)
def test_ray_is_started_when_it_saves_more_than_it_costs(
    seconds: int, cores: int | None, pays: bool
) -> None:
    work = runner._Work(np.zeros(seconds + 1, np.bool_))
    batch = work.take(1)
    assert batch
    work.finish(batch, played=1, seconds=1.0)
    assert runner._ray_pays(work, cores) is pays


def test_what_bots_do_wrong_is_a_result(tmp_path: Path) -> None:
    wrong = bot_file(tmp_path, "raise KeyboardInterrupt if self.seed % 2 else SystemExit")
    tournament = Tournament({"wrong": wrong, "fine": "random"}, deals=20)
    with tournament.begin(tmp_path / "run") as run:
        tournament.play(run, local=True)
        assert run.finished() == 40
        assert all(r.ending is Ending.CRASH for r in run.results())


def test_a_mistake_of_ours_stops_the_run(tmp_path: Path, pair: Tournament) -> None:
    def pack(results: object) -> None:
        raise ZeroDivisionError("ours")

    with pair.begin(tmp_path) as run:
        job = replace(pair.job(run), pack=pack)
        with pytest.raises(ZeroDivisionError, match="ours"):
            list(runner.run(job, run.done(), local=True))


def test_a_bot_that_cannot_compile_is_found_before_the_first_match(tmp_path: Path) -> None:
    ref = bot_file(tmp_path, "return 0\n")
    with Path(ref).open("a") as file:
        file.write("\n    @classmethod\n    def compile(cls, game): game.fly()\n")
    tournament = Tournament({"wrong": ref, "fine": "random"}, deals=1)
    with tournament.begin(tmp_path / "run") as run:
        with pytest.raises(BotLoadError, match=r"bot '.*bot\.py': compile\(game\).*no attribute"):
            tournament.play(run, local=True)
        assert run.finished() == 0


# --- signals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_keeps_what_is_finished(
    tmp_path: Path, number: signal.Signals, pair: Tournament
) -> None:
    before = signal.getsignal(number)
    with pair.begin(tmp_path) as run:
        with pytest.raises(Interrupted) as caught:
            for batches in runner.run(pair.job(run), run.done(), local=True):
                if run.finished() > 5:
                    os.kill(os.getpid(), number)
                run.add(*batches)
        assert caught.value.args == (number,)
        assert 5 < run.finished() < 200
    assert Run.open(tmp_path).state == "interrupted"
    assert signal.getsignal(number) is before


def test_a_signal_lets_the_match_being_played_end(tmp_path: Path) -> None:
    ref = bot_file(
        tmp_path,
        """\
        if turn.view.turn == turn.seat:
            os.kill(os.getpid(), signal.SIGINT)
        return 0
        """,
    )
    tournament = Tournament({"signals": ref, "fine": "random"}, deals=5)
    with tournament.begin(tmp_path / "run") as run:
        job = tournament.job(run)
        with pytest.raises(Interrupted):
            for batches in runner.run(job, run.done(), local=True):
                run.add(*batches)
        assert [r.ending for r in run.results()] == [Ending.FINISHED]


def test_the_second_signal_stops_at_once_whatever_the_bot_catches(tmp_path: Path) -> None:
    ref = bot_file(
        tmp_path,
        """\
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
        return 0
        """,
    )
    tournament = Tournament({"signals": ref, "fine": "random"}, deals=5)
    with tournament.begin(tmp_path / "run") as run:
        with pytest.raises(Interrupted):
            tournament.play(run, local=True)
        assert run.finished() == 0


def test_a_signal_after_the_last_match_changes_nothing(tmp_path: Path, pair: Tournament) -> None:
    with pair.begin(tmp_path) as run:
        for batches in runner.run(pair.job(run), run.done(), local=True):
            run.add(*batches)
            if run.finished() == 200:
                os.kill(os.getpid(), signal.SIGINT)
    assert Run.open(tmp_path).state == "complete"


def test_other_threads_than_the_main_one_can_play(tmp_path: Path, pair: Tournament) -> None:
    with pair.begin(tmp_path) as run:
        played: list[Any] = []
        job, done = pair.job(run), run.done()
        thread = threading.Thread(target=lambda: played.extend(runner.run(job, done, local=True)))
        thread.start()
        thread.join()
        assert sum(len(batch) for batches in played for batch in batches) == 200


# --- handing out ------------------------------------------------------------------------------


@settings(max_examples=50)
@given(st.lists(st.booleans()), st.integers(1, 8), st.randoms(use_true_random=False))
def test_every_match_is_handed_out_until_it_is_played(
    done: list[bool], workers: int, random: Random
) -> None:
    work = runner._Work(np.array(done, np.bool_))
    played: list[int] = []
    busy: list[runner._Batch] = []
    while work.left:
        batch = work.take(workers)
        if batch is not None:
            busy.append(batch)
        if len(busy) > workers or batch is None:
            batch = busy.pop(random.randrange(len(busy)))
            if count := random.randint(0, len(batch.numbers)):
                played += batch.numbers[:count]
                work.finish(batch, count, random.random())
            else:
                work.give_back(batch)
    assert sorted(played) == [n for n, finished in enumerate(done) if not finished]
    assert work.take(workers) is None


def test_a_batch_that_workers_have_died_of_travels_alone() -> None:
    """Nothing goes before it, whose result might be lost with it, nor after it."""
    work = runner._Work(np.zeros(10, np.bool_))
    batch = work.take(workers=1)
    assert batch is not None
    batch.deaths += 1
    work.give_back(batch)
    assert work.take(workers=1, idle=False) is None
    assert work.take(workers=1, idle=True) is batch
    member = runner._Member(None)
    assert member.ready
    member.tasks["preparation"] = None
    assert not member.ready
    member.tasks = {"suspected": batch}
    assert not member.ready
    batch.deaths = 0
    assert member.ready


def test_matches_may_take_no_time_that_can_be_told() -> None:
    work = runner._Work(np.zeros(3, np.bool_))
    first = work.take(workers=1)
    assert first is not None
    work.finish(first, 1, seconds=5e-324)
    rest = work.take(workers=1)
    assert rest is not None and list(rest.numbers) == [1, 2]


def test_batches_grow_to_a_second_and_end_small() -> None:
    work = runner._Work(np.zeros(100_000, np.bool_))
    sizes = []
    while (batch := work.take(workers=2)) is not None:
        sizes.append(len(batch.numbers))
        work.finish(batch, len(batch.numbers), seconds=len(batch.numbers) / 1000)
    assert sizes[:5] == [1, 2, 4, 8, 16]
    assert max(sizes) == 1200
    assert sizes[-4:] == [1, 1, 1, 1]


def test_a_schedule_of_ten_million_is_not_listed() -> None:
    done = np.ones(10_000_000, np.bool_)
    done[9_999_990:] = False
    work = runner._Work(done)
    batch = work.take(workers=1)
    assert batch is not None and list(batch.numbers) == [9_999_990]


# --- bots on other computers ------------------------------------------------------------------


def test_a_bot_that_is_not_there_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    folder = tmp_path / "mine"
    bot_file(folder, "from . import helper\nreturn helper.choose(turn)")
    (folder / "helper.py").write_text("from .deep.er import choose\n")
    (folder / "deep").mkdir()
    (folder / "deep" / "er.py").write_text("def choose(turn): return turn.legal[-1]\n")
    for ref in (str(folder), str(folder / "bot.py")):
        contender = Contender("mine", registry.find_bot(ref))
        parcel = runner._parcel(contender)
        there = runner._unpack(contender, parcel)
        assert there.source.path == folder / "bot.py"
        folder.rename(tmp_path / "gone")
        there = runner._unpack(contender, parcel)
        assert there.source.path.is_relative_to(tmp_path / "tmp")
        assert runner._unpack(contender, parcel) == there
        bot = registry.load_bot(there.source)(registry.game(GAME), 0, 0)
        game = registry.game(GAME)
        state = game.initial()
        turn = runner.Turn(game.observe(state, 0), 0, game.legal(state))
        assert bot.act(turn) == 1
        (tmp_path / "gone").rename(folder)


def test_a_bot_of_another_version_is_not_taken_for_ours() -> None:
    contender = Contender("g", replace(registry.find_bot("random"), digest="older"))
    with pytest.raises(InfrastructureError, match=r"'random' is not on node .* as it is here"):
        runner._unpack(contender, {})


def test_a_cluster_that_is_not_there_is_named(tmp_path: Path, pair: Tournament) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pair.begin(tmp_path) as run, pytest.raises(InfrastructureError, match=f"at .*:{port}: "):
        pair.play(run, address=f"127.0.0.1:{port}")


# --- on Ray -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Ray with two cores, started by somebody else."""
    import ray

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


def living_actors(ray: Any) -> int:
    """How many actors hold a core of the cluster."""
    return int(ray.cluster_resources()["CPU"] - ray.available_resources().get("CPU", 0))


@pytest.mark.slow
def test_the_number_of_workers_does_not_show(
    tmp_path: Path, cluster: Any, pair: Tournament
) -> None:
    whole = pair.content(tmp_path / "local", local=True)
    assert pair.content(tmp_path / "one", workers=1) == whole
    assert pair.content(tmp_path / "two", workers=2) == whole
    assert cluster.is_initialized()
    assert wait_until(lambda: living_actors(cluster) == 0)


@pytest.mark.slow
def test_a_lost_worker_is_replaced_and_nobody_blamed(tmp_path: Path, cluster: Any) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    killer = bot_file(
        tmp_path,
        f"""\
        mark = Path({str(marks)!r}) / str(self.seed)
        kills = self.seed % 10 == 0 and len(list(mark.parent.iterdir())) < 2
        if kills and not mark.exists():  # a match that goes on killing would be given up
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return turn.legal[self.seed % 2]
        """,
    )
    tournament = Tournament({"killer": killer, "fine": "random"}, deals=100)
    killed = tournament.content(tmp_path / "killed-run", workers=2)
    assert list(marks.iterdir())
    assert any("played again" in line for line in tournament.told)
    assert tournament.content(tmp_path / "whole", local=True) == killed
    with Run.open(tmp_path / "whole") as run:
        assert all(r.ending is Ending.FINISHED for r in run.results())


@pytest.mark.slow
def test_a_match_that_always_ends_its_worker_is_named(tmp_path: Path, cluster: Any) -> None:
    deadly = bot_file(tmp_path, "os._exit(0)")
    tournament = Tournament({"a": "random", "b": "random", "deadly": deadly}, deals=1)
    bad = {s.id for s in tournament.matches if "deadly" in s.bots}
    with tournament.begin(tmp_path / "run") as run:
        with pytest.raises(InfrastructureError, match=r"ended its worker 3 times.*not rated") as e:
            tournament.play(run, workers=1)
        assert any(match_id in str(e.value) for match_id in bad)
        assert all(r.spec.id not in bad for r in run.results())


@pytest.mark.slow
def test_a_mistake_of_ours_in_a_worker_stops_the_run(
    tmp_path: Path, cluster: Any, pair: Tournament
) -> None:
    with pair.begin(tmp_path) as run:
        job = replace(pair.job(run), pack=os.fspath)
        with pytest.raises(TypeError, match=r"os\.PathLike"):
            list(runner.run(job, run.done(), workers=1))
    assert wait_until(lambda: living_actors(cluster) == 0)


@pytest.mark.slow
def test_workers_with_other_code_are_refused(
    tmp_path: Path, cluster: Any, pair: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = runner.versions()
    monkeypatch.setattr(runner, "versions", lambda: {**here, "numpy": "1.0", "code": "mine"})
    with pair.begin(tmp_path) as run, pytest.raises(InfrastructureError) as caught:
        pair.play(run, workers=1)
    assert f"code {here['code']} (here mine), numpy {here['numpy']} (here 1.0)" in str(caught.value)


# --- whole processes --------------------------------------------------------------------------

SLOW = """\
if "ARENA_TEST_MARK" in os.environ:  # so that there is time to stop it
    time.sleep(0.01)
return turn.legal[self.seed % 2]
"""


def start(code: str, **environment: str) -> subprocess.Popen[str]:
    """A process that runs `code` with this file's names."""
    preamble = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('runner_tests', {__file__!r})\n"
        "module = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\n"
        "globals().update(vars(module))\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", preamble + code],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        start_new_session=True,
    )


def player(folder: Path, bot: str, how: str) -> str:
    """Code that plays into `folder`, says how much is saved, and exits as a signal demands."""
    return f"""
tournament = Tournament({{"slow": {bot!r}, "b": "random"}}, deals=200)
with tournament.begin(Path({str(folder)!r})) as run:
    try:
        for batches in runner.run(tournament.job(run), run.done(), {how}):
            run.add(*batches)
            print(run.finished(), flush=True)
    except Interrupted as stop:
        sys.exit(128 + stop.args[0])
"""


def processes(mark: str) -> list[int]:
    """The processes whose environment has this mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def wait_until(condition: Any, seconds: float = 60.0) -> bool:
    """Whether the condition comes true in time."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        if time.monotonic() > end:
            return False
        pause.wait(0.05)
    return True


def stop_midway(folder: Path, bot: str, how: str, number: signal.Signals) -> tuple[int, int, str]:
    """Stop a run with some matches saved; the exit status, how many were saved, and its mark.

    The signal goes to the whole group of processes, as Ctrl-C in a terminal does.
    """
    mark = uuid.uuid4().hex
    with start(player(folder, bot, how), ARENA_TEST_MARK=mark) as process:
        assert process.stdout
        saved = 0
        for line in process.stdout:
            saved = int(line)
            if saved >= 50:
                os.killpg(process.pid, number)
                break
        for line in process.stdout:
            saved = int(line)
    return process.returncode, saved, mark


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("how", "number"),
    [
        ("local=True", signal.SIGINT),
        ("local=True", signal.SIGTERM),
        ("local=True", signal.SIGKILL),
        ("workers=2", signal.SIGINT),
        ("workers=2", signal.SIGKILL),
    ],
)
def test_a_run_that_was_stopped_goes_on_to_the_same_end(
    tmp_path: Path, how: str, number: signal.Signals
) -> None:
    bot = bot_file(tmp_path, SLOW)
    status, saved, mark = stop_midway(tmp_path / "run", bot, how, number)
    assert status == (-number if number == signal.SIGKILL else 128 + number)
    assert wait_until(lambda: not processes(mark))
    with Run.open(tmp_path / "run") as run:
        assert run.state == ("running" if number == signal.SIGKILL else "interrupted")
        assert saved <= run.finished() < run.plan.matches
    tournament = Tournament({"slow": bot, "b": "random"}, deals=200)
    with Run.resume(tmp_path / "run", tournament.plan) as run:
        tournament.play(run, local=True)
    assert content(tmp_path / "run") == tournament.content(tmp_path / "whole", local=True)
