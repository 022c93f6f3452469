"""No bot hurts a match, its rivals or the machine: the zoo of `fakes`, each in its own process."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena import bot_process, kernel, processes, registry, sandbox
from arena.bot_process import Loaded
from arena.core import Ending, Isolation, Limits, MatchResult, Turn
from arena.errors import OptionError
from arena.isolation import Hosts
from arena.match import play
from arena.player import BotFault, Contestant
from arena.registry import find_bot
from tests.test_match import FAKES, fake, same, spec_for

KUHN = registry.game("kuhn")
LIMITS = Limits(move=0.1, startup=0.5, memory=64 << 20, processes=16)
SECONDS = 20.0
"""within which any match is over: the longest guard of `LIMITS`, 2.5 s, on a slow, busy machine"""
MARK = f"<zoo{os.getpid()}>0"
"""the name of a time zone that all processes of these tests have in their environment"""

CRASH, ILLEGAL, MEMORY, TIMEOUT = Ending.CRASH, Ending.ILLEGAL, Ending.MEMORY, Ending.TIMEOUT
LATE = "move 1: took longer than the limit of 0.1 s"
LATE_START = "start: took longer than the limit of 0.5 s"
TOO_MUCH = "took more than 67,108,864 bytes of memory"
HUNG_UP = "move 1: closed the connection of its process"
WROTE = "move 1: wrote to the connection of its process"

PAIRS = (
    ("steady.py", "returns_np_int64.py"),
    ("returns_np_int64.py", "random"),
    ("random", "returns_np_int64.py"),
)
"""honest bots that meet after every hostile one: the first legal move, the last, and by seed"""

Make = Callable[..., Contestant]


@pytest.fixture(scope="module", autouse=True)
def marked() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", MARK)
        yield
    wait_until(lambda: living() == set())


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    with Hosts(KUHN, Isolation.ISOLATED) as hosts:
        match(maker(hosts)("steady.py"), maker(hosts)("steady.py"))  # the first one is slow
        yield hosts


@pytest.fixture
def guest(hosts: Hosts) -> Make:
    return maker(hosts)


@pytest.fixture(scope="module", autouse=True)
def undisturbed() -> list[MatchResult]:
    """How matches of the honest bots go where nobody disturbs them: trusted, in this process."""
    return [
        play(KUHN, spec_for(KUHN, 2, seed), [fake(name) for name in pair], Limits())
        for seed, pair in enumerate(PAIRS)
    ]


@pytest.fixture
def clean(hosts: Hosts, guest: Make, undisturbed: list[MatchResult]) -> Iterator[None]:
    """Of the test's matches no process is left, and the next ones go as if it had not been."""
    others = living() - lasting(hosts)
    yield
    wait_until(lambda: living() - others <= lasting(hosts))
    assert_as_ever(guest, undisturbed)


@pytest.fixture(scope="module")
def sandboxes() -> Iterator[Hosts]:
    try:
        sandbox.bubblewrap()
    except OptionError as error:
        pytest.skip(str(error))
    with Hosts(KUHN, Isolation.STRICT) as hosts:
        yield hosts


@pytest.fixture
def strict(sandboxes: Hosts) -> Make:
    return maker(sandboxes)


def maker(hosts: Hosts) -> Make:
    return lambda ref, **params: hosts.guest(find_bot(ref, FAKES), params)


def match(*bots: Contestant, limits: Limits = LIMITS, seed: int = 1) -> MatchResult:
    return play(KUHN, spec_for(KUHN, 2, seed), bots, limits)


def assert_as_ever(guest: Make, undisturbed: Sequence[MatchResult]) -> None:
    """Honest bots, asked now, do as they did before anybody hostile was there, move by move."""
    for seed, (pair, before) in enumerate(zip(PAIRS, undisturbed, strict=True)):
        now = match(*map(guest, pair), seed=seed)
        assert same(now, before), f"{pair}: {now} instead of {before}"


