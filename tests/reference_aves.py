"""AVES once more, written from the rule sheet alone: the oracle of the AVES tests.

Plain lists of card names, nothing shared with `arena.games.aves`, and slow. `Reference` plays and
says what each seat sees; `worlds` lists the positions that a view leaves open.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import pytest

COLOURS = "ROYGBIV"
CROW = "X0"
PLAY, RETURN, PASS, UNTRADED = 0, 256, 512, 513

DEFAULTS: dict[str, Any] = {
    "crows": 0,
    "crow_deal": "before",
    "showdown": False,
    "trade_optional": False,
    "refill_timing": "after_return",
    "deck_end": "on_empty",
    "tiebreak": "sum",
    "crow_stuck": "pass",
    "show_deck_top": True,
    "turn_cap": 200,
}

Options = Mapping[str, Any]
Shown = Mapping[str, Any]


def all_cards(players: int, crows: int = 0) -> Counter[str]:
    fruits = [f"{colour}{number}" for colour in COLOURS for number in range(1, players + 2)]
    return Counter(fruits + [CROW] * crows)


def cards_of(shown: Shown) -> Counter[str]:
    """Every card of a shown state, wherever it lies."""
    return Counter(itertools.chain(shown["circle"], *shown["hands"], shown["deck"]))


def in_order(cards: Sequence[str]) -> list[str]:
    """By colour and number, crows last; `R?` stands after the red cards that are known."""
    return sorted(cards, key=lambda card: ((COLOURS + CROW[0]).index(card[0]), card[1]))


def number(card: str) -> int:
    return int(card[1])


def colours(hand: Sequence[str]) -> int:
    return len({card[0] for card in hand if card != CROW})


class Reference:
    """A game in progress, from a shown state on."""

    def __init__(self, shown: Shown, options: Options | None = None) -> None:
        self.options = DEFAULTS | dict(options or {})
        self.phase: str = shown["phase"]
        self.seat: int | None = shown["seat"]
        self.turn: int = shown["turn"]
        self.circle: list[str] = list(shown["circle"])
        self.hands: list[list[str]] = [in_order(hand) for hand in shown["hands"]]
        self.known: list[list[str]] = [in_order(known) for known in shown["known"]]
        self.deck: list[str] = list(shown["deck"])
        self.capped = False
        self._legal: dict[int, str] | None = None

    def shown(self) -> dict[str, Any]:
        """The position, as `Game.show` should print it."""
        return {
            "phase": self.phase, "seat": self.seat, "turn": self.turn, "circle": list(self.circle),
            "hands": [list(hand) for hand in self.hands],
            "known": [list(known) for known in self.known], "deck": list(self.deck),
        }  # fmt: skip

    def view(self, seat: int) -> dict[str, Any]:
        """What a seat with a perfect memory knows, as `Game.show_view` should print it."""
        hands = []
        for p, hand in enumerate(self.hands):
            known = hand if p == seat or self.phase == "over" else self.known[p]
            hidden = Counter(hand) - Counter(known)
            hands.append(in_order([*known, *(f"{card[0]}?" for card in hidden.elements())]))
        held = Counter(card[0] for card in self.deck)
        top = self.deck[-1][0] if self.deck and self.options["show_deck_top"] else None
        deck = {
            "size": len(self.deck),
            "top": top,
            "colours": {colour: held[colour] for colour in COLOURS + CROW[0] if held[colour]},
        }
        return {**self.shown(), "hands": hands, "deck": deck}

    def scores(self) -> tuple[int, ...]:
        return tuple(colours(hand) for hand in self.hands)

    def ranks(self) -> tuple[int, ...]:
        """Places from 0; seven colours are more than anybody else has."""
        fruits = [[number(card) for card in hand if card != CROW] for hand in self.hands]
        ties = map(sum if self.options["tiebreak"] == "sum" else len, fruits)
        keys = list(zip(self.scores(), ties, strict=True))
        return tuple(sum(other > key for other in keys) for key in keys)

    # --- moves ---

    def fits(self, card: str, gap: int) -> bool:
        """Whether `card` would trade in `gap`, which counts from 0."""
        left, right = self.circle[gap], self.circle[(gap + 1) % len(self.circle)]
        return abs(number(left) - number(right)) == number(card)

    def trades(self, move: str) -> bool:
        verb, card, _, gap, *untraded = [*move.split(), "", "", ""][:5]
        return verb == "play" and untraded == [""] and self.fits(card, int(gap) - 1)

    def legal(self) -> dict[int, str]:
        """The legal moves by number, ascending: of those that lead to one position the lowest."""
        if self._legal is None:
            lowest: dict[Any, int] = {}
            moves = self.candidates()
            for action, move in moves.items():
                lowest.setdefault(self.after(move).key(), action)
            self._legal = {action: moves[action] for action in lowest.values()}
        return self._legal

    def candidates(self) -> dict[int, str]:
        """The moves that the rules allow by number, ascending, some of which may be equal."""
        if self.phase == "over":
            return {}
        hand = self.hands[self.seat]
        slots = {card: hand.index(card) for card in hand}
        gaps = range(len(self.circle) if len(self.circle) > 2 else 1)
        if self.phase == "return":
            fruits = [card for card in hand if card != CROW]
            held = Counter(card[0] for card in fruits)
            back = [card for card in fruits if held[card[0]] > 1] or fruits
            return {
                RETURN + slots[card] * 32 + gap: f"return {card} at {gap + 1}"
                for card in back
                for gap in gaps
            }
        moves = {}
        for (card, slot), gap in itertools.product(slots.items(), gaps):
            text, fits = f"play {card} at {gap + 1}", self.fits(card, gap)
            if card != CROW or fits:
                moves[PLAY + slot * 32 + gap] = text
            if fits and self.options["trade_optional"]:
                moves[UNTRADED + slot * 32 + gap] = f"{text} untraded"
        if not moves and self.options["crow_stuck"] == "free_play":
            return {PLAY + gap: f"play {CROW} at {gap + 1}" for gap in gaps}
        return dict(sorted(moves.items())) or {PASS: "pass"}

    def key(self) -> tuple[Any, ...]:
        """The same for equal positions: it does not matter which card the circle is read from."""
        first = self.circle.index(min(self.circle))  # a fruit, if there is one
        ring = self.circle[first:] + self.circle[:first]
        places = (ring, *self.hands, *self.known, self.deck)
        return self.phase, self.seat, self.turn, *map(tuple, places)

    def after(self, move: str) -> Reference:
        """The position that a move leads to."""
        after = copy(self)
        after.circle, after.deck = list(self.circle), list(self.deck)
        after.hands, after.known = list(map(list, self.hands)), list(map(list, self.known))
        after.apply(move)
        return after

    def apply(self, move: str) -> None:
        self._legal = None
        trades = self.trades(move)
        verb, *words = move.split()
        if verb == "return":
            self._put(words[0], int(words[2]))
            self._refill()
            self._end_turn()
            return
        drawn = True
        if trades:
            self._trade(words[0], int(words[2]) - 1)
        elif verb == "play":
            self._put(words[0], int(words[2]))
            drawn = self._draw()
        elif self.options["crow_stuck"] == "draw":
            drawn = self._draw()
        hand = self.hands[self.seat]
        if not drawn or colours(hand) == 7:
            self._game_over()
            return
        if self.options["refill_timing"] == "before_return" or len(hand) < 8:
            self._refill()
        if len(hand) == 8:
            self.phase = "return"
        else:
            self._end_turn()

    def _put(self, card: str, place: int) -> None:
        self._let_go(card)
        self.circle.insert(place, card)

    def _let_go(self, card: str) -> None:
        self.hands[self.seat].remove(card)
        if card in self.known[self.seat]:
            self.known[self.seat].remove(card)

    def _take(self, card: str, public: bool) -> None:
        self.hands[self.seat] = in_order([*self.hands[self.seat], card])
        if public or card == CROW or self.options["showdown"]:
            self.known[self.seat] = in_order([*self.known[self.seat], card])

    def _trade(self, card: str, gap: int) -> None:
        self._let_go(card)
        taken = self.circle[gap : gap + 2]
        if len(taken) == 2:
            self.circle[gap : gap + 2] = [card]
        else:  # the last gap; also the only gap of one card
            taken += self.circle[: len(self.circle) - 1][:1]
            self.circle = [*self.circle[1:-1], card]
        for neighbour in taken:
            self._take(neighbour, public=True)

    def _draw(self) -> bool:
        if self.deck:
            self._take(self.deck.pop(0), public=False)
            return True
        return False

    def _refill(self) -> None:
        if len(self.circle) == 1:
            self.circle += [self.deck.pop() for _ in range(min(6, len(self.deck)))]

    def _end_turn(self) -> None:
        over = not self.deck and self.options["deck_end"] == "on_empty"
        self.capped = not over and self.turn + 1 >= self.options["turn_cap"]
        if over or self.capped:
            self._game_over()
        else:
            self.turn += 1
            self.phase, self.seat = "play", (self.seat + 1) % len(self.hands)

    def _game_over(self) -> None:
        self.turn += 1
        self.phase, self.seat = "over", None


# --- hidden cards -------------------------------------------------------------------------------


def unseen(view: Shown, cards: Counter[str]) -> list[str]:
    """The cards of which the view does not tell where they lie."""
    named = Counter(card for place in [view["circle"], *view["hands"]] for card in place)
    return in_order(list((cards - named).elements()))


def secrets(view: Shown, world: Shown) -> tuple[tuple[str, ...], ...]:
    """Of a world, each hand's cards that the view hides, and the deck."""
    hidden = [
        tuple(in_order(list((Counter(true) - Counter(seen)).elements())))
        for true, seen in zip(world["hands"], view["hands"], strict=True)
    ]
    return (*hidden, tuple(world["deck"]))


