"""AVES (Shi Chen, Play With Us Design, 2017), 2 to 5 players.

A turn is PLAY and, with eight cards in hand, RETURN. A played card goes into a gap of the circle:
if its number is the difference of the numbers beside it, it takes those cards, otherwise a card is
drawn. Seven colours in hand win at once; when the deck is empty, the most colours do.

The backs of all cards are seen by everybody, so that only numbers are hidden. A card that once lay
in the circle never becomes hidden again: `seen` is all there is to remember.

A card is 8 * colour + number, with colours from 0 and numbers from 1; a crow has the colour 7 and
the number 0. In a view the number 7 stands for one that the seat does not know. 0 is no card.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from arena import kernel
from arena.core import Action, State, View
from arena.game import Game, choice, number, option_fields
from arena.kernel import (
    CAPPED,
    FINISHED,
    Array,
    Field,
    Record,
    random_below,
    shuffle,
    state_dtype,
    view_dtype,
)

COLOURS = "ROYGBIVX"
KINDS, FRUITS, CROW, UNKNOWN = 8, 7, 56, 7
CODES = 64
SEATS, HAND, DEALT, CIRCLE, DECK = 5, 8, 3, 32, 24  # the most there can be, but for DEALT
START, REFILL = 7, 6  # cards that are turned up for the circle

PLAY, RETURN, OVER = 0, 1, 2  # phases
PHASES = ("play", "return", "over")
FIRST_RETURN, PASS, FIRST_UNTRADED = 256, 512, 513  # actions; a play is slot * 32 + gap
ACTIONS = 769
WITNESSES = 3 * CODES * CIRCLE + 1
NOBODY = -1

# Codes of option values, in the order of OPTIONS.
BEFORE, AFTER = 0, 1
AFTER_RETURN, BEFORE_RETURN = 0, 1
ON_EMPTY, ON_FAILED_DRAW = 0, 1
SUM, CARDS = 0, 1
NO_DRAW, DRAW, FREE_PLAY = 0, 1, 2
SHOWN, HIDDEN = 0, 1

OPTIONS = (
    number("crows", 0, 0, 4, doc="crow cards; the variant Greedy Crow has four"),
    choice("crow_deal", "before", "after", doc="crows join the deck before or after the deal"),
    choice("showdown", False, True, doc="whether all hands lie open"),
    choice("trade_optional", False, True, doc="whether a card that fits may be left untraded"),
    choice("refill_timing", "after_return", "before_return", doc="when a lone card gets company"),
    choice("deck_end", "on_empty", "on_failed_draw", doc="what ends the game"),
    choice("tiebreak", "sum", "cards", doc="what counts between equal numbers of colours"),
    choice("crow_stuck", "pass", "draw", "free_play", doc="a hand of crows, and no gap for them"),
    choice("show_deck_top", True, False, doc="whether the back of the deck's top card is seen"),
    number("turn_cap", 200, 1, 10_000, doc="finished turns after which the game ends"),
)

PUBLIC_FIELDS: list[Field] = [
    *option_fields(OPTIONS),
    ("circle_size", "i1"),
    ("circle", "i1", (CIRCLE,)),
    ("hand_sizes", "i1", (SEATS,)),
    ("hands", "i1", (SEATS, HAND)),  # ascending, then zeros
    ("seen", "i1", (CODES,)),  # by card: 1 once it has lain open
]
STATE = state_dtype(
    [
        *PUBLIC_FIELDS,
        ("deck", "i1", (DECK,)),  # deck[bottom] is drawn next, deck[top - 1] turned up next
        ("bottom", "i1"),
        ("top", "i1"),
    ]
)
VIEW = view_dtype(
    [
        *PUBLIC_FIELDS,
        ("deck_size", "i1"),
        ("deck_colours", "i1", (KINDS,)),
        ("deck_top", "i1"),
    ]
)


# --- setup ------------------------------------------------------------------------------------


@kernel.kernel
def deal(state: Record) -> None:
    cards = np.empty(CODES, np.int8)
    n = 0
    for colour in range(FRUITS):
        for fruits in range(1, state.players + 2):
            cards[n] = 8 * colour + fruits
            n += 1
    if state.crow_deal == BEFORE:
        n = add_crows(state, cards, n)
    shuffle(state, cards, n)
    state.seen[CROW] = 1
    for seat in range(state.players):
        for _ in range(DEALT):
            n -= 1
            receive(state, seat, cards[n])
    for _ in range(START):
        n -= 1
        put(state, state.circle_size - 1, cards[n])
    if state.crow_deal == AFTER:
        n = add_crows(state, cards, n)
        shuffle(state, cards, n)
    for i in range(n):
        state.deck[i] = cards[i]
    state.top = n


@kernel.kernel
def add_crows(state: Record, cards: Array, n: int) -> int:
    for _ in range(state.crows):
        cards[n] = CROW
        n += 1
    return n


# --- hands and circle -------------------------------------------------------------------------


@kernel.kernel
def gain(record: Record, seat: int, card: int) -> None:
    """Put a card into a hand, in a state or in a view."""
    i = record.hand_sizes[seat]
    while i > 0 and record.hands[seat, i - 1] > card:
        record.hands[seat, i] = record.hands[seat, i - 1]
        i -= 1
    record.hands[seat, i] = card
    record.hand_sizes[seat] += 1


@kernel.kernel
def receive(state: Record, seat: int, card: int) -> None:
    """Take a card that others see the back of, or with `showdown` the front."""
    gain(state, seat, card)
    if state.showdown:
        state.seen[card] = 1


@kernel.kernel
def lose(state: Record, seat: int, slot: int) -> int:
    """Take the card in `slot` out of a hand."""
    card = state.hands[seat, slot]
    left = state.hand_sizes[seat] - 1
    for i in range(slot, left):
        state.hands[seat, i] = state.hands[seat, i + 1]
    state.hands[seat, left] = 0
    state.hand_sizes[seat] = left
    return card


@kernel.kernel
def colours(state: Record, seat: int) -> int:
    """How many colours a hand holds."""
    count, last = 0, CROW >> 3
    for i in range(state.hand_sizes[seat]):
        colour = state.hands[seat, i] >> 3
        count += colour != last and colour < FRUITS
        last = colour
    return count


@kernel.kernel
def after(state: Record, gap: int) -> int:
    """The place in the circle that follows a gap."""
    return gap + 1 if gap + 1 < state.circle_size else 0


@kernel.kernel
def difference(state: Record, gap: int) -> int:
    """By how much the numbers of a gap's neighbours differ."""
    return abs((state.circle[gap] & 7) - (state.circle[after(state, gap)] & 7))


