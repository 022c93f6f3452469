"""Matches played again for one bot, up to its mistake; what bots have printed."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.store import Run
from tests.test_cli import Outcome, arena, command

BOT = """
import os
from pathlib import Path

WEIGHTS = Path("weights").read_text() if Path("weights").exists() else ""

class Bot:
    def __init__(self, game, seat, seed):
        {start}
        self.asked = 0

    def act(self, turn):
        self.asked += 1
        {act}
        return turn.legal[-1]
"""
BOTS = {
    "honest": {"act": "print('asked', self.asked)"},
    "crash": {"act": "if turn.view.turn: self.look({}, 'owl')"},
    "illegal": {"act": "return 99"},
    "no_start": {"start": "raise ValueError('not today')"},
    "fickle": {"act": "return turn.legal[len(os.environ.get('MOOD', ''))]"},
    "data": {"act": "assert WEIGHTS == 'heavy'"},
}
PROGRAM = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "turn":
        print("legal", [move["id"] for move in message["legal"]], file=sys.stderr)
        print(json.dumps({"id": 99}), flush=True)
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with bots and the finished run `results/run`."""
    folder = tmp_path_factory.mktemp("repro")
    names = []
    for name, parts in BOTS.items():
        code = BOT.format(**{"start": "pass", "act": "pass", **parts})
        code += "\n    def look(self, table, key):\n        return table[key]\n"
        (folder / name).mkdir()
        (folder / name / "bot.py").write_text(code)
        names.append(name)
    (folder / "data" / "weights").write_text("heavy")
    (folder / "program").write_text(PROGRAM)
    (folder / "program").chmod(0o755)
    names.append("{name: program, bot: {command: [./program]}}")
    (folder / "run.yaml").write_text(
        f"game: kuhn\nbots: [random, {', '.join(names)}]\nschedule: {{deals: 2}}\n"
    )
    arguments = command("run", "run.yaml", "-o", "results/run", "--local")
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (folder / "told").write_text(done.stderr)
    return folder


@pytest.fixture(autouse=True)
def inside(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(played)
    monkeypatch.setenv("MOOD", "")


def lost_by(bot: str) -> str:
    """The number of a match that a bot has lost by its own fault, or has played to the end."""
    with Run.open("run") as run:
        found = list(run.results(bot))
        for result in found:
            if result.offender is not None and result.spec.bots[result.offender] == bot:
                return str(result.spec.number)
        return next(str(r.spec.number) for r in found if r.offender is None)


def repro(bot: str, *more: str) -> Outcome:
    done = arena("repro", "run", lost_by(bot), *more)
    return done._replace(out=re.sub("match [0-9a-f]{16}, number [0-9]+", "match M", done.out))


def test_a_run_names_the_command() -> None:
    """For each bot and cause; it can be typed as it is printed."""
    told = Path("told").read_text()
    commands = re.findall(r"^    arena (repro results/run [0-9a-f]{16})$", told, re.MULTILINE)
    assert len(commands) == 4
    for words in commands:
        done = arena(*words.split())
        assert done.code == 1
        assert "now: " in done.out


def test_a_crash_shows_the_traceback_of_the_bots_own_code() -> None:
    done = repro("crash")
    assert (done.code, done.err) == (1, "")
    text = re.sub(r"move \d", "move N", re.sub(r"line \d+", "line N", done.out))
    text = re.sub(r"seat \d", "seat S", re.sub(r"\d answers?", "N answers", text))
    assert text == (
        "match M: crash in seat S\n"
        "move N, then: raised KeyError: 'owl'\n"
        "move N, now:  raised KeyError: 'owl'\n"
        "Traceback (most recent call last):\n"
        '  File "bot.py", line N, in act\n'
        "    if turn.view.turn: self.look({}, 'owl')\n"
        "                       ^^^^^^^^^^^^^^^^^^^^\n"
        '  File "bot.py", line N, in look\n'
        "    return table[key]\n"
        "           ~~~~~^^^^^\n"
        "KeyError: 'owl'\n"
        "N answers, none otherwise than in the run\n"
    )


def test_an_illegal_move_is_told() -> None:
    done = repro("illegal")
    assert done.code == 1
    assert "then: answered 99; legal were 0, 1\nmove" in done.out


def test_a_bot_that_does_not_start_is_told() -> None:
    done = repro("no_start")
    assert done.code == 1
    assert "start, then: raised ValueError: not today\nstart, now:  raised Value" in done.out


def test_a_program_is_asked_too() -> None:
    done = repro("program")
    assert done.code == 1
    assert 'now:  answered {"id": 99}; legal were 0, 1' in done.out


def test_a_bot_finds_its_files() -> None:
    """As in a process of its own, and the working directory is as before."""
    with Run.open("run") as run:
        result = next(run.results("data"))
        seat = str(result.spec.bots.index("data"))
        number = str(result.spec.number)
    done = arena("repro", "run", number, "--seat", seat)
    assert done.code == 0
    assert re.search(r" answers?, none otherwise than in the run\n$", done.out)


def test_other_answers_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with Run.open("run") as run:
        result = next(r for r in run.results("fickle") if r.offender is None)
    seat = str(result.spec.bots.index("fickle"))
    again = arena("repro", "run", result.spec.id, "--seat", seat)
    assert again.code == 0
    monkeypatch.setenv("MOOD", "x")
    done = arena("repro", "run", result.spec.id, "--seat", seat)
    assert done.code == 1
    assert re.search(r"move \d, then: pass\nmove \d, now:  bet\n", done.out)


def test_shipped_bots_answer_as_in_the_run() -> None:
    """Those that search, and the one that is shown the true state."""
    Path("shipped.yaml").write_text(
        "game: kuhn\nallow_oracle: true\nschedule: {deals: 1}\n"
        "bots: [random, greedy, oracle, 'ismcts:iterations=20']\n"
    )
    done = arena("run", "shipped.yaml", "-o", "results/shipped", "--local")
    assert done.code == 0, done.err
    with Run.open("shipped") as run:
        found = list(run.results())
    for result in found:
        for seat in ("0", "1"):
            done = arena("repro", "shipped", result.spec.id, "--seat", seat)
            assert done.code == 0, done.out + done.err


def test_changed_code_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, played: Path
) -> None:
    number = lost_by("crash")
    shutil.copytree(played, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    path = Path("crash/bot.py")
    path.write_text(path.read_text().replace("if turn.view.turn", "if False"))
    done = arena("repro", "run", number)
    assert done.err == "the code of crash has changed since the run\n"
    assert re.search(r"then: raised KeyError: 'owl'\nmove \d, now:  (bet|pass)\n", done.out)


def test_breakpoints_work(played: Path, tmp_path: Path) -> None:
    """The debugger reads commands and shows what the bot holds."""
    number = lost_by("illegal")
    shutil.copytree(played, tmp_path / "copy")
    path = tmp_path / "copy" / "illegal" / "bot.py"
    path.write_text(path.read_text().replace("return 99", "breakpoint(); return 99"))
    done = subprocess.run(
        command("repro", "run", number, PYTHONBREAKPOINT=""),  # which Ray sets in this process
        cwd=tmp_path / "copy",
        input="p 'legal here', turn.legal\ncontinue\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "('legal here', (0, 1))" in done.stdout
    assert "now:  answered 99" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("{honest}", r"no bot's fault; --seat says which: 0 \(.*\), 1 \(.*\)"),
        ("{crash} --seat 2", "seat: found 2, expected one of 0"),
        ("{crash} --seat -1", "seat: found -1"),
        ("nix", "no finished match"),
    ],
)
def test_misuse_is_told(arguments: str, words: str) -> None:
    with Run.open("run") as run:
        clean = next(r for r in run.results("honest") if r.offender is None)
    text = arguments.replace("{honest}", str(clean.spec.number))
    done = arena("repro", "run", *text.replace("{crash}", lost_by("crash")).split())
    assert (done.code, done.out) == (2, "")
    assert re.search(words, done.err)


