"""Rules and searches that are written as plain Python and run compiled.

A **record** is one structured value with named fields of fixed size: a state of a game, or a view
of it. Kernels take records and change them in place; a record lives in an array of shape `(1,)`,
which is what crosses the border between Python and compiled code.

`@kernel` compiles a function (`numba.njit`, released GIL, disk cache). With `NUMBA_DISABLE_JIT=1`
the same functions run in the interpreter, for debugging and for the parity tests.

The **verbs** below (`deal`, `legal`, `apply`, …) are generic: `register` ties a game's own kernels
to the dtypes of its state and view, and a kernel that calls a verb is specialised by the compiler
for each game it is called with. That is how one search serves every game at full speed.

**Disk cache.** Numba watches only the file that holds a function, not the functions it calls, so
compiled code could outlive its source. Here machine code is kept in a folder whose name is a hash
over all that it was made from: the files of the kernels that the function reaches and of the games
whose records it takes, and the constants that they name. Any change leads to another folder. They
lie in the user's cache directory, or where `ARENA_CACHE_DIR` says.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import hashlib
import inspect
import os
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
import numpy.typing as npt
from filelock import FileLock
from numba.core.caching import FunctionCache, NullCache
from numba.extending import overload
from numba.np.numpy_support import from_dtype
from platformdirs import user_cache_path

Record = Any
Field = tuple[str, str] | tuple[str, str, tuple[int, ...]]
Array = npt.NDArray[Any]
F = TypeVar("F", bound=Callable[..., Any])

COMPILED = not numba.config.DISABLE_JIT

RUNNING, FINISHED, CAPPED = 0, 1, 2
"""Values of a record's field `over`."""

HEADER: tuple[Field, ...] = (
    ("players", "i1"),
    ("seat", "i1"),
    ("phase", "i1"),
    ("over", "i1"),
    ("turn", "i4"),
)
"""Begins every record: number of seats; seat to move (-1 when over); the game's own phase number;
RUNNING, FINISHED or CAPPED; finished turns. A state has the random word `rng` before it."""


# --- compiling and caching -------------------------------------------------------------------


def kernel(function: F) -> F:
    """Compile `function` on its first call; keep the machine code on disk."""
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    if COMPILED:
        _content(Path(inspect.getfile(function)))  # as imported, should the file be edited later
        compiled._cache = _DiskCache(function)
    return compiled


class _DiskCache:
    """A kernel's compiled specialisations, each in a folder that belongs to its sources.

    Takes the place of the cache that `njit(cache=True)` would give a dispatcher, with its methods.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.cache_path = str(cache_root())
        self._function = function
        self._folders: dict[frozenset[Any], FunctionCache | NullCache] = {}

    def load_overload(self, signature: Any, target: Any) -> Any:
        found = self._folder(signature).load_overload(signature, target)
        if found is None and _compiling:
            _compiling[-1](f"{self._function.__module__}.{self._function.__name__}")
        return found

    def save_overload(self, signature: Any, data: Any) -> None:
        cache = self._folder(signature)
        if isinstance(cache, NullCache):
            return
        # A cache that cannot be written costs time, nothing else.
        with contextlib.suppress(OSError):
            Path(cache.cache_path).mkdir(parents=True, exist_ok=True)
            # Numba's index is read, changed and written back: one process at a time.
            with FileLock(Path(cache.cache_path) / "lock"):
                cache.save_overload(signature, data)

    def _folder(self, signature: Any) -> FunctionCache | NullCache:
        records = frozenset(r for r in map(_record_of, signature) if r in _rules)
        if records not in self._folders:
            reached = _reached([self._function], [_rules[r] for r in records])
            mentioned = (v for f in reached for v in _mentioned(f) if callable(v))
            if not records and not _verbs.isdisjoint(mentioned):
                reached |= _reached([], _rules.values())
            self._folders[records] = _open_cache(self._function, cache_root() / _digest(reached))
        return self._folders[records]


def _open_cache(function: Callable[..., Any], folder: Path) -> FunctionCache | NullCache:
    numba.config.CACHE_DIR = str(folder)
    try:
        cache = FunctionCache(function)
    except RuntimeError:  # nothing at all can be written
        return NullCache()
    # If `folder` cannot be written, Numba turns to one beside the source, which would grow stale.
    return cache if Path(cache.cache_path).is_relative_to(folder) else NullCache()


def cache_root() -> Path:
    """Where compiled kernels are kept."""
    root = os.environ.get("ARENA_CACHE_DIR")
    return (Path(root) if root else user_cache_path("arena")) / "kernels"


def _record_of(numba_type: Any) -> Any:
    return getattr(numba_type, "dtype", numba_type)


def _reached(
    functions: Iterable[Callable[..., Any]], rules: Iterable[Mapping[str, Any]]
) -> set[Callable[..., Any]]:
    """The kernels that compiled code is made of: those called, directly or not, and `rules`."""
    waiting: list[Callable[..., Any] | None] = [*functions]
    waiting.extend(_plain(rule) for game in rules for rule in game.values())
    reached: set[Callable[..., Any]] = set()
    while waiting:
        function = waiting.pop()
        if function is not None and function not in reached:
            reached.add(function)
            waiting.extend(_plain(value) for value in _mentioned(function))
    return reached


def _mentioned(function: Callable[..., Any]) -> Iterator[Any]:
    """The globals a function names, also as attributes of modules, its defaults and closure."""
    names = _names(function.__code__)
    values = [function.__globals__.get(name) for name in names]
    values += function.__defaults__ or ()
    values += [cell.cell_contents for cell in function.__closure__ or ()]
    modules = set()
    for value in values:
        if not inspect.ismodule(value):
            yield value
        elif value not in modules:
            modules.add(value)
            values.extend(vars(value).get(name) for name in names)


def _names(code: types.CodeType) -> list[str]:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]  # comprehensions
    return [*code.co_names, *(name for c in inner for name in _names(c))]


def _plain(value: Any) -> Callable[..., Any] | None:
    """The Python function that a compiled function was made from."""
    return getattr(value, "py_func", None)


def _digest(functions: Iterable[Callable[..., Any]]) -> str:
    """Hash over the files of these functions and the constants that they name."""
    ordered = sorted(functions, key=lambda f: (f.__module__, f.__qualname__))
    files = {Path(__file__), *(Path(str(sys.modules[f.__module__].__file__)) for f in ordered)}
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(files):
        digest.update(f"{path.name}\0{len(_content(path))}\0".encode() + _content(path))
    for function in ordered:
        for value in _mentioned(function):
            digest.update(_constant(value))
    return digest.hexdigest()[:16]


def _constant(value: Any) -> bytes:
    """What tells a constant from other ones; nothing for what is no constant."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} ".encode() + value.tobytes()
    if isinstance(value, tuple):
        return b"(" + b",".join(map(_constant, value)) + b")"
    if isinstance(value, enum.EnumMeta):
        return repr(list(value)).encode()
    is_constant = isinstance(value, (int, float, complex, str, np.generic, np.dtype))
    return f"{value!r};".encode() if is_constant else b""


