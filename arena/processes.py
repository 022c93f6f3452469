"""Other processes as Linux shows them: what they use, what they have started, and their end.

A process that is gone uses nothing and has nothing below it.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from collections.abc import Iterator
from pathlib import Path


def processor_time(pid: int) -> float:
    """Seconds of processor time that all threads of a process have used; 0 if it is gone."""
    try:
        return time.clock_gettime(~pid << 3 | 2)  # clock_getcpuclockid(3), which Python lacks
    except OSError:
        return 0.0


def private_bytes(pid: int) -> int:
    """Memory that a process shares with no file."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0
    return (int(fields[1]) - int(fields[2])) * resource.getpagesize()


def threads(pid: int) -> int:
    """How many threads a process has."""
    try:
        return len(list(Path(f"/proc/{pid}/task").iterdir()))
    except OSError:
        return 0


def below(pid: int) -> Iterator[int]:
    """The processes that one has started, that these have started, and so on."""
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{parent}/task").iterdir():
                children = (thread / "children").read_text().split()
                waiting += map(int, children)
                yield from map(int, children)


def alive(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def kill_tree(pid: int) -> None:
    """Kill a process and what it has started; stopped first, none of them starts another."""
    every = [pid, *below(pid)]
    for each in every if len(every) > 1 else ():
        kill(each, signal.SIGSTOP)
    for each in every:
        kill(each)


def kill(pid: int, how: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal, if the process is there."""
    with contextlib.suppress(OSError):
        os.kill(pid, how)


def signal_group(pid: int, how: signal.Signals) -> None:
    """Send a signal to a process and those of its group."""
    with contextlib.suppress(OSError):
        os.killpg(pid, how)
