"""Processes that run a bot's code: started, asked, limited and ended from here.

A keeper process forks one process for each bot, and from that one for each match (see
`arena.host`). A bot talks over a private socket; what it prints goes elsewhere and is kept up to a
limit.

**Clocks.** A bot is charged the processor time of its processes, so that neither a busy machine nor
a busy rival costs it a match. Since a bot that sleeps uses none, there is a guard of wall clock
time, several times as long. It counts the ticks of this process rather than the clock on the wall:
where the machine stands still, so do the ticks.

**Limits** are enforced from outside: whoever is over one is killed, with all that it has started,
double forks included, since those fall to the keeper. Nothing outlives its match.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from time import perf_counter
from typing import Any, NamedTuple, Protocol, TypeVar

from arena import host, processes
from arena.core import Ending, Limits
from arena.errors import InfrastructureError
from arena.game import Game
from arena.player import BotFault, DisturbedError, line, text, too_long
from arena.registry import BotSource, Param

TICK = 0.05
"""seconds between two looks at a bot that is thinking"""
GUARD_FACTOR, GUARD_SECONDS = 3.0, 1.0
"""so many times its limit, and so much more, may a bot take by the clock on the wall"""
KEEPER_SECONDS, START_SECONDS = 120.0, 10.0
"""a keeper, or a copy of a process, that takes longer to start is broken"""
ANSWERS = 5
"""a bot can print all that is kept of a match before so many answers, not before one"""
ROUNDS = 1000
"""of killing what a bot has left behind, before all of its keeper's processes are ended"""
LINE_BYTES = 1 << 16
"""the longest line that a program may answer"""
PARTING_SECONDS = 0.1
"""for a program to end after it was told the result"""
MOST_CHARS = 1000
"""of the detail of a fault, as a bot's process tells it"""
PIPE_BYTES = 1 << 20
"""the most that a pipe holds"""
RESTLESS = 0.005
"""seconds of processor time between its turns after which a bot is stopped between them"""

Overrun = Callable[[], BotFault]
"""What becomes of a bot that takes too long."""

_CREDENTIALS = struct.Struct("3i")

P = TypeVar("P", bound="Process")


class Usage(NamedTuple):
    """What a bot uses beyond what its process had when the match began."""

    memory: int
    """bytes"""
    children: int
    """processes besides its own"""
    threads: int
    """of all its processes together, the first one of each included"""


class _GoneError(Exception):
    """The process that was to make another one is not there any more."""


def made(make: Callable[[], P]) -> P:
    """A new process; whoever ended the one that was to make it, the next one is as good."""
    try:
        return make()
    except _GoneError:
        try:
            return make()
        except _GoneError:
            raise BotFault(Ending.CRASH, "makes no process for a match") from None


class LoadFault(BotFault):
    """What is wrong with a bot's module, and what it printed.

    `mistake` says that its code runs, but does not hold what was asked for.
    """

    def __init__(self, fault: BotFault, printed: str, mistake: bool) -> None:
        super().__init__(fault.ending, fault.detail, fault.traceback)
        self.printed = printed
        self.mistake = mistake