def worlds(view: Shown, cards: Counter[str]) -> set[tuple[tuple[str, ...], ...]]:
    """The `secrets` of all worlds of a view, found by trying every order of the unseen cards.

    Each stands for equally many orders: those of the cards in a hand, and of crows in the deck.
    """
    found = set()
    veiled = [[card[0] for card in hand if card[1] == "?"] for hand in view["hands"]]
    for order in itertools.permutations(unseen(view, cards)):
        rest = iter(order)
        hidden = [[next(rest) for _ in hand] for hand in veiled]
        deck = tuple(rest)
        top = view["deck"]["top"]
        if [[card[0] for card in hand] for hand in hidden] == veiled and (
            top is None or deck[-1][0] == top
        ):
            found.add((*(tuple(in_order(hand)) for hand in hidden), deck))
    return found


def redealt(shown: Shown, seat: int, options: Options, rng: random.Random) -> dict[str, Any]:
    """Another world for `seat`: hidden cards changed among each other within what it can see."""
    reference = Reference(shown, options)
    view = reference.view(seat)
    pool: dict[str, list[str]] = {}
    for card in unseen(view, cards_of(shown)):
        pool.setdefault(card[0], []).append(card)
    for cards in pool.values():
        rng.shuffle(cards)
    hands = [
        in_order([pool[card[0]].pop() if card[1] == "?" else card for card in hand])
        for hand in view["hands"]
    ]
    deck = [pool[card[0]].pop() for card in shown["deck"]]
    if not reference.options["show_deck_top"]:
        rng.shuffle(deck)
    elif deck:
        deck = [*rng.sample(deck[:-1], len(deck) - 1), deck[-1]]
    return {**shown, "hands": hands, "deck": deck}


