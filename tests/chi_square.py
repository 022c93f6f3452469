"""Whether what was drawn is as often what it should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any


def unlikely(seen: Counter[Any], weights: Mapping[Any, float]) -> float:
    """How many standard deviations the chi-square statistic lies above its mean, about.

    Wilson–Hilferty; above 3.72 the chance is below 1 in 10,000. Rare classes are taken together.
    """
    assert set(seen) <= set(weights), "a world that is not possible"
    total, games = sum(weights.values()), seen.total()
    expected = {key: games * weight / total for key, weight in weights.items()}
    rare = [key for key, number in expected.items() if number < 5]
    cells = [(seen[key], number) for key, number in expected.items() if number >= 5]
    if rare:
        cells.append((sum(seen[key] for key in rare), sum(expected[key] for key in rare)))
    freedom = len(cells) - 1
    if freedom == 0:
        return 0.0
    chi2 = sum((found - wanted) ** 2 / wanted for found, wanted in cells)
    spread = 2 / (9 * freedom)
    return ((chi2 / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5
