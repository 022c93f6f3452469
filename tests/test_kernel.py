"""Chance, the disk cache of compiled kernels, and running them uncompiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena import kernel
from arena.game import random_word
from arena.games.kuhn import Kuhn

ROOT = Path(__file__).parent.parent
WORD = 2**64 - 1


# --- chance -----------------------------------------------------------------------------------


def record(rng: int) -> Any:
    state = np.zeros(1, Kuhn.state_dtype)
    state["rng"] = rng
    return state[0]


def xorshift64star(x: int) -> tuple[int, int]:
    """(state, output) after one step, as published."""
    x ^= x >> 12
    x ^= (x << 25) & WORD
    x ^= x >> 27
    return x, (x * 0x2545F4914F6CDD1D) & WORD


@pytest.mark.parametrize("start", [1, 2**63, WORD, *(random_word(seed) for seed in range(20))])
def test_random_numbers_are_those_of_xorshift64star(start: int) -> None:
    state, x = record(start), start
    for n in (1, 2, 3, 6, 110, 2**31, 2**32 - 1):
        x, word = xorshift64star(x)
        assert kernel.random_below(state, n) == ((word >> 32) * n) >> 32
        assert int(state["rng"]) == x


def test_a_random_unit_is_a_multiple_of_two_to_the_minus_31() -> None:
    state, x = record(7), 7
    for _ in range(50):
        x, word = xorshift64star(x)
        assert kernel.random_unit(state) == (word >> 33) * 2.0**-31


def test_random_words_are_never_zero_and_differ() -> None:
    words = {random_word(seed) for seed in range(10_000)}
    assert len(words) == 10_000
    assert min(words) > 0
    assert max(words) < 2**64


def test_shuffles_are_uniform() -> None:
    """Chi-square over the 24 orders of 4 cards; 49.7 is exceeded once in a thousand."""
    state, counts, n = record(random_word(1)), Counter[tuple[int, ...]](), 24_000
    for _ in range(n):
        cards = np.arange(4, dtype=np.int8)
        kernel.shuffle(state, cards, 4)
        counts[tuple(cards.tolist())] += 1
    assert set(counts) == set(permutations(range(4)))
    expected = n / 24
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 49.7


def test_a_shuffle_leaves_the_rest_of_the_array_alone() -> None:
    cards = np.arange(10, dtype=np.int8)
    kernel.shuffle(record(random_word(2)), cards, 6)
    assert sorted(cards[:6]) == list(range(6))
    assert cards[6:].tolist() == [6, 7, 8, 9]


def test_two_records_of_one_layout_are_refused() -> None:
    """Verbs could not tell the games apart."""
    rules = dict.fromkeys(("deal", "legal", "apply", "ranks", "observe", "estimate", "sample"), len)
    with pytest.raises(ValueError, match="another game has the same record layout"):
        kernel.register(Kuhn.state_dtype, Kuhn.view_dtype, **rules)


# --- the disk cache ---------------------------------------------------------------------------

HEAD = "import numpy as np\nfrom arena import kernel\n"
# Each of these modules has a kernel `value` of its own which makes 11 of 10. The files that they
# lean on all hold one 1; with 2 in its place the value is 12.
WAYS = {
    "alone": "@kernel.kernel\ndef value(x): return x + np.int64(1)",
    "calls": "from helper import half\n@kernel.kernel\ndef value(x): return half(x)",
    "calls_in_module": "import tools\n@kernel.kernel\ndef value(x): return tools.step(x)",
    "constant": "from constants import STEP\n@kernel.kernel\ndef value(x): return x + STEP",
    "reexported": "from inner import DEEP\n@kernel.kernel\ndef value(x): return x + DEEP",
    "in_module": "import settings\n@kernel.kernel\ndef value(x): return x + settings.STEP",
    "member": "from phases import Phase\n@kernel.kernel\ndef value(x): return x + Phase.LAY",
    "table": "from tables import table\nTABLE = table()\n"
    "@kernel.kernel\ndef value(x): return x + TABLE[0]",
    "search": "import rules\n@kernel.kernel\n"
    "def search(states): return kernel.legal(states[0], np.zeros(2, np.int32))\n"
    "def value(x): return x + search(np.zeros(1, rules.STATE))",
}
LEANT_ON = {
    "helper": "from deeper import whole\n@kernel.kernel\ndef half(x): return whole(x)",
    "deeper": "@kernel.kernel\ndef whole(x): return x + 1",
    "tools": "@kernel.kernel\ndef step(x): return x + 1",
    "constants": "STEP = 1",
    "inner/__init__": "from inner.constants import DEEP",
    "inner/constants": "DEEP = 1",
    "settings": "STEP = 1",
    "phases": "import enum\nclass Phase(enum.IntEnum):\n    LAY = 1",
    "tables": "def table(): return np.array([1])",
    "rules": """