def living() -> set[int]:
    """All processes of these tests, but this one."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if MARK.encode() in (entry / "environ").read_bytes():
                found.add(int(entry.name))
    return {pid for pid in found - {os.getpid()} if processes.alive(pid)}


def lasting(hosts: Hosts) -> set[int]:
    """Those that are to outlive a match: keepers, and processes that have loaded a bot."""
    return {
        pid
        for keeper in hosts._keepers.values()
        for pid in (
            keeper.pid,
            *(k.pid for k in keeper._loaded.values() if isinstance(k, Loaded) and k.usable),
        )
    }


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """A killed process needs a moment to die."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


# --- the zoo ------------------------------------------------------------------------------------

FAULTS: dict[str, tuple[Ending, str]] = {
    "allocates_30gb": (MEMORY, "move 1: raised MemoryError"),
    "blocks_on_input": (CRASH, "move 1: raised EOFError: EOF when reading a line"),
    "busy_child": (TIMEOUT, LATE),
    "busy_children": (TIMEOUT, LATE),
    "busy_thread": (TIMEOUT, LATE),
    "closes_fds": (CRASH, r"move 1: ended its process with exit code \d+"),
    "daemon_bomb": (CRASH, "move 1: had more than 16 processes and threads"),
    "deep_recursion": (CRASH, "move 1: raised RecursionError: .*"),
    "dies_of_a_signal": (CRASH, r"move 1: its process was ended by signal \d+"),
    "exception_bomb": (CRASH, "move 1: raised an exception of <class 'exception_bomb.Bomb'>"),
    "execs": (CRASH, HUNG_UP),
    "exits_import": (CRASH, "start: .*SystemExit: 0"),
    "exits_init": (CRASH, "start: raised SystemExit: licence expired"),
    "factory_of_none": (CRASH, "start: raised AttributeError: .*"),
    "fills_disk": (CRASH, r"move 1: raised OSError: \[Errno 27\] File too large"),
    "floods_from_a_daemon": (TIMEOUT, LATE),
    "forges_ending": (CRASH, WROTE),
    "forges_answer": (ILLEGAL, "move 1: answered 99; legal were 0, 1"),
    "fork_bomb": (CRASH, "move 1: had more than 16 processes and threads"),
    "giant_message": (CRASH, "move 1: raised ValueError: .*"),
    "giant_repr": (ILLEGAL, "move 1: answered .*…, which is not a whole number; legal were 0, 1"),
    "grows_in_children": (MEMORY, f"move 1: {TOO_MUCH}"),
    "grows_shared": (MEMORY, f"move 1: {TOO_MUCH}"),
    "grows_slowly": (MEMORY, f"move 1: (raised MemoryError|{TOO_MUCH})"),
    "index_bomb": (ILLEGAL, "move 1: answered <index_bomb.Bomb object>, .*"),
    "kills_group": (CRASH, "move 1: its process was ended by SIGKILL"),
    "kills_keeper": (CRASH, "move 1: ended the process that keeps it"),
    "kills_parent": (CRASH, HUNG_UP),
    "lying_eq": (ILLEGAL, "move 1: answered 0, which is not a whole number; .*"),
    "many_threads": (CRASH, "move 1: had more than 16 processes and threads"),
    "missing_import": (CRASH, "start: .*ModuleNotFoundError: No module named .*"),
    "monkeypatches_engine": (ILLEGAL, "move 1: answered 99; legal were 0, 1"),
    "opens_terminal": (CRASH, r"move 1: raised OSError: \[Errno 6\] .*"),
    "os_exit": (CRASH, "move 1: ended its process with exit code 0"),
    "plays_illegal": (ILLEGAL, "move 1: answered 99; legal were 0, 1"),
    "prints_without_end": (TIMEOUT, LATE),
    "raises_import": (CRASH, "start: .*KeyError: 'owl'"),
    "raises_init": (CRASH, "start: raised ValueError: no weights for seat 0"),
    "raises_keyboardinterrupt": (CRASH, "move 1: raised KeyboardInterrupt"),
    "raises_memoryerror": (MEMORY, "move 1: raised MemoryError"),
    "raises_systemexit": (CRASH, "move 1: raised SystemExit: 0"),
    "repr_bomb": (ILLEGAL, "move 1: answered an object of <class 'repr_bomb.Bomb'>, .*"),
    "returns_huge": (ILLEGAL, "move 1: answered an object of <class 'int'>; legal were 0, 1"),
    "returns_none": (ILLEGAL, "move 1: answered None, which is not a whole number; .*"),
    "segfault": (CRASH, "move 1: its process was ended by SIGSEGV"),
    "sets_recursion_limit": (CRASH, "move 1: its process was ended by SIGSEGV"),
    "sets_signal_handler": (TIMEOUT, LATE),
    "sleeps_at_start": (TIMEOUT, LATE_START),
    "sleeps_forever": (TIMEOUT, LATE),
    "sleeps_on_import": (TIMEOUT, LATE_START),
    "spinner_at_import": (TIMEOUT, LATE),
    "spins_at_start": (TIMEOUT, LATE_START),
    "spins_forever": (TIMEOUT, LATE),
    "spins_on_import": (TIMEOUT, LATE_START),
    "stops_itself": (TIMEOUT, LATE),
    "swallows_all": (TIMEOUT, LATE),
    "takes_no_seed": (CRASH, "start: Bot takes .*"),
    "writes_channel": (CRASH, WROTE),
    "writes_deep_json": (CRASH, WROTE),
    "writes_nothing": (CRASH, HUNG_UP),
}  # fmt: skip
"""how a match ends in which the bot sits in seat 0, and what is told of it"""

