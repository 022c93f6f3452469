"""The run folder: what is written is read back, whatever happens in between."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import seeding
from arena.core import Ending, MatchResult, MatchSpec
from arena.errors import (
    DamagedRunError,
    InfrastructureError,
    ResumeError,
    RunExistsError,
    UnknownNameError,
)
from arena.store import (
    PART,
    BotIdentity,
    Packer,
    Plan,
    Run,
    decode_actions,
    encode_actions,
    find_run,
    new_folder,
    write_text,
)

NAMES = ("ann", "bob", "a|b,c", "dörte")
OPTIONS: dict[int, dict[str, bool | int | str]] = {2: {"cap": 100}, 3: {"cap": 90}}
CONFIG = "game: kuhn\n"
PLAN = Plan(
    config={"game": "kuhn", "bots": list(NAMES), "schedule": {"deals": 5}, "seed": 1},
    config_digest="c0ffee",
    game="kuhn",
    rules="1",
    options=OPTIONS,
    bots=tuple(BotIdentity(name, "random", "d1ge57") for name in NAMES),
    matches=3 * PART,
)


def spec(number: int, bots: tuple[str, ...] = ("ann", "bob")) -> MatchSpec:
    """A match as a schedule would make it."""
    name = seeding.fingerprint("test", number)
    return MatchSpec(
        number=number,
        id=name,
        game="kuhn",
        players=len(bots),
        options=OPTIONS[len(bots)],
        bots=bots,
        line_up=number // 7,
        deal=number % 7,
        rotation=number % len(bots),
        seed=number * 1_000_003,
        bot_seeds=tuple(seeding.derive("bot", name, seat) for seat in range(len(bots))),
    )


def result(number: int, **changes: Any) -> MatchResult:
    """A finished match between ann and bob."""
    plain = MatchResult(
        spec=spec(number),
        ending=Ending.FINISHED,
        offender=None,
        scores=(number % 5, 2),
        ranks=(2, 1),
        actions=(0, 1, 1),
        seconds=(0.5, 0.25),
    )
    return replace(plain, **changes)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """A run in which nothing has been played."""
    with Run.create(tmp_path / "run", PLAN, CONFIG) as run:
        yield run


def content(folder: Path, timings: bool = False) -> list[str]:
    """All that the database says, as SQL; without the timings unless asked for."""
    db = sqlite3.connect(folder / "matches.sqlite")
    try:
        lines = list(db.iterdump())
    finally:
        db.close()
    return [line for line in lines if timings or not line.startswith('INSERT INTO "timings"')]


# --- write and read ---------------------------------------------------------------------------


seats = st.sampled_from([("ann", "bob"), ("bob", "ann"), ("dörte", "a|b,c", "ann")])
scores = st.one_of(st.integers(-(2**31), 2**31), st.tuples(st.integers(0, 9), st.integers(0, 9)))
texts = st.text(max_size=20)


@st.composite
def match_results(draw: st.DrawFn, number: int) -> MatchResult:
    bots = draw(seats)
    by_seat = len(bots)
    ending = draw(st.sampled_from(Ending))
    return MatchResult(
        spec=spec(number, bots),
        ending=ending,
        offender=draw(st.integers(0, by_seat - 1)) if ending.forfeit else None,
        scores=tuple(draw(st.lists(scores, min_size=by_seat, max_size=by_seat))),
        ranks=tuple(draw(st.lists(st.integers(1, by_seat), min_size=by_seat, max_size=by_seat))),
        actions=tuple(draw(st.lists(st.integers(0, 70_000), max_size=30))),
        seconds=tuple(
            draw(st.lists(st.floats(0, 9, width=32), min_size=by_seat, max_size=by_seat))
        ),
        detail=draw(texts) if ending.forfeit else "",
        traceback=draw(texts) if ending.forfeit else "",
    )


@settings(max_examples=20, deadline=None)
@given(
    st.sets(st.integers(0, PLAN.matches - 1), max_size=12).flatmap(
        lambda numbers: st.tuples(*(match_results(n) for n in sorted(numbers)))
    ),
    st.randoms(use_true_random=False),
)
def test_what_is_written_is_read_back_in_the_order_of_numbers(
    tmp_path_factory: pytest.TempPathFactory, written: tuple[MatchResult, ...], random: Any
) -> None:
    shuffled = list(written)
    random.shuffle(shuffled)
    folder = tmp_path_factory.mktemp("property")
    with Run.create(folder, PLAN, CONFIG) as run:
        run.add(run.packer(shuffled[:4]))
        run.add(*(run.packer([one]) for one in shuffled[4:]))
        assert tuple(run.results()) == written
        assert np.flatnonzero(run.done()).tolist() == [r.spec.number for r in written]
        run.check()
    shutil.rmtree(folder)


@given(st.lists(st.integers(0, 2**40)))
def test_actions_of_any_size_survive_encoding(actions: list[int]) -> None:
    assert decode_actions(encode_actions(actions)) == tuple(actions)


def test_small_actions_take_a_byte_each() -> None:
    assert encode_actions([0, 5, 127]) == b"\x00\x05\x7f"
    assert encode_actions([128, 1]) == b"\x80\x01\x01"


def test_text_that_utf8_cannot_express_is_stored_escaped(run: Run) -> None:
    run.add(run.packer([result(0, ending=Ending.CRASH, offender=1, detail="half \ud800 one")]))
    assert run.result(0).detail == "half \\ud800 one"


def test_a_match_is_found_by_number_and_by_id(run: Run) -> None:
    run.add(run.packer([result(4), result(9)]))
    assert run.result(9).spec == spec(9)
    assert run.result("9").spec == spec(9)
    assert run.result(spec(4).id.upper()).spec == spec(4)


def test_the_beginning_of_an_id_will_do_if_it_is_the_only_one(run: Run) -> None:
    run.add(run.packer([result(n) for n in range(40)]))
    assert spec(30).id.startswith("fe3")
    assert run.result("FE3").spec == spec(30)
    with pytest.raises(
        UnknownNameError, match=r"single match is called 'c'.*known: c0.*, ccf.*, cd6"
    ):
        run.result("c")


@pytest.mark.parametrize("wanted", [5, "5", "f" * 16, "not an id", "0x12", ""])
def test_a_match_that_is_not_there_is_named(run: Run, wanted: int | str) -> None:
    run.add(run.packer([result(4)]))
    with pytest.raises(
        UnknownNameError, match=rf"'{wanted}'.*(numbers, 0 to \d+|nearest are {spec(4).id})"
    ):
        run.result(wanted)


def test_results_are_picked_by_bot_and_by_ending(run: Run) -> None:
    three = result(
        3,
        spec=spec(3, ("dörte", "a|b,c", "bob")),
        scores=(1, 2, 3),
        ranks=(3, 2, 1),
        seconds=(0,) * 3,
    )
    lost = result(5, ending=Ending.ILLEGAL, offender=0, detail="answered 7")
    run.add(run.packer([result(1), three, lost]))
    picked = [[r.spec.number for r in run.results(bot=name)] for name in NAMES]
    assert picked == [[1, 5], [1, 3, 5], [3], [3]]
    assert list(run.results(ending=Ending.ILLEGAL)) == [lost]
    assert list(run.results(bot="dörte", ending=Ending.ILLEGAL)) == []
    with pytest.raises(UnknownNameError, match="did you mean 'bob'"):
        list(run.results(bot="bop"))


def test_more_results_than_a_page_come_complete(run: Run) -> None:
    run.add(run.packer([result(n) for n in range(PART + 200)]))
    assert [r.spec.number for r in run.results()] == list(range(PART + 200))


def test_outcomes_say_what_boards_need(run: Run) -> None:
    three = result(
        PART,
        spec=spec(PART, ("dörte", "ann", "bob")),
        ending=Ending.TIMEOUT,
        offender=2,
        scores=((4, 1), (3, 9), None),
        ranks=(1, 1, 3),
        seconds=(0.0,) * 3,
    )
    run.add(run.packer([three]))
    run.add(run.packer([result(8)]))
    first, second = run.outcomes()
    assert first["bots"].tolist() == [0, 1, 0]
    assert first["places"].tolist() == [2, 1, 0]
    assert first["scores"].tolist() == [3.0, 2.0, 0.0]
    assert (first["line_up"], first["deal"], first["offender"]) == (1, 1, -1)
    assert second["bots"].tolist() == [3, 0, 1]
    assert second["places"].tolist() == [1, 1, 3]
    assert second["scores"].tolist()[:2] == [4.0, 3.0]
    assert np.isnan(second["scores"][2])
    assert (tuple(Ending)[second["ending"]], second["offender"]) == (Ending.TIMEOUT, 2)


# --- writing is idempotent, ordered and atomic ------------------------------------------------


def test_order_and_size_of_batches_leave_no_trace(tmp_path: Path) -> None:
    results = [result(n) for n in range(PART - 50, PART + 50)]
    with Run.create(tmp_path / "a", PLAN, CONFIG) as run:
        run.add(run.packer(results))
    with Run.create(tmp_path / "b", PLAN, CONFIG) as run:
        run.add(*(run.packer([r]) for r in reversed(results)))
    assert content(tmp_path / "a", timings=True) == content(tmp_path / "b", timings=True)


def test_a_match_that_comes_twice_stays_as_it_was(run: Run) -> None:
    first = result(3, ending=Ending.ILLEGAL, offender=0, detail="first")
    again = result(3, ending=Ending.CRASH, offender=1, detail="second", ranks=(1, 2))
    run.add(run.packer([first]))
    before = content(run.folder, timings=True)
    run.add(run.packer([again]))
    assert content(run.folder, timings=True) == before
    run.add(run.packer([result(2), again, result(4)]))
    assert [r.spec.number for r in run.results()] == [2, 3, 4]
    assert run.result(3) == first


def test_a_batch_that_fails_is_not_written_at_all(run: Run) -> None:
    good, bad = run.packer([result(1)]), run.packer([result(2)])
    bad.matches[0] = (2, None, *bad.matches[0][2:])
    with pytest.raises(DamagedRunError):
        run.add(good, bad)
    assert run.finished() == 0
    assert list(run.results()) == []


WRITER = """
import sys
from pathlib import Path
from arena.store import Run
from tests_store import CONFIG, PLAN, result
with Run.create(Path(sys.argv[1]), PLAN, CONFIG) as run:
    for start in range(0, 3000, 30):
        run.add(run.packer([result(n) for n in range(start, start + 30)]))
        print(start, flush=True)
    sys.stdin.read()