# --- what bots print ----------------------------------------------------------------------------


def test_what_bots_print_is_kept() -> None:
    everything = arena("log", "run")
    assert (everything.code, everything.err) == (0, "")
    one = arena("log", "run", "--bot", "program").out
    assert one in everything.out or set(one.splitlines()) <= set(everything.out.splitlines())
    assert "honest" not in "".join(re.findall("^match.*: (.*) in seat", one, re.MULTILINE))
    assert "  legal [0, 1]\n" in one


def test_what_was_printed_in_a_match() -> None:
    with Run.open("run") as run:
        result = next(r for r in run.results("honest") if r.offender is None)
    done = arena("log", "run", "--match", result.spec.id[:12])
    seat = result.spec.bots.index("honest")
    title = f"match {result.spec.id}, number {result.spec.number}: honest in seat {seat}\n"
    assert done.out.startswith(f"{title}  asked 1\n")


def test_an_unknown_bot_is_told() -> None:
    done = arena("log", "run", "--bot", "honset")
    assert (done.code, done.out) == (2, "")
    assert "did you mean 'honest'" in done.err


def test_what_the_bot_did_is_told_before_it_does_it_again(tmp_path: Path) -> None:
    """It may end the process, or never come back."""
    (tmp_path / "exits.py").write_text(
        "import os\n\n\nclass Bot:\n    def __init__(self, game, seat, seed): ...\n"
        "    def act(self, turn):\n        os._exit(3)\n"
    )
    (tmp_path / "exits.yaml").write_text(
        "game: kuhn\nbots: [random, exits.py]\nschedule: {deals: 1}"
    )
    run = [sys.executable, "-m", "arena"]
    with contextlib.chdir(tmp_path):
        subprocess.run([*run, "run", "exits.yaml", "-o", "run", "--local"], check=True)
        done = subprocess.run([*run, "repro", "run", "0"], capture_output=True, text=True)
    assert done.returncode == 3
    assert re.search(r"\nmove \d, then: ended its process with exit code 3\n$", done.stdout)
