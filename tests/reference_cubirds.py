"""CuBirds once more, written from the rule sheet alone: the oracle of the CuBirds tests.

Plain lists and counters, no arrays, no compiler, nothing shared with `arena.games.cubirds`, and
slow. Cards are species names, moves are texts. `Reference` plays; `Memory` keeps, from the events
of play, what one seat knows; `violations` and `deals` say which worlds a view leaves open, and how
likely each is.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest

SPECIES = ("flamingo", "owl", "toucan", "duck", "parrot", "magpie", "reed-warbler", "robin")
CARDS = dict(zip(SPECIES, (7, 10, 10, 13, 13, 17, 20, 20), strict=True))
SMALL = dict(zip(SPECIES, (2, 3, 3, 4, 4, 5, 6, 6), strict=True))
BIG = dict(zip(SPECIES, (3, 4, 4, 6, 6, 7, 9, 9), strict=True))
LETTERS = dict(zip("FOTDPMWR", SPECIES, strict=True))
SIDES = ("left", "right")

DEFAULTS: dict[str, Any] = {
    "row_length": 3,
    "fly_requires_take": False,
    "short_draw": "partial",
    "refill_fail": "leave",
    "setup_duplicates": "pile",
    "reshuffle": "lazy",
    "round_end_discards": "public",
    "turn_cap": 1000,
    "no_flight_cap": 300,
}

Shown = Mapping[str, Any]
Cards = Counter[str]
Event = tuple[Any, ...]
Order = Callable[[Cards], list[str]]


def birds(letters: str) -> list[str]:
    """`birds("OFP")` is owl, flamingo, parrot."""
    return [LETTERS[letter] for letter in letters]


def counts(cards: Iterable[str] | Mapping[str, int]) -> dict[str, int]:
    """How many there are of each species, in the sheet's order, without zeros."""
    counted = Counter(cards)
    return {s: counted[s] for s in SPECIES if counted[s]}


def action_id(move: str) -> int:
    """The number of a move, from its text."""
    words = move.split()
    if words[0] == "lay":
        return SPECIES.index(words[1]) * 8 + (int(words[2]) - 1) * 2 + SIDES.index(words[3])
    if words[0] == "fly":
        return 66 + SPECIES.index(words[1])
    return {"draw": 64, "decline": 65, "stay": 74}[move]


def all_cards(shown: Shown) -> Cards:
    """Every card of a shown state, wherever it lies."""
    places = [*shown["rows"], *shown["hands"], *shown["collections"], shown["pile"]]
    return sum((Counter(place) for place in [*places, shown["discard"]]), Counter())


def position(
    rows: Sequence[str] = ("OFP", "TDM", "WRO", "FTD"),
    hands: Sequence[str] = ("MMM", "WWW"),
    collections: Sequence[str] = (),
    pile: str = "",
    discard: str = "",
    rest: str = "pile",
    **fields: Any,
) -> dict[str, Any]:
    """A state as `show` prints it, from letters; all 110 cards are in it.

    The cards not named go to `rest`: below the `pile`, to the `discard`, or as blocks into row 4.
    """
    shown: dict[str, Any] = {
        "phase": "lay",
        "seat": 0,
        "turn": 0,
        "turns_since_flight": 0,
        "took": False,
        "rows": [birds(row) for row in rows],
        "hands": [counts(birds(hand)) for hand in hands],
        "collections": [counts(birds(c)) for c in collections or [""] * len(hands)],
        "pile": birds(pile),
        "discard": counts(birds(discard)),
        **fields,
    }
    left = Counter(CARDS) - all_cards(shown)
    if rest == "pile":
        # Mixed, but always alike.
        shown["pile"] += random.Random(1).sample(list(left.elements()), left.total())
    elif rest == "discard":
        shown["discard"] = counts(Counter(shown["discard"]) + left)
    else:
        row = list(dict.fromkeys([*shown["rows"][3], *left]))
        total = left + Counter(shown["rows"][3])
        shown["rows"][3] = [s for s in row for _ in range(total[s])]
    assert all_cards(shown) == Counter(CARDS), "the position has more cards than the game"
    return shown


