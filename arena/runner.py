"""Plays the matches of a run, in this process or on many with Ray.

Matches go out in batches of about a second: numbers in the schedule on the way there, packed
results on the way back. What a match is follows from its number, so neither the number of workers
nor the order in which they finish shows in the results.

**Three kinds of failure.** What a bot does wrong is a result (see `arena.match`). A worker process
that dies, whatever the reason, is a failure of the machine: another one is started and plays its
matches again, and no bot is charged. Since a bot may be the reason after all, a batch that goes on
ending its workers is halved until one match is left, which is then named by InfrastructureError.
Everything else is a mistake of ours and stops the run. Ray itself never retries anything.

**Signals.** After Ctrl-C (or SIGTERM) nothing new is begun and what is finished is handed over;
a second one stops at once.
"""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import re
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from arena import kernel, match, registry
from arena.core import Action, Isolation, Limits, MatchResult, MatchSpec, Turn
from arena.errors import ArenaError, BotLoadError, InfrastructureError, Interrupted
from arena.game import Game
from arena.isolation import Hosts
from arena.player import Contestant, Entry
from arena.registry import BotSource, Param
from arena.store import versions

BATCH_SECONDS = 1.0
"""how long a worker plays before it hands over what it has"""
IN_FLIGHT = 2
"""batches that a worker has at most, the one it plays included"""
RAY_START_SECONDS = 8.0
"""what it takes until Ray plays the first match"""
GRACE_SECONDS = 3.0
"""how long an interrupted run waits for the batches being played"""
DEATHS = 3
"""after so many dead workers a match, or the start of a worker, is given up"""

_ENVIRONMENT = {"PYTHONHASHSEED": "0"}
"""of workers, as of the command line: bots that go through sets of texts play alike everywhere"""

B = TypeVar("B")
Tell = Callable[[str], None]
Withdrawn = Callable[[], npt.NDArray[np.int64] | None]


@dataclass(frozen=True, slots=True)
class Contender:
    """A bot of the run, as data that can travel."""

    name: str
    source: BotSource
    params: Mapping[str, Param] = field(default_factory=dict)
    isolation: Isolation = Isolation.TRUSTED


@dataclass(frozen=True, slots=True)
class Job(Generic[B]):
    """All that a process needs to play any match of the run."""

    matches: Sequence[MatchSpec]
    """the schedule"""
    contenders: tuple[Contender, ...]
    limits: Limits
    pack: Callable[[Sequence[MatchResult]], B]
    """what to hand over for the results of a batch; runs where they were played"""
    explain: bool = False
    """whether bots are asked for their reasons"""


def run(
    job: Job[B],
    done: npt.NDArray[np.bool_],
    *,
    workers: int | None = None,
    local: bool = False,
    address: str | None = None,
    tell: Tell = lambda text: None,
    withdrawn: Withdrawn = lambda: None,
) -> Iterator[list[B]]:
    """Play all matches that are not `done`, an array over their numbers; yield packed batches.

    With `local` they are played in this process, with `workers` by so many Ray workers, with
    `address` on the cluster there. Without any of these they are played here, a second at a time,
    until Ray would save more time with the rest than it takes to start. `tell` gets lines about the
    progress of the set-up and about workers lost. `withdrawn`, asked after every delivery, names
    matches that are not to be played any more; those that are under way are still delivered.

    Raises Interrupted, with the signal's number, when a signal kept matches from being played;
    InfrastructureError when workers cannot be had or a match cannot be played.
    """
    work = _Work(done)
    if not work.left:
        return
    cluster = address or os.environ.get("RAY_ADDRESS")
    with _Signals() as signals:
        with contextlib.closing(_Player(job)) as player:
            if local or not (workers or address):
                cores = None if cluster else _cores()
                leave = (lambda: False) if local else partial(_ray_pays, work, cores)
                yield from _play_here(player, work, signals, leave, withdrawn)
        if work.left and not signals.stop:
            yield from _play_on_ray(job, work, workers, cluster, signals, tell, withdrawn)
        if work.left:
            raise Interrupted(signals.stop)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _ray_pays(work: _Work, cores: int | None) -> bool:
    """Whether the rest is finished sooner on so many cores, or on a cluster, than here."""
    saved = 1 - 1 / cores if cores else 1
    return work.left * work.pace * saved > RAY_START_SECONDS


# --- what is to be played ---------------------------------------------------------------------