HARMLESS = {
    "changes_cwd", "child_at_import", "closes_stdout", "double_fork", "escapes",
    "forks_and_returns", "frame_spy", "gc_spy", "mutates_view", "names_itself", "os_write_stdout",
    "ponders", "prints_5mb", "prints_broken_utf8", "reseeds_random", "slow_first_move",
    "spins_between_turns", "stops_keeper", "stops_parent", "subprocess_echo", "thinks",
    "threads_at_import",
}  # fmt: skip
"""they play the first legal move, whatever else they do"""


def names(faults: Any) -> Any:
    return pytest.mark.parametrize("name", sorted(faults))


@pytest.mark.usefixtures("clean")
@names(FAULTS)
def test_a_fault_loses_that_match_and_nothing_else(name: str, guest: Make) -> None:
    ending, detail = FAULTS[name]
    attribute = ":make" if name == "factory_of_none" else ""
    limits = replace(LIMITS, move=1.0) if ending is MEMORY else LIMITS
    began = time.monotonic()
    result = match(guest(f"{name}.py{attribute}"), guest("steady.py"), limits=limits)
    assert time.monotonic() - began < SECONDS
    assert (result.ending, result.offender, result.ranks) == (ending, 0, (2, 1))
    assert re.fullmatch(detail, result.detail), result.detail
    assert result.actions == ()


@pytest.mark.usefixtures("clean")
@names(HARMLESS)
def test_a_bot_that_only_misbehaves_plays_on(name: str, guest: Make) -> None:
    began = time.monotonic()
    result = match(guest(f"{name}.py"), guest("steady.py"), limits=replace(LIMITS, move=1.0))
    assert time.monotonic() - began < SECONDS
    assert same(without_output(result), match(guest("steady.py"), guest("steady.py")))


def without_output(result: MatchResult) -> MatchResult:
    return replace(result, printed=())


# --- before the first move ----------------------------------------------------------------------


@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize(
    "name", ["dies_after_load", "forges_hello", "forges_load", "hangs_before_a_match"]
)
def test_a_bot_that_spoils_how_matches_begin_cannot_start(
    name: str, guest: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_process, "START_SECONDS", 1.0)
    for _ in range(2):
        result = match(guest("steady.py"), guest(f"{name}.py"))
        assert (result.ending, result.offender, result.actions) == (CRASH, 1, ())
        assert result.detail == "start: makes no process for a match"


@pytest.mark.usefixtures("clean")
def test_nobody_is_blamed_for_what_a_rival_does_to_its_process(guest: Make) -> None:
    """The match is played again with everybody apart."""
    limits = replace(LIMITS, move=1.0)
    rivals = guest("kills_keeper_later.py"), guest("thinks.py", seconds=0.2)
    for _ in range(3):
        result = match(*rivals, limits=limits)
        assert result.offender in (None, 0)


@pytest.mark.usefixtures("clean")
def test_children_that_nobody_saw_are_charged(guest: Make) -> None:
    result = match(guest("many_short_children.py"), guest("steady.py"))
    assert (result.ending, result.offender) == (TIMEOUT, 0)


