"""Coloretto once more, written from the rule sheet alone: the oracle of the Coloretto tests.

Plain lists and counters, no arrays, no compiler, nothing shared with `arena.games.coloretto`, and
slow. Cards are names, moves are texts. `Reference` plays; `score` tries every way to give jokers
and signs; `view` is what a seat knows, `worlds` which states that leaves open.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

COLOURS = ("blue", "brown", "green", "grey", "orange", "pink", "yellow")
CARDS = (*COLOURS, "joker", "golden-joker", "+2")
LETTERS = dict(zip("BNGEOPYJ*+", CARDS, strict=True))
TABLES = {"brown": (0, 1, 3, 6, 10, 15, 21), "violet": (0, 1, 4, 8, 7, 6, 5)}

Shown = Mapping[str, Any]
Options = Mapping[str, Any]


def resolved(players: int, options: Options | None = None) -> dict[str, Any]:
    """All options with their values."""
    given = dict(options or {})
    edition = given.get("edition", "classic" if players == 2 else "ipad")
    return {
        "edition": edition,
        "last_round_threshold": {"ipad": 3 * players, "classic": 15, "jubilee": 16}[edition],
        "table": "brown",
        "positive": "best",
        "joker": "best",
        "joker_new_colour": False,
        "next_start": "last_taker",
    } | given


def capacities(players: int) -> tuple[int, ...]:
    return (1, 2, 3) if players == 2 else (3,) * players


def cards(letters: str) -> list[str]:
    """`cards("BN+")` is blue, brown, +2."""
    return [LETTERS[letter] for letter in letters]


def counts(names: Iterable[str] | Mapping[str, int]) -> dict[str, int]:
    """How many there are of each card, in the sheet's order, without zeros."""
    counted = Counter(names)
    return {card: counted[card] for card in CARDS if counted[card]}


def action_id(move: str) -> int:
    """The number of a move, from its text."""
    verb, *row = move.split()
    return {"take": -1, "draw": 5, "place": 5}[verb] + int(row[0] if row else 0)


def position(
    options: Options | None = None,
    rows: Sequence[str] = ("", "", ""),
    displays: Sequence[str] = ("B", "N", "G"),
    deck: str = "",
    left: int = 0,
    taken: Iterable[int] = (),
    out: Iterable[int] = (),
    **fields: Any,
) -> dict[str, Any]:
    """A state as `show` prints it, from letters, the numbers of rows taken and of seats out.

    Below the `deck` lie colours in turn, to make it `left` cards.
    """
    filler = itertools.islice(itertools.cycle(COLOURS), max(0, left - len(deck)))
    shown: dict[str, Any] = {
        "phase": "turn",
        "seat": 0,
        "round": 1,
        "rows": [cards(row) for row in rows],
        "taken": [row in taken for row in range(1, len(rows) + 1)],
        "out": [seat in out for seat in range(len(displays))],
        "displays": [counts(cards(display)) for display in displays],
        "drawn": None,
        "removed": {},
        "deck": [*cards(deck), *filler],
        "last_round": False,
        **fields,
    }
    threshold = resolved(len(displays), options)["last_round_threshold"]
    return {**shown, "last_round": len(shown["deck"]) < threshold}


# --- playing ------------------------------------------------------------------------------------


class Reference:
    """A game in progress, from a shown state on."""

    def __init__(self, shown: Shown, options: Options | None = None) -> None:
        self.players = len(shown["displays"])
        self.options = resolved(self.players, options)
        self.phase: str = shown["phase"]
        self.seat: int | None = shown["seat"]
        self.round: int = shown["round"]
        self.rows: list[list[str]] = [list(row) for row in shown["rows"]]
        self.taken: list[bool] = list(shown["taken"])
        self.out: list[bool] = list(shown["out"])
        self.displays = [Counter(display) for display in shown["displays"]]
        self.drawn: str | None = shown["drawn"]
        self.removed = Counter(shown["removed"])
        self.deck: list[str] = list(shown["deck"])

    def shown(self) -> dict[str, Any]:
        """The position, as `Game.show` should print it."""
        return {
            "phase": self.phase,
            "seat": self.seat,
            "round": self.round,
            "rows": [list(row) for row in self.rows],
            "taken": list(self.taken),
            "out": list(self.out),
            "displays": [counts(display) for display in self.displays],
            "drawn": self.drawn,
            "removed": counts(self.removed),
            "deck": list(self.deck),
            "last_round": len(self.deck) < self.options["last_round_threshold"],
        }

    def scores(self) -> tuple[int, ...]:
        return tuple(score(display, self.options) for display in self.displays)

    def ranks(self) -> tuple[int, ...]:
        """Places from 0 by points, equal numbers alike."""
        scores = self.scores()
        return tuple(sum(other > own for other in scores) for own in scores)

    def legal(self) -> list[str]:
        """The texts of the legal moves, in the order of their numbers."""
        if self.phase == "over":
            return []
        free = [
            row
            for row, capacity in enumerate(capacities(self.players))
            if not self.taken[row] and len(self.rows[row]) < capacity
        ]
        if self.phase == "place":
            return [f"place {row + 1}" for row in free]
        takes: dict[str, str] = {}
        for row, there in enumerate(self.rows):
            if there:
                takes.setdefault(repr(self.after_take(row)), f"take {row + 1}")
        return [*takes.values()] + ["draw"] * bool(free and self.deck)

    def apply(self, move: str) -> None:
        assert move in self.legal(), f"{move!r} is not legal in {self.shown()}"
        verb, *numbers = move.split()
        if verb == "draw":
            self.drawn = self.deck.pop(0)
            self.phase = "place"
            return
        row = int(numbers[0]) - 1
        if verb == "place":
            self.rows[row].append(str(self.drawn))
            self.drawn, self.phase = None, "turn"
        else:
            self._take(row)
        self._next()

    def after_take(self, row: int) -> dict[str, Any]:
        """The position when a row has been taken."""
        after = Reference(self.shown(), self.options)
        after._take(row)
        after._next()
        return after.shown()

    def _take(self, row: int) -> None:
        display = self.displays[self.seat]
        display.update(self.rows[row])
        if "golden-joker" in self.rows[row] and self.deck:
            display[self.deck.pop(0)] += 1
        self.rows[row] = []
        self.taken[row] = self.out[self.seat] = True

    def _next(self) -> None:
        mover = self.seat
        for step in range(1, self.players + 1):
            self.seat = (mover + step) % self.players
            if not self.out[self.seat]:
                if self.legal():
                    return
                self.out[self.seat] = True
        self._end_round(mover)

    def _end_round(self, last_taker: int) -> None:
        for row in self.rows:
            self.removed.update(row)
        self.rows = [[] for _ in self.rows]
        self.taken = [False] * len(self.taken)
        self.out = [False] * self.players
        if len(self.deck) < self.options["last_round_threshold"]:
            self.phase, self.seat = "over", None
        else:
            clockwise = self.options["next_start"] == "clockwise"
            self.seat = self.round % self.players if clockwise else last_taker
            self.round += 1


