"""Where all randomness begins: seeds derived from a run's seed, and books of deal seeds.

Nothing in arena draws from a shared stream. Every use of chance has its own seed, computed from
what it is for, so that no result depends on the order in which things happen. A seed is an integer
in [0, 2**53), which JSON, YAML and every programming language keep exactly.
"""

from __future__ import annotations

import hashlib
import operator
from pathlib import Path

from arena.errors import ConfigError

SEED_LIMIT = 2**53
"""Seeds are 0 … SEED_LIMIT - 1."""

SHOWN_PROBLEMS = 10


def derive(*parts: str | int) -> int:
    """A seed that follows from `parts`, the first of which names the purpose.

    Different parts give independent seeds: 1 and "1" differ, and so do ("ab", "c") and ("a", "bc").
    """
    return int.from_bytes(_hash(parts, b"arena.seed")) % SEED_LIMIT


def fingerprint(*parts: str | int) -> str:
    """16 hexadecimal digits that follow from `parts`, told apart as by `derive`."""
    return _hash(parts, b"arena.id").hex()


def _hash(parts: tuple[str | int, ...], purpose: bytes) -> bytes:
    # The quotes and escapes say where each part ends, and tell text from numbers.
    text = "".join(f"{p!a}," if isinstance(p, str) else f"{operator.index(p)}," for p in parts)
    return hashlib.blake2b(text.encode(), digest_size=8, person=purpose).digest()


def read_deal_book(path: Path) -> tuple[int, ...]:
    """The deal seeds in a file, one to a line; blank lines and `#` comments are skipped.

    Raises ConfigError with `path:line` for whatever is no seed or stands there twice.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise ConfigError([f"{path}: found no deal book ({reason})"]) from None
    except UnicodeDecodeError:
        raise ConfigError([f"{path}: found bytes that are not UTF-8; expected text"]) from None
    lines: dict[int, int] = {}
    problems = []
    for line, content in enumerate(text.splitlines(), start=1):
        word = content.partition("#")[0].strip()
        if not word:
            continue
        if not (word.isascii() and word.isdigit() and len(word) <= 16 and int(word) < SEED_LIMIT):
            wanted = f"one seed, a whole number from 0 to {SEED_LIMIT - 1}"
            problems.append(f"{path}:{line}: found {word[:40]!r}; expected {wanted}")
        elif (first := lines.setdefault(int(word), line)) != line:
            problems.append(
                f"{path}:{line}: found the seed {int(word)} a second time (first on line {first}); "
                "expected each seed once"
            )
    if not lines and not problems:
        problems.append(f"{path}: found no seeds; expected one to a line")
    if problems:
        more = len(problems) - SHOWN_PROBLEMS
        rest = [f"{path}: and {more:,} more lines like these"] if more > 0 else []
        raise ConfigError([*problems[:SHOWN_PROBLEMS], *rest])
    return tuple(lines)