@functools.cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


_compiling: list[Callable[[str], None]] = []


@contextlib.contextmanager
def announce_compiling(announce: Callable[[str], None]) -> Iterator[None]:
    """While this lasts, call `announce("module.kernel")` before each kernel that is compiled.

    Nothing is announced for what comes from the disk cache.
    """
    _compiling.append(announce)
    try:
        yield
    finally:
        _compiling.remove(announce)


def compile_once(name: str, steps: Iterable[Callable[[], object]]) -> None:
    """Make calls that compile kernels or load them from disk; on a computer one process compiles.

    `name` says what the steps compile. Until a process has been through steps of that name with
    the present sources, others wait for it; then they load what it has compiled, all at once.
    """
    mark = cache_root() / "compiled" / f"{name}-{sources_digest()}"
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):  # a cache that cannot be written is not shared either
            mark.parent.mkdir(parents=True, exist_ok=True)
            if not mark.exists():
                held.enter_context(FileLock(mark.with_suffix(".lock")))
        for step in steps:
            step()
        with contextlib.suppress(OSError):
            mark.touch()


def sources_digest() -> str:
    """Hash over all rules and what they are made of: equal digests play equal games."""
    return _digest(_reached([], _rules.values()))


# --- records and verbs ------------------------------------------------------------------------

_rules: dict[Any, dict[str, Any]] = {}
_verbs: set[Callable[..., Any]] = set()


def state_dtype(fields: Iterable[Field]) -> np.dtype[Any]:
    """dtype of a game's state: the random word, the header, then `fields`."""
    return _record_dtype([("rng", "u8"), *HEADER, *fields])


def view_dtype(fields: Iterable[Field]) -> np.dtype[Any]:
    """dtype of a game's view: the header, then `fields`."""
    return _record_dtype([*HEADER, *fields])


def _record_dtype(fields: list[Field]) -> np.dtype[Any]:
    plain = np.dtype(fields, align=True)
    # The interpreter reads fields as attributes through np.record; compiled code does not need it,
    # and arrays of plain dtype are made twice as fast.
    return plain if COMPILED else np.dtype((np.record, plain))


def blank(dtype: np.dtype[Any]) -> Array:
    """A zeroed record, (1,) of `dtype`. np.zeros goes through all fields: ten times as long."""
    return np.ndarray(1, dtype, bytearray(dtype.itemsize))


def copy(record: Array) -> Array:
    """A record equal to `record`, as fast as `blank`."""
    return np.ndarray(1, record.dtype, bytearray(record.tobytes()))


