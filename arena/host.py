"""The processes in which foreign bots live, from the inside; their master is `arena.bot_process`.

    keeper       has arena and the game in memory, starts all others, never runs a bot's code
    └─ loaded    one for each bot: has run the bot's module, and waits
       └─ match  one for each seat of each match: builds the bot, answers, is killed

All are forks of one another, so that a match begins within milliseconds, and what a bot leaves
behind in memory dies with its match. Nothing here enforces a limit that a bot could lift: that is
done from outside. Processes whose parent has ended fall to the process of the match, or else to the
keeper, where they are found.

Messages are JSON objects on sockets that keep them apart; only a turn and its answer are binary.
Every new process first sends its process id; the kernel tells the master the one that it knows.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import resource
import select
import signal
import socket
import stat
import struct
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from arena import kernel, registry
from arena.core import Ending, Limits, Turn, View
from arena.errors import ArenaError
from arena.player import BotFault, InProcess, crash, told
from arena.registry import BotSource

if TYPE_CHECKING:
    from arena.game import Game

MESSAGE_BYTES = 1 << 18
"""no message is longer"""
HELLO_BYTES = 10
CLOCK = struct.Struct("<d")
"""end of a turn: the view's bytes, the legal moves as 4-byte numbers, the clock; NaN for none"""
ANSWER = struct.Struct("<cq")
"""an answer: `MOVE` and the action; anything else is JSON"""
MOVE = b"\0"
LEGAL = np.dtype("<i4")

Message = Mapping[str, Any]


def send(channel: socket.socket, message: Message, files: tuple[int, ...] = ()) -> None:
    """Send a message, and open files with it."""
    data = json.dumps(message).encode()
    if files:
        socket.send_fds(channel, [data], files)
    else:
        channel.send(data)


# --- the keeper ---------------------------------------------------------------------------------


def keep(channel: socket.socket, game: Game | None) -> None:
    """Serve requests to load a bot or to start a program, until the master hangs up.

    Without a game, bots are loaded to see whether that works, and cannot play.
    """
    _adopt_orphans()
    _when_parent_ends(signal.SIGCONT)  # to see it, even if a bot has stopped this process
    if game:
        warm_up(game)
        gc.collect()
        gc.freeze()
    _say_hello(channel)
    while request := _request(channel):
        message, files = request
        if message["do"] == "tell":
            send(channel, {"status": _status(message["pid"])})
        elif message["do"] == "wipe":
            send(channel, {"left": _wipe()})
        elif not os.fork():
            channel.close()
            _begin(files)
            if message["do"] == "load":
                _load(socket.socket(fileno=files[0]), game, message)
            else:
                _become_program(files[0], message)
        for file in files:
            os.close(file)
    _end_all()


def _begin(files: list[int]) -> None:
    """What every process does that is to run a bot's code, printing into the second file."""
    for file in files:
        os.set_inheritable(file, False)
    os.setsid()
    _when_parent_ends(signal.SIGKILL)
    _adopt_orphans()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(files[1], 1)
    os.dup2(files[1], 2)
    os.close(files[1])


def _end_all() -> None:
    """Kill all that this process has started or adopted, generation after generation."""
    while children := Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        os.waitpid(-1, 0)


def _wipe() -> list[int]:
    """Empty the folders of a sandbox that can be written; returns numbers that tell what is left.

    They change if the cache of kernels was written to, or if memory or queues outlive their
    processes. What cannot be removed ends the keeper, and with it the sandbox.
    """
    left = [_empty(place, place.stat().st_dev) for place in (Path("/tmp"), Path("/dev/shm"))]
    cache = os.statvfs(kernel.cache_root())
    queues = [len(each.read_bytes()) for each in Path("/proc/sysvipc").iterdir()]
    return [*left, cache.f_bfree, cache.f_ffree, *queues]


def _empty(folder: Path, device: int) -> int:
    """Remove what a folder holds on its own file system; returns how many others stay in it."""
    others = 0
    for entry in folder.iterdir():
        status = entry.lstat()
        if status.st_dev != device:
            others += 1
        elif not stat.S_ISDIR(status.st_mode):
            entry.unlink()
        elif inner := _empty(entry, device):
            others += inner
        else:
            entry.rmdir()
    return others


def _say_hello(channel: socket.socket) -> None:
    channel.send(str(os.getpid()).zfill(HELLO_BYTES).encode())


def _adopt_orphans() -> None:
    set_child_subreaper = 36
    _libc.prctl(set_child_subreaper, 1, 0, 0, 0)


def _when_parent_ends(how: signal.Signals) -> None:
    set_parent_death_signal = 1
    _libc.prctl(set_parent_death_signal, how, 0, 0, 0)


_libc = ctypes.CDLL(None)


def warm_up(game: Game) -> None:
    """Compile every kernel that a bot may call, or load it, once for all bots."""
    state = game.initial()
    seat = int(state["seat"][0])
    view = game.observe(state, seat)
    world = game.sample(view, seat, 1)
    game.apply(world, game.legal(world)[0])
    game.ranks(state), game.scores(state), game.show_view(view, seat)


_statuses: dict[int, int] = {}
"""wait status of children that have ended, by process id"""


