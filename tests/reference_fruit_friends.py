"""Fruit Friends once more, written from the rule sheet alone: the oracle of its tests.

Plain lists and counters, no arrays, no compiler, nothing shared with `arena.games.fruit_friends`.
Cards are fruit names, moves are texts. `Reference` plays; `seen` says what one seat knows, and
`rearranged` makes the other worlds that this leaves open. In the tests a card is a letter.
"""

from __future__ import annotations

import functools
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

FRUITS = (
    "apple", "grape", "kiwi", "banana", "white-peach", "yellow-peach", "orange", "melon",
)  # fmt: skip
CARDS = dict(zip(FRUITS, (17, 17, 16, 17, 9, 9, 10, 10), strict=True))
THINNED = {3: (6, 6, 6, 6, 3, 3, 4, 4), 4: (2, 2, 2, 2, 1, 1, 2, 2)}
STARTS = ("apple", "grape", "kiwi", "white-peach", "yellow-peach")
POINTS = {
    "apple": (0, 0, 2, 5, 9, 14),
    "grape": (0, 2, 5, 8, 11, 11),
    "kiwi": (0, 2, 6, 0, 12, 18),
    "banana": (0, 3, 7, 12, 0, 0),
    "white-peach": (0, 2, 5, 9, 14, 20),
    "yellow-peach": (0, 2, 5, 9, 14, 20),
}
DEFAULTS = {"thin_deck": False, "oranges_or_melons": False, "secret_card": False}
VARIANTS: list[tuple[int, dict[str, bool]]] = [
    (players, dict(zip(DEFAULTS, values, strict=True)))
    for players in range(2, 6)
    for values in itertools.product((False, True), repeat=3)
    if not (values[0] and players in (2, 5)) and not (values[2] and players == 5)
]
"""Every number of players with all options that are defined for it."""
VARIANT_NAMES = ["-".join([str(n), *(o for o in options if options[o])]) for n, options in VARIANTS]

Shown = Mapping[str, Any]
Options = Mapping[str, Any]
Pair = Sequence[str]
LETTERS = dict(zip("AGKBWYOM", FRUITS, strict=True))


def fruits(letters: str) -> list[str]:
    """`fruits("AKM")` is apple, kiwi, melon."""
    return [LETTERS[letter] for letter in letters]


def ordered(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=FRUITS.index)


def counts(cards: Iterable[str] | Mapping[str, int]) -> dict[str, int]:
    """How many there are of each fruit, in the sheet's order, without zeros."""
    counted = Counter(cards)
    return {fruit: counted[fruit] for fruit in FRUITS if counted[fruit]}


def copied(shown: Shown) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(shown))
    return copy


def text(pair: Pair) -> str:
    return "+".join(ordered(pair))


@functools.cache
def splits(hand: tuple[str, ...], secret: bool = False) -> dict[str, int]:
    """All ways to split a hand with their numbers: of equal ones the lowest, ascending."""
    found: dict[str, int] = {}
    slots = ordered(hand)
    for hidden in range(8) if secret else [None]:
        seven = [card for slot, card in enumerate(slots) if slot != hidden]
        for discard, i, j in itertools.product(range(7), range(5), range(3)):
            left = [card for slot, card in enumerate(seven) if slot != discard]
            pairs = [(left.pop(0), left.pop(i)), (left.pop(0), left.pop(j)), tuple(left)]
            move = "split " + " ".join(sorted(map(text, pairs), key=_pair_order))
            move += f" / {seven[discard]}" + ("" if hidden is None else f" // {slots[hidden]}")
            number = discard * 15 + 3 * i + j
            found.setdefault(move, number if hidden is None else 111 + hidden * 105 + number)
    return found


def _pair_order(pair: str) -> list[int]:
    return [FRUITS.index(fruit) for fruit in pair.split("+")]


def points(cards: Iterable[str] | Mapping[str, int], oranges_or_melons: bool = False) -> int:
    """What a display is worth."""
    n = Counter(cards)
    table = {fruit: worth[min(n[fruit], 5)] for fruit, worth in POINTS.items()}
    peach = max(table.pop("white-peach"), table.pop("yellow-peach"))
    extra = (n["orange"] * min(4, n["apple"]), n["melon"] * min(4, n["grape"]))
    return sum(table.values()) + peach + (max if oranges_or_melons else sum)(extra)


def deck(players: int, options: Options) -> Counter[str]:
    """The play cards."""
    cards = Counter(CARDS)
    if options.get("thin_deck"):
        cards.subtract(dict(zip(FRUITS, THINNED[players], strict=True)))
    return cards


def all_cards(shown: Shown) -> Counter[str]:
    """Every card of a shown state, wherever it lies."""
    places = [*shown["hands"], *itertools.chain(*shown["pairs"]), *shown["discards"]]
    places += [*shown["displays"], shown["removed"], shown["deck"]]
    secrets = [card for card in shown["secrets"] if card]
    return sum(map(Counter, places), Counter(secrets))