class Process:
    """A process that runs a bot's code: its socket, what it prints, its limits and its end."""

    kind = socket.SOCK_SEQPACKET

    def __init__(
        self, keeper: Keeper, maker: _Maker, request: host.Message, limits: Limits
    ) -> None:
        self._keeper = keeper
        self._maker = maker
        self._limits = limits
        self._kept = bytearray()
        self._dropped = 0
        self._room = limits.output // ANSWERS
        self._others: list[int] = []
        self._times: dict[int, float] = {}
        self._reaped = self._slept = 0.0
        self._look_again = 0.0
        self._before_sent: float | None = None
        self._restless = False
        self._rested = 0.0
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, self.kind)
        self._output, printing = os.pipe()
        _expect_hello(self._channel)
        try:
            maker.request({**request, "memory": limits.memory}, (theirs.fileno(), printing))
            theirs.close()
            self.pid, self._inner_pid = _hello(self._channel, START_SECONDS)
        except OSError as error:
            self._channel.close()
            os.close(self._output)
            raise _GoneError from error
        finally:
            theirs.close()
            os.close(printing)
        os.set_blocking(self._output, False)
        self._pidfd = os.pidfd_open(self.pid)
        self._memory = processes.memory(self.pid)
        self._poll = select.poll()
        self._poll.register(self._channel, select.POLLIN)
        self._poll.register(self._output, select.POLLIN)

    # --- talking

    def send(self, data: bytes) -> None:
        """BotFault if the process has hung up, or has not read what it was sent before."""
        self._before_sent = self._used()  # it may be at work before this process goes on
        try:
            self._channel.sendall(data, socket.MSG_DONTWAIT)
        except BlockingIOError:
            raise BotFault(Ending.CRASH, "does not read what it is sent") from None
        except OSError:
            raise self._death() from None

    def receive(self) -> bytes:
        """What has come; BotFault if the process has hung up."""
        try:
            data = self._channel.recv(host.MESSAGE_BYTES)
        except OSError:
            data = b""
        if not data:
            raise self._death()
        return data

    def wait(self, limit: float | None, overrun: Overrun) -> float:
        """Wait until a message has come; returns the processor time since one was sent, or now.

        Time in which all its processes sleep counts as well: that is no rival's doing. Raises
        `overrun()` if it is more than `limit`, BotFault at other limits.
        """
        self._room = self._limits.output // ANSWERS
        total = self._used()
        begin = total if self._before_sent is None else self._before_sent
        waited, before = 0.0, perf_counter()
        guard = math.inf if limit is None else GUARD_FACTOR * limit + GUARD_SECONDS
        while True:
            heard = False
            ready = self._poll.poll(1000 * TICK)
            for file, _ in ready:
                if file == self._output:
                    self._drain()
                else:
                    heard = self._complete()
            now = perf_counter()
            tick, before = min(now - before, 2 * TICK), now
            waited += tick
            self._look()
            last, total = total, self._used()
            if not ready and total - last < TICK / 10 and self._asleep():
                self._slept += tick
                total += tick
            if limit is not None and (total - begin > limit or waited > guard):
                raise overrun()
            if heard:
                return total - begin

    def _complete(self) -> bool:
        """Whether what comes in now is all of a message."""
        return True

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):  # a bot may read back what it prints
            data = os.read(self._output, PIPE_BYTES)
            if not data:
                self._poll.unregister(self._output)
            self._keep(data)

    def _keep(self, data: bytes) -> None:
        room = min(self._room, self._limits.output - len(self._kept))
        self._kept += data[:room]
        self._room -= len(data[:room])
        self._dropped += max(0, len(data) - room)

    # --- limits

    def _used(self) -> float:
        """Processor time of the process and all that it has started, and time spent asleep.

        Those that have ended keep what they were seen to have, or what the process was told of it.
        """
        for pid in (self.pid, *self._others):
            self._times[pid] = max(self._times.get(pid, 0.0), processes.processor_time(pid))
        own = self._times[self.pid]
        return max(sum(self._times.values()), own + self._reaped) + self._slept

    def _asleep(self) -> bool:
        return all(map(processes.asleep, (self.pid, *self._others)))

    def _look(self) -> None:
        """See to the limits that need no exact moment, at most once a tick."""
        if perf_counter() < self._look_again:
            return
        self._look_again = perf_counter() + TICK
        self._others = list(processes.below(self.pid))
        self._reaped = max(self._reaped, processes.reaped_time(self.pid))
        every = [self.pid, *self._others]
        most, memory = self._limits.processes, self._limits.memory
        if most is not None and sum(map(processes.threads, every)) > most:
            raise BotFault(Ending.CRASH, f"had more than {most} processes and threads")
        if memory is not None and self._taken(every) > memory:
            raise BotFault(Ending.MEMORY, f"took more than {memory:,} bytes of memory")

    def _taken(self, every: Sequence[int]) -> int:
        """Memory that these processes have beyond what the first had when it began."""
        taken = sum(map(processes.memory, every)) - self._memory
        if len(every) > 1 and taken > (self._limits.memory or 0):
            # Copies of a process have the most in common with it.
            taken = sum(map(processes.share_of_memory, every)) - self._memory
        return taken

    def usage(self) -> Usage:
        """What it and all that it has started use at this moment.

        Processes that have lost the one above them are counted for every bot of the match.
        """
        others = [*processes.below(self.pid), *self._keeper.strays()]
        every = [self.pid, *others]
        return Usage(max(0, self._taken(every)), len(others), sum(map(processes.threads, every)))

    def resume(self) -> None:
        """Its turn begins. What it does between its turns must not cost others theirs."""
        if self._restless:
            self._signal(signal.SIGCONT)
        elif self._rested and self._used() - self._rested > RESTLESS:
            self._restless = True

    def rest(self) -> None:
        """Its turn is over."""
        if self._restless:
            self._signal(signal.SIGSTOP)
        self._rested = self._used()

    def _signal(self, how: signal.Signals) -> None:
        """Send a signal to its group, and to those that its other processes have founded."""
        for each in (self.pid, *self._others):
            processes.signal_group(each, how)

    # --- the end

    def end(self) -> str:
        """Kill it and all that it has started; returns what it printed."""
        if not select.select([self._pidfd], [], [], 0)[0]:  # else its number may be another's
            processes.kill_tree(self.pid)
        os.close(self._pidfd)
        self._keeper.ended(self.pid)
        self._channel.close()
        with contextlib.suppress(BlockingIOError):
            self._keep(os.read(self._output, PIPE_BYTES))
        os.close(self._output)
        printed = self._kept.decode(errors="replace")
        return f"{printed}\n[and {self._dropped} bytes more]" if self._dropped else printed

    def _death(self) -> BotFault:
        """How the process has ended, since it has hung up."""
        status = self._maker.status(self._inner_pid)
        if self._keeper.lost:
            if self._keeper.shared:
                raise DisturbedError
            return BotFault(Ending.CRASH, "ended the process that keeps it")
        if status is None:
            return BotFault(Ending.CRASH, "closed the connection of its process")
        if os.WIFSIGNALED(status):
            name = _signal_name(os.WTERMSIG(status))
            return BotFault(Ending.CRASH, f"its process was ended by {name}")
        code = os.WEXITSTATUS(status)
        return BotFault(Ending.CRASH, f"ended its process with exit code {code}")


