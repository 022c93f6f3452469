"""Seeds and deal books."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.seeding import SEED_LIMIT, derive, fingerprint, read_deal_book

BOOKS = Path(__file__).parent.parent / "seeds"

parts = st.lists(st.one_of(st.text(), st.integers()), max_size=4)


@given(parts, parts)
def test_different_parts_give_different_seeds(one: list[str | int], other: list[str | int]) -> None:
    """Also 1 and "1", and parts that only join to the same text."""
    same = [(type(p), p) for p in one] == [(type(p), p) for p in other]
    assert (derive(*one) == derive(*other)) == same
    assert (fingerprint(*one) == fingerprint(*other)) == same


@given(parts)
def test_seeds_are_in_range_and_fingerprints_hexadecimal(some: list[str | int]) -> None:
    """What JSON and YAML keep exactly, and what names a match."""
    assert 0 <= derive(*some) < SEED_LIMIT
    assert len(fingerprint(*some)) == 16
    int(fingerprint(*some), 16)


def test_seeds_never_change() -> None:
    """Published runs can be played again only as long as these numbers stay."""
    assert derive("deal", 1, "cubirds", 2, 0) == 6684672700506536
    assert fingerprint("match", "ä", -1) == "b7a0fcf39a5e9d9d"


def test_numpy_integers_are_integers() -> None:
    """A seed does not depend on the type that happens to hold a number."""
    assert derive("x", np.int64(7)) == derive("x", 7)  # type: ignore[arg-type]


def test_seeds_spread_over_the_whole_range() -> None:
    """Means of 4,000 seeds and of each of their bits are those of chance, within 5 sigma."""
    seeds = [derive("spread", n) for n in range(4000)]
    assert abs(sum(seeds) / len(seeds) / SEED_LIMIT - 0.5) < 5 / (12 * 4000) ** 0.5
    for bit in range(53):
        assert abs(sum(seed >> bit & 1 for seed in seeds) - 2000) < 5 * 1000**0.5


def test_deal_book_is_read_in_order(tmp_path: Path) -> None:
    """With comments, blank lines, a byte order mark and either kind of line end."""
    book = tmp_path / "book.txt"
    book.write_bytes(b"\xef\xbb\xbf# mine\r\n7\r\n\r\n  3 # the nice one\n0\n9007199254740991")
    assert read_deal_book(book) == (7, 3, 0, 9007199254740991)


LINES = {
    "word": ("seven\n", [":1: found 'seven'; expected one seed, a whole number from 0 to {most}"]),
    "negative": ("1\n-1\n", [":2: found '-1'; expected one seed, {whole}"]),
    "decimal": ("1.0\n", [":1: found '1.0'; expected one seed, {whole}"]),
    "two": ("1 2\n", [":1: found '1 2'; expected one seed, {whole}"]),
    "too great": (f"{SEED_LIMIT}\n", [":1: found '9007199254740992'; expected one seed, {whole}"]),
    "digits": ("9" * 5000, [f":1: found '{'9' * 40}'; expected one seed, {{whole}}"]),
    "other digits": ("٣\n", [":1: found '٣'; expected one seed, {whole}"]),
    "doubled": (
        "5\n\n05\n5\n",
        [
            ":3: found the seed 5 a second time (first on line 1); expected each seed once",
            ":4: found the seed 5 a second time (first on line 1); expected each seed once",
        ],
    ),
    "empty": ("# nothing\n", [": found no seeds; expected one to a line"]),
    "many": (
        "x\n" * 25,
        [f":{n}: found 'x'; expected one seed, {{whole}}" for n in range(1, 11)]
        + [": and 15 more lines like these"],
    ),
}


@pytest.mark.parametrize(("text", "problems"), LINES.values(), ids=LINES)
def test_wrong_deal_books_are_refused_with_the_line(
    tmp_path: Path, text: str, problems: list[str]
) -> None:
    """Nothing that is not a seed is skipped or guessed."""
    book = tmp_path / "book.txt"
    book.write_text(text, encoding="utf-8")
    most = SEED_LIMIT - 1
    whole = f"a whole number from 0 to {most}"
    with pytest.raises(ConfigError) as caught:
        read_deal_book(book)
    assert list(caught.value.problems) == [
        f"{book}{p.format(most=most, whole=whole)}" for p in problems
    ]


def test_deal_books_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    """Missing, a folder, or no text."""
    binary = tmp_path / "book.bin"
    binary.write_bytes(b"\xff\xfe1\n")
    for path, reason in (
        (tmp_path / "none.txt", "found no deal book (no such file)"),
        (tmp_path, "found no deal book (Is a directory)"),
        (binary, "found bytes that are not UTF-8; expected text"),
    ):
        with pytest.raises(ConfigError) as caught:
            read_deal_book(path)
        assert str(caught.value) == f"{path}: {reason}"


def test_the_public_book_is_what_its_readme_says() -> None:
    """1,000 seeds that nobody chose."""
    assert read_deal_book(BOOKS / "cubirds.txt") == tuple(
        derive("deal book", "cubirds", n) for n in range(1000)
    )