@dataclass(slots=True)
class _Batch:
    """Matches that go to a worker together, and how many workers have died of it."""

    numbers: Sequence[int]
    deaths: int = 0


class _Work:
    """The matches still to be played.

    `left` counts those whose results have not been handed over; `pace` is the time a match takes,
    in seconds, by the latest batches.
    """

    def __init__(self, done: npt.NDArray[np.bool_]) -> None:
        self._done = done.copy()
        self._next = 0
        self._again: list[_Batch] = []
        self._size = 1
        self.left = int(np.count_nonzero(~done))
        self._waiting = self.left
        self._matches = self._seconds = 0.0

    @property
    def pace(self) -> float:
        return self._seconds / self._matches if self._matches else 0.0

    def take(
        self, workers: int, seconds: float = BATCH_SECONDS, *, idle: bool = True
    ) -> _Batch | None:
        """A batch for one of so many workers, or None: all matches have been handed out.

        None too if workers have died of the next batch and this one is not `idle`, but has others.
        """
        if self._again:
            if self._again[-1].deaths and not idle:
                return None
            batch = self._again.pop()
        elif self._waiting:
            # What a worker does not manage in time comes back, so rather too much than too little;
            # but near the end there has to be something for everybody.
            wanted = 1.2 * seconds / self.pace if self.pace else 1
            share = -(-self._waiting // (2 * workers)) if workers > 1 else self._waiting
            batch = _Batch(self._unplayed(max(1, int(min(wanted, share, 2 * self._size)))))
        else:
            return None
        self._waiting -= len(batch.numbers)
        return batch

    def _unplayed(self, count: int) -> Sequence[int]:
        numbers: list[int] = []
        while len(numbers) < count:
            end = self._next + max(count, 4096)
            found = np.flatnonzero(~self._done[self._next : end]) + self._next
            chosen = found[: count - len(numbers)].tolist()
            self._next = chosen[-1] + 1 if len(chosen) < len(found) else end
            numbers += chosen
        whole = range(numbers[0], numbers[-1] + 1)
        return whole if len(whole) == len(numbers) else numbers

    def finish(self, batch: _Batch, played: int, seconds: float) -> None:
        """The first `played` matches of a batch took so long; the others have to be played yet."""
        self.left -= played
        self._size = max(self._size, played)
        self._matches = 0.8 * self._matches + played
        self._seconds = 0.8 * self._seconds + seconds
        if played < len(batch.numbers):
            self.give_back(replace(batch, numbers=batch.numbers[played:]))

    def withdraw(self, numbers: npt.NDArray[np.int64] | None) -> None:
        """Do not hand out these matches any more."""
        if numbers is not None:
            rest = numbers[(numbers >= self._next) & ~self._done[numbers]]
            self._done[rest] = True
            self.left -= len(rest)
            self._waiting -= len(rest)

    def give_back(self, batch: _Batch) -> None:
        """To be handed out again."""
        self._again.append(batch)
        self._waiting += len(batch.numbers)


# --- playing in one process -------------------------------------------------------------------


class _Player(Generic[B]):
    """Plays matches of a job in this process. The constructor loads the bots and compiles."""

    def __init__(self, job: Job[B]) -> None:
        self._job = job
        self._game = registry.game(job.matches[0].game)
        self._trusted = {
            c.name: Entry(
                c.name,
                registry.load_bot(c.source),
                c.params,
                sees_state=c.source.kind == "shipped" and c.source.ref == registry.ORACLE,
            )
            for c in job.contenders
            if c.isolation is Isolation.TRUSTED
        }
        self._hosts = {mode: Hosts(self._game, mode) for mode in Isolation}
        self._contestants: dict[str, Contestant] = {
            **self._trusted,
            **{
                c.name: self._hosts[c.isolation].guest(c.source, c.params)
                for c in job.contenders
                if c.isolation is not Isolation.TRUSTED
            },
        }
        for name, step in self._kernels().items():
            kernel.compile_once(name, [step])

    def play(
        self, numbers: Iterable[int], seconds: float, signals: _Signals | None = None
    ) -> tuple[B, int, float]:
        """Play one match at least, and go on for `seconds`; what was played, how many, how long."""
        began = perf_counter()
        results = []
        for number in numbers:
            spec = self._job.matches[number]
            contestants = [self._contestants[name] for name in spec.bots]
            results.append(
                match.play(self._game, spec, contestants, self._job.limits, self._job.explain)
            )
            if perf_counter() - began > seconds or (signals and signals.stop):
                break
        packed = self._job.pack(results)
        return packed, len(results), perf_counter() - began

    def close(self) -> None:
        """End the processes of foreign bots."""
        for hosts in self._hosts.values():
            hosts.close()

    def _kernels(self) -> dict[str, Callable[[], None]]:
        """Steps after which no kernel is compiled or loaded while a bot's clock is running."""
        name = self._game.name
        steps = {name: self._play_first_match}
        for contender in self._job.contenders:
            if contender.name not in self._trusted:
                continue
            factory = self._trusted[contender.name].factory
            if hasattr(factory, "compile"):
                source = contender.source
                step = partial(self._compile, source.ref, factory.compile)
                steps[f"{name}-{source.digest}-{source.attr}"] = step
        return steps

    def _compile(self, ref: str, compile: Callable[[Game], object]) -> None:
        try:
            compile(self._game)
        except Exception as error:
            raise BotLoadError(f"bot {ref!r}: compile(game) raises {error!r}") from error

    def _play_first_match(self) -> None:
        spec = self._job.matches[0]
        entries = [Entry("first", _First, {})] * spec.players
        match.play(self._game, spec, entries, Limits())


class _First:
    """A bot that plays the first legal move, for trying out a game."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        pass

    def act(self, turn: Turn) -> Action:
        return turn.legal[0]


def _play_here(
    player: _Player[B],
    work: _Work,
    signals: _Signals,
    leave: Callable[[], bool],
    withdrawn: Withdrawn,
) -> Iterator[list[B]]:
    """Play in this process all there is, or until `leave`, which is asked once a second."""
    asked = perf_counter()
    while not signals.stop:
        rest = BATCH_SECONDS - (perf_counter() - asked)
        if rest <= 0:
            if leave():
                return
            asked, rest = perf_counter(), BATCH_SECONDS
        batch = work.take(workers=1, seconds=rest)
        if batch is None:
            return
        packed, played, seconds = player.play(batch.numbers, rest, signals)
        work.finish(batch, played, seconds)
        yield [packed]
        work.withdraw(withdrawn())


class _Signals:
    """While entered, the first SIGINT or SIGTERM sets `stop` to its number.

    The second one sets `at_once`, and raises Interrupted unless `polled`.
    """

    def __init__(self) -> None:
        self.stop = 0
        self.at_once = False
        self.polled = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Signals:
        self.install()
        return self

    def __exit__(self, *error: object) -> None:
        self._restore()

    def install(self) -> None:
        """Take the signals over; again after somebody else has done so."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                before = signal.signal(number, self._receive)
                self._before.setdefault(number, before)

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if not self.stop:
            self.stop = number
            return
        self.at_once = True
        if not self.polled:
            raise Interrupted(number)


# --- playing on Ray ---------------------------------------------------------------------------


class _Worker:
    """A Ray actor: plays batches of one job in a process of its own."""

    def prepare(
        self, job: Job[Any], parcels: Sequence[Parcel], expected: Mapping[str, str]
    ) -> None:
        """Load the bots and the compiled kernels; InfrastructureError if the code is not ours."""
        differing = [(k, v, expected[k]) for k, v in versions().items() if v != expected[k]]
        if differing:
            found = ", ".join(f"{name} {there} (here {here})" for name, there, here in differing)
            raise InfrastructureError(
                f"node {platform.node()} has {found}; install the same on all nodes"
            )
        contenders = tuple(map(_unpack, job.contenders, parcels))
        self._player = _Player(replace(job, contenders=contenders))

    def play(self, numbers: Sequence[int], seconds: float) -> tuple[Any, int, float]:
        """As `_Player.play`."""
        return self._player.play(numbers, seconds)


def _play_on_ray(
    job: Job[B],
    work: _Work,
    workers: int | None,
    address: str | None,
    signals: _Signals,
    tell: Tell,
    withdrawn: Withdrawn,
) -> Iterator[list[B]]:
    with _ray(workers, address, tell) as (ray, environment):
        signals.install()  # Ray has a handler of its own, and loses what a handler raises
        signals.polled = True
        size = workers or int(ray.cluster_resources()["CPU"])
        crew: _Crew[B] = _Crew(ray, environment, size, job, work, tell)
        try:
            deadline: float | None = None
            while work.left:
                if signals.stop and deadline is None:
                    tell("interrupted; finishing what is being played, once more to stop at once")
                    deadline = perf_counter() + GRACE_SECONDS
                if deadline is None:
                    crew.feed()
                elif signals.at_once or crew.idle or perf_counter() > deadline:
                    return
                if packed := crew.collect():
                    yield packed
                    work.withdraw(withdrawn())
        finally:
            crew.dismiss()


@contextlib.contextmanager
def _ray(
    workers: int | None, address: str | None, tell: Tell
) -> Iterator[tuple[Any, dict[str, str]]]:
    """Ray: started, connected to a cluster, or found running and left so.

    Yields the module and the environment variables that workers have to be given.
    """
    if address:
        _try_to_reach(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    if ray.is_initialized():
        yield ray, _ENVIRONMENT
        return
    # Whatever its settings, Ray writes about lost workers to stdout, which is for data.
    internals = ray._private.worker
    prints = internals.print_to_stdstream
    internals.print_to_stdstream = lambda *data, **how: None
    try:
        _start_ray(ray, workers, address, tell)
        # Workers that inherit their environment start seconds faster than those that are given it.
        yield ray, _ENVIRONMENT if address else {}
    finally:
        ray.shutdown()
        internals.print_to_stdstream = prints


def _try_to_reach(address: str) -> None:
    # Ray itself tries for minutes.
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host, int(port)), timeout=10).close()
        except OSError as error:
            raise InfrastructureError(f"no Ray cluster answers at {address}: {error}") from error


