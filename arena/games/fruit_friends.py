"""Fruit Friends (Takaaki Sayama and Toshiki Arao, Comet, 2018), 2 to 5 players.

A round is SPLIT (all seats make three pairs of their hand and discard a card, face down) and, for
one seat after another, whose pairs are then turned up, TAKE by the next two seats; the last pair is
its own. With two players the opponent takes one pair and REMOVEs another. Fruits in the display are
worth the more or the less, the more there are of them.

Hidden are hands, splits until they are turned up, discards for ever, secret cards until the end,
and the deck. Nothing that is open tells more about any of them than that its cards are not there.

A card is its fruit's number; in a view UNKNOWN stands for a card that the seat does not know.
Hands are sorted, cards lie sorted in their pair and pairs in their split.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np

from arena import kernel
from arena.core import Action, OptionValue, State, View
from arena.errors import OptionError
from arena.game import Game, choice, option_fields
from arena.kernel import FINISHED, Array, Field, Record, shuffle, state_dtype, view_dtype

Card = TypeVar("Card")

FRUITS = ("apple", "grape", "kiwi", "banana", "white-peach", "yellow-peach", "orange", "melon")
APPLE, GRAPE, KIWI, BANANA, WHITE, YELLOW, ORANGE, MELON = range(8)
KINDS, UNKNOWN, NOTHING = 8, 8, -1
STARTS = np.array([APPLE, GRAPE, KIWI, WHITE, YELLOW])
FULL_DECK = np.array([17, 17, 16, 17, 9, 9, 10, 10])
REMOVED = np.array([[6, 6, 6, 6, 3, 3, 4, 4], [2, 2, 2, 2, 1, 1, 2, 2]])  # by players - 3
SEATS, HAND, SPLIT_CARDS, PAIRS, ROUNDS, DECK = 5, 8, 7, 3, 4, 105  # the most there can be

SPLIT, TAKE, REMOVE, OVER = 0, 1, 2, 3  # phases
PHASES = ("split", "take", "remove", "over")
MATCHINGS = 15  # ways to make three pairs of six cards
FIRST_TAKE, FIRST_REMOVE, FIRST_SECRET = 105, 108, 111  # a split is discard * 15 + matching
ACTIONS = 951
FIRST_TAKEN, FIRST_REMOVED, WITNESSES = ACTIONS, ACTIONS + KINDS**2, ACTIONS + 2 * KINDS**2
TO_COME, FACE_DOWN, OPEN = 0, 1, 2  # splits
NOBODY = -1

OPTIONS = (
    choice("thin_deck", False, True, doc="a smaller deck, for 3 or 4 players"),
    choice("oranges_or_melons", False, True, doc="only the better of oranges and melons counts"),
    choice(
        "secret_card", False, True,
        doc="in round 1 a card of eight is kept secret until scoring, for 2 to 4 players",
    ),
)  # fmt: skip

COMMON_FIELDS: list[Field] = [
    *option_fields(OPTIONS),
    ("round_number", "i1"),
    ("active", "i1"),
    ("splits", "i1", (SEATS,)),
    ("hands", "i1", (SEATS, HAND)),  # then NOTHING, as in all that follows
    ("pairs", "i1", (SEATS, PAIRS, 2)),
    ("discards", "i1", (SEATS, ROUNDS)),
    ("secrets", "i1", (SEATS,)),
    ("starts", "i1", (SEATS,)),
    ("displays", "i1", (SEATS, KINDS)),
    ("removed", "i1", (KINDS,)),
    ("deck_size", "i1"),
]
STATE = state_dtype([*COMMON_FIELDS, ("deck", "i1", (DECK,))])  # the next is deck[deck_size - 1]
VIEW = view_dtype(COMMON_FIELDS)


# --- points -----------------------------------------------------------------------------------

FULL = 5  # more cards of a fruit count as five
POINTS = np.array(
    [
        [0, 0, 2, 5, 9, 14],
        [0, 2, 5, 8, 11, 11],
        [0, 2, 6, 0, 12, 18],
        [0, 3, 7, 12, 0, 0],
        [0, 2, 5, 9, 14, 20],
        [0, 2, 5, 9, 14, 20],
    ]
)


@kernel.kernel
def points(state: Record, seat: int) -> int:
    """What a seat's display and secret card would score now."""
    secret = state.secrets[seat]
    peaches = max(
        POINTS[WHITE, min(count(state, seat, secret, WHITE), FULL)],
        POINTS[YELLOW, min(count(state, seat, secret, YELLOW), FULL)],
    )
    total = 0
    for fruit in range(WHITE):
        total += POINTS[fruit, min(count(state, seat, secret, fruit), FULL)]
    apples = min(count(state, seat, secret, APPLE), 4)
    grapes = min(count(state, seat, secret, GRAPE), 4)
    oranges = count(state, seat, secret, ORANGE) * apples
    melons = count(state, seat, secret, MELON) * grapes
    extra = max(oranges, melons) if state.oranges_or_melons else oranges + melons
    return total + peaches + extra