class Loaded(Process):
    """The process that has run a bot's module, and makes those of its matches."""

    def __init__(
        self,
        keeper: Keeper,
        source: BotSource,
        params: Mapping[str, Param],
        limits: Limits,
    ) -> None:
        plain = {**asdict(source), "path": str(source.path), "archive": None}
        request = {"do": "load", "source": plain, "params": dict(params)}
        super().__init__(keeper, keeper, request, limits)
        mistake = False
        try:
            self.wait(limits.startup, lambda: too_long(f"the limit of {limits.startup:g} s"))
            message = message_of(self.receive())
            mistake = message.get("mistake") is True
            raise_fault(message)
            # What runs on beside the bot could remember for it; in a sandbox nothing is trusted.
            tied = processes.ties(self.pid) != keeper.ties or any(processes.below(self.pid))
            self.reusable = not (tied or keeper.sandboxed)
        except BotFault as fault:
            raise LoadFault(fault, self.end(), mistake) from None
        self.usable = True

    def request(self, message: host.Message, files: tuple[int, ...]) -> None:
        """Ask for a process; see `_Maker`."""
        processes.kill(self.pid, signal.SIGCONT)  # a bot of a match may have stopped it
        host.send(self._channel, message, files)

    def status(self, pid: int) -> int | None:
        processes.kill(self.pid, signal.SIGCONT)
        return _status(self._channel, pid)

    def end(self) -> str:
        self.usable = False
        return super().end()


class Match(Process):
    """A copy of the process that has loaded the bot, for one match."""

    def __init__(
        self, keeper: Keeper, loaded: Loaded, request: host.Message, limits: Limits
    ) -> None:
        try:
            super().__init__(keeper, loaded, request, limits)
        except _GoneError:
            loaded.end()
            raise
        self._loaded = loaded
        loaded.usable = loaded.reusable
        keeper.began(self.pid)

    def _used(self) -> float:
        # What its module has started computes for this match alone.
        return super()._used() + (0.0 if self._loaded.reusable else self._loaded._used())

    def _signal(self, how: signal.Signals) -> None:
        super()._signal(how)
        if not self._loaded.reusable:
            self._loaded._signal(how)

    def end(self) -> str:
        if not self._loaded.reusable:
            self._loaded.end()
        return super().end()