def register(state: np.dtype[Any], view: np.dtype[Any], **rules: Callable[..., Any]) -> None:
    """Tie a game's kernels to its dtypes: deal, legal, apply, ranks, observe, estimate; sample.

    `witness` may be left out by a game where all seats see the id of every action. Raises
    ValueError if another game has a dtype of the same layout: verbs could not tell them apart.
    """
    rules = {"witness": _open, **rules}
    by_dtype = {state: {k: v for k, v in rules.items() if k != "sample"}}
    by_dtype[view] = {"sample": rules["sample"]}
    for dtype, kernels in by_dtype.items():
        owner = _rules.get(dtype)
        if owner and next(iter(owner.values())).__module__ != rules["deal"].__module__:
            raise ValueError(f"{rules['deal'].__module__}: another game has the same record layout")
        _rules[dtype] = kernels
        _rules[from_dtype(dtype)] = kernels


def _verb(declaration: F) -> F:
    """Make a declaration generic: it runs the kernel registered for its first argument's dtype."""
    name = declaration.__name__

    def interpreted(record: Record, *arguments: Any) -> Any:
        return _rules[record.dtype][name](record, *arguments)

    interpreted.__name__ = interpreted.__qualname__ = name
    interpreted.__doc__ = declaration.__doc__

    @overload(interpreted, strict=False)  # type: ignore[untyped-decorator]
    def resolve(record: Any, *arguments: Any) -> Any:
        rule = _rules[record][name]

        def call(record: Record, *arguments: Any) -> Any:
            return rule(record, *arguments)

        return call

    _verbs.add(interpreted)
    return interpreted  # type: ignore[return-value]


@_verb
def deal(state: Record) -> None:
    """Set up the game. `rng`, `players` and the options are filled in, all else is zero."""


@_verb
def legal(state: Record, out: Array) -> int:  # type: ignore[empty-body]
    """Write the legal action ids to `out`, ascending; return how many. Zero only when over."""


@_verb
def apply(state: Record, action: int) -> None:
    """Play a legal action, up to and including the next decision point."""


@_verb
def ranks(state: Record, out: Array) -> None:
    """Write each seat's place to `out`: 0 is best, ties share; before the end, the standing."""


@_verb
def observe(state: Record, seat: int, view: Record) -> None:
    """Build up, in a zeroed `view`, all that `seat` knows with a perfect memory."""


@_verb
def sample(view: Record, seat: int, world: Record) -> None:
    """Fill `world` with a state drawn uniformly from those that the view of `seat` cannot rule out.

    `world` is zeroed but for `rng`, which feeds the draw and then the world's own chance.
    """


@_verb
def witness(state: Record, action: int, seat: int) -> int:  # type: ignore[empty-body]
    """What `seat` sees of a legal action as the mover plays it: a number below `witness_count`.

    Actions after which the view of `seat` is the same have the same number; for the mover itself
    all numbers differ. A number means the same in every world.
    """


@kernel
def _open(state: Record, action: int, seat: int) -> int:
    return action


@_verb
def estimate(state: Record, out: Array) -> None:
    """Write each seat's expected share of the reward (see `rewards`) to `out`, without search."""


# --- chance -----------------------------------------------------------------------------------


@kernel
def random_below(state: Record, n: int) -> int:
    """A random integer in [0, n), n < 2**32; advances `state.rng`, which must not be zero.

    The generator is xorshift64*, of which the upper 32 bits are used (Vigna, "An experimental
    exploration of Marsaglia's xorshift generators, scrambled", 2016). The product is put together
    from 32-bit halves because the interpreter would warn of overflow. The multiply-shift that
    follows is uniform up to n / 2**32.
    """
    x = state.rng
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state.rng = x
    mask = np.uint64(0xFFFFFFFF)
    low, high = x & mask, x >> np.uint64(32)
    carry = (low * np.uint64(0x4F6CDD1D)) >> np.uint64(32)
    upper = (high * np.uint64(0x4F6CDD1D)) & mask
    cross = (low * np.uint64(0x2545F491)) & mask
    word = (carry + upper + cross) & mask
    return np.int64((word * np.uint64(n)) >> np.uint64(32))  # type: ignore[return-value]


@kernel
def random_unit(state: Record) -> float:
    """A random number in [0, 1), a multiple of 2**-31."""
    return random_below(state, 1 << 31) * 2.0**-31


@kernel
def shuffle(state: Record, cards: Array, n: int) -> None:
    """Put the first `n` entries of `cards` in random order (Fisher–Yates)."""
    for i in range(n - 1, 0, -1):
        j = random_below(state, i + 1)
        held = cards[i]
        cards[i] = cards[j]
        cards[j] = held


# --- results ----------------------------------------------------------------------------------


@kernel
def rewards(state: Record, out: Array) -> None:
    """Write what each seat's place is worth: the share of opponents beaten, summing to 1.

    A seat earns one point for each opponent behind it and half a point for each it is level with;
    all points together are scaled to 1. With two players that is 1, ½ or 0.
    """
    players = state.players
    place = np.zeros(players, np.int64)
    ranks(state, place)
    total = players * (players - 1) / 2
    for p in range(players):
        points = 0.0
        for q in range(players):
            if q != p:
                if place[p] < place[q]:
                    points += 1.0
                elif place[p] == place[q]:
                    points += 0.5
        out[p] = points / total