@kernel.kernel
def count(state: Record, seat: int, secret: int, fruit: int) -> int:
    return state.displays[seat, fruit] + (secret == fruit)


@kernel.kernel
def ranks(state: Record, out: Array) -> None:
    totals = np.zeros(SEATS, np.int64)
    for p in range(state.players):
        totals[p] = points(state, p)
    for p in range(state.players):
        out[p] = 0
        for q in range(state.players):
            out[p] += totals[q] > totals[p]


# --- rounds -----------------------------------------------------------------------------------


@kernel.kernel
def deal(state: Record) -> None:
    clear(state)
    players = state.players
    starts = STARTS.copy()
    shuffle(state, starts, players)
    for p in range(players):
        state.starts[p] = starts[p]
        state.displays[p, starts[p]] = 1
    n = 0
    for fruit in range(KINDS):
        for _ in range(play_cards(state, fruit)):
            state.deck[n] = fruit
            n += 1
    state.deck_size = n
    shuffle(state, state.deck, n)
    begin_round(state)


@kernel.kernel
def clear(record: Record) -> None:
    """Put NOTHING into all places for single cards."""
    for p in range(SEATS):
        record.starts[p] = NOTHING
        record.secrets[p] = NOTHING
        for i in range(HAND):
            record.hands[p, i] = NOTHING
        for i in range(ROUNDS):
            record.discards[p, i] = NOTHING
        for i in range(PAIRS):
            record.pairs[p, i, 0] = NOTHING
            record.pairs[p, i, 1] = NOTHING


@kernel.kernel
def play_cards(record: Record, fruit: int) -> int:
    """How many cards of a fruit there are, but for start cards."""
    thinned = REMOVED[record.players - 3, fruit] if record.thin_deck else 0
    return FULL_DECK[fruit] - thinned


@kernel.kernel
def rounds(state: Record) -> int:
    return 4 if state.players == 2 else 3


@kernel.kernel
def next_seat(state: Record, seat: int) -> int:
    """The seat that follows in the direction of the round."""
    if state.round_number == 2:
        return seat - 1 if seat > 0 else state.players - 1
    return seat + 1 if seat + 1 < state.players else 0


@kernel.kernel
def begin_round(state: Record) -> None:
    """Deal, and let the first seat split its hand."""
    state.round_number += 1
    starting = (state.round_number - 1) % min(state.players, 3)
    cards = SPLIT_CARDS + (state.secret_card and state.round_number == 1)
    for p in range(state.players):
        if state.starts[p] == starting:
            state.active = p
        state.splits[p] = TO_COME
        for held in range(cards):
            state.deck_size -= 1
            insert(state.hands[p], held, state.deck[state.deck_size])
            state.deck[state.deck_size] = 0
    state.phase = SPLIT
    state.seat = 0


@kernel.kernel
def insert(hand: Array, held: int, card: int) -> None:
    """Put a card into a sorted hand of `held` cards."""
    i = held
    while i > 0 and hand[i - 1] > card:
        hand[i] = hand[i - 1]
        i -= 1
    hand[i] = card