# --- positions and games ------------------------------------------------------------------------


def position(
    circle: str,
    hands: Sequence[str],
    bottom: str = "",
    top: str = "",
    known: Sequence[str] = (),
    crows: int = 0,
    rest: str = "deck",
    **fields: Any,
) -> dict[str, Any]:
    """A state as `show` prints it, from names with spaces between; all cards are in it.

    The cards not named lie in the deck between `bottom` and `top`, or with `rest="circle"` at the
    end of the circle. All crows in hands are `known`.
    """
    held = [in_order(hand.split()) for hand in hands]
    open_cards = [[*cards.split()] for cards in known or [""] * len(hands)]
    for cards, hand in zip(open_cards, held, strict=True):
        cards += [CROW] * hand.count(CROW)
    ring, below, above = circle.split(), bottom.split(), top.split()
    named = Counter(itertools.chain(ring, *held, below, above))
    total = all_cards(len(hands), crows)
    assert named <= total, f"more than the game has: {named - total}"
    others = list((total - named).elements())
    random.Random(1).shuffle(others)
    return {
        "phase": "play", "seat": 0, "turn": 0,
        "circle": ring + others if rest == "circle" else ring,
        "hands": held, "known": [in_order(cards) for cards in open_cards],
        "deck": below + above if rest == "circle" else below + others + above,
        **fields,
    }  # fmt: skip


