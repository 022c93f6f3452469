"""Other processes as Linux shows them: what they use, what they have started, and their end.

A process that is gone uses nothing and has nothing below it.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import filelock


def processor_time(pid: int) -> float:
    """Seconds of processor time that all threads of a process have used; 0 if it is gone."""
    try:
        return time.clock_gettime(~pid << 3 | 2)  # clock_getcpuclockid(3), which Python lacks
    except OSError:
        return 0.0


def memory(pid: int) -> int:
    """Bytes of memory that are no file's, whether or not other processes share them."""
    return _kilobytes(r"Rss(?:Anon|Shmem):\s*(\d+)", _read(pid, "status"))


def share_of_memory(pid: int) -> int:
    """The same, where what several processes have in common is divided among them. Takes 1 ms."""
    return _kilobytes(r"Pss_(?:Anon|Shmem):\s*(\d+)", _read(pid, "smaps_rollup"))


def _kilobytes(pattern: str, text: str) -> int:
    return 1024 * sum(map(int, re.findall(pattern, text)))


def threads(pid: int) -> int:
    """How many threads a process has."""
    return _entries(pid, "task")


def ties(pid: int) -> tuple[int, int, str, int]:
    """What a copy of a process shares with it or lacks.

    How many threads it has, how many open files, which signals it handles, and how many mappings of
    memory that others see change.
    """
    handled = re.search(r"SigCgt:\s*(\w+)", _read(pid, "status"))
    mappings = re.findall(r" .w.s ", _read(pid, "maps"))
    return threads(pid), _entries(pid, "fd"), handled[1] if handled else "", len(mappings)


def reaped_time(pid: int) -> float:
    """Seconds of processor time used by children of a process that have ended and are reaped."""
    fields = _read(pid, "stat").rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def asleep(pid: int) -> bool:
    """Whether no thread of a process runs, or would run if it were let."""
    with contextlib.suppress(OSError):
        states = [
            (thread / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
            for thread in Path(f"/proc/{pid}/task").iterdir()
        ]
        return all(state in "STtZXI" for state in states)
    return True


def _read(pid: int, file: str) -> str:
    try:
        return Path(f"/proc/{pid}/{file}").read_text(errors="replace")  # it has named itself
    except OSError:
        return ""


def _entries(pid: int, folder: str) -> int:
    try:
        return len(list(Path(f"/proc/{pid}/{folder}").iterdir()))
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
        return _read(pid, "stat").rpartition(")")[2].split()[0] not in "ZX"
    except IndexError:
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


class Core:
    """A core that this thread and all processes that it starts keep to, and no other `Core`.

    Where processes take turns, a message costs several times less on one core than between two.
    While all cores are taken by others, nothing changes.
    """

    def __init__(self) -> None:
        self._before = os.sched_getaffinity(0)
        self._lock: filelock.BaseFileLock | None = None
        folder = Path(tempfile.gettempdir()) / f"arena-cores-{os.getuid()}"
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
        for core in sorted(self._before):
            lock = filelock.FileLock(folder / f"{core}.lock")
            with contextlib.suppress(filelock.Timeout, OSError):
                lock.acquire(timeout=0)
                self._lock = lock
                os.sched_setaffinity(0, {core})
                return

    def release(self) -> None:
        """Leave the core to others."""
        if self._lock is not None:
            os.sched_setaffinity(0, self._before)
            self._lock.release()
            self._lock = None