class Reference:
    """A game in progress, from a shown state on."""

    def __init__(self, shown: Shown, options: Options | None = None) -> None:
        self.options = DEFAULTS | dict(options or {})
        self.at: dict[str, Any] = copied(shown)
        self.players = len(shown["hands"])
        self.slots: list[list[Pair | None]] = [list(pairs) for pairs in shown["pairs"]]

    def shown(self) -> dict[str, Any]:
        """The position, as `Game.show` should print it."""
        left = [[list(pair) for pair in slots if pair] for slots in self.slots]
        return copied(self.at | {"pairs": left})

    def scores(self) -> tuple[int, ...]:
        both = zip(self.at["displays"], self.at["secrets"], strict=True)
        extra = self.options["oranges_or_melons"]
        return tuple(points(Counter(d) + Counter([s] if s else []), extra) for d, s in both)

    def ranks(self) -> tuple[int, ...]:
        scores = self.scores()
        return tuple(sum(other > own for other in scores) for own in scores)

    def moves(self) -> dict[str, int]:
        """The texts of the legal moves with their numbers, ascending."""
        phase = self.at["phase"]
        if phase == "over":
            return {}
        if phase == "split":
            secret = self.options["secret_card"] and self.at["round"] == 1
            return splits(tuple(self.at["hands"][self.at["seat"]]), secret)
        first, found = {"take": 105, "remove": 108}[phase], dict[str, int]()
        for slot, pair in enumerate(self.slots[self.at["active"]]):
            if pair:
                found.setdefault(f"{phase} {text(pair)}", first + slot)
        return found

    def apply(self, move: str) -> None:
        assert move in self.moves(), f"{move!r} is not legal in {self.shown()}"
        verb, _, rest = move.partition(" ")
        if verb == "split":
            self._split(rest)
            return
        slots = self.slots[self.at["active"]]
        slot = next(i for i, pair in enumerate(slots) if pair and text(pair) == rest)
        pair, slots[slot] = slots[slot], None
        if verb == "remove":
            self.at["removed"] = counts(Counter(self.at["removed"]) + Counter(pair))
        else:
            self._gain(self.at["seat"], pair)
        left = [pair for pair in slots if pair]
        if len(left) == 1:
            self._gain(self.at["active"], left[0])
            self._pass_on()
        elif self.players == 2:
            self.at["phase"] = "remove"
        else:
            self.at["seat"] = self._after(self.at["seat"])

    def _split(self, rest: str) -> None:
        seat = self.at["seat"]
        rest, _, secret = rest.partition(" // ")
        pairs, _, discard = rest.partition(" / ")
        self.slots[seat] = [pair.split("+") for pair in pairs.split()]
        self.at["hands"][seat] = []
        self.at["discards"][seat].append(discard)
        self.at["secrets"][seat] = secret or self.at["secrets"][seat]
        if seat + 1 < self.players:
            self.at["seat"] += 1
        else:
            self._reveal()

    def _reveal(self) -> None:
        self.at |= {"phase": "take", "seat": self._after(self.at["active"])}

    def _after(self, seat: int) -> int:
        return (seat + (-1 if self.at["round"] == 2 else 1)) % self.players

    def _gain(self, seat: int, pair: Pair | None) -> None:
        self.at["displays"][seat] = counts(Counter(self.at["displays"][seat]) + Counter(pair))

    def _pass_on(self) -> None:
        self.slots[self.at["active"]] = []
        following = self._after(self.at["active"])
        if self.slots[following]:
            self.at["active"] = following
            self._reveal()
        elif self.at["round"] == (4 if self.players == 2 else 3):
            self.at |= {"phase": "over", "seat": None}
        else:
            self._next_round()

    def _next_round(self) -> None:
        self.at["round"] += 1
        starter = STARTS[(self.at["round"] - 1) % (2 if self.players == 2 else 3)]
        self.at |= {"phase": "split", "seat": 0, "active": self.at["starts"].index(starter)}
        for seat in range(self.players):
            self.at["hands"][seat] = ordered(self.at["deck"][:7])
            del self.at["deck"][:7]


# --- hidden information -------------------------------------------------------------------------


def seen(shown: Shown, seat: int) -> dict[str, Any]:
    """What a seat knows of a position, as `Game.show_view` should print it.

    A perfect memory adds nothing: all that was ever seen lies open, or with its owner.
    """
    view = copied(shown)
    view["split_done"] = [not hand for hand in shown["hands"]]
    view["deck"] = {"size": len(shown["deck"])}
    for p in _others(shown, seat):
        view["hands"][p] = {"size": len(shown["hands"][p])}
        view["discards"][p] = {"size": len(shown["discards"][p])}
        if shown["phase"] != "over" and shown["secrets"][p]:
            view["secrets"][p] = "?"
        if _face_down(shown, p):
            view["pairs"][p] = None
    return view


def _others(shown: Shown, seat: int) -> list[int]:
    return [p for p in range(len(shown["hands"])) if p != seat]


def _face_down(shown: Shown, p: int) -> bool:
    return bool(shown["pairs"][p]) and (shown["phase"] == "split" or p != shown["active"])