def tight(rng: random.Random, players: int, options: Options) -> dict[str, Any]:
    """A position with hands full of crows, and either a small circle or a small deck."""
    options = DEFAULTS | dict(options)
    total = all_cards(players, options["crows"])
    cards = rng.sample(list(total.elements()), total.total())
    cards.sort(key=CROW.__eq__)  # crows are dealt first
    hands: list[list[str]] = []
    for _ in range(players):
        hand = [cards.pop() for _ in range(rng.choice([3, 5, 7]))]
        while colours(hand) == 7:
            cards.insert(0, hand.pop(0))
            hand.append(cards.pop())
        hands.append(in_order(hand))
    rng.shuffle(cards)
    least = 0 if options["deck_end"] == "on_failed_draw" else 1
    small = max(rng.choice([2, 3]), len(cards) - 4 * players - options["crows"])
    size = rng.choice([small, len(cards) - rng.randint(least, 3)])
    known = [[card for card in hand if card == CROW or options["showdown"]] for hand in hands]
    return {
        "phase": "play", "seat": rng.randrange(players), "turn": 0, "circle": cards[:size],
        "hands": hands, "known": known, "deck": cards[size:],
    }  # fmt: skip


VARIANTS: list[dict[str, Any]] = [
    {},
    {"crows": 4},
    {"crows": 4, "crow_deal": "after", "crow_stuck": "draw", "tiebreak": "cards"},
    {"crows": 4, "crow_stuck": "free_play", "trade_optional": True, "show_deck_top": False},
    {"crows": 3, "crow_stuck": "draw", "deck_end": "on_failed_draw", "showdown": True},
    {"crows": 4, "deck_end": "on_failed_draw", "refill_timing": "before_return",
     "trade_optional": True},
    {"refill_timing": "before_return", "tiebreak": "cards", "show_deck_top": False},
    {"crows": 1, "showdown": True, "turn_cap": 12},
]  # fmt: skip
VARIANT_NAMES = ["-".join(map(str, v.values())) or "default" for v in VARIANTS]


def uniform(rng: random.Random, reference: Reference) -> str:
    return rng.choice(list(reference.legal().values()))


def eager(rng: random.Random, reference: Reference) -> str:
    """Trade wherever possible: hands are full, the circle is small, the game long."""
    moves = list(reference.legal().values())
    return rng.choice([move for move in moves if reference.trades(move)] or moves)


CHOICES = (uniform, eager)

GAMES = [
    pytest.param(options, players, id=f"{name}-{players}")
    for name, options in zip(VARIANT_NAMES, VARIANTS, strict=True)
    for players in range(2, 6)
]
"""Every variant with every number of players."""