def deal(players: int, options: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """A first position by the sheet's setup, as `show` prints it."""
    options = DEFAULTS | dict(options)
    pile = [s for s in SPECIES for _ in range(CARDS[s])]
    rng.shuffle(pile)
    rows, surplus = [], []
    for _ in range(4):
        row: list[str] = []
        while len(row) < options["row_length"]:
            card = pile.pop()
            (surplus if card in row else row).append(card)
        rows.append(row)
    if options["setup_duplicates"] == "pile":
        pile += surplus
        surplus = []
        rng.shuffle(pile)
    hands = [counts(pile.pop() for _ in range(8)) for _ in range(players)]
    collections = [counts([pile.pop()]) for _ in range(players)]
    return {
        "phase": "lay", "seat": 0, "turn": 0, "turns_since_flight": 0, "took": False,
        "rows": rows, "hands": hands, "collections": collections, "pile": pile[::-1],
        "discard": counts(surplus),
    }  # fmt: skip


class Reference:
    """A game in progress, from a shown state on."""

    def __init__(self, shown: Shown, options: Mapping[str, Any] | None = None) -> None:
        self.options = DEFAULTS | dict(options or {})
        self.phase: str = shown["phase"]
        self.seat: int | None = shown["seat"]
        self.turn: int = shown["turn"]
        self.turns_since_flight: int = shown["turns_since_flight"]
        self.took: bool = shown["took"]
        self.rows: list[list[str]] = [list(row) for row in shown["rows"]]
        self.hands: list[Cards] = [Counter(hand) for hand in shown["hands"]]
        self.collections: list[Cards] = [Counter(c) for c in shown["collections"]]
        self.pile: list[str] = list(shown["pile"])
        self.discard: Cards = Counter(shown["discard"])
        self.players = len(self.hands)
        self.capped = False
        self.winner: int | None = None
        self.events: list[Event] = []
        self._order: Order = list
        self._row = 0

    def shown(self) -> dict[str, Any]:
        """The position, as `Game.show` should print it."""
        return {
            "phase": self.phase,
            "seat": self.seat,
            "turn": self.turn,
            "turns_since_flight": self.turns_since_flight,
            "took": self.took,
            "rows": [list(row) for row in self.rows],
            "hands": [counts(hand) for hand in self.hands],
            "collections": [counts(c) for c in self.collections],
            "pile": list(self.pile),
            "discard": counts(self.discard),
        }

    def scores(self) -> tuple[int, ...]:
        return tuple(c.total() for c in self.collections)

    def ranks(self) -> tuple[int, ...]:
        """Places from 0: the collection winner, then by birds, equal numbers alike."""
        keys = [(p == self.winner, score) for p, score in enumerate(self.scores())]
        return tuple(sum(other > key for other in keys) for key in keys)

    def legal(self) -> list[str]:
        """The texts of the legal moves, in the order of their numbers."""
        if self.phase == "over":
            return []
        hand = self.hands[self.seat]
        if self.phase == "lay":
            ends = itertools.product(range(1, 5), SIDES)
            places = [f"{row} {side}" for row, side in ends]
            return [f"lay {s} {place}" for s in SPECIES if hand[s] for place in places]
        if self.phase == "draw":
            there = len(self.pile) + self.discard.total()
            least = {"partial": 1, "forbid": 2, "end_game": 0}[self.options["short_draw"]]
            return ["draw", "decline"] if there >= least else ["decline"]
        if self.options["fly_requires_take"] and not self.took:
            return ["stay"]
        return [*(f"fly {s}" for s in SPECIES if hand[s] >= SMALL[s]), "stay"]

    def apply(self, move: str, order: Order) -> list[Event]:
        """Play `move`; `order` shuffles the cards it is given. Returns what happened, in order."""
        assert move in self.legal(), f"{move!r} is not legal in {self.shown()}"
        self.events = []
        self._order = order
        verb, *words = move.split()
        if verb == "lay":
            self._lay(words[0], int(words[1]) - 1, words[2])
        elif verb == "draw":
            self._draw_two()
        elif verb == "decline":
            self.phase = "fly"
        else:
            self._fly(words[0] if words else None)
        return self.events

    def follow(self, move: str, after: Shown) -> list[Event]:
        """Play `move`, with chance as in the shown state `after` to which it led elsewhere."""

        def order(cards: Cards) -> list[str]:
            if len(cards) == 1:
                return list(cards.elements())
            if self.phase == "lay":
                upcoming = list(after["rows"][self._row][len(self.rows[self._row]) :])
            else:
                upcoming = [
                    card
                    for p in self._seats_from_mover()
                    for card in (Counter(after["hands"][p]) - self.hands[p]).elements()
                ]
            return upcoming + list(after["pile"])

        return self.apply(move, order)

    def _seats_from_mover(self) -> list[int]:
        return [(self.seat + i) % self.players for i in range(self.players)]

    # --- the three steps of a turn ---

    def _lay(self, species: str, row: int, side: str) -> None:
        laid = self.hands[self.seat].pop(species)
        self.events.append(("laid", self.seat, species, laid))
        cards = self.rows[row] if side == "left" else self.rows[row][::-1]
        taken = cards[: cards.index(species)] if species in cards else []
        cards = [species] * laid + cards[len(taken) :]
        self.rows[row] = cards if side == "left" else cards[::-1]
        self.hands[self.seat].update(taken)
        self.took = bool(taken)
        if not taken:
            self.phase = "draw"
            return
        self.events.append(("took", self.seat, Counter(taken)))
        self._row = row
        if self._refill(row):
            self.phase = "fly"
        else:
            self._game_over()

    def _refill(self, row: int) -> bool:
        """Turn up cards until the row has two species; False if failing to ends the game."""
        while len(set(self.rows[row])) == 1:
            card = self._next_card()
            if card is None:
                return self.options["refill_fail"] == "leave"
            self.rows[row].append(card)
            self.events.append(("turned up", card))
            self._reshuffle_if_eager()
        return True

    def _draw_two(self) -> None:
        short = len(self.pile) + self.discard.total() < 2
        for _ in range(2):
            self._draw(self.seat)
        if short and self.options["short_draw"] == "end_game":
            self._game_over()
        else:
            self.phase = "fly"

    def _fly(self, species: str | None) -> None:
        if species is None:
            self.turns_since_flight += 1
        else:
            self.turns_since_flight = 0
            flown = self.hands[self.seat].pop(species)
            kept = 2 if flown >= BIG[species] else 1
            self.collections[self.seat][species] += kept
            self.discard[species] += flown - kept
            self.events.append(("flew", self.seat, species, flown, flown - kept))
            self._reshuffle_if_eager()
        self.turn += 1
        self._end_turn()

    def _end_turn(self) -> None:
        kinds = self.collections[self.seat]
        if len(+kinds) >= 7 or sum(n >= 3 for n in kinds.values()) >= 2:
            self.winner = self.seat
            self._game_over()
            return
        if self.hands[self.seat].total():
            mover = (self.seat + 1) % self.players
        else:
            mover = self.seat
            if not self._new_round():
                self._game_over()
                return
        if (
            self.turn >= self.options["turn_cap"]
            or self.turns_since_flight >= self.options["no_flight_cap"]
        ):
            self.capped = True
            self._game_over()
            return
        self.seat, self.phase, self.took = mover, "lay", False

    def _new_round(self) -> bool:
        """Hands to the discard and eight new cards each; False if there are too few."""
        for p in range(self.players):
            self.discard += self.hands[p]
            self.events.append(("thrown in", p, Counter(self.hands[p])))
            self.hands[p] = Counter()
        if len(self.pile) + self.discard.total() < 8 * self.players:
            return False
        self._reshuffle_if_eager()
        for p in self._seats_from_mover():
            self.events.append(("new hand", p))
            for _ in range(8):
                self._draw(p)
        return True

    def _game_over(self) -> None:
        self.phase, self.seat = "over", None

    # --- the pile ---

    def _draw(self, seat: int) -> None:
        card = self._next_card()
        if card is not None:
            self.hands[seat][card] += 1
            self.events.append(("drew", seat, card))
            self._reshuffle_if_eager()

    def _next_card(self) -> str | None:
        if not self.pile:
            self._reshuffle()
        return self.pile.pop(0) if self.pile else None

    def _reshuffle_if_eager(self) -> None:
        if self.options["reshuffle"] == "eager" and not self.pile:
            self._reshuffle()

    def _reshuffle(self) -> None:
        cards = +self.discard
        if cards:
            self.discard = Counter()
            self.pile = self._order(cards)
            assert Counter(self.pile) == cards, f"{self.pile} is not a shuffle of {counts(cards)}"
            self.events.append(("reshuffled", cards))


class Memory:
    """What one seat knows, kept up from the events that it can see."""

    def __init__(self, shown: Shown, seat: int, options: Mapping[str, Any] | None = None) -> None:
        """Start at `shown` without a past."""
        sizes = [sum(hand.values()) for hand in shown["hands"]]
        self.seat = seat
        self.secret_discards = (options or {}).get("round_end_discards") == "hidden"
        self.known: list[Cards] = [Counter() for _ in sizes]
        self.hidden = sizes
        self.since = [dict.fromkeys(SPECIES, size) for size in sizes]
        self.at_most: Cards | None = None
        self._known_discards = Counter(shown["discard"])
        self.hidden_discards = 0

    def see(self, events: Iterable[Event]) -> None:
        for kind, *rest in events:
            getattr(self, "_" + kind.replace(" ", "_"))(*rest)

    def view(self, shown: Shown) -> dict[str, Any]:
        """`shown` as this seat sees it, as `Game.show_view` should print it.

        Of what lies hidden in `shown` nothing is used but the number of cards.
        """
        hands = [
            {"known": counts(known), "hidden": hidden, "since": since}
            for known, hidden, since in zip(self.known, self.hidden, self.since, strict=True)
        ]
        hands[self.seat] = shown["hands"][self.seat]
        at_most = None if self.at_most is None else {s: self.at_most[s] for s in SPECIES}
        view = {
            **shown,
            "hands": hands,
            "pile": {"size": len(shown["pile"]), "at_most": at_most},
        }
        if self.secret_discards:
            known = self._known_discards
            view["discard"] = {"known": counts(known), "hidden": self.hidden_discards}
        return view

    def _laid(self, seat: int, species: str, number: int) -> None:
        self.hidden[seat] -= number - self.known[seat].pop(species, 0)
        self.since[seat][species] = 0

    def _flew(self, seat: int, species: str, number: int, discarded: int) -> None:
        self._laid(seat, species, number)
        self._known_discards[species] += discarded

    def _took(self, seat: int, cards: Cards) -> None:
        self.known[seat] += cards

    def _drew(self, seat: int, species: str) -> None:
        self.hidden[seat] += 1
        self.since[seat] = {s: n + 1 for s, n in self.since[seat].items()}
        if seat == self.seat:
            self._turned_up(species)

    def _turned_up(self, species: str) -> None:
        if self.at_most is not None:
            self.at_most[species] -= 1

    def _thrown_in(self, seat: int, cards: Cards) -> None:
        self.hidden_discards += cards.total()
        self.known[seat] = Counter()
        self.hidden[seat] = 0

    def _new_hand(self, seat: int) -> None:
        self.since[seat] = dict.fromkeys(SPECIES, 0)

    def _reshuffled(self, cards: Cards) -> None:
        self.hidden_discards = 0
        self._known_discards = Counter()
        if not self.secret_discards:
            self.at_most = Counter(cards)


def unseen(view: Shown, seat: int) -> Cards:
    """The cards that lie where the view does not tell which they are."""
    left = Counter(CARDS)
    for place in [*view["rows"], *view["collections"], view["hands"][seat]]:
        left.subtract(Counter(place))
    for p, hand in enumerate(view["hands"]):
        if p != seat:
            left.subtract(hand["known"])
    left.subtract(view["discard"].get("known", view["discard"]))
    return +left


def fits(cards: Mapping[str, int], since: Mapping[str, int]) -> bool:
    """Whether a seat's hidden cards can be `cards`."""
    return all(
        sum(n for s, n in cards.items() if since[s] <= bound) <= bound
        for bound in set(since.values())
    )


def violations(view: Shown, seat: int, world: Shown) -> list[str]:
    """What in `world` contradicts the view; empty if the world is possible."""
    wrong = []
    open_keys = set(view) - {"hands", "pile", "discard"}
    wrong += [key for key in sorted(open_keys) if view[key] != world[key]]
    if all_cards(world) != Counter(CARDS):
        wrong.append("not 110 cards")
    if view["hands"][seat] != world["hands"][seat]:
        wrong.append("own hand")
    for p, hand in enumerate(view["hands"]):
        if p == seat:
            continue
        held = Counter(world["hands"][p])
        secret = held - Counter(hand["known"])
        if held.total() != sum(hand["known"].values()) + hand["hidden"]:
            wrong.append(f"size of hand {p}")
        if secret.total() != hand["hidden"]:
            wrong.append(f"known cards of hand {p}")
        if not fits(secret, hand["since"]):
            wrong.append(f"hand {p} holds too many of a species shown lately")
    if len(world["pile"]) != view["pile"]["size"]:
        wrong.append("size of the pile")
    at_most = view["pile"]["at_most"]
    if at_most is not None and not Counter(world["pile"]) <= Counter(at_most):
        wrong.append("pile holds more than was shuffled in")
    if "hidden" in view["discard"]:
        secret = Counter(world["discard"]) - Counter(view["discard"]["known"])
        size = sum(view["discard"]["known"].values()) + view["discard"]["hidden"]
        if secret.total() != view["discard"]["hidden"]:
            wrong.append("known discards")
        if sum(world["discard"].values()) != size:
            wrong.append("size of the discard")
    elif view["discard"] != world["discard"]:
        wrong.append("discard")
    return wrong


def deals(view: Shown, seat: int) -> Iterator[tuple[list[dict[str, int]], dict[str, int], int]]:
    """Every possible world of a view: hidden cards of each hand, cards of the pile, weight.

    The weight is the number of arrangements of single cards, in hand slots, pile places and hidden
    discards, that come to this; it is to be read relative to the other weights.
    """
    others = [p for p in range(len(view["hands"])) if p != seat]
    at_most = view["pile"]["at_most"] or CARDS

    def split(left: Cards, hands: list[dict[str, int]], weight: int) -> Iterator[Any]:
        if len(hands) < len(others):
            facts = view["hands"][others[len(hands)]]
            for cards in _subsets(left, facts["hidden"]):
                if fits(cards, facts["since"]):
                    yield from split(left - Counter(cards), [*hands, cards], weight * _ways(cards))
            return
        for pile in _subsets(left, view["pile"]["size"]):
            if all(n <= at_most.get(s, 0) for s, n in pile.items()):
                rest = left - Counter(pile)
                yield hands, pile, weight * _ways(pile) * _ways(rest)

    yield from split(unseen(view, seat), [], 1)


def _subsets(cards: Cards, size: int) -> Iterator[dict[str, int]]:
    """All choices of `size` of the cards, as counts."""
    kinds = [s for s in SPECIES if cards[s]]
    for numbers in itertools.product(*(range(min(cards[s], size) + 1) for s in kinds)):
        if sum(numbers) == size:
            yield {s: n for s, n in zip(kinds, numbers, strict=True) if n}


def _ways(cards: Mapping[str, int]) -> int:
    """In how many orders the cards can lie."""
    ways = math.factorial(sum(cards.values()))
    for number in cards.values():
        ways //= math.factorial(number)
    return ways


# --- what the tests play ------------------------------------------------------------------------

VARIANTS: list[dict[str, Any]] = [
    {},
    {"row_length": 4, "turn_cap": 60},
    {"reshuffle": "eager"},
    {"reshuffle": "eager", "round_end_discards": "hidden", "setup_duplicates": "discard"},
    {"short_draw": "forbid", "refill_fail": "end_game"},
    {"short_draw": "end_game", "fly_requires_take": True},
    {"setup_duplicates": "discard", "no_flight_cap": 15},
    {"reshuffle": "eager", "short_draw": "end_game", "refill_fail": "end_game"},
]
VARIANT_NAMES = ["-".join(map(str, v.values())) or "default" for v in VARIANTS]


def uniform(rng: random.Random, legal: list[str]) -> str:
    return rng.choice(legal)


def hoard(rng: random.Random, legal: list[str]) -> str:
    """Draw, and hardly ever fly: the pile runs out, hands and rows grow."""
    if "draw" in legal:
        return "draw"
    return "stay" if "stay" in legal and rng.random() < 0.95 else rng.choice(legal)


def hurry(rng: random.Random, legal: list[str]) -> str:
    """Decline, and fly what can fly: hands empty, rounds end."""
    return "decline" if "decline" in legal else rng.choice(legal[:-1] or legal)


CHOICES = (uniform, hoard, hurry)

GAMES = [
    pytest.param(
        options,
        players,
        choose,
        id=f"{name}-{players}-{choose.__name__}",
        marks=() if (variant + players + number) % 3 == 0 else pytest.mark.slow,
    )
    for variant, (name, options) in enumerate(zip(VARIANT_NAMES, VARIANTS, strict=True))
    for players in range(2, 6)
    for number, choose in enumerate(CHOICES)
]
"""Every variant with every number of players and every way to play; a third of them is fast."""


def tight(rng: random.Random, players: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """A position with few cards in pile and discard, most of them lying in rows."""
    cards = [s for s in SPECIES for _ in range(CARDS[s])]
    rng.shuffle(cards)

    def some(most: int) -> list[str]:
        return [cards.pop() for _ in range(rng.randint(0, most))]

    least = 1 if options.get("reshuffle") == "eager" else 0
    rows: list[list[str]] = [[] for _ in range(4)]
    shown = {
        **position(),
        "hands": [counts([cards.pop(), *some(7)]) for _ in range(players)],
        "collections": [counts(some(4)) for _ in range(players)],
        "pile": [cards.pop() for _ in range(least)] + some(5),
        "discard": counts(some(6)),
        "rows": rows,
    }
    for card in cards:
        rows[rng.randrange(4)].append(card)
    for blocks in rows:
        order = rng.sample(SPECIES, len(SPECIES))
        blocks.sort(key=order.index)
    return shown