@kernel.kernel
def fits(state: Record, card: int, gap: int) -> bool:
    """Whether a card trades in a gap."""
    return difference(state, gap) == card & 7


@kernel.kernel
def put(state: Record, gap: int, card: int) -> None:
    """Insert a card into a gap of the circle."""
    i = state.circle_size
    while i > gap + 1:
        state.circle[i] = state.circle[i - 1]
        i -= 1
    state.circle[i] = card
    state.circle_size += 1
    state.seen[card] = 1


@kernel.kernel
def trade(state: Record, gap: int, card: int) -> None:
    """Put a card in the place of a gap's neighbours, which the mover takes."""
    right = after(state, gap)
    gain(state, state.seat, state.circle[gap])
    state.circle[gap] = card
    state.seen[card] = 1
    if right != gap:
        gain(state, state.seat, state.circle[right])
        last = state.circle_size - 1
        for i in range(right, last):
            state.circle[i] = state.circle[i + 1]
        state.circle[last] = 0
        state.circle_size = last


@kernel.kernel
def draw(state: Record) -> bool:
    """Draw the bottom card of the deck; False if there is none."""
    if state.bottom == state.top:
        return False
    receive(state, state.seat, state.deck[state.bottom])
    state.bottom += 1
    return True


@kernel.kernel
def refill(state: Record) -> None:
    """Turn up cards from the top of the deck if the circle is down to one."""
    if state.circle_size == 1:
        for _ in range(min(REFILL, state.top - state.bottom)):
            state.top -= 1
            put(state, state.circle_size - 1, state.deck[state.top])


# --- legal moves ------------------------------------------------------------------------------

# Crows look alike, so that neighbouring gaps can lead to the same circle, read from another card:
# a crow's gaps along a row of crows, and a trade's gaps on both sides of the only fruit. With
# nothing but crows, every gap is the same. Of such gaps the lowest is legal.


