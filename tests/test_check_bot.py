"""What `arena check` finds in bots of which it is known what is wrong with them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import registry
from arena.check_bot import BotChecker, BotReport, Verdict, candidates, check_bot
from arena.core import Isolation, Limits
from tests.test_cli import arena

FAKES = Path(__file__).parent / "fakes"
TIGHT = Limits(move=0.3, startup=3.0, memory=1 << 28, processes=8)
KUHN = registry.game("kuhn")


@pytest.fixture(scope="module")
def checker() -> Iterator[BotChecker]:
    with BotChecker(KUHN, Isolation.ISOLATED, TIGHT) as checker:
        yield checker


def check(checker: BotChecker, ref: str) -> BotReport:
    return checker.check(registry.find_bot(ref, FAKES), {})


def verdicts(report: BotReport) -> dict[str, Verdict]:
    return {finding.check: finding.verdict for finding in report.findings}


def test_an_honest_bot_passes_every_check(checker: BotChecker) -> None:
    report = check(checker, "steady.py")
    assert set(verdicts(report).values()) == {Verdict.OK}
    assert len(report.findings) == 11
    assert not report.failed


@pytest.mark.parametrize(
    ("bot", "failed", "words"),
    [
        ("two_classes.py", "starts", "the bots Bold, Timid; expected one public class"),
        ("raises_import.py", "starts", "KeyError: 'owl'"),
        ("raises_init.py", "starts", "first as seat 0 of 2: start: raised"),
        ("takes_no_seed.py", "starts", r"expected \(game, seat, seed, …params\)"),
        ("plays_illegal.py", "legal", "3 of 3 matches lost; .* answered 99; legal were 0, 1"),
        ("raises_systemexit.py", "does not crash", "SystemExit"),
        ("spins_forever.py", "time", "took longer than the limit of 0.3 s"),
        ("raises_memoryerror.py", "memory", "raised MemoryError"),
    ],
)
def test_each_fault_fails_its_check(checker: BotChecker, bot: str, failed: str, words: str) -> None:
    """And no other; what cannot be told any more is not."""
    report = check(checker, bot)
    assert [finding.check for finding in report.failed] == [failed]
    assert re.search(words, report.failed[0].found)
    if len(report.findings) > 1:
        assert verdicts(report)["deterministic"] is Verdict.UNKNOWN


def test_an_author_sees_the_traceback_and_what_was_printed(
    checker: BotChecker, tmp_path: Path
) -> None:
    path = bot(tmp_path, "print('thinking of', turn.legal)\n        return {}[turn.seat]")
    report = checker.check(registry.find_bot(str(path)), {})
    assert "return {}[turn.seat]" in report.traceback
    assert report.printed.startswith("thinking of (0, 1)")


@pytest.mark.parametrize(
    ("ref", "words"),
    [
        ("greedy:worlds=0", "worlds: found 0, expected a whole number from 1"),
        ("ismcts:level=expert", "level: found 'expert', expected easy or medium or hard"),
        ("mcts:nodes=2", "nodes: found 2"),
    ],
)
def test_values_that_a_shipped_bot_refuses_are_no_crash(
    checker: BotChecker, ref: str, words: str
) -> None:
    name, params = registry.split_ref(ref)
    report = checker.check(registry.find_bot(name), params)
    [finding] = report.findings
    assert finding.verdict is Verdict.FAILED
    assert words in finding.found
    assert report.traceback == ""


BOT = """
import gc, os, random, sys, threading, time
from pathlib import Path
import numpy as np

games = []

class Bot:
    def __init__(self, game, seat, seed):
        games.append(seed)
        self.random = random.Random(seed)

    def act(self, turn):
        {}