def score(display: Mapping[str, int], options: Options) -> int:
    """The most points that a display can be made to be worth."""
    own = tuple(display.get(colour, 0) for colour in COLOURS)
    jokers = display.get("joker", 0) + display.get("golden-joker", 0)
    rules = (options["table"], options["positive"], options["joker"], options["joker_new_colour"])
    return _colours(own, jokers, *rules) + 2 * display.get("+2", 0)


TRIPLES = list(itertools.combinations(range(len(COLOURS)), 3))


@cache
def _colours(
    own: tuple[int, ...], jokers: int, table: str, positive: str, joker: str, new: bool
) -> int:
    if joker == "largest":
        to = [own.index(max(own))] if any(own) or new else []
    else:
        to = [colour for colour, number in enumerate(own) if number or new]
    totals = []
    for given in itertools.combinations_with_replacement(to, jokers if to else 0):
        sizes = [number + given.count(colour) for colour, number in enumerate(own)]
        worth = [TABLES[table][min(size, 6)] for size in sizes]
        if positive == "largest":
            triples = [tuple(sorted(range(len(COLOURS)), key=lambda c: -sizes[c])[:3])]
        else:
            triples = TRIPLES
        totals += [2 * sum(worth[c] for c in triple) - sum(worth) for triple in triples]
    return max(totals)


# --- knowing ------------------------------------------------------------------------------------


def all_cards(shown: Shown) -> Counter[str]:
    """Every card of a shown state, wherever it lies."""
    return _open(shown) + Counter(shown["deck"])


def _open(shown: Shown) -> Counter[str]:
    places = [*shown["rows"], *shown["displays"], shown["removed"]]
    return sum(map(Counter, places), Counter([shown["drawn"]] if shown["drawn"] else []))


def view(shown: Shown, game: Counter[str]) -> dict[str, Any]:
    """What any seat knows of `shown`, told which cards are in the game and seeing no deck."""
    left = game - _open(shown)
    return {**shown, "deck": {"size": left.total(), **counts(left)}}


def worlds(view: Shown) -> Iterator[dict[str, Any]]:
    """Every state that a view leaves open, once; all are equally likely."""
    left = Counter(view["deck"])
    del left["size"]
    for deck in sorted(set(itertools.permutations(left.elements()))):
        yield {**view, "deck": list(deck)}


# --- what the tests play ------------------------------------------------------------------------

VARIANTS: list[dict[str, Any]] = [
    {},
    {"edition": "classic"},
    {"edition": "jubilee"},
    {"edition": "jubilee", "last_round_threshold": 1, "next_start": "clockwise"},
    {"last_round_threshold": 1, "table": "violet", "joker_new_colour": True},
    {"last_round_threshold": 40, "joker": "largest", "next_start": "clockwise"},
    {"edition": "classic", "table": "violet", "positive": "largest"},
    {"table": "violet", "positive": "largest", "joker": "largest"},
]
VARIANT_NAMES = ["-".join(map(str, v.values())) or "default" for v in VARIANTS]


def uniform(rng: random.Random, legal: list[str]) -> str:
    return rng.choice(legal)


def hoard(rng: random.Random, legal: list[str]) -> str:
    """Draw while possible: rows fill up, a deck with a low threshold runs out."""
    return "draw" if "draw" in legal else rng.choice(legal)


def hurry(rng: random.Random, legal: list[str]) -> str:
    """Take at once: many rounds, the last seats are left alone with empty rows."""
    return legal[0] if legal[0] != "draw" and rng.random() < 0.9 else rng.choice(legal)


CHOICES = (uniform, hoard, hurry)

GAMES = [
    pytest.param(options, players, choose, id=f"{name}-{players}-{choose.__name__}")
    for name, options in zip(VARIANT_NAMES, VARIANTS, strict=True)
    for players in range(2, 6)
    for choose in CHOICES
]
"""Every variant with every number of players and every way to play."""