def _request(channel: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next message and the files that came with it; reaps children meanwhile."""
    while not select.select([channel], [], [], 1.0)[0]:
        _reap()
    data, files, _, _ = socket.recv_fds(channel, MESSAGE_BYTES, 4)
    _reap()
    return (json.loads(data), files) if data else None


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            _statuses[ended[0]] = ended[1]
            if len(_statuses) > 100:
                del _statuses[next(iter(_statuses))]


def _status(pid: int) -> int | None:
    """How a child has ended; None if it goes on."""
    for _ in range(100):
        _reap()
        if pid in _statuses:
            return _statuses[pid]
        time.sleep(0.005)
    return None


# --- a process that has loaded a bot ------------------------------------------------------------


def _load(channel: socket.socket, game: Game | None, request: Message) -> NoReturn:
    """Run the bot's module, say what came of it, and make a process for each match."""
    _say_hello(channel)
    source = BotSource(**{**request["source"], "path": Path(request["source"]["path"])})
    if source.kind in ("file", "folder"):
        os.chdir(source.path.parent)
    _confine(request)
    try:
        factory = registry.load_bot(source)
        registry.check_params(factory, request["params"])
        if game and hasattr(factory, "compile"):
            factory.compile(game)
        send(channel, {"loaded": True})
    except BaseException as error:
        mistake = isinstance(error, ArenaError) and error.__cause__ is None
        fault = BotFault(Ending.CRASH, str(error)) if mistake else _failed(error, source)
        _send_fault(channel, fault, mistake=mistake)
    gc.collect()
    gc.freeze()
    while game and (received := _request(channel)):
        message, files = received
        if message["do"] == "tell":
            send(channel, {"status": _status(message["pid"])})
        elif not os.fork():
            channel.close()
            _begin(files)
            match = socket.socket(fileno=files[0])
            _play(match, game, partial(factory, game, message["seat"], message["seed"]), message)
        for file in files:
            os.close(file)
    os._exit(0)


def _failed(error: BaseException, source: BotSource) -> BotFault:
    """What becomes of a bot whose module cannot be run, with a traceback from its own code on."""
    error = error.__cause__ or error
    trace = error.__traceback__
    while trace and (below := trace.tb_next):
        if Path(below.tb_frame.f_code.co_filename).is_relative_to(source.path.parent):
            break
        trace = below
    fault = crash(error.with_traceback(trace))
    fault.detail = f"its code fails to load: {told(error)[0]}"
    return fault


def _confine(limits: Message) -> None:
    """What the kernel sees to in this process and its children."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory := limits["memory"]:
        pages = int(Path("/proc/self/statm").read_text().split()[5])
        size = memory + pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))
        resource.setrlimit(resource.RLIMIT_FSIZE, (memory, memory))


# --- a match ------------------------------------------------------------------------------------


def _play(channel: socket.socket, game: Game, build: Any, request: Message) -> NoReturn:
    """Build the bot and answer turns until the master hangs up, or rather kills this process."""
    _say_hello(channel)
    bot = InProcess(partial(build, **request["params"]), Limits())
    try:
        bot.start()
        _flush()
        send(channel, {"ready": True})
        while data := channel.recv(MESSAGE_BYTES):
            action = bot.answer(_turn(bytearray(data), game.view_dtype, request["seat"]))
            _flush()
            channel.send(ANSWER.pack(MOVE, action))
    except BotFault as fault:
        _flush()
        _send_fault(channel, fault)
    os._exit(0)


def _send_fault(channel: socket.socket, fault: BotFault, **more: bool) -> None:
    told = {"ending": fault.ending, "detail": fault.detail, "traceback": fault.traceback}
    send(channel, {**told, **more})


def _turn(data: bytearray, view_dtype: np.dtype[Any], seat: int) -> Turn:
    size = view_dtype.itemsize
    view = View(np.frombuffer(data, view_dtype, 1))
    legal = np.frombuffer(data, LEGAL, (len(data) - size - CLOCK.size) // LEGAL.itemsize, size)
    (clock,) = CLOCK.unpack_from(data, len(data) - CLOCK.size)
    return Turn(view, seat, tuple(legal.tolist()), None if clock != clock else clock)


def _flush() -> None:
    # Whatever a bot has made of these streams.
    with contextlib.suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()


def _become_program(channel: int, request: Message) -> NoReturn:
    """Turn into a program that speaks JSON lines on its standard input and output."""
    os.write(channel, str(os.getpid()).zfill(HELLO_BYTES).encode())
    try:
        os.chdir(request["folder"])
        _confine(request)
        os.dup2(channel, 0)
        os.dup2(channel, 1)
        os.execvp(request["command"][0], request["command"])
    except OSError as error:
        os.write(channel, json.dumps({"type": "failed", "error": error.strerror}).encode() + b"\n")
        while os.read(channel, MESSAGE_BYTES):  # closed while there is something to be read, it
            pass  # would not deliver what has been written
        os._exit(127)


def main() -> None:
    """`python -m arena.host FILE [GAME]`: keep bots for whoever has the other end of FILE."""
    _, file, *name = sys.argv
    keep(socket.socket(fileno=int(file)), registry.game(name[0]) if name else None)


if __name__ == "__main__":
    main()
