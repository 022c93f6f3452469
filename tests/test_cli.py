"""The command line as a user meets it: what is printed where, exit codes, every way to be wrong.

Outputs are pinned in golden/cli; `pytest --update-golden` writes them anew.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from arena import cli, registry, report
from arena.errors import InfrastructureError
from arena.store import Run, find_run

Golden = Callable[[str, str], None]
ROOT = Path(__file__).parents[1]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


def arena(*arguments: str) -> Outcome:
    """Run the command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as done,
    ):
        cli.main(list(arguments))
    return Outcome(int(done.value.code or 0), out.getvalue(), steady(err.getvalue()))


def steady(messages: str) -> str:
    """Messages without what differs between runs and computers."""
    lines = messages.replace(str(Path.cwd()), "HERE").splitlines(keepends=True)
    text = "".join(line for line in lines if not re.match("compiling|.* games/s", line))
    text = re.sub(r" in \d+:\d\d\b", " in M:SS", text)
    return re.sub(r"\b[0-9a-f]{32}\b", "DIGEST", text)


BOTS = {
    "illegal.py": "return 99",
    "crash.py": "raise ValueError('no such bird')",
    "loud.py": "print('thinking'); os.write(1, b'hard'); return turn.legal[-1]",
    # Sends a signal to its process when the file `countdown` has counted its moves down to zero.
    "interrupter.py": "count_down(); return turn.legal[-1]",
}
BOT = """
import os
from pathlib import Path

def count_down():
    number, left = map(int, Path("countdown").read_text().split())
    Path("countdown").write_text(f"{number} {left - 1}")
    if left == 1:
        os.kill(os.getpid(), number)

class Bot:
    def __init__(self, game, seat, seed):
        pass

    def act(self, turn):
        {}
"""
CONFIGS = {
    "demo.yaml": "bots: [random, {name: 'second, \"too\"', bot: random}, illegal.py, crash.py]\n"
    "max_faults: null",
    "plain.yaml": "bots: [random, {name: other, bot: random}]\nschedule: {deals: 4}",
    "loud.yaml": "bots: [random, loud.py]\nschedule: {deals: 2}\nisolation: trusted",
    "interrupted.yaml": "bots: [random, interrupter.py]\nschedule: {deals: 10}\n"
    "isolation: trusted\nmax_faults: null",
    "search.yaml": "bots: [random, 'mcts:iterations=20']\nschedule: {deals: 1}",
    "self.yaml": "bots: [random, crash.py]\nschedule: {deals: 2, self_play: true}",
    "broken.yaml": "bot: [random]\nplayers: 3\nseed: no\nbots: [randon, nix.py]",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with configurations, bots, and the finished run results/demo."""
    folder = tmp_path_factory.mktemp("cli")
    for name, body in BOTS.items():
        (folder / name).write_text(BOT.replace("{}", body))
    for name, rest in CONFIGS.items():
        (folder / name).write_text(f"game: kuhn\n{rest}\n")
    with contextlib.chdir(folder):
        done = arena("run", "demo.yaml", "-o", "results/demo", "--local", "--set", DEALS)
    assert done.code == 0, done.err
    (folder / "demo.out").write_text(done.out)
    (folder / "demo.err").write_text(done.err)
    return folder


DEALS = "schedule.deals=5"


@pytest.fixture(autouse=True)
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test is in that folder, with nothing set that would change what it sees."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("ARENA_DEBUG", "NO_COLOR", "FORCE_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)
    yield


@pytest.fixture
def fresh(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own, with the configurations and bots, for tests that play runs."""
    for name in (*BOTS, *CONFIGS):
        shutil.copy(folder / name, tmp_path)
    monkeypatch.chdir(tmp_path)


def command(*arguments: str, **environment: str) -> list[str]:
    """The command as a process of its own."""
    settings = [
        f"{name}={value}" for name, value in {"PYTHONPATH": str(ROOT), **environment}.items()
    ]
    return ["env", *settings, sys.executable, "-m", "arena.cli", *arguments]


# --- what is printed ----------------------------------------------------------------------------

OUTPUTS = {
    "games-kuhn": "games kuhn",
    "games-cubirds": "games cubirds",
    "dry-run": "run demo.yaml --dry-run",
    "dry-run-json": "run demo.yaml --dry-run --format json",
    "board": "board demo",
    "board-md": "board demo --format md",
    "board-csv": "board results/demo --format csv",
    "board-json": "board demo --format json",
    "matches": "matches demo",
    "matches-md": "matches demo --format md --bot random --ending finished",
    "matches-csv": "matches demo --format csv --ending illegal",
    "matches-json": "matches demo --format json --bot crash",
    "replay": "replay demo 0",
    "replay-text": "replay demo 1 --text --seat 1",
    "replay-json": "replay demo 0 --json",
    "replay-json-seat": "replay demo 1 --json --seat 0",
    "replay-forfeit": "replay demo 3",
    "verify": "verify demo",
    "verify-sample": "verify demo --sample 7",
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_are_pinned(name: str, golden: Golden) -> None:
    """Data on stdout, nothing on stderr, exit code 0."""
    done = arena(*OUTPUTS[name].split())
    assert (done.code, done.err) == (0, "")
    golden(f"cli/{name}.txt", done.out)


def test_a_run_prints_its_board_on_stdout_and_the_rest_on_stderr(golden: Golden) -> None:
    """Also what went wrong with which bot, and how to look at it."""
    golden("cli/run.out.txt", Path("demo.out").read_text())
    golden("cli/run.err.txt", Path("demo.err").read_text())
    assert arena("board", "demo").out == Path("demo.out").read_text()


def test_a_run_leaves_its_files() -> None:
    """Whose boards are those that `arena board` prints."""
    names = {path.name for path in Path("results/demo").iterdir() if path.name[0] != "."}
    boards = {f"leaderboard.{form}" for form in ("md", "csv", "json")}
    assert names == boards | {"config.yaml", "run.json", "matches.sqlite"}
    for name in boards:
        printed = arena("board", "demo", "--format", name.partition(".")[2]).out
        assert Path("results/demo", name).read_text() == printed


@pytest.mark.usefixtures("fresh")
def test_a_run_gets_a_folder_of_its_own() -> None:
    """Named after the configuration and the time; its name alone will do later."""
    done = arena("run", "plain.yaml", "--local")
    (told,) = re.findall(r"results in (results/plain-\d{8}-\d{6})\n", done.err)
    assert arena("board", Path(told).name).out == done.out


def test_games_are_listed() -> None:
    """All that are registered."""
    lines = arena("games").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == sorted(registry.GAMES)
    assert any(re.match(r"cubirds +CuBirds +2–5 ", line) for line in lines)


def test_bots_are_listed() -> None:
    """All that are shipped, with params and what they do."""
    out = arena("bots").out
    assert re.findall(r"^\w+", out, re.MULTILINE) == sorted(registry.BOTS)
    assert re.search(r"^mcts +Searches .*\n +iterations, seconds, worlds=10, .*", out, re.MULTILINE)
    assert max(map(len, out.splitlines())) <= 100


def test_the_schema_is_one_json_document() -> None:
    """With the keys of a configuration."""
    assert {"game", "bots", "schedule"} <= set(json.loads(arena("schema").out)["properties"])


def test_the_version_is_printed() -> None:
    """And nothing else."""
    assert re.fullmatch(r"arena \d+\.\d+\.\d+\n", arena("--version").out)


def test_help_shows_every_command_and_option() -> None:
    """`-h` and `--help` alike."""
    commands = arena("--help").out
    for name in (
        *("run", "board", "matches", "replay", "verify", "repro", "log"),
        *("games", "bots", "new", "check", "schema"),
    ):
        assert re.search(rf"^  {name} +[A-Z].*\.$", commands, re.MULTILINE)
        assert arena(name, "--help") == arena(name, "-h")
    options = arena("run", "--help").out
    for option in (
        "-o",
        "workers",
        "local",
        "address",
        "resume",
        "seed",
        "set",
        "dry-run",
        "format",
    ):
        assert re.search(rf"(^  |--){option}\b", options, re.MULTILINE)


def test_a_dry_run_writes_nothing() -> None:
    """Not even a folder."""
    before = sorted(Path().rglob("*"))
    assert arena("run", "plain.yaml", "--dry-run", "-o", "dry").code == 0
    assert sorted(Path().rglob("*")) == before


@pytest.mark.usefixtures("fresh")
def test_json_is_one_document_whatever_bots_print() -> None:
    """Their output goes to stderr, however it is written."""
    process = subprocess.run(
        command("run", "loud.yaml", "-o", "loud", "--local", "--format", "json"),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert [row["bot"] for row in json.loads(process.stdout)] != []
    assert "thinking" in process.stderr
    assert "hard" in process.stderr
    assert "\x1b" not in process.stderr


@pytest.mark.usefixtures("fresh")
def test_matches_of_a_bot_against_itself_are_not_on_the_board() -> None:
    """They compare nobody; but their faults are told."""
    done = arena("run", "self.yaml", "-o", "self", "--local", "--format", "json")
    assert {row["bot"]: (row["matches"], row["forfeits"]) for row in json.loads(done.out)} == {
        "random": (4, 0),
        "crash": (4, 4),
    }
    assert "crash: 8 by crash; the first: move" in done.err


# --- matches and their replays ------------------------------------------------------------------


def rows(*arguments: str) -> list[dict[str, object]]:
    """What `arena matches` tells, from JSON."""
    found: list[dict[str, object]] = json.loads(
        arena("matches", *arguments, "--format", "json").out
    )
    return found


def test_a_match_is_found_by_number_id_and_the_beginning_of_its_id() -> None:
    """All three lead to the same record."""
    names = [str(row["id"]) for row in rows("demo")]
    chosen = next(n for n in names if not n[:8].isdecimal())
    found = [arena("replay", "demo", m) for m in (chosen, chosen[:8], str(names.index(chosen)))]
    assert {done.code for done in found} == {0}
    assert len(set(found)) == 1


def test_a_beginning_that_fits_several_matches_is_refused() -> None:
    """They are listed."""
    names = [str(row["id"]) for row in rows("demo")]
    letter = next(c for c in "abcdef" if sum(n.startswith(c) for n in names) > 1)
    done = arena("replay", "demo", letter)
    assert done.code == 2
    assert all(n in done.err for n in names if n.startswith(letter))


def test_a_match_carries_the_seed_that_its_record_has() -> None:
    """The table and the records say the same."""
    for number, row in enumerate(rows("demo")[:12]):
        record = json.loads(arena("replay", "demo", str(number), "--json").out)
        for key in ("bots", "ending", "offender", "ranks", "scores", "seed"):
            assert record[key] == row[key]
        assert len(record["steps"]) == row["moves"]


@pytest.mark.parametrize("form", ["--json", "--text"])
def test_one_seat_is_told_nothing_of_the_others_hand(form: str) -> None:
    """No seed, no card that was not shown, no legal moves of the other seat."""
    for row in rows("demo", "--ending", "illegal")[:4]:
        name = str(row["id"])
        offender = row["offender"]
        texts = [arena("replay", "demo", name, form, "--seat", str(s)).out for s in (0, 1)]
        for seat, text in enumerate(texts):
            assert str(row["seed"]) not in text
            assert "seed" not in text
            assert sum(card in text for card in ("jack", "queen", "king")) == 1
            assert ("legal were" in text) == (seat == offender and form == "--text")


@pytest.mark.usefixtures("fresh")
def test_a_bot_at_fault_too_often_plays_no_more() -> None:
    """What is left out is marked, not rated, and counted as done."""
    done = arena("run", "demo.yaml", "-o", "some", "--local", "--set", "max_faults=3")
    assert done.code == 0
    told = re.findall("3 faults each, and they play no more: (.*)", done.err)
    assert sorted(", ".join(told).split(", ")) == ["crash", "illegal"]
    board = {row["bot"]: row for row in json.loads(arena("board", "some", "--format", "json").out)}
    assert (board["crash"]["forfeits"], board["illegal"]["forfeits"]) == (3, 3)
    assert f", {sum(row['forfeits'] for row in board.values())} forfeits" in done.err
    left_out = rows("some", "--ending", "retired")
    assert all({"illegal", "crash"} & set(row["bots"]) for row in left_out)
    rated = sum(row["matches"] for row in board.values()) // 2
    assert rated + len(left_out) == len(rows("some"))
    assert arena("verify", "some").code == 0
    text = arena("replay", "some", str(left_out[0]["id"])).out
    assert "not played" in text


@pytest.mark.usefixtures("fresh")
def test_reasons_are_kept_on_demand_and_told_to_nobody_else() -> None:
    """With --explain; the record of another seat does not hold them."""
    for run, wanted in (("told", True), ("untold", False)):
        asked = ("--explain",) if wanted else ()
        assert arena("run", "search.yaml", "-o", run, "--local", *asked).code == 0
        record = json.loads(arena("replay", run, "0", "--json").out)
        seats = {s["seat"] for s in record["steps"] if "explanation" in s}
        searcher = record["bots"].index("mcts:iterations=20")
        assert seats == ({searcher} if wanted else set())
        text = arena("replay", run, "0").out
        assert ("    20 iterations:\n" in text) == wanted
        other = arena("replay", run, "0", "--json", "--seat", str(1 - searcher)).out
        assert "explanation" not in other
    assert rows("told") == rows("untold")


# --- going on -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_goes_on_where_it_stopped(number: int) -> None:
    """The last line on stderr is the command for it; the results are those of one go."""
    Path("countdown").write_text(f"{int(number)} 8")
    run = "stopped half-way"
    stopped = arena("run", "interrupted.yaml", "-o", run, "--local", "--seed", "7")
    assert stopped.code == 128 + number
    assert stopped.out == ""
    *_, reason, saved, line = stopped.err.splitlines()
    assert reason == "interrupted"
    (count,) = re.findall(r"^(\d+) of 20 matches are saved", saved)
    assert 1 <= int(count) < 20
    assert line == f"arena run interrupted.yaml -o '{run}' --resume --set seed=7 --local"
    assert f"{count} of 20 matches are finished" in arena("board", run).err

    resumed = arena(*shlex.split(line)[1:])
    assert resumed.code == 0
    assert resumed.err.startswith(f"going on with {run}: {count} of 20 matches are finished\n")
    assert "20/20 matches" in resumed.err
    whole = arena("run", "interrupted.yaml", "-o", "whole", "--local", "--seed", "7")
    assert resumed.out == whole.out
    assert rows(run) == rows("whole")


def contents(run: str) -> list[str]:
    """All that a run's database holds, but for the table of timings."""
    with contextlib.closing(sqlite3.connect(f"{run}/matches.sqlite")) as db:
        return [line for line in db.iterdump() if '"timings"' not in line]


@pytest.mark.usefixtures("fresh")
def test_a_run_that_a_machine_stopped_can_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is told, and the command to go on with."""

    def full(*arguments: object) -> None:
        raise InfrastructureError("the disk is full")

    monkeypatch.setattr(Run, "add", full)
    done = arena("run", "plain.yaml", "-o", "full", "--local")
    assert done.code == 6
    assert done.err.splitlines()[-3:] == [
        "arena: the disk is full",
        "0 of 8 matches are saved; go on with",
        "arena run plain.yaml -o full --resume --local",
    ]


@pytest.mark.usefixtures("fresh")
def test_a_killed_run_goes_on_where_it_stopped() -> None:
    """After kill -9 some matches are there; in the end the database is that of one go."""
    Path("countdown").write_text(f"{int(signal.SIGKILL)} 12")
    run = ("run", "interrupted.yaml", "--local")
    killed = subprocess.run(command(*run, "-o", "killed"), capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    before = len(rows("killed"))
    assert 1 <= before < 20
    assert arena(*run, "-o", "killed", "--resume").code == 0
    assert arena(*run, "-o", "whole").code == 0
    assert contents("killed") == contents("whole")
    assert arena("verify", "killed").code == 0


@pytest.mark.usefixtures("fresh")
def test_without_a_folder_the_latest_unfinished_run_goes_on() -> None:
    """A finished one is only shown when there is no other."""
    Path("countdown").write_text(f"{int(signal.SIGINT)} 8")
    first = arena("run", "interrupted.yaml", "--local")
    assert first.code == 130
    again = arena("run", "interrupted.yaml", "--local")
    assert again.code == 0
    resumed = arena("run", "interrupted.yaml", "--local", "--resume")
    assert resumed.err.startswith("going on with results/interrupted-")
    assert resumed.out == again.out
    shown = arena("run", "interrupted.yaml", "--local", "--resume")
    assert "all 20 matches are finished" in shown.err
    assert shown.out == again.out


def test_a_finished_run_is_only_shown_again() -> None:
    """Nothing is played."""
    before = Path("results/demo/matches.sqlite").read_bytes()
    done = arena("run", "demo.yaml", "-o", "results/demo", "--resume", "--set", DEALS)
    assert (done.code, done.out) == (0, Path("demo.out").read_text())
    assert done.err.startswith("results/demo: all 60 matches are finished\n")
    assert Path("results/demo/matches.sqlite").read_bytes() == before


# --- mistakes -----------------------------------------------------------------------------------

ERRORS = {
    "run": (2, "board dmo"),
    "match": (2, "replay demo 27a12ae83ad0c720"),
    "match-number": (2, "replay demo 60"),
    "bot": (2, "matches demo --bot randon"),
    "ending": (2, "matches demo --ending crashed"),
    "seat": (2, "replay demo 0 --seat 2"),
    "config": (2, "run broken.yaml"),
    "no-config": (2, "run plan.yaml"),
    "set": (2, "run plain.yaml --set schedule.deal=3 --set players=4"),
    "seed": (2, "run plain.yaml --seed -1"),
    "nothing-to-resume": (2, "run loud.yaml --resume"),
    "no-run-there": (2, "run plain.yaml --resume -o nowhere"),
    "exists": (4, "run plain.yaml -o results/demo"),
    "resume-other": (4, "run plain.yaml -o results/demo --resume"),
    "no-run": (1, "board results"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_pinned(name: str, golden: Golden) -> None:
    """Each says what was found and what would be right, on stderr, without a traceback."""
    code, arguments = ERRORS[name]
    done = arena(*arguments.split())
    assert (done.code, done.out) == (code, "")
    assert "Traceback" not in done.err
    golden(f"cli/error-{name}.txt", done.err)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("bord demo", "'bord'.*'board'"),
        ("run", "CONFIG"),
        ("board demo --formt csv", "--formt.*--format"),
        ("board demo --format xml", "'xml'.*'csv'"),
        ("verify demo --sample 0", "'--sample'.*1"),
        ("games kun", "did you mean 'kuhn'"),
        ("replay demo 0 --text --json", "--text and --json exclude each other"),
        ("run plain.yaml --workers many", "'many', expected auto or a number"),
        ("run plain.yaml --workers 0", "'0', expected auto or a number"),
        ("run plain.yaml --local --workers 2", "--local excludes --workers"),
        ("run plain.yaml --local --address auto", "--local excludes"),
    ],
)
def test_misuse_is_told(arguments: str, words: str) -> None:
    """With what was wrong and the nearest that is right, and exit code 2."""
    done = arena(*arguments.split())
    assert (done.code, done.out) == (2, "")
    assert re.search(words, done.err)


@pytest.mark.usefixtures("fresh")
def test_a_damaged_match_is_found_and_named() -> None:
    """By `verify`, with exit code 1."""
    assert arena("run", "plain.yaml", "-o", "damaged", "--local").code == 0
    with contextlib.closing(sqlite3.connect("damaged/matches.sqlite")) as db, db:
        db.execute("UPDATE matches SET seed = seed + 1 WHERE number = 3")
    done = arena("verify", "damaged")
    assert done.code == 1
    assert re.match(r"arena: match [0-9a-f]{16} \(number 3\): seed is ", done.err)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("wanted", ["file", "file/run"])
def test_a_file_in_the_way_of_the_run_folder_is_told(wanted: str) -> None:
    """Nothing was begun, so nothing is said of going on."""
    Path("file").touch()
    done = arena("run", "plain.yaml", "-o", wanted)
    assert done.code == 4
    assert "a file is in the way" in done.err
    assert "--resume" not in done.err


@pytest.mark.usefixtures("fresh")
def test_a_bot_that_closes_the_streams_closes_none_of_ours() -> None:
    """It may have meant to silence itself; the board is printed all the same."""
    Path("closer.py").write_text(
        "import sys\n"
        "class Closer:\n"
        "    def __init__(self, game, seat, seed): pass\n"
        "    def act(self, turn):\n"
        "        if sys.stdout is not None: sys.stdout.close()\n"
        "        sys.stdout = sys.stderr = None\n"
        "        return turn.legal[0]\n"
    )
    Path("closer.yaml").write_text("game: kuhn\nbots: [random, closer.py]\nschedule: {deals: 2}\n")
    done = arena("run", "closer.yaml", "--local", "-o", "closed")
    assert done.code == 0
    assert "closer" in done.out
    assert "results in closed" in done.err


@pytest.mark.usefixtures("fresh")
def test_a_damaged_cell_is_damage_and_no_bug_of_ours() -> None:
    arena("run", "plain.yaml", "--local", "-o", "cell")
    with contextlib.closing(sqlite3.connect("cell/matches.sqlite")) as database, database:
        database.execute("UPDATE matches SET scores = 'nonsense' WHERE number = 1")
    for command in ("matches", "verify"):
        done = arena(command, "cell")
        assert done.code == 1
        assert "is damaged: match number 1" in done.err


def test_a_bug_is_told_in_a_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what a report needs, and exit code 3; a developer can have the traceback."""

    def broken(*arguments: object) -> None:
        raise KeyError("owl")

    monkeypatch.setattr(report, "board_table", broken)
    done = arena("board", "demo")
    assert done.code == 3
    assert "KeyError: 'owl'" in done.err
    assert "test_cli.py" in done.err
    assert "Traceback" not in done.err
    assert len(done.err.splitlines()) < 10
    monkeypatch.setenv("ARENA_DEBUG", "1")
    assert "Traceback" in arena("board", "demo").err


def test_a_reader_that_goes_away_is_no_error() -> None:
    """As `arena matches demo | head -1` does."""
    process = subprocess.Popen(
        command("matches", "demo"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout and process.stderr
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0
    process.stderr.close()


def test_a_terminal_that_knows_only_ascii_gets_ascii() -> None:
    """Rather than an error."""
    done = subprocess.run(command("games", PYTHONIOENCODING="ascii"), capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"2\\u20135" in done.stdout


# --- start-up and completion --------------------------------------------------------------------

HEAVY = {"numba", "numpy", "pydantic", "ray", "rich"}


def complete(*words: str) -> list[str]:
    """What the shell would offer for the last word."""
    environment = {
        "_ARENA_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["arena", *words]),
        "COMP_CWORD": str(len(words)),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        return arena().out.split()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """So it answers at once."""
    script = (
        "import sys; from arena.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    process = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert not HEAVY & set(process.stdout.splitlines()[-1].split())


def test_commands_are_completed() -> None:
    """From their first letters."""
    assert complete("re") == ["replay", "repro"]
    assert {"run", "board", "schema"} <= set(complete(""))


def test_names_are_completed() -> None:
    """Games, bots of a run or those shipped, endings, runs, formats."""
    assert complete("games", "ku") == ["kuhn"]
    assert complete("board", "de") == ["demo"]
    assert complete("board", "results/de") == ["results/demo"]
    assert complete("replay", "de") == ["demo"]
    assert complete("matches", "demo", "--bot", "i") == ["illegal"]
    assert complete("matches", "--bot", "ism") == ["ismcts"]
    assert complete("matches", "demo", "--ending", "cr") == ["crash"]
    assert complete("board", "demo", "--format", "c") == ["csv"]


def test_configurations_are_completed() -> None:
    """YAML files and the folders on the way to them."""
    assert complete("run", "pl") == ["plain.yaml"]
    assert "results/" in complete("run", "")
    assert complete("run", "results/demo/") == ["results/demo/config.yaml"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_a_script(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To be put into the shell's settings."""
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    monkeypatch.setenv("_ARENA_COMPLETE", f"source_{shell}")
    assert "_ARENA_COMPLETE" in arena().out


def test_the_folder_of_a_run_is_free_again() -> None:
    """Commands that read leave no lock behind."""
    arena("board", "demo")
    with Run.open(find_run("demo")) as run:
        assert run.state == "complete"