@kernel.kernel
def legal(state: Record, out: Array) -> int:
    if state.over:
        return 0
    fruits = fruits_in_circle(state)
    gaps = 1 if state.circle_size <= 2 or fruits == 0 else state.circle_size
    returning = state.phase == RETURN
    n = 0
    for slot in range(state.hand_sizes[state.seat]):
        if not (may_return(state, slot) if returning else may_play(state, slot)):
            continue
        anywhere = returning or (state.hands[state.seat, slot] != CROW and fruits > 1)
        action = slot * CIRCLE + (FIRST_RETURN if returning else 0)
        for gap in range(gaps):
            if anywhere or may_play_at(state, slot, gap):
                out[n] = action + gap
                n += 1
    if n == 0 and state.crow_stuck == FREE_PLAY:
        for gap in range(gaps):
            if not repeats(state, CROW, gap):
                out[n] = gap
                n += 1
    if n == 0:
        out[0] = PASS
        n = 1
    elif state.trade_optional and not returning:
        for slot in range(state.hand_sizes[state.seat]):
            for gap in range(gaps):
                if may_leave_untraded(state, slot, gap):
                    out[n] = FIRST_UNTRADED + slot * CIRCLE + gap
                    n += 1
    return n


@kernel.kernel
def may_return(state: Record, slot: int) -> bool:
    """Whether a fruit's colour is doubled in a hand of eight, or none is."""
    any_doubled = False
    for other in range(HAND):
        any_doubled |= doubled(state, other)
    fruit = state.hands[state.seat, slot] != CROW
    return fruit and (doubled(state, slot) or not any_doubled)


@kernel.kernel
def doubled(state: Record, slot: int) -> bool:
    """Whether a hand of eight has another fruit of the colour of this one."""
    colour = state.hands[state.seat, slot] >> 3
    left = slot > 0 and state.hands[state.seat, slot - 1] >> 3 == colour
    right = slot + 1 < HAND and state.hands[state.seat, slot + 1] >> 3 == colour
    return colour < FRUITS and (left or right)


@kernel.kernel
def may_play(state: Record, slot: int) -> bool:
    """Whether no lower slot holds the same card: of several crows the first is played."""
    card = state.hands[state.seat, slot]
    return card != CROW or slot == 0 or state.hands[state.seat, slot - 1] != CROW


@kernel.kernel
def may_play_at(state: Record, slot: int, gap: int) -> bool:
    """Whether a gap is open to a crow, or to a fruit if at most one lies in the circle."""
    card = state.hands[state.seat, slot]
    if fits(state, card, gap):
        return not repeats(state, card, gap)
    return card != CROW


@kernel.kernel
def may_leave_untraded(state: Record, slot: int, gap: int) -> bool:
    card = state.hands[state.seat, slot]
    if not fits(state, card, gap):
        return False
    return card != CROW or (may_play(state, slot) and not repeats(state, card, gap))


@kernel.kernel
def fruits_in_circle(state: Record) -> int:
    """0, 1, or 2 for more."""
    fruits = 0
    for i in range(state.circle_size):
        fruits += state.circle[i] != CROW
        if fruits == 2:
            break
    return fruits


@kernel.kernel
def repeats(state: Record, card: int, gap: int) -> bool:
    """Whether a lower gap leads to the same position, for a crow or a trade of the only fruit."""
    if gap > 0 and joined(state, card, gap - 1):
        return True
    last = gap
    while last > 0 and joined(state, card, last):
        last = after(state, last)
    return gap > 0 and last == 0


@kernel.kernel
def joined(state: Record, card: int, gap: int) -> bool:
    """Whether a gap and the next one lead to the same position."""
    following = after(state, gap)
    if (state.circle[following] == CROW) != (card == CROW):
        return False
    return fits(state, card, gap) == fits(state, card, following)