def _hidden_places(shown: Shown, seat: int) -> list[tuple[list[str], int]]:
    """Lists and places in them where cards lie that the seat does not know, the deck first."""
    piles = [shown["deck"]]
    for p in _others(shown, seat):
        piles += [shown["hands"][p], shown["discards"][p]]
        piles += shown["pairs"][p] if _face_down(shown, p) else []
    places = [(pile, place) for pile in piles for place in range(len(pile))]
    secrets = [p for p in _others(shown, seat) if shown["secrets"][p] and shown["phase"] != "over"]
    return places + [(shown["secrets"], p) for p in secrets]


def unseen(shown: Shown, seat: int) -> list[str]:
    """The cards that lie where the seat does not know them."""
    return [pile[place] for pile, place in _hidden_places(shown, seat)]


def rearranged(shown: Shown, seat: int, cards: Sequence[str]) -> dict[str, Any]:
    """The position with these cards in the hidden places."""
    world = copied(shown)
    for (pile, place), card in zip(_hidden_places(world, seat), cards, strict=True):
        pile[place] = card
    return normal(world)


def normal(shown: Shown) -> dict[str, Any]:
    """With hands, discards, pairs and what is in them in the sheet's order."""
    world = dict(shown)
    for key in ("hands", "discards"):
        world[key] = [ordered(pile) if isinstance(pile, list) else pile for pile in shown[key]]
    world["pairs"] = [
        pairs and sorted(map(ordered, pairs), key=lambda pair: [FRUITS.index(f) for f in pair])
        for pairs in shown["pairs"]
    ]
    return world


def worlds(shown: Shown, seat: int) -> Iterator[dict[str, Any]]:
    """Every arrangement of the hidden cards that the seat cannot tell from this one; equal cards
    are not told apart."""
    cards = unseen(shown, seat)
    (common, _), *rare = Counter(cards).most_common()

    def place(filled: list[str], kinds: list[tuple[str, int]]) -> Iterator[list[str]]:
        if not kinds:
            yield filled
            return
        (card, number), *others = kinds
        free = [i for i, there in enumerate(filled) if there == common]
        for chosen in itertools.combinations(free, number):
            yield from place([card if i in chosen else c for i, c in enumerate(filled)], others)

    for filled in place([common] * len(cards), rare):
        yield rearranged(shown, seat, filled)


# --- what the tests play ------------------------------------------------------------------------


def position(
    hands: Sequence[str],
    options: Options | None = None,
    displays: Sequence[str] = (),
    pairs: Sequence[str] = (),
    discards: Sequence[str] = (),
    secrets: Sequence[str] = (),
    removed: str = "",
    deck_top: str = "",
    short: bool = False,
    **fields: Any,
) -> dict[str, Any]:
    """A state as `show` prints it, from letters; `pairs` are like "AK GG BM".

    All cards are in it. Discards and deck have the sizes that they should have: the cards not named
    go there, and what is left goes to the last display. `short`: `deck_top` is the whole deck.
    """
    players, options = len(hands), dict(options or {})
    none = [""] * players
    starts = fields.pop("starts", STARTS[:players])
    shown: dict[str, Any] = {
        "phase": "split",
        "seat": 0,
        "round": 1,
        "active": starts.index("apple"),
        "hands": [ordered(fruits(hand)) for hand in hands],
        "pairs": [[fruits(pair) for pair in split.split()] for split in pairs or none],
        "discards": [fruits(cards) for cards in discards] or [[] for _ in hands],
        "secrets": [LETTERS[card] if card else None for card in secrets or none],
        "displays": [
            counts(fruits(display)) or {start: 1}
            for display, start in zip(displays or none, starts, strict=True)
        ],
        "removed": counts(fruits(removed)),
        "deck": fruits(deck_top),
        "starts": list(starts),
        **fields,
    }
    total = deck(players, options) + Counter(starts)
    left = total - all_cards(shown)
    # Mixed, but always alike.
    rest = random.Random(1).sample(list(left.elements()), left.total())
    if not discards:
        for own, hand in zip(shown["discards"], hands, strict=True):
            own += [rest.pop() for _ in range(shown["round"] - bool(hand))]
    dealt = 7 * players * shown["round"] + players * bool(options.get("secret_card"))
    size = 0 if short else deck(players, options).total() - dealt - len(deck_top)
    shown["deck"] += rest[:size]
    shown["displays"][-1] = counts(Counter(shown["displays"][-1]) + Counter(rest[size:]))
    assert all_cards(shown) == total and len(rest) >= size, "more cards than the game has"
    return shown


def deal(players: int, options: Options, rng: random.Random) -> dict[str, Any]:
    """A first position by the sheet's setup, as `show` prints it."""
    starts = rng.sample(STARTS[:players], players)
    cards = list(deck(players, options).elements())
    rng.shuffle(cards)
    size = 8 if options.get("secret_card") else 7
    return {
        "phase": "split", "seat": 0, "round": 1, "active": starts.index("apple"),
        "hands": [ordered(cards[p * size : (p + 1) * size]) for p in range(players)],
        "pairs": [[] for _ in starts], "discards": [[] for _ in starts],
        "secrets": [None] * players, "displays": [{start: 1} for start in starts], "removed": {},
        "deck": cards[players * size :], "starts": starts,
    }  # fmt: skip