@kernel.kernel
def legal(state, out): return 1
STATE = kernel.state_dtype([("odd", "i2", (3,))])
VIEW = kernel.view_dtype([("odd", "i2", (3,))])
kernel.register(STATE, VIEW, deal=legal, legal=legal, apply=legal, ranks=legal, observe=legal,
                sample=legal, estimate=legal)
""",
}
VALUES = """
import importlib, json, sys
from arena import kernel
compiled = []
with kernel.announce_compiling(compiled.append):
    values = {way: int(importlib.import_module(way).value(10)) for way in sys.argv[1:]}
print(json.dumps([values, compiled]))
"""
VALUE_ONCE = """
import json
import calls
from arena import kernel
values, compiled = [], []
with kernel.announce_compiling(compiled.append):
    kernel.compile_once("calls", [lambda: values.append(calls.value(10))])
print(json.dumps([values, compiled]))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    for name, text in {**WAYS, **LEANT_ON}.items():
        (folder / f"{name}.py").write_text(HEAD + text)
    return folder


def start(folder: Path, cache: Path, script: str = VALUES, **env: str) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.Popen(
        [sys.executable, "-B", "-W", "error", "-c", script, *WAYS],
        env={**os.environ, "ARENA_CACHE_DIR": str(cache), "PYTHONPATH": paths, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answer(process: subprocess.Popen[str]) -> Any:
    """(values, names of the kernels that were compiled for them)."""
    output, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    return json.loads(output)


def edit(folder: Path, *names: str) -> None:
    for name in names:
        file = folder / f"{name}.py"
        file.write_text(file.read_text().replace("1", "2"))


@pytest.mark.slow
def test_the_disk_cache_is_never_stale(package: Path, tmp_path: Path) -> None:
    """What is compiled is what an edit has changed, and all of that."""
    cache = tmp_path / "cache"
    # Two processes fill the cache at once: what one stores the other is storing or loading.
    together = [start(package, cache) for _ in range(2)]
    assert [answer(process)[0] for process in together] == [dict.fromkeys(WAYS, 11)] * 2
    assert answer(start(package, cache)) == [dict.fromkeys(WAYS, 11), []]

    edit(package, *LEANT_ON)
    values, compiled = answer(start(package, cache))
    assert values == {**dict.fromkeys(WAYS, 12), "alone": 11}
    assert "alone.value" not in compiled

    edit(package, "alone")
    values, compiled = answer(start(package, cache))
    assert values == dict.fromkeys(WAYS, 12)
    assert compiled == ["alone.value"]


@pytest.mark.slow
def test_of_processes_that_compile_once_one_compiles(package: Path, tmp_path: Path) -> None:
    together = [start(package, tmp_path / "cache", VALUE_ONCE) for _ in range(2)]
    answers = sorted(answer(process) for process in together)
    assert answers == [[[11], []], [[11], ["calls.value", "helper.half", "deeper.whole"]]]


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_costs_only_time(package: Path, tmp_path: Path) -> None:
    """Nor is anything stored elsewhere instead, where it would go stale."""
    cache = tmp_path / "no folder"
    cache.touch()
    first = answer(start(package, cache, VALUE_ONCE))
    edit(package, "deeper")
    second = answer(start(package, cache, VALUE_ONCE))
    compiled = ["calls.value", "helper.half", "deeper.whole"]
    assert [first, second] == [[[11], compiled], [[12], compiled]]
    assert not list(package.rglob("*.nb?"))


def test_kernels_run_uncompiled_without_warnings(package: Path, tmp_path: Path) -> None:
    uncompiled = answer(start(package, tmp_path, NUMBA_DISABLE_JIT="1"))
    assert uncompiled == [dict.fromkeys(WAYS, 11), []]
    assert not list(tmp_path.rglob("*.nb?"))