def test_a_sandboxed_bot_is_loaded_anew_for_every_match(strict: Make) -> None:
    """So that what its module has prepared cannot count matches."""
    bots = strict("counts_copies.py"), strict("steady.py")
    first, *others = (match(*bots).actions for _ in range(3))
    assert all(actions == first for actions in others)


@pytest.mark.parametrize("name", ["kills_keeper", "stops_keeper"])
def test_bots_begin_although_one_has_disturbed_the_process_that_keeps_them(
    name: str, undisturbed: list[MatchResult]
) -> None:
    with Hosts(KUHN, Isolation.ISOLATED) as hosts:
        guest = maker(hosts)
        for honest in ("steady.py", program("well")):
            match(guest(f"{name}.py"), guest("random"))
            result = match(guest(honest), guest("returns_np_int64.py"), seed=0)
            assert same(without_output(result), undisturbed[0])


def test_where_there_is_no_linux_only_trusted_bots_play(
    guest: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(OptionError, match="need Linux; trusted"):
        match(guest("steady.py"), guest("steady.py"))


def test_a_bot_that_does_not_load_is_not_run_again(
    guest: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = match(guest("sleeps_on_import.py"), guest("steady.py"))
    monkeypatch.delattr(Loaded, "__init__")
    assert same(match(guest("sleeps_on_import.py"), guest("steady.py")), first)


# --- nobody else is affected --------------------------------------------------------------------

HONEST = ("steady.py", "returns_np_int64.py", "random", "thinks.py")
HOSTILE = (
    "allocates_30gb.py", "double_fork.py", "escapes.py", "forges_ending.py", "kills_keeper.py",
    "kills_parent.py", "monkeypatches_engine.py", "os_exit.py", "prints_5mb.py",
    "raises_import.py", "reseeds_random.py", "segfault.py", "spins_between_turns.py",
    "spins_forever.py", "stops_parent.py", "threads_at_import.py", "writes_channel.py",
)  # fmt: skip


def test_honest_bots_score_the_same_with_and_without_hostile_ones() -> None:
    pairs = [(a, b) for a in HONEST for b in HONEST if a != b]
    with Hosts(KUHN, Isolation.ISOLATED) as hosts:
        guest = maker(hosts)
        alone = [match(*map(guest, pair), seed=seed) for seed, pair in enumerate(pairs)]
    with Hosts(KUHN, Isolation.ISOLATED) as hosts:
        guest = maker(hosts)
        among = []
        for seed, pair in enumerate(pairs):
            for hostile in HOSTILE[seed :: len(pairs)]:
                match(guest(hostile), guest(pair[0]))
                match(guest(pair[1]), guest(hostile))
            among.append(match(*map(guest, pair), seed=seed))
    assert all(result.ending is Ending.FINISHED for result in alone)
    assert all(map(same, alone, among))


@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize(
    "name",
    ["keeps_globals", "pipe_at_import", "raises_second_init", "shares_memory", "signals_loaded"],
)
def test_a_bot_remembers_nothing_of_its_last_match(name: str, guest: Make) -> None:
    for _ in range(3):
        assert match(guest(f"{name}.py"), guest("steady.py")).actions == (0, 0)
    assert match(guest(f"{name}.py"), guest(f"{name}.py")).actions == (0, 0)


def test_sets_are_gone_through_in_the_same_order_in_every_process() -> None:
    results = []
    for _ in range(2):
        with Hosts(KUHN, Isolation.ISOLATED) as hosts:
            results.append(match(maker(hosts)("set_order.py"), maker(hosts)("steady.py")))
    assert same(*results)


# --- what is printed ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("closes_stdout", ""),
        ("os_write_stdout", "from file 1\nfrom file 2\n"),
        ("prints_5mb", "x" * 2_000 + "\n[and 4998001 bytes more]"),
        ("prints_broken_utf8", "\ufffd\x00\ufffd"),
        ("subprocess_echo", "from a child\n"),
    ],
)
def test_what_a_bot_prints_is_kept_up_to_a_limit(name: str, printed: str, guest: Make) -> None:
    for seat, bots in enumerate([(f"{name}.py", "steady.py"), ("steady.py", f"{name}.py")]):
        result = match(*map(guest, bots))
        assert result.printed == (() if not printed else (("", printed), (printed, ""))[seat == 0])