@kernel.kernel
def pick(hand: Array, slot: int) -> int:
    """Take the card in `slot` out of a hand."""
    card = hand[slot]
    for i in range(slot, HAND - 1):
        hand[i] = hand[i + 1]
    hand[HAND - 1] = NOTHING
    return card


@kernel.kernel
def reveal(state: Record, active: int) -> None:
    """Turn up a seat's pairs for the next seat to take one."""
    state.active = active
    state.splits[active] = OPEN
    state.phase = TAKE
    state.seat = next_seat(state, active)


# --- legal moves ------------------------------------------------------------------------------

# Cards of a fruit are alike, so that a split can be made in many ways, of which the one with the
# lowest id is legal. Which that is depends only on which neighbours in the sorted hand are equal:
# bit i of `equal` says so of the slots i and i + 1.


def _tabulate_matchings() -> tuple[Array, Array]:
    """The lowest ids of different matchings of six sorted cards, by `equal`; and how many."""
    ids = np.zeros((32, MATCHINGS), np.int64)
    counts = np.zeros(32, np.int64)
    for equal in range(32):
        cards = [0, *itertools.accumulate(1 - (equal >> i & 1) for i in range(5))]
        lowest: dict[tuple[tuple[int, int], ...], int] = {}
        for matching in range(MATCHINGS):
            lowest.setdefault(tuple(sorted(_match(cards, matching))), matching)
        counts[equal] = len(lowest)
        ids[equal, : len(lowest)] = list(lowest.values())
    return ids, counts


def _match(cards: Iterable[Card], matching: int) -> list[tuple[Card, Card]]:
    """Three pairs of six cards: the first with one of five, the next left with one of three."""
    left = list(cards)
    pairs = []
    for partner in (*divmod(matching, 3), 0):
        first = left.pop(0)
        pairs.append((first, left.pop(partner)))
    return pairs


LOWEST_MATCHINGS, MATCHING_COUNTS = _tabulate_matchings()


@kernel.kernel
def legal(state: Record, out: Array) -> int:
    if state.over:
        return 0
    if state.phase != SPLIT:
        return legal_pairs(state, FIRST_TAKE if state.phase == TAKE else FIRST_REMOVE, out)
    hand = state.hands[state.seat]
    secret = hand[SPLIT_CARDS] != NOTHING
    cards = SPLIT_CARDS + secret
    equal = 0
    for i in range(cards - 1):
        equal |= (hand[i] == hand[i + 1]) << i
    if not secret:
        return legal_splits(equal, 0, 0, out)
    n = 0
    for slot in range(cards):
        if first_of_kind(equal, slot):
            base = FIRST_SECRET + slot * SPLIT_CARDS * MATCHINGS
            n = legal_splits(without(equal, slot), base, n, out)
    return n


@kernel.kernel
def legal_splits(equal: int, base: int, n: int, out: Array) -> int:
    """Append to `out`, which holds `n`, the splits of seven cards; ids count from `base`."""
    for slot in range(SPLIT_CARDS):
        if first_of_kind(equal, slot):
            paired = without(equal, slot)
            for i in range(MATCHING_COUNTS[paired]):
                out[n] = base + slot * MATCHINGS + LOWEST_MATCHINGS[paired, i]
                n += 1
    return n


@kernel.kernel
def first_of_kind(equal: int, slot: int) -> bool:
    return slot == 0 or not equal >> (slot - 1) & 1


@kernel.kernel
def without(equal: int, slot: int) -> int:
    """What `equal` becomes when the first card of a kind is taken out."""
    return equal & ((1 << slot) - 1) | equal >> (slot + 1) << slot


@kernel.kernel
def legal_pairs(state: Record, base: int, out: Array) -> int:
    """Write the pairs that are left, of equal ones the first."""
    pairs = state.pairs[state.active]
    n = last = 0
    for slot in range(PAIRS):
        if pairs[slot, 0] != NOTHING:
            pair = 1 + KINDS * pairs[slot, 0] + pairs[slot, 1]
            if pair != last:
                out[n] = base + slot
                n += 1
            last = pair
    return n