@kernel.kernel
def witness(state: Record, action: int, seat: int) -> int:
    """The card in place of its slot, which tells about the cards beside it."""
    if action == PASS:
        return WITNESSES - 1
    first, place = 0, action
    if action >= FIRST_UNTRADED:
        first, place = 2 * CODES * CIRCLE, action - FIRST_UNTRADED
    elif action >= FIRST_RETURN:
        first, place = CODES * CIRCLE, action - FIRST_RETURN
    card = state.hands[state.seat, place // CIRCLE]
    return card * np.int64(CIRCLE) + place % CIRCLE + first


# --- turns ------------------------------------------------------------------------------------


@kernel.kernel
def apply(state: Record, action: int) -> None:
    if FIRST_RETURN <= action < PASS:
        slot = (action - FIRST_RETURN) // CIRCLE
        put(state, action % CIRCLE, lose(state, state.seat, slot))
        end_turn(state)
        return
    if action == PASS:
        done = state.crow_stuck != DRAW or draw(state)
    else:
        done = play(state, action)
    cards = state.hand_sizes[state.seat]
    if not done or (cards >= FRUITS and colours(state, state.seat) == FRUITS):
        state.turn += 1
        finish(state, FINISHED)
        return
    if state.refill_timing == BEFORE_RETURN:
        refill(state)
    if cards == HAND:
        state.phase = RETURN
    else:
        end_turn(state)


@kernel.kernel
def play(state: Record, action: int) -> bool:
    """Play a card; False if there is none to draw for it."""
    untraded = action >= FIRST_UNTRADED
    place = action - FIRST_UNTRADED if untraded else action
    gap = place % CIRCLE
    card = lose(state, state.seat, place // CIRCLE)
    if fits(state, card, gap) and not untraded:
        trade(state, gap, card)
        return True
    put(state, gap, card)
    return draw(state)


@kernel.kernel
def end_turn(state: Record) -> None:
    refill(state)
    state.turn += 1
    state.phase = PLAY
    state.seat = state.seat + 1 if state.seat + 1 < state.players else 0
    if state.bottom == state.top and state.deck_end == ON_EMPTY:
        finish(state, FINISHED)
    elif state.turn >= state.turn_cap:
        finish(state, CAPPED)


@kernel.kernel
def finish(state: Record, how: int) -> None:
    state.over = how
    state.phase = OVER
    state.seat = NOBODY


@kernel.kernel
def ranks(state: Record, out: Array) -> None:
    worth = np.zeros(SEATS, np.int64)
    for p in range(state.players):
        worth[p] = 100 * colours(state, p) + tiebreak(state, p)
    for p in range(state.players):
        out[p] = 0
        for q in range(state.players):
            out[p] += worth[q] > worth[p]


@kernel.kernel
def tiebreak(state: Record, seat: int) -> int:
    """What decides between hands of equally many colours."""
    total = 0
    for i in range(state.hand_sizes[seat]):
        fruits = state.hands[seat, i] & 7
        total += fruits if state.tiebreak == SUM else fruits > 0
    return total


# --- hidden information -----------------------------------------------------------------------


@kernel.kernel
def copy_public(source: Record, target: Record) -> None:
    """Copy what everybody sees, between state and view in either direction."""
    target.players = source.players
    target.seat = source.seat
    target.phase = source.phase
    target.over = source.over
    target.turn = source.turn
    target.crows = source.crows
    target.crow_deal = source.crow_deal
    target.showdown = source.showdown
    target.trade_optional = source.trade_optional
    target.refill_timing = source.refill_timing
    target.deck_end = source.deck_end
    target.tiebreak = source.tiebreak
    target.crow_stuck = source.crow_stuck
    target.show_deck_top = source.show_deck_top
    target.turn_cap = source.turn_cap
    target.circle_size = source.circle_size
    for i in range(CIRCLE):
        target.circle[i] = source.circle[i]
    for card in range(CODES):
        target.seen[card] = source.seen[card]


@kernel.kernel
def observe(state: Record, seat: int, view: Record) -> None:
    copy_public(state, view)
    for p in range(state.players):
        for i in range(state.hand_sizes[p]):
            card = state.hands[p, i]
            shown = p == seat or state.over or state.seen[card]
            gain(view, p, card if shown else card | UNKNOWN)
    view.deck_size = state.top - state.bottom
    for i in range(state.bottom, state.top):
        view.deck_colours[state.deck[i] >> 3] += 1
    if view.deck_size > 0 and state.show_deck_top == SHOWN:
        view.deck_top = state.deck[state.top - 1] | UNKNOWN


@kernel.kernel
def sample(view: Record, seat: int, world: Record) -> None:
    copy_public(view, world)
    pool = np.empty((KINDS, KINDS), np.int8)
    left = np.zeros(KINDS, np.int64)
    gather_unseen(view, pool, left)
    for p in range(view.players):
        for i in range(view.hand_sizes[p]):
            card = view.hands[p, i]
            unknown = card & 7 == UNKNOWN
            gain(world, p, pick(world, pool, left, card >> 3) if unknown else card)
    world.top = view.deck_size
    n = view.deck_size
    if view.deck_top:
        n -= 1
        world.deck[n] = pick(world, pool, left, view.deck_top >> 3)
    place = 0
    for colour in range(KINDS):
        for i in range(left[colour]):
            world.deck[place] = pool[colour, i]
            place += 1
    shuffle(world, world.deck, n)


@kernel.kernel
def gather_unseen(view: Record, pool: Array, left: Array) -> None:
    """Write the cards that a seat has no knowledge of to `pool`, `left` of them in each colour."""
    held = np.zeros(CODES, np.int8)
    for p in range(view.players):
        for i in range(view.hand_sizes[p]):
            held[view.hands[p, i]] = 1
    for colour in range(FRUITS):
        for card in range(8 * colour + 1, 8 * colour + view.players + 2):
            if not view.seen[card] and not held[card]:
                pool[colour, left[colour]] = card
                left[colour] += 1
    left[FRUITS] = view.deck_colours[FRUITS]
    for i in range(left[FRUITS]):
        pool[FRUITS, i] = CROW


@kernel.kernel
def pick(world: Record, pool: Array, left: Array, colour: int) -> int:
    """Take a random card of a colour out of the pool."""
    i = random_below(world, left[colour])
    card = pool[colour, i]
    left[colour] -= 1
    pool[colour, i] = pool[colour, left[colour]]
    return card


# --- heuristic --------------------------------------------------------------------------------

# Weights in log odds of ending before another seat, fitted to games of this heuristic with itself.
PER_COLOUR, PER_SPARE, SIXTH_COLOUR = 0.8, 0.6, 0.45
CAN_TRADE, PER_GAIN, CAN_WIN = 0.5, 0.4, 2.2
LATE_COLOUR, LATE_FRUIT = 0.3, 0.05
COLOUR_BIT = np.array([1, 2, 4, 8, 16, 32, 64, 0])
BITS = np.array([bin(mask).count("1") for mask in range(128)])


@kernel.kernel
def estimate(state: Record, out: Array) -> None:
    if state.over:
        kernel.rewards(state, out)
        return
    promise = np.zeros(SEATS)
    for p in range(state.players):
        promise[p] = prospects(state, p)
        out[p] = 0.0
    pairs = state.players * (state.players - 1) / 2
    for p in range(state.players):
        for q in range(p):
            ahead = 1.0 / (1.0 + math.exp(promise[q] - promise[p]))
            out[p] += ahead / pairs
            out[q] += (1.0 - ahead) / pairs


@kernel.kernel
def prospects(state: Record, seat: int) -> float:
    """What a hand is worth, with the trades that the circle offers it; less the longer it waits."""
    held = twice = spare = fruits = 0
    for slot in range(state.hand_sizes[seat]):
        card = state.hands[seat, slot]
        bit = COLOUR_BIT[card >> 3]
        spare += held & bit > 0
        twice |= held & bit
        held |= bit
        fruits += card & 7
    spare -= state.hand_sizes[seat] == HAND  # which has to be returned
    count = BITS[held]
    value = PER_COLOUR * count + PER_SPARE * spare + SIXTH_COLOUR * max(count - 5, 0)
    if state.top - state.bottom < REFILL:
        value += LATE_COLOUR * count + LATE_FRUIT * fruits
    best = most_after_trade(state, seat, held, twice)
    if best > 0:
        wait = seat - state.seat
        if wait < 0 or (wait == 0 and state.phase == RETURN):
            wait += state.players
        value += (CAN_TRADE + PER_GAIN * max(best - count, 0)) / (1 + wait)
        if best == FRUITS and wait == 0:
            value += CAN_WIN
    return value


@kernel.kernel
def most_after_trade(state: Record, seat: int, held: int, twice: int) -> int:
    """The most colours that a seat could have after a trade now; 0 if no card fits."""
    best = 0
    for gap in range(state.circle_size):
        wanted = difference(state, gap)
        left, right = state.circle[gap] >> 3, state.circle[after(state, gap)] >> 3
        gained = COLOUR_BIT[left] | COLOUR_BIT[right]
        for slot in range(state.hand_sizes[seat]):
            card = state.hands[seat, slot]
            if card & 7 == wanted:
                lost = COLOUR_BIT[card >> 3] & ~twice
                best = max(best, BITS[held & ~lost | gained])
    return best


kernel.register(
    STATE, VIEW, deal=deal, legal=legal, apply=apply, ranks=ranks, observe=observe, sample=sample,
    estimate=estimate, witness=witness,
)  # fmt: skip


# --- how it is written down -------------------------------------------------------------------


class Aves(Game):
    name = "aves"
    title = "AVES"
    rules = "1"
    players = range(2, SEATS + 1)
    options = OPTIONS
    action_count = ACTIONS
    witness_count = WITNESSES
    max_moves = 20_000  # a turn has two moves at most
    state_dtype = STATE
    view_dtype = VIEW
    view_fields: ClassVar[Mapping[str, str]] = {
        "crows … turn_cap": "the options; of a list of choices, the number in it",
        "phase": "0 play, 1 return, 2 over",
        "circle_size": "cards in the circle",
        "circle": "(32,) the circle's cards, clockwise",
        "hand_sizes": "(5,) cards in each seat's hand",
        "hands": "(5, 8) each seat's cards, ascending; a card is 8 * colour + number, with colours "
        "0 R, 1 O, 2 Y, 3 G, 4 B, 5 I, 6 V; the number is 7 where it is not known; 56 is a crow, 0 "
        "no card",
        "seen": "(64,) by card: 1 if all have seen it, so that everybody knows where it is",
        "deck_size": "cards in the deck",
        "deck_colours": "(8,) how many of them have each colour, crows last",
        "deck_top": "the deck's top card, its number not known; 0 if there is none or it is hidden",
    }

    def scores(self, state: State) -> tuple[int, ...]:
        players = int(state["players"][0])
        return tuple(int(colours(state[0], seat)) for seat in range(players))

    def describe(self, state: State, action: Action) -> str:
        if action == PASS:
            return "pass"
        verb, base, end = "play", 0, ""
        if action >= FIRST_UNTRADED:
            base, end = FIRST_UNTRADED, " untraded"
        elif action >= FIRST_RETURN:
            verb, base = "return", FIRST_RETURN
        slot, gap = divmod(action - base, CIRCLE)
        card = state["hands"][0, self.mover(state), slot]
        return f"{verb} {_card(int(card))} at {gap + 1}{end}"

    def show(self, state: State) -> dict[str, Any]:
        field = state[0]
        shown = self._show_open(state)
        shown["deck"] = _cards(field["deck"][field["bottom"] : field["top"]])
        return shown

    def show_view(self, view: View, seat: int) -> dict[str, Any]:
        shown = self._show_open(view.record)
        shown["deck"] = {
            "size": view.deck_size,
            "top": COLOURS[view.deck_top // 8] if view.deck_top else None,
            "colours": {
                c: n for c, n in zip(COLOURS, view.deck_colours.tolist(), strict=True) if n
            },
        }
        return shown

    def _show_open(self, record: State) -> dict[str, Any]:
        """What state and view have in common, with a place kept for the deck."""
        field = record[0]
        hands = [hand[hand > 0] for hand in field["hands"][: field["players"]]]
        return {
            "phase": PHASES[field["phase"]],
            "seat": self.mover(record),
            "turn": int(field["turn"]),
            "circle": _cards(field["circle"][: field["circle_size"]]),
            "hands": [_cards(hand) for hand in hands],
            "known": [_cards(hand[field["seen"][hand] > 0]) for hand in hands],
            "deck": None,
        }

    def restore(
        self,
        shown: Mapping[str, Any],
        players: int,
        options: Mapping[str, object] | None = None,
        seed: int = 0,
    ) -> State:
        state = self._blank(players, options, seed)
        field = state[0]
        field["phase"] = PHASES.index(shown["phase"])
        field["over"] = FINISHED if shown["phase"] == "over" else 0
        field["seat"] = NOBODY if shown["seat"] is None else shown["seat"]
        field["turn"] = shown["turn"]
        for place, card in enumerate(shown["circle"]):
            field["circle"][place] = _code(card)
        field["circle_size"] = len(shown["circle"])
        for p in range(players):
            for place, card in enumerate(sorted(map(_code, shown["hands"][p]))):
                field["hands"][p, place] = card
            field["hand_sizes"][p] = len(shown["hands"][p])
        for cards in (shown["circle"], *shown["known"], ["X0"]):
            for card in cards:
                field["seen"][_code(card)] = 1
        for place, card in enumerate(shown["deck"]):
            field["deck"][place] = _code(card)
        field["top"] = len(shown["deck"])
        return state

    def show_step(self, step: Mapping[str, Any], phase: str, seat: int) -> dict[str, Any]:
        # The slot of a card that others play tells about the cards beside it.
        return dict(step) if step["seat"] == seat else {**step, "id": None}


def _card(code: int) -> str:
    return f"{COLOURS[code // 8]}{'?' if code % 8 == UNKNOWN else code % 8}"


def _cards(codes: Array) -> list[str]:
    return [_card(code) for code in codes.tolist()]


def _code(card: str) -> int:
    return 8 * COLOURS.index(card[0]) + int(card[1])