def test_a_bot_may_read_back_what_it_prints(guest: Make) -> None:
    player = guest("steady.py").player(KUHN, spec_for(KUHN, 2), 0, LIMITS)
    player.start()
    player._process._drain()  # type: ignore[attr-defined]  # it has been faster
    assert player.finish(None) == ""


def test_what_a_bot_prints_without_end_is_kept_up_to_a_limit(guest: Make) -> None:
    first, second = match(guest("prints_without_end.py"), guest("steady.py")).printed
    assert re.fullmatch(r"x{2000}\n\[and \d{6,} bytes more\]", first)
    assert second == ""


# --- clocks -------------------------------------------------------------------------------------


def test_a_limit_counts_the_bots_own_processor_time(guest: Make) -> None:
    limits = replace(LIMITS, move=0.05)
    spin = [sys.executable, "-c", "while True: pass"]
    with contextlib.ExitStack() as stack:
        for _ in range(4):  # on the core to which this process and the bots keep
            busy = stack.enter_context(subprocess.Popen(spin))
            stack.callback(busy.kill)
        for rival in ("thinks.py", "spins_between_turns.py"):
            for _ in range(3):
                result = match(guest("thinks.py"), guest(rival), limits=limits)
                assert result.ending is Ending.FINISHED
    limits = replace(LIMITS, move=0.01)
    assert match(guest("thinks.py"), guest("steady.py"), limits=limits).ending is TIMEOUT