"""


def bot(folder: Path, body: str) -> Path:
    path = folder / "bot.py"
    path.write_text(BOT.replace("{}", body, 1))
    return path


REPEATED = {
    "deterministic": "return turn.legal[int.from_bytes(os.urandom(4)) % 2]",
    "same under a second hash seed": "return turn.legal[hash('owl') // 8 % 2]",
}


@pytest.mark.parametrize("failed", REPEATED)
def test_a_bot_that_does_not_follow_from_its_seed_is_found(failed: str, tmp_path: Path) -> None:
    report = check_bot(str(bot(tmp_path, REPEATED[failed])), KUHN, matches=20)
    assert [finding.check for finding in report.failed] == [failed]
    assert re.search(
        r"plays otherwise .*: from move \d+ on, with 2 players", report.failed[0].found
    )
    assert verdicts(report)["no leak"] is Verdict.UNKNOWN


def test_a_bot_that_remembers_games_is_found_where_it_can(checker: BotChecker) -> None:
    """In a process of its own, a bot's variables are new in every match."""
    assert not check(checker, "keeps_globals.py").failed
    report = check_bot("keeps_globals.py", KUHN, base=FAKES, isolation=Isolation.TRUSTED)
    assert [finding.check for finding in report.failed] == ["no memory across games"]


SPY = """frame = sys._getframe()
        while frame := frame.f_back:
            for each in frame.f_locals.values():
                if isinstance(each, np.ndarray) and each.dtype == Bot.dtype:
                    cards = each["cards"][0]
                    return turn.legal[int(cards[turn.seat] > cards[1 - turn.seat])]
        {}

    from arena.registry import game
    dtype = game("kuhn").state_dtype"""


@pytest.mark.parametrize("otherwise", ["return self.random.choice(turn.legal)", "return 1"])
def test_a_bot_that_looks_at_the_others_hand_is_found(
    checker: BotChecker, otherwise: str, tmp_path: Path
) -> None:
    """Where it runs in our process. In one of its own there is nothing to be seen."""
    path = bot(tmp_path, SPY.replace("{}", otherwise))
    assert not checker.check(registry.find_bot(str(path)), {}).failed
    report = check_bot(str(path), KUHN, isolation=Isolation.TRUSTED)
    assert [finding.check for finding in report.failed] == ["no leak"]


def test_output_and_threads_are_told(checker: BotChecker, tmp_path: Path) -> None:
    """They are no faults."""
    body = """print("x" * 6000)
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        return turn.legal[0]"""
    report = checker.check(registry.find_bot(str(bot(tmp_path, body))), {})
    assert not report.failed
    found = {f.check: f.found for f in report.findings if f.verdict is Verdict.NOTE}
    assert found.keys() <= {"output", "processes and threads"}
    assert re.match(r"up to 0 other processes, [23] threads", found["processes and threads"])


@pytest.mark.parametrize("bot", ["double_fork.py", "busy_child.py"])
def test_processes_that_are_left_are_told(checker: BotChecker, bot: str) -> None:
    """Also those whose parents have ended."""
    report = check(checker, bot)
    found = next(f for f in report.findings if f.check == "processes and threads")
    assert found.verdict is Verdict.NOTE
    assert re.match("up to [1-9] other process", found.found)


def test_memory_is_measured(checker: BotChecker, tmp_path: Path) -> None:
    body = "self.block = bytearray(50_000_000); return turn.legal[0]"
    report = checker.check(registry.find_bot(str(bot(tmp_path, body))), {})
    found = next(f.found for f in report.findings if f.check == "memory")
    assert 49 < float(found.split()[0]) < 60


def test_what_is_shipped_passes() -> None:
    assert not check_bot("greedy:worlds=2", KUHN).failed


def test_params_are_passed_on() -> None:
    report = check_bot("slow.py:fail=true", KUHN, base=FAKES)
    assert [finding.check for finding in report.failed] == ["does not crash"]
    report = check_bot("slow.py:depth=3", KUHN, base=FAKES)
    assert "takes no param 'depth'" in report.failed[0].found


# --- the command --------------------------------------------------------------------------------