@kernel.kernel
def witness(state: Record, action: int, seat: int) -> int:
    """Nothing of another seat's split; the pair that is taken or removed in place of its slot."""
    if state.phase == SPLIT:
        return action if seat == state.seat else 0
    removing = state.phase == REMOVE
    pair = state.pairs[state.active, action - (FIRST_REMOVE if removing else FIRST_TAKE)]
    return pair[0] * np.int64(KINDS) + pair[1] + (FIRST_REMOVED if removing else FIRST_TAKEN)


# --- moves ------------------------------------------------------------------------------------


@kernel.kernel
def apply(state: Record, action: int) -> None:
    state.turn += 1
    if state.phase == SPLIT:
        split(state, action)
    elif state.phase == TAKE:
        take(state, action - FIRST_TAKE)
    else:
        move_pair(state, action - FIRST_REMOVE, state.removed)
        end_reveal(state)


@kernel.kernel
def split(state: Record, action: int) -> None:
    seat = state.seat
    hand = state.hands[seat]
    if action >= FIRST_SECRET:
        action -= FIRST_SECRET
        state.secrets[seat] = pick(hand, action // (SPLIT_CARDS * MATCHINGS))
        action %= SPLIT_CARDS * MATCHINGS
    state.discards[seat, state.round_number - 1] = pick(hand, action // MATCHINGS)
    matching = action % MATCHINGS
    make_pair(state, 0, matching // 3)
    make_pair(state, 1, matching % 3)
    make_pair(state, 2, 0)
    state.splits[seat] = FACE_DOWN
    if seat + 1 < state.players:
        state.seat = seat + 1
    else:
        reveal(state, state.active)


@kernel.kernel
def make_pair(state: Record, slot: int, partner: int) -> None:
    """Pair the first card in the mover's hand with another; the lowest ids make sorted pairs."""
    hand = state.hands[state.seat]
    state.pairs[state.seat, slot, 0] = pick(hand, 0)
    state.pairs[state.seat, slot, 1] = pick(hand, partner)


@kernel.kernel
def move_pair(state: Record, slot: int, target: Array) -> None:
    """Take a pair from the active seat's split to `target`, which counts cards."""
    pair = state.pairs[state.active, slot]
    for i in range(2):
        target[pair[i]] += 1
        pair[i] = NOTHING


@kernel.kernel
def take(state: Record, slot: int) -> None:
    move_pair(state, slot, state.displays[state.seat])
    second = next_seat(state, next_seat(state, state.active))
    if state.players == 2:
        state.phase = REMOVE
    elif state.seat != second:
        state.seat = second
    else:
        end_reveal(state)


@kernel.kernel
def end_reveal(state: Record) -> None:
    """Give the last pair to the active seat and go on to the next one, or the next round."""
    for slot in range(PAIRS):
        if state.pairs[state.active, slot, 0] != NOTHING:
            move_pair(state, slot, state.displays[state.active])
    following = next_seat(state, state.active)
    if state.splits[following] == FACE_DOWN:
        reveal(state, following)
    elif state.round_number < rounds(state):
        begin_round(state)
    else:
        state.over = FINISHED
        state.phase = OVER
        state.seat = NOBODY


# --- hidden information -----------------------------------------------------------------------


@kernel.kernel
def copy_public(source: Record, target: Record) -> None:
    """Copy what everybody sees, between state and view in either direction."""
    target.players = source.players
    target.seat = source.seat
    target.phase = source.phase
    target.over = source.over
    target.turn = source.turn
    target.thin_deck = source.thin_deck
    target.oranges_or_melons = source.oranges_or_melons
    target.secret_card = source.secret_card
    target.round_number = source.round_number
    target.active = source.active
    target.deck_size = source.deck_size
    for p in range(SEATS):
        target.splits[p] = source.splits[p]
        target.starts[p] = source.starts[p]
        for fruit in range(KINDS):
            target.displays[p, fruit] = source.displays[p, fruit]
    for fruit in range(KINDS):
        target.removed[fruit] = source.removed[fruit]


@kernel.kernel
def observe(state: Record, seat: int, view: Record) -> None:
    copy_public(state, view)
    for p in range(SEATS):
        own = p == seat
        view.secrets[p] = seen(state.secrets[p], own or state.over != 0)
        for i in range(HAND):
            view.hands[p, i] = seen(state.hands[p, i], own)
        for i in range(ROUNDS):
            view.discards[p, i] = seen(state.discards[p, i], own)
        for i in range(PAIRS):
            for j in range(2):
                view.pairs[p, i, j] = seen(state.pairs[p, i, j], own or state.splits[p] == OPEN)


@kernel.kernel
def seen(card: int, shown: bool) -> int:
    return card if shown or card == NOTHING else UNKNOWN


@kernel.kernel
def sample(view: Record, seat: int, world: Record) -> None:
    copy_public(view, world)
    stack_unseen(view, world)
    for p in range(SEATS):
        world.secrets[p] = guess(world, view.secrets[p])
        for i in range(ROUNDS):
            world.discards[p, i] = guess(world, view.discards[p, i])
        for i in range(HAND):
            world.hands[p, i] = NOTHING
        for i in range(HAND):
            if view.hands[p, i] != NOTHING:
                insert(world.hands[p], i, guess(world, view.hands[p, i]))
        for i in range(PAIRS):
            for j in range(2):
                world.pairs[p, i, j] = guess(world, view.pairs[p, i, j])
        if view.pairs[p, 0, 0] == UNKNOWN:
            sort_pairs(world.pairs[p])


@kernel.kernel
def stack_unseen(view: Record, world: Record) -> None:
    """Make a shuffled deck of all the cards that the view does not show."""
    left = np.zeros(KINDS + 2, np.int64)  # the last two for UNKNOWN and, as index -1, NOTHING
    for fruit in range(KINDS):
        left[fruit] = play_cards(view, fruit) - view.removed[fruit]
    for p in range(view.players):
        left[view.starts[p]] += 1
        left[view.secrets[p]] -= 1
        for fruit in range(KINDS):
            left[fruit] -= view.displays[p, fruit]
        for i in range(ROUNDS):
            left[view.discards[p, i]] -= 1
        for i in range(HAND):
            left[view.hands[p, i]] -= 1
        for i in range(PAIRS):
            left[view.pairs[p, i, 0]] -= 1
            left[view.pairs[p, i, 1]] -= 1
    n = 0
    for fruit in range(KINDS):
        for _ in range(left[fruit]):
            world.deck[n] = fruit
            n += 1
    shuffle(world, world.deck, n)
    world.deck_size = n


@kernel.kernel
def guess(world: Record, card: int) -> int:
    """The card itself or, if it is unknown, one taken from the deck."""
    if card != UNKNOWN:
        return card
    world.deck_size -= 1
    taken = world.deck[world.deck_size]
    world.deck[world.deck_size] = 0
    return taken


@kernel.kernel
def sort_pairs(pairs: Array) -> None:
    """Sort the cards in each of three pairs, and the pairs."""
    for slot in range(PAIRS):
        low, high = min(pairs[slot, 0], pairs[slot, 1]), max(pairs[slot, 0], pairs[slot, 1])
        i = slot
        while i > 0 and KINDS * pairs[i - 1, 0] + pairs[i - 1, 1] > KINDS * low + high:
            pairs[i, 0] = pairs[i - 1, 0]
            pairs[i, 1] = pairs[i - 1, 1]
            i -= 1
        pairs[i, 0] = low
        pairs[i, 1] = high


# --- heuristic --------------------------------------------------------------------------------

# What cards are worth when `more` are still to come to the seat, as if by chance: between bots that
# are greedy for different estimates, nothing was gained by counting on good choices.
MOST_TO_COME = 18
SHARES = FULL_DECK / FULL_DECK.sum()
CLOSE = (1.5, 0.1)  # points of a lead that makes 73 %: at the end, and for each card to come


def _tabulate_worth(worth: Array, share: float) -> Array:
    """(cards, more) what `worth` (by cards, the last for more as well) is expected to end as."""
    table = np.zeros((len(worth), MOST_TO_COME + 1))
    table[:, 0] = worth
    for more in range(MOST_TO_COME):
        table[:, more + 1] = table[:, more]
        table[:-1, more + 1] += share * np.diff(table[:, more])
    return table


WORTH = np.array([_tabulate_worth(POINTS[f], SHARES[f]) for f in range(ORANGE)])
MULTIPLIER = np.array([_tabulate_worth(np.arange(5), SHARES[f]) for f in (APPLE, GRAPE)])


@kernel.kernel
def estimate(state: Record, out: Array) -> None:
    if state.over:
        kernel.rewards(state, out)
        return
    cards = np.zeros((SEATS, KINDS), np.int64)
    more = np.zeros(SEATS, np.int64)
    for p in range(state.players):
        more[p] = 1 + 2 * rounds(state) * min(state.players, 3)
        for fruit in range(KINDS):
            cards[p, fruit] = state.displays[p, fruit]
            more[p] -= state.displays[p, fruit]
        if state.secrets[p] != NOTHING:
            cards[p, state.secrets[p]] += 1
    active = state.active
    for _ in range(state.players):
        hand_out(state, active, cards, more)
        active = next_seat(state, active)
    share(state, cards, more, out)


@kernel.kernel
def hand_out(state: Record, active: int, cards: Array, more: Array) -> None:
    """Let each seat whose turn it is take the pair that it likes most of what `active` has split.

    With two players the middle one, which the active seat would like more than the last, goes.
    """
    pairs = state.pairs[active]
    gone = left = 0
    for slot in range(PAIRS):
        gone |= (pairs[slot, 0] == NOTHING) << slot
        left += pairs[slot, 0] != NOTHING
    first = next_seat(state, active)
    while left > 0:
        seat = active
        if left > 1:
            seat = first if left == PAIRS else next_seat(state, first)
        slot = favourite(state, pairs, gone, cards[seat], more[seat])
        if state.players > 2 or left != 2:
            cards[seat, pairs[slot, 0]] += 1
            cards[seat, pairs[slot, 1]] += 1
            more[seat] -= 2
        gone |= 1 << slot
        left -= 1


@kernel.kernel
def favourite(state: Record, pairs: Array, gone: int, cards: Array, more: int) -> int:
    """The slot of the pair that adds most to the prospects of a seat."""
    best, most = NOTHING, 0.0
    for slot in range(PAIRS):
        if not gone >> slot & 1:
            cards[pairs[slot, 0]] += 1
            cards[pairs[slot, 1]] += 1
            worth = prospects(state, cards, more - 2)
            cards[pairs[slot, 0]] -= 1
            cards[pairs[slot, 1]] -= 1
            if best == NOTHING or worth > most:
                best, most = slot, worth
    return best


@kernel.kernel
def prospects(state: Record, cards: Array, more: int) -> float:
    """The points that a seat's cards may be expected to end with, `more` being still to come."""
    value = 0.0
    for fruit in range(WHITE):
        value += WORTH[fruit, min(cards[fruit], FULL), more]
    value += max(
        WORTH[WHITE, min(cards[WHITE], FULL), more], WORTH[YELLOW, min(cards[YELLOW], FULL), more]
    )
    oranges = cards[ORANGE] + SHARES[ORANGE] * more
    melons = cards[MELON] + SHARES[MELON] * more
    oranges *= MULTIPLIER[0, min(cards[APPLE], 4), more]
    melons *= MULTIPLIER[1, min(cards[GRAPE], 4), more]
    return value + (max(oranges, melons) if state.oranges_or_melons else oranges + melons)


@kernel.kernel
def share(state: Record, cards: Array, more: Array, out: Array) -> None:
    """Share the reward by who is likely to end with more points than whom."""
    promise = np.empty(SEATS)
    for p in range(state.players):
        promise[p] = prospects(state, cards[p], more[p])
        out[p] = 0.0
    pairs = state.players * (state.players - 1) / 2
    for p in range(state.players):
        for q in range(p):
            scale = CLOSE[0] + CLOSE[1] * (more[p] + more[q])
            ahead = 1.0 / (1.0 + math.exp((promise[q] - promise[p]) / scale))
            out[p] += ahead / pairs
            out[q] += (1.0 - ahead) / pairs


kernel.register(
    STATE, VIEW, deal=deal, legal=legal, apply=apply, ranks=ranks, observe=observe, sample=sample,
    estimate=estimate, witness=witness,
)  # fmt: skip


# --- how it is written down -------------------------------------------------------------------


class FruitFriends(Game):
    name = "fruit-friends"
    title = "Fruit Friends"
    rules = "1"
    players = range(2, SEATS + 1)
    options = OPTIONS
    action_count = ACTIONS
    witness_count = WITNESSES
    max_moves = 45  # 9 a player, 12 with two
    state_dtype = STATE
    view_dtype = VIEW
    view_fields: ClassVar[Mapping[str, str]] = {
        "thin_deck … secret_card": "the options: 0 false, 1 true",
        "phase": "0 split, 1 take, 2 remove, 3 over",
        "round_number": "the round being played, from 1",
        "active": "seat whose pairs are being taken; while hands are split, the one to come first",
        "splits": "(5,) each seat's split of this round: 0 to come, 1 face down, 2 turned up",
        "hands": "(5, 8) each seat's hand, ascending, then -1; a card is 0 apple, 1 grape, 2 kiwi, "
        "3 banana, 4 white peach, 5 yellow peach, 6 orange, 7 melon, 8 not known; -1 is no card",
        "pairs": "(5, 3, 2) what is still to be taken of each seat's split, -1 what is gone",
        "discards": "(5, 4) each seat's discards by round, then -1",
        "secrets": "(5,) each seat's secret card, or -1",
        "starts": "(5,) each seat's start card, then -1",
        "displays": "(5, 8) cards in each seat's display, by fruit, with the start card",
        "removed": "(8,) cards in the pairs that two players have removed, by fruit",
        "deck_size": "cards in the deck",
    }

    def check_combination(self, players: int, options: Mapping[str, OptionValue]) -> None:
        if options["thin_deck"] and players not in (3, 4):
            raise OptionError(
                f"option thin_deck: found true for {players} players, but which cards to leave out "
                "is laid down for 3 and 4 only; expected false"
            )
        if options["secret_card"] and players == SEATS:
            raise OptionError(
                "option secret_card: found true for 5 players, but that takes 110 cards and there "
                "are 105; expected false"
            )

    def scores(self, state: State) -> tuple[int, ...]:
        field = state[0]
        return tuple(int(points(field, seat)) for seat in range(field["players"]))

    def describe(self, state: State, action: Action) -> str:
        field = state[0]
        if action >= FIRST_SECRET or action < FIRST_TAKE:
            return _split_text(_cards(field["hands"][field["seat"]]), action)
        verb, base = ("take", FIRST_TAKE) if action < FIRST_REMOVE else ("remove", FIRST_REMOVE)
        return f"{verb} {'+'.join(_cards(field['pairs'][field['active'], action - base]))}"

    def show(self, state: State) -> dict[str, Any]:
        field = state[0]
        shown = self._show_open(state)
        for p in range(field["players"]):
            shown["hands"].append(_cards(field["hands"][p]))
            shown["pairs"].append(_pairs(field["pairs"][p]))
            shown["discards"].append(_cards(field["discards"][p]))
        shown["deck"] = _cards(field["deck"][: field["deck_size"]][::-1])
        return shown

    def show_view(self, view: View, seat: int) -> dict[str, Any]:
        shown = self._show_open(view.record)
        for p in range(view.players):
            pairs = view.pairs[p]
            written = _cards if p == seat else _size
            shown["hands"].append(written(view.hands[p]))
            shown["pairs"].append(None if UNKNOWN in pairs else _pairs(pairs))
            shown["discards"].append(written(view.discards[p]))
        shown["deck"] = {"size": view.deck_size}
        shown["split_done"] = (view.splits[: view.players] != TO_COME).tolist()
        return shown

    def _show_open(self, record: State) -> dict[str, Any]:
        """What state and view have in common, with places kept for what they have not."""
        field = record[0]
        players = int(field["players"])
        return {
            "phase": PHASES[field["phase"]],
            "seat": self.mover(record),
            "round": int(field["round_number"]),
            "active": int(field["active"]),
            "hands": [],
            "pairs": [],
            "discards": [],
            "secrets": [_card(card) for card in field["secrets"][:players].tolist()],
            "displays": [_counted(display) for display in field["displays"][:players]],
            "removed": _counted(field["removed"]),
            "deck": None,
            "starts": _cards(field["starts"]),
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
        clear(field)
        field["phase"] = PHASES.index(shown["phase"])
        field["over"] = FINISHED if shown["phase"] == "over" else 0
        field["seat"] = NOBODY if shown["seat"] is None else shown["seat"]
        field["round_number"] = shown["round"]
        field["active"] = shown["active"]
        splitting = shown["phase"] == "split"
        for p in range(players):
            if shown["pairs"][p] and (splitting or p != shown["active"]):
                field["splits"][p] = FACE_DOWN
            else:
                field["splits"][p] = TO_COME if splitting else OPEN
            _fill(field["hands"][p], sorted(map(FRUITS.index, shown["hands"][p])))
            pairs = sorted(sorted(map(FRUITS.index, pair)) for pair in shown["pairs"][p])
            _fill(field["pairs"][p].reshape(-1), itertools.chain.from_iterable(pairs))
            _fill(field["discards"][p], map(FRUITS.index, shown["discards"][p]))
            if shown["secrets"][p] is not None:
                field["secrets"][p] = FRUITS.index(shown["secrets"][p])
            field["starts"][p] = FRUITS.index(shown["starts"][p])
            field["displays"][p] = [shown["displays"][p].get(fruit, 0) for fruit in FRUITS]
        field["removed"] = [shown["removed"].get(fruit, 0) for fruit in FRUITS]
        field["deck_size"] = len(shown["deck"])
        _fill(field["deck"], map(FRUITS.index, reversed(shown["deck"])))
        return state

    def show_step(self, step: Mapping[str, Any], phase: str, seat: int) -> dict[str, Any]:
        # How many different splits there are would tell about the hand, also later.
        if phase == "split" and step["seat"] != seat:
            return {**step, "id": None, "move": "split", "forced": None}
        return dict(step)


def _split_text(hand: list[str], action: Action) -> str:
    end = ""
    if action >= FIRST_SECRET:
        slot, action = divmod(action - FIRST_SECRET, SPLIT_CARDS * MATCHINGS)
        end = f" // {hand.pop(slot)}"
    slot, matching = divmod(action, MATCHINGS)
    discard = hand.pop(slot)
    pairs = " ".join(f"{a}+{b}" for a, b in _match(hand, matching))
    return f"split {pairs} / {discard}{end}"


def _card(code: int) -> str | None:
    return None if code == NOTHING else (*FRUITS, "?")[code]


def _cards(codes: Array) -> list[str]:
    return [FRUITS[code] for code in codes.tolist() if code != NOTHING]


def _pairs(pairs: Array) -> list[list[str]]:
    return [_cards(pair) for pair in pairs if pair[0] != NOTHING]


def _size(codes: Array) -> dict[str, int]:
    return {"size": int((codes != NOTHING).sum())}


def _counted(counts: Array) -> dict[str, int]:
    return {fruit: n for fruit, n in zip(FRUITS, counts.tolist(), strict=True) if n}


def _fill(places: Array, codes: Iterable[int]) -> None:
    for place, code in enumerate(codes):
        places[place] = code