def test_what_a_bot_does_before_anybody_looks_is_charged(
    guest: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system may let it work as soon as it is asked, and this process wait."""
    send = bot_process.Process.send

    def send_and_wait(process: bot_process.Process, data: bytes) -> None:
        send(process, data)
        time.sleep(0.2)

    monkeypatch.setattr(bot_process.Process, "send", send_and_wait)
    limits = replace(LIMITS, move=0.01)
    assert match(guest("thinks.py"), guest("steady.py"), limits=limits).ending is TIMEOUT


def test_a_start_has_a_limit_of_its_own(guest: Make) -> None:
    limits = Limits(move=0.1, startup=20.0)
    assert match(guest("slow.py", start=0.5), guest("steady.py"), limits=limits).ending is ILLEGAL


@pytest.mark.parametrize(
    "name", ["ponders", "spins_between_turns", "spinner_at_import", "threads_at_import"]
)
def test_a_bot_that_computes_in_its_rivals_turns_is_stopped(
    name: str, guest: Make, hosts: Hosts
) -> None:
    params = {"nap": False} if name == "spinner_at_import" else {}
    player = guest(f"{name}.py", **params).player(KUHN, spec_for(KUHN, 2), 0, LIMITS)
    turn = Turn(KUHN.observe(KUHN.initial(), 0), 0, (0, 1))
    player.start()
    try:
        for _ in range(4):
            time.sleep(0.1)
            player.answer(turn)
        keeper = hosts._keepers[""]
        bots = list(processes.below(keeper.pid))
        used = sum(map(processes.processor_time, bots))
        time.sleep(0.3)
        assert sum(map(processes.processor_time, bots)) - used < 0.02
    finally:
        player.finish(None)


def test_a_bank_is_for_all_answers_of_a_match_together(guest: Make) -> None:
    # Passes; bets; thinks again.
    bots = guest("thinks.py", seconds=0.1), guest("returns_np_int64.py")
    assert match(*bots, limits=Limits(move=0.5, bank=1.0)).actions == (0, 1, 0)
    for _ in range(2):  # the bank of a new match is full
        result = match(*bots, limits=Limits(move=0.5, bank=0.15))
        assert (result.ending, result.offender, result.actions) == (TIMEOUT, 0, (0, 1))
        assert result.detail == "move 3: took longer than the 0.15 s it has for a match"


@pytest.mark.usefixtures("clean")
def test_a_bot_that_does_not_read_is_not_waited_for(guest: Make) -> None:
    player = guest("answers_ahead.py").player(KUHN, spec_for(KUHN, 2), 0, LIMITS)
    turn = Turn(KUHN.observe(KUHN.initial(), 0), 0, (0, 1))
    player.start()
    try:
        with pytest.raises(BotFault, match="does not read what it is sent"):
            for _ in range(10_000):
                player.answer(turn)
    finally:
        player.finish(None)


PATIENT = Limits(move=0.5, startup=0.5)
STALL = bot_process.GUARD_FACTOR * 0.5 + bot_process.GUARD_SECONDS + 0.5
"""seconds of wall clock that are more than any guard of `PATIENT`"""

STALLED = """
import json, pickle, sys
from time import perf_counter
from arena.bot_process import Process
from tests.test_isolation import KUHN, PATIENT, STALL, Hosts, Isolation, maker, match

name, params, awaited = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
longest, waits, telling, results = 0.0, 0, False, []
wait, look = Process.wait, Process._look

def timed(*arguments):
    global longest, waits, telling
    telling = bool(results) and waits == awaited
    waits += 1
    began = perf_counter()
    try:
        return wait(*arguments)
    finally:
        longest = max(longest, perf_counter() - began)

def told(process):  # in the midst of a wait
    global telling
    if telling:
        telling = False
        print("now", flush=True)
    look(process)

with Hosts(KUHN, Isolation.ISOLATED) as hosts:
    bots = [maker(hosts)(name, **params), maker(hosts)("returns_np_int64.py")]
    match(*bots, limits=PATIENT)  # loads them
    Process.wait, Process._look = timed, told
    while longest < STALL:
        waits = 0
        results.append(match(*bots, limits=PATIENT))
print("played", flush=True)
pickle.dump(results, sys.stdout.buffer)
"""
"""Plays matches until a bot has been waited for while the machine stood still. In each but the
first it tells when it waits for what is awaited: 0 is the start of the bot, 2 its first move."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "params", "awaited", "ending"),
    [
        ("naps", {}, 0, Ending.FINISHED),
        ("naps", {}, 2, Ending.FINISHED),
        ("thinks", {"seconds": 0.3}, 2, Ending.FINISHED),
        ("spins_forever", {}, 2, TIMEOUT),
    ],
    ids=["asleep at its start", "asleep", "at work", "without end"],
)
def test_a_machine_that_stands_still_costs_nobody_a_match(
    name: str, params: dict[str, float], awaited: int, ending: Ending
) -> None:
    """Nor does it save anybody: it is as if the time had not passed."""
    command = [sys.executable, "-c", STALLED, f"{name}.py", json.dumps(params), str(awaited)]
    root = FAKES.parent.parent
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as player:
        try:
            assert player.stdout is not None
            while (told := player.stdout.readline()) == b"now\n":  # again if this was too late
                stand_still(player.pid, STALL)
            assert told == b"played\n"
            before, *results = pickle.load(player.stdout)
        finally:
            player.kill()
    assert before.ending is ending
    assert max(sum(result.seconds) for result in results) > STALL
    assert [result for result in results if not same(result, before)] == []


def stand_still(pid: int, seconds: float) -> None:
    """Stop a process and all below it for so long; whatever happens, they go on afterwards."""
    stopped: list[int] = []
    moving = {pid}
    try:
        while moving:
            stopped += moving
            for each in moving:
                processes.kill(each, signal.SIGSTOP)
            moving = {*processes.below(pid)} - {*stopped}
        time.sleep(seconds)
    finally:
        for each in stopped:
            processes.kill(each, signal.SIGCONT)


# --- nothing is left over -----------------------------------------------------------------------


def test_nothing_outlives_the_hosts() -> None:
    before = living()
    files = len(list(Path("/proc/self/fd").iterdir()))
    with Hosts(KUHN, Isolation.ISOLATED) as hosts:
        guest = maker(hosts)
        for name in ("child_at_import", "double_fork", "escapes", "steady", "threads_at_import"):
            match(guest(f"{name}.py"), guest("steady.py"))
        assert living() - before
    wait_until(lambda: living() <= before)
    assert len(list(Path("/proc/self/fd").iterdir())) == files