"""


def start_writer(folder: Path) -> subprocess.Popen[str]:
    """A process that writes batches of 30, says so after each, and goes on until it is killed."""
    code = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('tests_store', {__file__!r})\n"
        "module = importlib.util.module_from_spec(spec)\n"
        "sys.modules['tests_store'] = module\n"
        "spec.loader.exec_module(module)\n"
    ) + WRITER
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_killed_writer_loses_no_batch_it_had_written(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with start_writer(folder) as writer:
        assert writer.stdout
        written = 0
        for line in writer.stdout:
            written = int(line) + 30
            if written >= 600:
                writer.kill()
                break
    with Run.open(folder) as run:
        assert run.state == "running"
        numbers = [r.spec.number for r in run.results()]
        assert len(numbers) >= written
        assert len(numbers) % 30 == 0
        assert numbers == list(range(len(numbers)))
        run.check()
    with Run.resume(folder, PLAN) as run:
        missing = np.flatnonzero(~run.done()[:3000]).tolist()
        run.add(run.packer([result(n) for n in missing]))
    with Run.create(tmp_path / "whole", PLAN, CONFIG) as run:
        run.add(run.packer([result(n) for n in range(3000)]))
    assert content(folder, timings=True) == content(tmp_path / "whole", timings=True)


def test_a_full_disk_is_told_and_loses_nothing_written(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    with Run.create(tmp_path / "run", PLAN, CONFIG) as run:
        run.add(run.packer([result(1)]))
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = (run.folder / "matches.sqlite").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            with pytest.raises(InfrastructureError, match=r"go on with --resume"):
                run.add(run.packer([result(n) for n in range(2, 3000)]))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        assert [r.spec.number for r in run.results()] == [1]
        run.add(run.packer([result(2)]))
        assert run.finished() == 2


# --- one run, one folder, one writer ----------------------------------------------------------


def test_a_run_says_what_it_is(tmp_path: Path) -> None:
    with Run.create(tmp_path / "smoke-1", PLAN, CONFIG):
        manifest = json.loads((tmp_path / "smoke-1" / "run.json").read_text())
    assert manifest["schema"] == "arena.run/1"
    assert manifest["run"] == "smoke-1"
    assert manifest["bots"]["dörte"] == {
        "ref": "random",
        "digest": "d1ge57",
        "isolation": "trusted",
    }
    assert manifest["options"] == {"2": {"cap": 100}, "3": {"cap": 90}}
    assert manifest["created"].endswith("Z")
    assert set(manifest["versions"]) == {"arena", "code", "python", "numpy", "numba"}
    assert (tmp_path / "smoke-1" / "config.yaml").read_text() == CONFIG
    with Run.open(tmp_path / "smoke-1") as run:
        assert run.plan == PLAN


def test_the_state_follows_the_run(tmp_path: Path) -> None:
    short = replace(PLAN, matches=2)
    with Run.create(tmp_path / "run", short, CONFIG) as run:
        assert run.state == "running"
        run.add(run.packer([result(0)]))
    with Run.open(tmp_path / "run") as run:
        assert run.state == "interrupted"
    with Run.resume(tmp_path / "run", short) as run:
        assert run.state == "running"
        run.add(run.packer([result(1)]))
    with Run.open(tmp_path / "run") as run:
        assert run.state == "complete"


def test_a_folder_with_a_run_is_refused_with_the_way_out(tmp_path: Path) -> None:
    Run.create(tmp_path, PLAN, CONFIG).close()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(RunExistsError, match=r"holds a run already.*--resume.* -o"):
        Run.create(tmp_path, PLAN, CONFIG)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_with_anything_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(RunExistsError, match=r"not empty: it holds thesis\.tex; choose another"):
        Run.create(tmp_path, PLAN, CONFIG)


def test_two_processes_never_write_one_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with start_writer(folder) as writer:
        assert writer.stdout
        writer.stdout.readline()
        with pytest.raises(RunExistsError, match="written by another process"):
            Run.resume(folder, PLAN)
        with pytest.raises(RunExistsError, match="written by another process"):
            Run.create(folder, PLAN, CONFIG)
        with Run.open(folder) as run:
            assert run.finished() >= 30
        writer.kill()
    Run.resume(folder, PLAN).close()


def test_reading_changes_no_byte(tmp_path: Path) -> None:
    with Run.create(tmp_path, PLAN, CONFIG) as run:
        run.add(run.packer([result(1)]))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with Run.open(tmp_path) as run:
        assert run.result(1) == result(1)
        with pytest.raises(InfrastructureError, match="readonly"):
            run.add(run.packer([result(2)]))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_resume_shows_every_difference(tmp_path: Path) -> None:
    Run.create(tmp_path, PLAN, CONFIG).close()
    changed = replace(
        PLAN,
        config={**PLAN.config, "schedule": {"deals": 6}},
        bots=(*PLAN.bots[:3], BotIdentity("dörte", "random", "07her")),
    )
    with pytest.raises(ResumeError) as caught:
        Run.resume(tmp_path, changed)
    lines = str(caught.value).splitlines()[1:]
    assert lines == [
        "- config.schedule.deals: 5",
        "+ config.schedule.deals: 6",
        "  the code of bot 'dörte' has changed",
    ]
    Run.resume(tmp_path, PLAN).close()


def test_resume_refuses_other_rules_of_play(tmp_path: Path) -> None:
    Run.create(tmp_path, PLAN, CONFIG).close()
    manifest = json.loads((tmp_path / "run.json").read_text())
    manifest["versions"].update(code="before", python="3.0.0")
    (tmp_path / "run.json").write_text(json.dumps(manifest))
    with pytest.raises(ResumeError, match="the code of arena that plays") as caught:
        Run.resume(tmp_path, PLAN)
    assert "python" not in str(caught.value)


def test_runs_are_found_by_folder_and_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = new_folder("smoke")
    Run.create(folder, PLAN, CONFIG).close()
    assert folder.parent == Path("results")
    assert find_run(folder) == find_run(folder.name) == folder
    with pytest.raises(UnknownNameError, match=f"did you mean '{folder.name}'"):
        Run.open(folder.name[:-1])


def test_folders_of_one_second_differ(tmp_path: Path) -> None:
    folders = set()
    for _ in range(5):
        folder = new_folder("smoke", tmp_path)
        folder.mkdir()
        folders.add(folder)
    assert len(folders) == 5


# --- damage -----------------------------------------------------------------------------------


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """The folder of a run with some matches in it."""
    with Run.create(tmp_path / "finished", PLAN, CONFIG) as run:
        run.add(run.packer([result(n) for n in range(2000)]))
    return tmp_path / "finished"


def damage(folder: Path, name: str, change: Any) -> None:
    path = folder / name
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("matches.sqlite", lambda b: b[: len(b) // 2], "is damaged"),
        ("matches.sqlite", lambda b: b"", "not a database of arena"),
        ("matches.sqlite", lambda b: b"hello" * 1000, "not a database"),
        ("matches.sqlite", lambda b: b[:60] + b"\0\0\0\7" + b[64:], "found format 7"),
        ("run.json", lambda b: b[:50], "not JSON"),
        ("run.json", lambda b: b"[]", "found schema None"),
        ("run.json", lambda b: b.replace(b"run/1", b"run/9"), "found schema 'arena.run/9'"),
        ("run.json", lambda b: b.replace(b'"matches"', b'"mat"'), "'matches'"),
        ("run.json", lambda b: b.replace(b'"2":', b'"two":'), "'two'"),
        ("run.json", lambda b: b"\xff" + b, "not JSON"),
    ],
)
def test_damaged_files_are_named(finished: Path, name: str, change: Any, message: str) -> None:
    damage(finished, name, change)
    with pytest.raises(DamagedRunError, match=message) as caught, Run.open(finished):
        pass
    assert name in str(caught.value)


@pytest.mark.parametrize("name", ["run.json", "matches.sqlite"])
def test_missing_files_are_named(finished: Path, name: str) -> None:
    (finished / name).unlink()
    with pytest.raises(DamagedRunError, match=name):
        Run.open(finished)


def test_another_programs_database_is_refused(finished: Path) -> None:
    (finished / "matches.sqlite").unlink()
    sqlite3.connect(finished / "matches.sqlite").close()
    with pytest.raises(DamagedRunError, match="not a database of arena"):
        Run.open(finished)


def test_damage_inside_the_database_is_found(finished: Path) -> None:
    path = finished / "matches.sqlite"
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 // 4096 * 4096)
        file.write(os.urandom(4096))
    with Run.open(finished) as run, pytest.raises(DamagedRunError):
        run.check()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE matches SET ranks = '1|2' WHERE number = 1234",
        "UPDATE matches SET scores = '[7,7]' WHERE number = 1999",
        "DELETE FROM matches WHERE number = 1234",
        "DELETE FROM outcomes WHERE part = 1",
    ],
)
def test_outcomes_that_do_not_follow_from_the_matches_are_found(
    finished: Path, change: str
) -> None:
    with Run.open(finished) as run:
        run.check()
    db = sqlite3.connect(finished / "matches.sqlite")
    db.execute(change)
    db.commit()
    db.close()
    with Run.open(finished) as run, pytest.raises(DamagedRunError, match="outcomes"):
        run.check()


def test_outcomes_of_the_wrong_size_are_damage(finished: Path) -> None:
    db = sqlite3.connect(finished / "matches.sqlite")
    db.execute("UPDATE outcomes SET entries = x'00' WHERE part = 1")
    db.commit()
    db.close()
    with Run.open(finished) as run, pytest.raises(DamagedRunError, match="part 1 of outcomes"):
        run.outcomes()


def test_text_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "board.md"
    write_text(path, "old\n")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "new \ud800\n")
    assert path.read_text() == "old\n"
    write_text(path, "new\n")
    assert path.read_text() == "new\n"
    assert [p.name for p in tmp_path.iterdir()] == ["board.md"]


def test_a_packer_serves_runs_of_any_size() -> None:
    batch = Packer(NAMES, 5)([result(0)])
    assert len(batch) == 1
    assert batch.outcomes["places"].tolist() == [[2, 1, 0, 0, 0]]
    assert len(Packer(NAMES, 5)([])) == 0