class Program(Process):
    """A program that speaks in lines."""

    kind = socket.SOCK_STREAM

    def __init__(self, keeper: Keeper, request: host.Message, limits: Limits) -> None:
        super().__init__(keeper, keeper, request, limits)
        self._line = bytearray()
        keeper.began(self.pid)

    def read_line(self, limit: float | None, overrun: Overrun) -> tuple[bytes, float]:
        """A line, and the processor time until it was there."""
        used = 0.0 if b"\n" in self._line else self.wait(limit, overrun)
        data, _, rest = self._line.partition(b"\n")
        self._line = rest
        return bytes(data), used

    def _complete(self) -> bool:
        data = self.receive()
        self._line += data
        if len(self._line) > LINE_BYTES:
            raise BotFault(Ending.ILLEGAL, f"answered a line of more than {LINE_BYTES} bytes")
        return b"\n" in data

    def hang_up(self) -> None:
        """Say that nothing more will come, and give the process a moment to end."""
        deadline = perf_counter() + PARTING_SECONDS
        with contextlib.suppress(OSError):  # it may be gone, what it was told unread
            self._channel.shutdown(socket.SHUT_WR)
            while (rest := deadline - perf_counter()) > 0:
                for file, _ in self._poll.poll(1000 * rest):
                    if file == self._output:
                        self._drain()
                    elif not self._channel.recv(LINE_BYTES):
                        return


class _Maker(Protocol):
    """A process that makes others."""

    def request(self, message: host.Message, files: tuple[int, ...]) -> None:
        """Ask for a process that gets two files: its socket and where it prints.

        OSError if this process is gone.
        """

    def status(self, pid: int) -> int | None:
        """How a process made here has ended; None if it goes on or nothing is known."""


class Keeper:
    """The root of the processes, and who is to live below it."""

    def __init__(
        self, game: Game | None, sandbox: Sequence[str], hash_seed: int, shared: bool
    ) -> None:
        self.shared = shared
        self.sandboxed = bool(sandbox)
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._loaded: dict[str, Loaded | LoadFault] = {}
        self._matches: set[int] = set()
        self._killed: set[int] = set()
        self._usable = True
        _expect_hello(self._channel)
        with theirs, tempfile.TemporaryFile() as errors:
            python = [sys.executable, "-P", "-s", "-m", "arena.host"]
            self._process = subprocess.Popen(
                [*sandbox, *python, str(theirs.fileno()), *([game.name] if game else [])],
                pass_fds=[theirs.fileno()],
                env=_environment(hash_seed),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
            theirs.close()
            try:
                self.pid, _ = _hello(self._channel, KEEPER_SECONDS)
            except OSError:
                self.close()
                errors.seek(0)
                told = errors.read().decode(errors="replace").strip().splitlines()
                reason = told[-1] if told else f"exit code {self._process.returncode}"
                raise InfrastructureError(
                    f"the process that keeps foreign bots does not start: {reason}"
                ) from None
        self.ties = processes.ties(self.pid)
        self._left = self._wipe() if sandbox else None

    @property
    def usable(self) -> bool:
        """Whether it is as it was."""
        return self._usable and not self.lost

    @property
    def lost(self) -> bool:
        """Whether it has ended; a bot may have killed it."""
        return _hung_up(self._channel)

    def close(self) -> None:
        """End it and all below it."""
        self._usable = False
        for loaded in self._loaded.values():
            if isinstance(loaded, Loaded) and loaded.usable:
                loaded.end()
        self._channel.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2.0)
        self._process.kill()
        self._process.wait()

    def request(self, message: host.Message, files: tuple[int, ...] = ()) -> None:
        """Ask for a process; see `_Maker`."""
        processes.kill(self.pid, signal.SIGCONT)  # a bot may have stopped it
        host.send(self._channel, message, files)

    def status(self, pid: int) -> int | None:
        processes.kill(self.pid, signal.SIGCONT)
        return _status(self._channel, pid)

    def loaded(self, source: BotSource, params: Mapping[str, Param], limits: Limits) -> Loaded:
        """The process that has loaded a bot; BotFault if that does not work."""
        key = json.dumps([str(source.path), source.attr, source.digest, params], sort_keys=True)
        known = self._loaded.get(key)
        if known is None or (isinstance(known, Loaded) and not known.usable):
            try:
                known = Loaded(self, source, params, limits)
            except LoadFault as fault:
                known = fault
            self._loaded[key] = known
            if self.sandboxed and not self._matches:
                self._left = self._wipe()  # its kernels may have been compiled
        if isinstance(known, LoadFault):
            raise known.with_traceback(None)
        return known

    def began(self, pid: int) -> None:
        """A process of a match is there."""
        self._matches.add(pid)

    def ended(self, pid: int) -> None:
        """It has been killed. After the last one of a match, remove what they have left behind."""
        self._matches.discard(pid)
        self._killed.add(pid)
        if not self._matches and self.usable:
            self._usable = self._kill_others() and (
                not self.sandboxed or self._wipe() == self._left
            )

    def strays(self) -> set[int]:
        """The processes that belong to no bot's process any more."""
        kept = {k.pid for k in self._loaded.values() if isinstance(k, Loaded)} | self._matches
        owned = {pid for match in self._matches for pid in processes.below(match)}
        return set(processes.below(self.pid)) - kept - owned - self._killed

    def _kill_others(self) -> bool:
        """Kill all that is not to last; False if there is no end to them."""
        known = {k.pid for k in self._loaded.values() if isinstance(k, Loaded) and k.usable}
        self._killed = set()
        for _ in range(ROUNDS):
            found = set(processes.below(self.pid)) - known
            if not found:
                return True
            for each in found:
                processes.kill(each)
            known |= found
            self._killed |= found
        return False

    def _wipe(self) -> object:
        """Empty the folders that bots can write to; returns what tells whether that worked."""
        return _asked(self._channel, {"do": "wipe"}).get("left")