def _start_ray(ray: Any, workers: int | None, address: str | None, tell: Tell) -> None:
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    count = workers or _cores()
    try:
        if address:
            tell(f"connecting to Ray at {address}")
            ray.init(address=address, **quiet)
        else:
            tell(f"starting Ray with {count} worker{'s' if count > 1 else ''}")
            with _inherited(_ENVIRONMENT):
                ray.init(address="local", num_cpus=count, include_dashboard=False, **quiet)
    except (OSError, RuntimeError, ValueError) as error:
        what = f"connect to {address}" if address else "start"
        # The first cause ends in what helps, such as Ray's advice on its access tokens.
        lines = str(error.__cause__ or error).strip().splitlines()
        raise InfrastructureError(f"Ray cannot {what}: {lines[-1]}") from error


@contextlib.contextmanager
def _inherited(environment: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        yield
    finally:
        for name in environment.keys() - before.keys():
            del os.environ[name]
        os.environ.update({name: before[name] for name in environment.keys() & before.keys()})


@dataclass(eq=False, slots=True)
class _Member:
    """A worker as the driver sees it: its tasks in the order in which it does them."""

    actor: Any
    tasks: dict[Any, _Batch | None] = field(default_factory=dict)
    """reference to the result → batch, None for the preparation"""

    @property
    def ready(self) -> bool:
        """Whether it may be given a batch.

        What a worker has done is not heard of if the next task ends it at once. So nothing is to
        follow its preparation, nor a batch that is suspected of ending workers.
        """
        return all(batch and not batch.deaths for batch in self.tasks.values())


class _Crew(Generic[B]):
    """The workers of a run. Each has a few batches in flight; the dead are replaced."""

    def __init__(
        self,
        ray: Any,
        environment: Mapping[str, str],
        size: int,
        job: Job[B],
        work: _Work,
        tell: Tell,
    ) -> None:
        self._ray = ray
        self._work = work
        self._tell = tell
        self._job = job
        parcels = tuple(map(_parcel, job.contenders))
        self._luggage = [ray.put(job), ray.put(parcels), versions()]
        self._actor = ray.remote(
            num_cpus=1,
            max_restarts=0,
            max_task_retries=0,
            runtime_env={"env_vars": dict(environment)} if environment else None,
        )(_Worker)
        self._failed_starts = 0
        self._members = [self._hire() for _ in range(size)]

    def _hire(self) -> _Member:
        member = _Member(self._actor.remote())
        member.tasks[member.actor.prepare.remote(*self._luggage)] = None
        return member

    @property
    def idle(self) -> bool:
        return not any(batch for member in self._members for batch in member.tasks.values())

    def feed(self) -> None:
        """Give every worker that is prepared something to do, as far as there is anything."""
        for depth in range(1, IN_FLIGHT + 1):
            for member in self._members:
                if len(member.tasks) < depth and member.ready:
                    idle = not member.tasks
                    if batch := self._work.take(len(self._members), idle=idle):
                        task = member.actor.play.remote(batch.numbers, BATCH_SECONDS)
                        member.tasks[task] = batch

    def collect(self, seconds: float = 0.2) -> list[B]:
        """The batches that are finished, after waiting for one for some time."""
        tasks = [task for member in self._members for task in member.tasks]
        ready, _ = self._ray.wait(tasks, num_returns=1, timeout=seconds)
        if ready:
            ready, _ = self._ray.wait(tasks, num_returns=len(tasks), timeout=0)
        done = set(ready)
        packed: list[B] = []
        for member in list(self._members):
            while (task := next(iter(member.tasks), None)) in done:
                try:
                    answer = self._ray.get(task)
                except self._ray.exceptions.RayTaskError as error:
                    raise _told(error) from None
                except self._ray.exceptions.RayError as error:
                    self._replace(member, error)
                    break
                packed += self._accept(member, task, answer)
        return packed

    def _accept(self, member: _Member, task: Any, answer: Any) -> list[B]:
        batch = member.tasks.pop(task)
        if batch is None:
            self._failed_starts = 0
            return []
        packed, played, seconds = answer
        self._work.finish(batch, played, seconds)
        return [packed]

    def _replace(self, member: _Member, error: Exception) -> None:
        """A worker is lost: its first task is suspected, all are done again by another worker."""
        reason = _reason(error)
        self._ray.kill(member.actor)
        suspect, *others = member.tasks.values()
        if suspect is None:
            self._failed_starts += 1
            if self._failed_starts >= DEATHS:
                raise InfrastructureError(f"workers die while they start: {reason}")
        for batch in others:
            if batch is not None:
                self._work.give_back(batch)
        if suspect is not None:
            suspect.deaths += 1
            self._judge(suspect, reason)
        self._tell(f"a worker was lost, its matches are played again: {reason}")
        self._members[self._members.index(member)] = self._hire()

    def _judge(self, batch: _Batch, reason: str) -> None:
        count = len(batch.numbers)
        if count > 1 and batch.deaths == DEATHS - 1:
            half = count // 2
            for numbers in (batch.numbers[half:], batch.numbers[:half]):
                self._work.give_back(_Batch(numbers, deaths=DEATHS - 2))
        elif batch.deaths < DEATHS:
            self._work.give_back(batch)
        else:
            spec = self._job.matches[batch.numbers[0]]
            raise InfrastructureError(
                f"match {spec.id} (number {spec.number}, {' | '.join(spec.bots)}) ended its worker "
                f"{batch.deaths} times and is not rated; which bot did it, if one did, shows when "
                f"it is played alone. The last time: {reason}"
            )

    def dismiss(self) -> None:
        """End all workers."""
        for member in self._members:
            self._ray.kill(member.actor)


def _reason(error: Exception) -> str:
    """Why a worker was lost, without the guesses that Ray adds."""
    text = " ".join(str(error).split())
    detail = re.search(r"Worker exit detail: (.+?)(?= There are | Some common |$)", text)
    return detail[1] if detail else text


def _told(error: Any) -> BaseException:
    """What to raise for an exception in a worker: a message of ours as it is, else all of it."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, ArenaError) else error


# --- bots on their way to other computers -----------------------------------------------------

Parcel = Mapping[str, bytes]
"""A bot's files by their path relative to the folder of the bot's own file."""


def _parcel(contender: Contender) -> Parcel:
    if contender.source.kind in ("shipped", "module", "program"):
        return {}
    return registry.read_files(contender.source)


def _unpack(contender: Contender, parcel: Parcel) -> Contender:
    """The bot as it is found on this computer, if need be after writing its files.

    Raises InfrastructureError for a module that is not installed here, or not in the same version.
    """
    source = contender.source
    with contextlib.suppress(ArenaError):
        found = registry.find_bot(source.ref)
        if found.digest == source.digest:
            return replace(contender, source=found)
    if not parcel:
        raise InfrastructureError(
            f"bot {source.ref!r} is not on node {platform.node()} as it is here; install the "
            f"same version on all nodes"
        )
    folder = Path(tempfile.gettempdir()) / f"arena-bots-{os.getuid()}" / source.digest
    if not folder.exists():
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=folder.parent))
        for name, content in parcel.items():
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            (draft / name).write_bytes(content)
        with contextlib.suppress(OSError):  # another worker was faster
            draft.rename(folder)
    return replace(contender, source=replace(source, path=folder / source.path.name))