@pytest.mark.parametrize("matches", [pytest.param(100), pytest.param(1000, marks=pytest.mark.slow)])
def test_many_matches_leave_processes_files_and_memory_as_they_were(matches: int) -> None:
    names = ("steady", "os_exit", "random", "raises_import", "double_fork", "shares_memory")
    others = living()
    with Hosts(KUHN, Isolation.ISOLATED) as hosts:
        bots = [find_bot(n if n == "random" else f"{n}.py", FAKES) for n in names]
        guests = [hosts.guest(bot, {}) for bot in bots]

        def play_many(count: int) -> tuple[int, int, int]:
            for number in range(count):
                match(guests[number % len(guests)], guests[0], seed=number)
            wait_until(lambda: living() - others <= lasting(hosts))
            files = len(list(Path("/proc/self/fd").iterdir()))
            memory = sum(map(processes.memory, [os.getpid(), *living() - others]))
            return len(living() - others), files, memory

        first, last = play_many(30), play_many(matches)
    assert last[:2] == first[:2]
    assert last[2] - first[2] < 4 << 20


WORKER = """
import sys
from arena import registry
from arena.core import Isolation, Limits
from arena.isolation import Hosts
from arena.match import play
from tests.test_match import FAKES, spec_for
game = registry.game("kuhn")
with Hosts(game, Isolation(sys.argv[1])) as hosts:
    bots = [hosts.guest(registry.find_bot(name, FAKES), {}) for name in ("steady.py", sys.argv[2])]
    play(game, spec_for(game, 2), bots, Limits())
"""


@pytest.mark.parametrize(
    ("mode", "name"),
    [
        ("isolated", "busy_child"),
        ("isolated", "stops_and_sleeps"),
        ("strict", "swallows_all"),
        *(
            pytest.param(mode, name, marks=pytest.mark.slow)
            for mode in ("isolated", "strict")
            for name in ("daemon_bomb", "sets_signal_handler", "spins_on_import")
        ),
    ],
)
def test_a_killed_worker_leaves_no_bot_behind(mode: str, name: str, request: Any) -> None:
    if mode == "strict":
        request.getfixturevalue("sandboxes")
    before = living()
    command = [sys.executable, "-c", WORKER, mode, f"{name}.py"]
    with subprocess.Popen(command, cwd=FAKES.parent.parent) as worker:
        try:
            wait_until_all_run(before)
            assert worker.poll() is None
        finally:
            worker.kill()
    wait_until(lambda: living() <= before)


def wait_until_all_run(before: set[int]) -> None:
    """Until there are worker, keeper, both loaded bots and one that plays, and no more come."""
    last: set[int] = set()
    deadline = time.monotonic() + 60.0
    while len(last) < 5 or living() - before != last:
        last = living() - before
        time.sleep(0.5)
        assert time.monotonic() < deadline


# --- the sandbox --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["leaves_marks", "opens_other_bot", "opens_socket", "reads_proc", "signals_loaded"]
)
def test_a_sandbox_holds_a_bot_and_nothing_else(name: str, strict: Make) -> None:
    for _ in range(2):
        result = match(strict(f"{name}.py"), strict("steady.py"), limits=replace(LIMITS, move=2.0))
        assert (result.ending, result.actions) == (Ending.FINISHED, (0, 0)), result.detail


def test_outside_of_a_sandbox_the_same_bots_find_something(guest: Make) -> None:
    for name in ("opens_other_bot", "reads_proc"):
        limits = replace(LIMITS, move=2.0)
        assert match(guest(f"{name}.py"), guest("steady.py"), limits=limits).actions[0] == 1


def test_a_sandbox_shows_no_files_but_the_bots_own(strict: Make) -> None:
    limits = Limits(move=10.0, output=1 << 26)  # the cache may be large
    result = match(strict("lists_files.py"), strict("steady.py"), limits=limits)
    root = FAKES.parent.parent
    known = (root / "arena", root / "bots", kernel.cache_root())
    seen = {Path(file) for file in result.printed[0].splitlines()}
    foreign = {file for file in seen if not any(file.is_relative_to(folder) for folder in known)}
    assert result.ending is Ending.FINISHED, result.detail
    assert foreign == {FAKES / "lists_files.py"}


def keepers(hosts: Hosts) -> set[int]:
    return {keeper.pid for keeper in hosts._keepers.values()}


