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
compiled code could outlive its source. All kernels are therefore cached in a folder whose name is
a hash over every file that defines kernels; any change leads to another folder. The folder lies in
the user's cache directory, or where `ARENA_CACHE_DIR` says.
"""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
import numpy.typing as npt
from filelock import FileLock
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

_PACKAGE = Path(__file__).resolve().parent
_dispatchers: list[Any] = []
_sources: dict[Path, bytes] = {}


def kernel(function: F) -> F:
    """Compile `function` on its first call; cache the machine code on disk."""
    source = Path(inspect.getfile(function)).resolve()
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    if not COMPILED:
        return compiled  # type: ignore[no-any-return]
    _dispatchers.append(compiled)
    if source in _sources:
        compiled.enable_caching()
    else:
        _sources[source] = source.read_bytes()
        _move_cache()
    return compiled  # type: ignore[no-any-return]


def _shipped_sources() -> Iterable[Path]:
    """The files of arena and of its bots that may define kernels, imported or not."""
    yield _PACKAGE / "kernel.py"
    yield _PACKAGE / "game.py"
    yield from (_PACKAGE / "games").glob("*.py")
    yield from (_PACKAGE.parent / "bots").glob("*.py")


def _move_cache() -> None:
    """Point every kernel at the folder that belongs to the sources known now."""
    numba.config.CACHE_DIR = str(cache_folder())
    for dispatcher in _dispatchers:
        dispatcher.enable_caching()


def sources_digest() -> str:
    """Hash over the contents of all files that define kernels."""
    digest = hashlib.sha256()
    for path, content in sorted(_sources.items()):
        digest.update(f"{path.name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where the machine code for the present sources lies on this computer."""
    root = os.environ.get("ARENA_CACHE_DIR")
    return (Path(root) if root else user_cache_path("arena")) / "kernels" / sources_digest()


def compile_once(
    steps: Sequence[tuple[str, Callable[[], object]]],
    announce: Callable[[str, int, int], None] = lambda name, done, total: None,
) -> None:
    """Run each `(name, step)`, whose call compiles kernels, or loads them from the disk cache.

    Numba's cache must not be filled by two processes at once, so whatever is not yet marked as
    compiled is compiled under a lock; the others wait and then load. `announce(name, done, total)`
    is called before each step that really compiles.
    """
    if not COMPILED:
        return
    folder = cache_folder()
    missing = [name for name, _ in steps if not (folder / f"{name}.compiled").exists()]
    if not missing:
        for _, step in steps:
            step()
        return
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        for name, step in steps:
            mark = folder / f"{name}.compiled"
            if not mark.exists():
                announce(name, missing.index(name), len(missing))
            step()
            mark.touch()


for _path in _shipped_sources():
    _sources[_path] = _path.read_bytes()
if COMPILED:
    _move_cache()


# --- records and verbs ------------------------------------------------------------------------

_rules: dict[Any, dict[str, Any]] = {}


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


def register(state: np.dtype[Any], view: np.dtype[Any], **rules: Callable[..., Any]) -> None:
    """Tie a game's kernels to its dtypes: deal, legal, apply, ranks, observe, estimate; sample.

    Raises ValueError if another game has a dtype of the same layout: verbs could not tell them
    apart.
    """
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