@pytest.fixture
def submissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what a class may hand in."""
    folder = tmp_path / "submissions"
    folder.mkdir()
    for name in ("steady.py", "plays_illegal.py", "two_classes.py"):
        shutil.copy(FAKES / name, folder)
    shutil.copytree(FAKES / "helper_clash_a", folder / "a folder")
    (folder / "empty").mkdir()
    (folder / "broken.zip").write_text("no archive")
    (folder / "notes.txt").write_text("nothing")
    (folder / ".hidden.py").write_text("nothing")
    monkeypatch.chdir(tmp_path)
    return folder


NAMES = ["a folder", "broken.zip", "empty", "plays_illegal.py", "steady.py", "two_classes.py"]


def test_everything_that_may_be_a_bot_is_one(submissions: Path) -> None:
    (submissions / "program").write_text("#!/bin/sh\n")
    (submissions / "program").chmod(0o755)
    assert [path.name for path in candidates(submissions)] == sorted([*NAMES, "program"])


def test_a_class_is_checked(submissions: Path) -> None:
    """One broken bot stops no other; each has a report."""
    done = arena("check", "--all", "submissions", "--game", "kuhn", "--report", "feedback")
    assert done.code == 1
    assert re.sub(" +", " ", done.out.replace(str(submissions), "HERE")).splitlines() == [
        "bot verdict failed checks found",
        "a folder ok",
        "broken.zip failed starts cannot unpack HERE/broken.zip: File is not a zip file",
        "empty failed starts HERE/empty has no bot.py (it holds nothing of the kind)",
        "plays_illegal.py failed legal 3 of 3 matches lost; the first as seat 0 of 2: move 1: "
        "answered 99; legal were 0, 1",
        "steady.py ok",
        "two_classes.py failed starts two_classes.py holds the bots Bold, Timid; expected one "
        "public class with act(turn), or a choice, as in HERE/two_classes.py:Bold",
    ]
    reports = sorted(path.name for path in Path("feedback").iterdir())
    assert reports == [f"{name}.check.txt" for name in NAMES]
    assert "legal" in Path("feedback/plays_illegal.py.check.txt").read_text()


def test_reports_lie_beside_the_bots_and_are_no_bots(submissions: Path) -> None:
    for name in NAMES[:4]:
        path = submissions / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for _ in range(2):
        arena("check", "--all", "submissions", "--game", "kuhn", "--format", "json")
        names = [path.name for path in submissions.glob("*.check.json")]
        assert sorted(names) == ["steady.py.check.json", "two_classes.py.check.json"]
    report = json.loads((submissions / "steady.py.check.json").read_text())
    assert (report["bot"], report["verdict"]) == ("steady.py", "ok")
    assert {"check": "output", "verdict": "ok", "found": "prints nothing"} in report["findings"]


def test_one_bot_is_checked(submissions: Path) -> None:
    done = arena("check", "submissions/steady.py", "--game", "kuhn")
    assert (done.code, done.err) == (0, "")
    assert re.sub(" +", " ", re.sub(r"\d+\.\d+", "N", done.out)).splitlines() == [
        "check verdict found",
        "starts ok in N s",
        "does not crash ok 3 matches played",
        "legal ok 4 answers",
        "time ok median N s, worst N s a move, the limit is 5 s",
        "memory ok N MB at the end of a match",
        "deterministic ok 3 matches in new processes, with the same seeds",
        "same under a second hash seed ok 3 matches with another hash seed",
        "no memory across games ok 3 matches after others",
        "no leak ok 3 decisions in 3 worlds each that look the same",
        "output ok prints nothing",
        "processes and threads ok none left at the end of a match",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("check", "expected BOT or --all DIR"),
        ("check random --all .", "expected BOT or --all DIR"),
        ("check randon", "did you mean 'random'"),
        ("check nix.py", "there is no file"),
        ("check random --game kun", "did you mean 'kuhn'"),
        ("check random --isolation none", "no isolation is called 'none'"),
        ("check random --matches 0", "'--matches'"),
        ("check oracle", "is shown the true state"),
        ("check --all nowhere", "there is no folder nowhere"),
        ("check --all empty", "empty holds no bots"),
    ],
)
def test_misuse_is_told(submissions: Path, arguments: str, words: str) -> None:
    Path("empty").mkdir(exist_ok=True)
    done = arena(*arguments.split())
    assert (done.code, done.out) == (2, "")
    assert re.search(words, done.err)
