"""No bot hurts a match, its rivals or the machine: the zoo of `fakes`, each in its own process."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena import processes, registry
from arena.core import Ending, Isolation, Limits, MatchResult
from arena.isolation import Hosts
from arena.match import play
from arena.player import Contestant
from arena.registry import find_bot
from tests.test_match import FAKES, same, spec_for

KUHN = registry.game("kuhn")
LIMITS = Limits(move=0.1, startup=0.5, memory=64 << 20, processes=16)
SECONDS = 4.0
"""within which any match is over: the longest guard of `LIMITS`, 2.5 s, and some more"""
MARK = f"<zoo{os.getpid()}>0"
"""the name of a time zone that all processes of these tests have in their environment"""

CRASH, ILLEGAL, MEMORY, TIMEOUT = Ending.CRASH, Ending.ILLEGAL, Ending.MEMORY, Ending.TIMEOUT
LATE = "move 1: took longer than the limit of 0.1 s"
LATE_START = "start: took longer than the limit of 0.5 s"
TOO_MUCH = "took more than 67,108,864 bytes of memory"
HUNG_UP = "move 1: closed the connection of its process"
WROTE = "move 1: wrote to the connection of its process"

Make = Callable[..., Contestant]


@pytest.fixture(scope="module", autouse=True)
def marked() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", MARK)
        yield
    assert living() == set()


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    with Hosts(KUHN, Isolation.ISOLATED) as hosts:
        yield hosts


@pytest.fixture
def guest(hosts: Hosts) -> Make:
    return maker(hosts)


def maker(hosts: Hosts) -> Make:
    return lambda ref, **params: hosts.guest(find_bot(ref, FAKES), params)


def match(
    *bots: Contestant, limits: Limits = LIMITS, seed: int = 1, game: str = "kuhn"
) -> MatchResult:
    rules = registry.game(game)
    return play(rules, spec_for(rules, len(bots), seed), bots, limits)


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
        for pid in (keeper.pid, *(k.pid for k in keeper._loaded.values() if hasattr(k, "pid")))
    }


def wait_until(condition: Callable[[], bool], seconds: float = 2.0) -> None:
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
    "busy_thread": (TIMEOUT, LATE),
    "closes_fds": (CRASH, r"move 1: ended its process with exit code \d+"),
    "daemon_bomb": (CRASH, "move 1: had more than 16 processes and threads"),
    "deep_recursion": (CRASH, "move 1: raised RecursionError: .*"),
    "dies_of_a_signal": (CRASH, r"move 1: its process was ended by signal \d+"),
    "exception_bomb": (CRASH, "move 1: raised an exception of <class 'exception_bomb.Bomb'>"),
    "execs": (TIMEOUT, LATE),
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
    "kills_keeper": (CRASH, HUNG_UP),
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
    "forks_and_returns", "frame_spy", "gc_spy", "mutates_view", "os_write_stdout", "prints_5mb",
    "prints_broken_utf8", "reseeds_random", "slow_first_move", "spins_between_turns",
    "stops_parent", "subprocess_echo", "thinks", "threads_at_import",
}  # fmt: skip
"""they play the first legal move, whatever else they do"""


def names(faults: Any) -> Any:
    return pytest.mark.parametrize("name", sorted(faults))


@names(FAULTS)
def test_a_fault_loses_that_match_and_nothing_else(name: str, guest: Make, hosts: Hosts) -> None:
    ending, detail = FAULTS[name]
    attribute = ":make" if name == "factory_of_none" else ""
    limits = replace(LIMITS, move=1.0) if ending is MEMORY else LIMITS
    began = time.monotonic()
    result = match(guest(f"{name}.py{attribute}"), guest("steady.py"), limits=limits)
    assert time.monotonic() - began < SECONDS
    assert (result.ending, result.offender, result.ranks) == (ending, 0, (2, 1))
    assert re.fullmatch(detail, result.detail), result.detail
    assert result.actions == ()
    assert_nothing_left(hosts, guest)


@names(HARMLESS)
def test_a_bot_that_only_misbehaves_plays_on(name: str, guest: Make, hosts: Hosts) -> None:
    began = time.monotonic()
    result = match(guest(f"{name}.py"), guest("steady.py"))
    assert time.monotonic() - began < SECONDS
    assert same(without_output(result), match(guest("steady.py"), guest("steady.py")))
    assert_nothing_left(hosts, guest)


def without_output(result: MatchResult) -> MatchResult:
    return replace(result, printed=())


def assert_nothing_left(hosts: Hosts, guest: Make) -> None:
    """Of a match no process is left, and the next one is as good as any."""
    wait_until(lambda: living() <= lasting(hosts))
    assert match(guest("steady.py"), guest("steady.py")).ending is Ending.FINISHED