# --- what a bot's process tells -----------------------------------------------------------------


def message_of(data: bytes) -> dict[str, Any]:
    """What a bot's process tells. The bot may have written it itself."""
    try:
        return dict(json.loads(data))
    except (RecursionError, TypeError, ValueError):
        raise BotFault(Ending.CRASH, "wrote to the connection of its process") from None


def raise_fault(message: Mapping[str, Any]) -> None:
    """Raise what a message says that the bot did wrong, if it says so."""
    if "ending" in message:
        try:
            ending = Ending(message["ending"])
            fault = BotFault(
                ending, line(message["detail"], MOST_CHARS), text(message["traceback"])
            )
        except (KeyError, TypeError, ValueError):
            ending = Ending.FINISHED
        if not ending.forfeit:
            fault = BotFault(Ending.CRASH, "wrote to the connection of its process")
        raise fault


# --- what the system tells ----------------------------------------------------------------------


def _expect_hello(channel: socket.socket) -> None:
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)


def _hello(channel: socket.socket, seconds: float) -> tuple[int, int]:
    """The id of the process at the other end, for us and for itself; OSError if there is none.

    The first comes from the kernel, which translates it for us where the process is in a sandbox.
    """
    if not _speaks(channel, seconds):
        raise TimeoutError(f"no sign of life within {seconds:g} s")
    data, ancillary, _, _ = channel.recvmsg(host.HELLO_BYTES, socket.CMSG_SPACE(_CREDENTIALS.size))
    if not data.isdigit():
        raise ConnectionError("no sign of life, or a wrong one")
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
    pid, _, _ = _CREDENTIALS.unpack(ancillary[0][2])
    return pid, int(data)


def _speaks(channel: socket.socket, seconds: float) -> bool:
    """Whether anything comes within that time, which stands still while the machine does."""
    return any(select.select([channel], [], [], TICK)[0] for _ in range(int(seconds / TICK)))


def _hung_up(channel: socket.socket) -> bool:
    """Whether nobody has the other end any more."""
    poll = select.poll()
    poll.register(channel, 0)
    return bool(poll.poll(0))


def _asked(channel: socket.socket, question: host.Message) -> dict[str, Any]:
    """What a process that makes others replies; nothing if that makes no sense."""
    try:
        host.send(channel, question)
        if not _speaks(channel, START_SECONDS):
            return {}
        return dict(json.loads(channel.recv(host.MESSAGE_BYTES)))
    except (OSError, RecursionError, TypeError, ValueError):
        return {}


def _status(channel: socket.socket, pid: int) -> int | None:
    """The wait status of a process, from the one that made it."""
    status = _asked(channel, {"do": "tell", "pid": pid}).get("status")
    return status if isinstance(status, int) and 0 <= status < 1 << 16 else None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# --- what bots find around them -----------------------------------------------------------------

_PASSED_ON = ("ARENA_CACHE_DIR", "HOME", "LANG", "LC_ALL", "NUMBA_DISABLE_JIT", "PATH", "TZ")
_SINGLE = ("MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def _environment(hash_seed: int) -> dict[str, str]:
    """Nothing but what a bot needs; libraries that would use all cores are told to use one."""
    return {
        **{name: os.environ[name] for name in _PASSED_ON if name in os.environ},
        **dict.fromkeys(_SINGLE, "1"),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