def test_a_sandbox_is_emptied_for_the_next_match(strict: Make, sandboxes: Hosts) -> None:
    limits = replace(LIMITS, move=5.0)
    full = "move 1: raised OSError: [Errno 28] No space left on device"
    first, second = (
        (match(strict("fills_tmp.py"), strict("steady.py"), limits=limits), keepers(sandboxes))
        for _ in range(2)
    )
    assert first[0].detail == full
    assert same(first[0], second[0])
    assert first[1] == second[1]  # no new one had to be made


def test_a_sandbox_gives_no_privileges(strict: Make) -> None:
    result = match(strict("shows_privileges.py"), strict("steady.py"))
    assert re.findall(r"(\w+):\s*0*(\d)", result.printed[0]) == [
        ("CapPrm", "0"),
        ("CapEff", "0"),
        ("NoNewPrivs", "1"),
    ]


@names(["kills_all", "kills_keeper"])
def test_a_sandbox_survives_its_bot(
    name: str, strict: Make, undisturbed: list[MatchResult]
) -> None:
    """And the other way round, a bot that kills all that it can is at an end."""
    began = time.monotonic()
    match(strict(f"{name}.py"), strict("steady.py"))
    assert time.monotonic() - began < 2 * SECONDS
    assert_as_ever(strict, undisturbed)


# --- programs in any language -------------------------------------------------------------------

PROGRAM_FAULTS: dict[str, tuple[Ending, str]] = {
    "a list": (ILLEGAL, r"move 1: answered '\[0\]'; expected a JSON object in a line"),
    "a long line": (ILLEGAL, "move 1: answered a line of more than 65536 bytes"),
    "bool": (ILLEGAL, 'move 1: answered {"id": false}; legal were 0, 1'),
    "brackets": (ILLEGAL, r"move 1: answered '\[{199}…'; expected a JSON object in a line"),
    "drops": (TIMEOUT, LATE),
    "exits": (CRASH, "move 1: ended its process with exit code 7"),
    "float": (ILLEGAL, 'move 1: answered {"id": 0.0}; legal were 0, 1'),
    "hangs up": (CRASH, HUNG_UP),
    "junk": (ILLEGAL, "move 1: answered 'hello'; expected a JSON object in a line"),
    "never ready": (TIMEOUT, LATE_START),
    "no line": (TIMEOUT, LATE),
    "not ready": (CRASH, 'start: answered {"type": "hello"}; expected {"type": "ready"}'),
    "sleeps": (TIMEOUT, LATE),
    "text": (ILLEGAL, 'move 1: answered {"id": "0"}; legal were 0, 1'),
    "wrong id": (ILLEGAL, 'move 1: answered {"id": 99}; legal were 0, 1'),
}


def program(how: str) -> str:
    return shlex.join(["command:" + sys.executable, "-I", "-S", "speaks.py", how])


@pytest.mark.usefixtures("clean")
@names(PROGRAM_FAULTS)
def test_a_program_that_breaks_the_protocol_loses(name: str, guest: Make) -> None:
    ending, detail = PROGRAM_FAULTS[name]
    began = time.monotonic()
    result = match(guest(program(name)), guest("steady.py"))
    assert time.monotonic() - began < SECONDS
    assert (result.ending, result.offender, result.actions) == (ending, 0, ())
    assert re.fullmatch(detail, result.detail), result.detail


@pytest.mark.parametrize("how", ["leaves", "more", "two answers", "well"])
def test_a_program_plays_as_a_python_bot_does(
    how: str, guest: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_process, "PARTING_SECONDS", 10.0)  # enough to print the result
    for _ in range(3):
        result = match(guest(program(how)), guest("steady.py"))
        assert same(without_output(result), match(guest("steady.py"), guest("steady.py")))
        if how != "leaves":
            assert json.loads(result.printed[0])["ranks"] == list(result.ranks)


def test_a_program_plays_in_a_sandbox(strict: Make) -> None:
    assert match(strict(program("well")), strict("steady.py")).ending is Ending.FINISHED


def test_a_program_that_cannot_be_run_forfeits(guest: Make, tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("no program\n")
    script.chmod(0o755)
    result = match(guest(f"command:{script}"), guest("steady.py"))
    assert (result.ending, result.offender, result.actions) == (CRASH, 0, ())
    assert result.detail == "start: could not be run: Exec format error"
