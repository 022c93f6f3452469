"""CuBirds (Stefan Alexander, Catch Up Games, 2018), 2 to 5 players.

A turn is LAY (all cards of one species to an end of a row; what they enclose is taken), DRAW (asked
when nothing was taken) and FLY (a flock goes to the collection). Seven species in the collection,
or two species with three cards each, win. An empty hand ends the round; then all get new hands.

In every row the cards of a species lie together, so a row is a list of at most eight blocks.

What a seat knows beyond the open cards: the cards that others took from rows, and for each species
how many hidden cards another seat has received since it last showed that species (`since`): at that
moment it had shown all of them, so not more than that can be hidden now. After a reshuffle it also
knows what went into the pile (`at_most`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from arena import kernel
from arena.core import Action, State, View
from arena.errors import UnknownNameError
from arena.game import Game, choice, number, option_fields
from arena.kernel import (
    CAPPED,
    FINISHED,
    Array,
    Field,
    Record,
    random_unit,
    shuffle,
    state_dtype,
    view_dtype,
)

SPECIES = ("flamingo", "owl", "toucan", "duck", "parrot", "magpie", "reed-warbler", "robin")
CARDS = np.array([7, 10, 10, 13, 13, 17, 20, 20])
SMALL_FLOCK = np.array([2, 3, 3, 4, 4, 5, 6, 6])
BIG_FLOCK = np.array([3, 4, 4, 6, 6, 7, 9, 9])
KINDS, ROWS, SEATS, DECK, HAND = 8, 4, 5, 110, 8

LAY, DRAW, FLY, OVER = 0, 1, 2, 3  # phases
PHASES = ("lay", "draw", "fly", "over")
LEFT, RIGHT = 0, 1
DRAW_TWO, DECLINE, FLY_FIRST, STAY = 64, 65, 66, 74  # LAY is species * 8 + row * 2 + side
ACTIONS = 75
NOBODY = -1

# Codes of option values, in the order of OPTIONS.
PARTIAL, FORBID, END_GAME = 0, 1, 2
IN_PILE, IN_DISCARD = 0, 1
LAZY, EAGER = 0, 1
PUBLIC, HIDDEN = 0, 1

OPTIONS = (
    number("row_length", 3, 3, 4, doc="cards in a row at the start, all of different species"),
    choice("fly_requires_take", False, True, doc="whether only who took cards may fly a flock"),
    choice("short_draw", "partial", "forbid", "end_game", doc="drawing with one card or none left"),
    choice("refill_fail", "leave", "end_game", doc="no card left to refill a row of one species"),
    choice("setup_duplicates", "pile", "discard", doc="where cards replaced in the setup go"),
    choice(
        "reshuffle", "lazy", "eager", doc="when a card is needed, or as soon as the pile is empty"
    ),
    choice("round_end_discards", "public", "hidden", doc="whether thrown-in hands are seen by all"),
    number("turn_cap", 1000, 1, 10_000, doc="finished turns after which the game ends"),
    number("no_flight_cap", 300, 1, 10_000, doc="turns without a flight after which the game ends"),
)

PUBLIC_FIELDS: list[Field] = [
    *option_fields(OPTIONS),
    ("turns_since_flight", "i4"),
    ("took", "i1"),
    ("winner", "i1"),
    ("blocks", "i1", (ROWS,)),
    ("row_species", "i1", (ROWS, KINDS)),
    ("row_count", "i1", (ROWS, KINDS)),
    ("collections", "i1", (SEATS, KINDS)),
    ("hands", "i1", (SEATS, KINDS)),
    ("known", "i1", (SEATS, KINDS)),
    ("since", "i2", (SEATS, KINDS)),
    ("pile_size", "i1"),
    ("discard", "i1", (KINDS,)),
]
STATE = state_dtype(
    [
        *PUBLIC_FIELDS,
        ("pile", "i1", (DECK,)),  # the next card is pile[pile_size - 1]
        ("thrown", "i1", (KINDS,)),  # the part of the discard that nobody has seen
        ("reshuffled", "i1"),
        ("shuffled", "i1", (KINDS,)),  # what was shuffled into the pile, less what was turned up
        ("drawn", "i1", (SEATS, KINDS)),  # what each seat has drawn of that
    ]
)
VIEW = view_dtype(
    [
        *PUBLIC_FIELDS,
        ("hidden", "i1", (SEATS,)),
        ("discard_hidden", "i1"),
        ("at_most", "i1", (KINDS,)),
    ]
)


# --- piles ------------------------------------------------------------------------------------


@kernel.kernel
def total(counts: Array) -> int:
    cards = 0
    for s in range(KINDS):
        cards += counts[s]
    return cards


@kernel.kernel
def available(state: Record) -> int:
    """Cards that can still be drawn, after a reshuffle if need be."""
    return state.pile_size + total(state.discard) + total(state.thrown)


@kernel.kernel
def reshuffle(state: Record) -> None:
    """Make the discard, which is not empty, the pile."""
    n = 0
    for s in range(KINDS):
        cards = state.discard[s] + state.thrown[s]
        state.shuffled[s] = state.discard[s]
        state.discard[s] = 0
        state.thrown[s] = 0
        for _ in range(cards):
            state.pile[n] = s
            n += 1
    state.pile_size = n
    state.reshuffled = 1
    state.drawn[:] = 0
    shuffle(state, state.pile, n)


@kernel.kernel
def reshuffle_eagerly(state: Record) -> None:
    if state.reshuffle == EAGER and state.pile_size == 0 and available(state) > 0:
        reshuffle(state)


@kernel.kernel
def next_card(state: Record) -> int:
    """Take the top card of the pile; NOBODY when there is none, not even in the discard."""
    if state.pile_size == 0:
        if available(state) == 0:
            return NOBODY
        reshuffle(state)
    state.pile_size -= 1
    return state.pile[state.pile_size]


@kernel.kernel
def turn_up(state: Record) -> int:
    """Take a card that everybody sees; NOBODY when there is none."""
    s = next_card(state)
    if s != NOBODY:
        state.shuffled[s] -= 1
        reshuffle_eagerly(state)
    return s


@kernel.kernel
def draw(state: Record, seat: int) -> None:
    """Draw a card that only `seat` sees."""
    s = next_card(state)
    if s == NOBODY:
        return
    state.hands[seat, s] += 1
    state.drawn[seat, s] += 1
    for kind in range(KINDS):
        state.since[seat, kind] += 1
    reshuffle_eagerly(state)


@kernel.kernel
def deal_hands(state: Record, dealer: int) -> None:
    for i in range(state.players):
        seat = (dealer + i) % state.players
        state.since[seat, :] = 0
        for _ in range(HAND):
            draw(state, seat)


# --- setup ------------------------------------------------------------------------------------


@kernel.kernel
def deal(state: Record) -> None:
    state.winner = NOBODY
    n = 0
    for s in range(KINDS):
        for _ in range(CARDS[s]):
            state.pile[n] = s
            n += 1
    shuffle(state, state.pile, n)
    state.pile_size = n
    replaced = np.zeros(KINDS, np.int64)
    for row in range(ROWS):
        while state.blocks[row] < state.row_length:
            s = turn_up(state)
            if find_block(state, row, s) == NOBODY:
                add_block(state, row, RIGHT, s, 1)
            else:
                replaced[s] += 1
    for s in range(KINDS):
        if state.setup_duplicates == IN_DISCARD:
            state.discard[s] = replaced[s]
        else:
            for _ in range(replaced[s]):
                state.pile[state.pile_size] = s
                state.pile_size += 1
    shuffle(state, state.pile, state.pile_size)
    deal_hands(state, 0)
    for seat in range(state.players):
        state.collections[seat, turn_up(state)] += 1
    state.drawn[:] = 0
    state.shuffled[:] = 0


# --- rows -------------------------------------------------------------------------------------


@kernel.kernel
def find_block(state: Record, row: int, species: int) -> int:
    for b in range(state.blocks[row]):
        if state.row_species[row, b] == species:
            return b
    return NOBODY


@kernel.kernel
def add_block(state: Record, row: int, side: int, species: int, count: int) -> None:
    b = state.blocks[row]
    if side == LEFT:
        while b > 0:
            state.row_species[row, b] = state.row_species[row, b - 1]
            state.row_count[row, b] = state.row_count[row, b - 1]
            b -= 1
    state.row_species[row, b] = species
    state.row_count[row, b] = count
    state.blocks[row] += 1


@kernel.kernel
def take_blocks(state: Record, row: int, first: int, last: int) -> int:
    """Move the blocks first … last - 1 of a row to the mover's hand, where all saw them go."""
    got = 0
    for b in range(first, last):
        s, count = state.row_species[row, b], state.row_count[row, b]
        state.hands[state.seat, s] += count
        state.known[state.seat, s] += count
        got += count
    for b in range(last, state.blocks[row]):
        state.row_species[row, b - last + first] = state.row_species[row, b]
        state.row_count[row, b - last + first] = state.row_count[row, b]
    left = state.blocks[row] - (last - first)
    for b in range(left, state.blocks[row]):
        state.row_species[row, b] = 0
        state.row_count[row, b] = 0
    state.blocks[row] = left
    return got


@kernel.kernel
def refill(state: Record, row: int) -> bool:
    """Turn up cards onto a row until it has two species; False if the cards run out."""
    while state.blocks[row] == 1:
        s = turn_up(state)
        if s == NOBODY:
            return False
        if s == state.row_species[row, 0]:
            state.row_count[row, 0] += 1
        else:
            add_block(state, row, RIGHT, s, 1)
    return True


# --- turns ------------------------------------------------------------------------------------


@kernel.kernel
def legal(state: Record, out: Array) -> int:
    if state.over:
        return 0
    n = 0
    hand = state.hands[state.seat]
    if state.phase == LAY:
        for s in range(KINDS):
            if hand[s] > 0:
                for place in range(2 * ROWS):
                    out[n] = s * 2 * ROWS + place
                    n += 1
    elif state.phase == DRAW:
        if may_draw(state):
            out[0] = DRAW_TWO
            n = 1
        out[n] = DECLINE
        n += 1
    else:
        if state.took or not state.fly_requires_take:
            for s in range(KINDS):
                if hand[s] >= SMALL_FLOCK[s]:
                    out[n] = FLY_FIRST + s
                    n += 1
        out[n] = STAY
        n += 1
    return n


@kernel.kernel
def may_draw(state: Record) -> bool:
    if state.short_draw == END_GAME:
        return True
    return available(state) >= (2 if state.short_draw == FORBID else 1)


@kernel.kernel
def apply(state: Record, action: int) -> None:
    if state.phase == LAY:
        lay(state, action // (2 * ROWS), action // 2 % ROWS, action % 2)
    elif state.phase == DRAW:
        if action == DRAW_TWO:
            short = available(state) < 2
            draw(state, state.seat)
            draw(state, state.seat)
            if short and state.short_draw == END_GAME:
                finish(state, FINISHED)
                return
        state.phase = FLY
    else:
        if action != STAY:
            fly(state, action - FLY_FIRST)
        end_turn(state, action != STAY)


@kernel.kernel
def show_all(state: Record, species: int) -> int:
    """Take all cards of a species from the mover's hand, in sight of everybody; return how many."""
    seat = state.seat
    count = state.hands[seat, species]
    state.hands[seat, species] = 0
    state.known[seat, species] = 0
    state.since[seat, species] = 0
    return count


@kernel.kernel
def lay(state: Record, species: int, row: int, side: int) -> None:
    count = show_all(state, species)
    block = find_block(state, row, species)
    got = 0
    if block == NOBODY:
        add_block(state, row, side, species, count)
    else:
        state.row_count[row, block] += count
        if side == LEFT:
            got = take_blocks(state, row, 0, block)
        else:
            got = take_blocks(state, row, block + 1, state.blocks[row])
    state.took = 1 if got > 0 else 0
    state.phase = FLY if got > 0 else DRAW
    if got > 0 and not refill(state, row) and state.refill_fail == 1:
        finish(state, FINISHED)


@kernel.kernel
def fly(state: Record, species: int) -> None:
    count = show_all(state, species)
    kept = 2 if count >= BIG_FLOCK[species] else 1
    state.collections[state.seat, species] += kept
    state.discard[species] += count - kept
    reshuffle_eagerly(state)


@kernel.kernel
def end_turn(state: Record, flew: bool) -> None:
    seat = state.seat
    state.turn += 1
    state.turns_since_flight = 0 if flew else state.turns_since_flight + 1
    state.phase = LAY
    if complete(state.collections[seat]):
        state.winner = seat
        finish(state, FINISHED)
    elif total(state.hands[seat]) == 0:
        new_round(state)
    else:
        state.seat = (seat + 1) % state.players
    capped = state.turn >= state.turn_cap or state.turns_since_flight >= state.no_flight_cap
    if capped and not state.over:
        finish(state, CAPPED)
    if not state.over:
        state.took = 0


@kernel.kernel
def complete(collection: Array) -> bool:
    """Whether a collection wins: seven species, or two with three cards each."""
    kinds = triples = 0
    for s in range(KINDS):
        kinds += collection[s] > 0
        triples += collection[s] >= 3
    return kinds >= 7 or triples >= 2


@kernel.kernel
def new_round(state: Record) -> None:
    for seat in range(state.players):
        for s in range(KINDS):
            if state.round_end_discards == HIDDEN:
                state.thrown[s] += state.hands[seat, s]
            else:
                state.discard[s] += state.hands[seat, s]
            state.hands[seat, s] = 0
            state.known[seat, s] = 0
    if available(state) < HAND * state.players:
        finish(state, FINISHED)
        return
    reshuffle_eagerly(state)
    deal_hands(state, state.seat)


@kernel.kernel
def finish(state: Record, how: int) -> None:
    state.over = how
    state.phase = OVER
    state.seat = NOBODY


@kernel.kernel
def ranks(state: Record, out: Array) -> None:
    birds = np.zeros(SEATS, np.int64)
    for p in range(state.players):
        birds[p] = DECK if p == state.winner else total(state.collections[p])
    for p in range(state.players):
        out[p] = 0
        for q in range(state.players):
            out[p] += birds[q] > birds[p]


# --- hidden information -----------------------------------------------------------------------


@kernel.kernel
def copy_public(source: Record, target: Record) -> None:
    """Copy what everybody sees, between state and view in either direction."""
    target.players = source.players
    target.seat = source.seat
    target.phase = source.phase
    target.over = source.over
    target.turn = source.turn
    target.row_length = source.row_length
    target.fly_requires_take = source.fly_requires_take
    target.short_draw = source.short_draw
    target.refill_fail = source.refill_fail
    target.setup_duplicates = source.setup_duplicates
    target.reshuffle = source.reshuffle
    target.round_end_discards = source.round_end_discards
    target.turn_cap = source.turn_cap
    target.no_flight_cap = source.no_flight_cap
    target.turns_since_flight = source.turns_since_flight
    target.took = source.took
    target.winner = source.winner
    target.pile_size = source.pile_size
    for s in range(KINDS):
        target.discard[s] = source.discard[s]
    for row in range(ROWS):
        target.blocks[row] = source.blocks[row]
        for b in range(KINDS):
            target.row_species[row, b] = source.row_species[row, b]
            target.row_count[row, b] = source.row_count[row, b]
    for p in range(SEATS):
        for s in range(KINDS):
            target.collections[p, s] = source.collections[p, s]
            target.known[p, s] = source.known[p, s]
            target.since[p, s] = source.since[p, s]


@kernel.kernel
def observe(state: Record, seat: int, view: Record) -> None:
    copy_public(state, view)
    view.discard_hidden = total(state.thrown)
    for p in range(state.players):
        view.hidden[p] = total(state.hands[p]) - total(state.known[p])
    pile_known = state.reshuffled and state.round_end_discards == PUBLIC
    for s in range(KINDS):
        view.hands[seat, s] = state.hands[seat, s]
        view.at_most[s] = state.shuffled[s] - state.drawn[seat, s] if pile_known else NOBODY


@kernel.kernel
def sample(view: Record, seat: int, world: Record) -> None:
    copy_public(view, world)
    unseen = count_unseen(view, seat)
    pile_known = view.at_most[0] != NOBODY
    need = np.zeros(KINDS, np.int64)  # what the pile cannot hold and so must be in hidden hands
    for s in range(KINDS):
        world.hands[seat, s] = view.hands[seat, s]
        if pile_known:
            world.reshuffled = 1
            world.shuffled[s] = view.at_most[s]
            need[s] = max(0, unseen[s] - view.at_most[s])

    others = view.players - 1
    sizes = np.empty(others, np.int64)
    bounds = np.empty((others, KINDS), np.int64)
    hands = np.zeros((others, KINDS), np.int64)
    bounded = pile_known
    for i in range(others):
        p = (seat + 1 + i) % view.players
        sizes[i] = view.hidden[p]
        for s in range(KINDS):
            bounds[i, s] = min(view.since[p, s], view.hidden[p])
            bounded |= view.since[p, s] < view.hidden[p]
    if bounded:
        deal_within_bounds(world, unseen, need, pile_known, sizes, bounds, hands)
    deal_rest(view, seat, world, unseen, hands, not bounded)
    for i in range(others):
        p = (seat + 1 + i) % view.players
        for s in range(KINDS):
            world.hands[p, s] = view.known[p, s] + hands[i, s]


@kernel.kernel
def count_unseen(view: Record, seat: int) -> Array:
    """How many cards of each species a seat has no knowledge of."""
    unseen = np.empty(KINDS, np.int64)
    for s in range(KINDS):
        unseen[s] = CARDS[s] - view.discard[s] - view.hands[seat, s]
        for p in range(view.players):
            unseen[s] -= view.collections[p, s]
            if p != seat:
                unseen[s] -= view.known[p, s]
    for row in range(ROWS):
        for b in range(view.blocks[row]):
            unseen[view.row_species[row, b]] -= view.row_count[row, b]
    return unseen


@kernel.kernel
def deal_rest(
    view: Record, seat: int, world: Record, unseen: Array, hands: Array, hands_too: bool
) -> None:
    """Deal the unseen cards at random to the pile, the unseen discard and, if told, the hands."""
    cards = np.empty(DECK, np.int8)
    n = 0
    for s in range(KINDS):
        for _ in range(unseen[s]):
            cards[n] = s
            n += 1
    shuffle(world, cards, n)
    for i in range(view.pile_size):
        n -= 1
        world.pile[i] = cards[n]
    for _ in range(view.discard_hidden):
        n -= 1
        world.thrown[cards[n]] += 1
    if hands_too:
        for i in range(len(hands)):
            for _ in range(view.hidden[(seat + 1 + i) % view.players]):
                n -= 1
                hands[i, cards[n]] += 1


# Dealing hidden cards within bounds. One hand is drawn exactly, by dynamic programming over the
# species. Several are drawn one after the other, the first ones in disregard of the bounds of the
# later ones, and the whole deal is accepted with the probability that makes up for it (rejection
# sampling: target / proposal, divided by an upper limit of that ratio). With two players there is
# one hand and nothing is ever rejected.

MOST_TRIES = 100
BINOMIAL = np.zeros((21, 21))
BINOMIAL[:, 0] = 1.0
for _n in range(1, 21):
    for _k in range(1, _n + 1):
        BINOMIAL[_n, _k] = BINOMIAL[_n - 1, _k - 1] + BINOMIAL[_n - 1, _k]


@kernel.kernel
def deal_within_bounds(
    world: Record,
    unseen: Array,
    need: Array,
    pile_known: bool,
    sizes: Array,
    bounds: Array,
    hands: Array,
) -> None:
    """Deal `hands` of the given `sizes` out of `unseen`, uniformly within what is known.

    Of the cards of hand i whose species have bounds[i] of at most c, there are c at most; all hands
    together take at least `need`. `unseen` is left with what was not dealt.
    """
    order = by_tightness(unseen, sizes, bounds)
    limit = 1.0
    for i in range(1, len(order)):
        limit *= ratio_limit(unseen, pile_known, sizes, bounds, order, i)
    proposal = hands.copy()
    tries, ratios = 0, 0.0
    accepted = False
    while not accepted and (tries < MOST_TRIES or ratios == 0.0):
        tries += 1
        ratio = propose(world, unseen, need, pile_known, sizes, bounds, order, proposal)
        ratios += ratio
        accepted = random_unit(world) * limit < ratio
        # Should no deal be accepted, one is kept with chances in proportion to its ratio.
        if accepted or random_unit(world) * ratios < ratio:
            for i in range(len(order)):
                for s in range(KINDS):
                    hands[i, s] = proposal[i, s]
    for i in range(len(order)):
        for s in range(KINDS):
            unseen[s] -= hands[i, s]


@kernel.kernel
def propose(
    world: Record,
    unseen: Array,
    need: Array,
    pile_known: bool,
    sizes: Array,
    bounds: Array,
    order: Array,
    hands: Array,
) -> float:
    """Fill `hands`; return target / proposal up to a constant, 0 for a dead end."""
    pool, missing = unseen.copy(), need.copy()
    ratio = 1.0
    later, cap = later_hands(pile_known, sizes, bounds, order, 0)
    for i in range(len(order)):
        hand = order[i]
        if i > 0:
            ratio /= completions(pool, missing, bounds[hand], 0, later, cap)[0, 0, 0]
        later, cap = later_hands(pile_known, sizes, bounds, order, i + 1)
        table = completions(pool, missing, bounds[hand], sizes[hand], later, cap)
        if table[0, 0, 0] == 0.0:
            return 0.0
        if i > 0:
            ratio *= table[0, 0, 0]
        draw_hand(world, table, pool, missing, bounds[hand], later, cap, hands[hand])
    return ratio


@kernel.kernel
def later_hands(
    pile_known: bool, sizes: Array, bounds: Array, order: Array, first: int
) -> tuple[int, Array]:
    """(cards, most of each species) in the hands from order[first] on, taken together.

    They matter only when it is known what the pile can hold: what it cannot hold is in the hands.
    Otherwise (0, zeros): any cards may be left over.
    """
    cap = np.zeros(KINDS, np.int64)
    cards = 0
    if pile_known:
        for i in range(first, len(order)):
            cards += sizes[order[i]]
            for s in range(KINDS):
                cap[s] += bounds[order[i], s]
    return cards, cap


@kernel.kernel
def by_bound(bound: Array) -> Array:
    """The species in ascending order of their bound."""
    order = np.empty(KINDS, np.int64)
    for s in range(KINDS):
        j = s
        while j > 0 and bound[s] < bound[order[j - 1]]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = s
    return order


@kernel.kernel
def completions(pool: Array, need: Array, bound: Array, size: int, later: int, cap: Array) -> Array:
    """table[i, a, b]: ways to choose the rest of a hand and of the later hands together.

    The first i species in order of their bound are done; they put a cards into this hand of `size`
    cards and b into the `later` slots of the later hands, which hold at most cap[s] of s. The cards
    of the species up to the i-th are at most as many as its bound. Of s at least need[s] are taken.
    """
    order = by_bound(bound)
    table = np.zeros((KINDS + 1, size + 1, later + 1))
    table[KINDS, size, later] = 1.0
    for i in range(KINDS - 1, -1, -1):
        s = order[i]
        most = min(size, bound[s])
        for a in range(most + 1):
            for b in range(later + 1):
                ways = 0.0
                for x in range(min(pool[s], most - a) + 1):
                    left = pool[s] - x
                    for z in range(max(0, need[s] - x), min(left, later - b, cap[s]) + 1):
                        ways += (
                            BINOMIAL[pool[s], x] * BINOMIAL[left, z] * table[i + 1, a + x, b + z]
                        )
                table[i, a, b] = ways
    return table


@kernel.kernel
def draw_hand(
    world: Record,
    table: Array,
    pool: Array,
    need: Array,
    bound: Array,
    later: int,
    cap: Array,
    hand: Array,
) -> None:
    """Draw a hand with the chances in the `table` of `completions`, out of `pool` and `need`."""
    order = by_bound(bound)
    a = b = 0
    for i in range(KINDS):
        s = order[i]
        target = random_unit(world) * table[i, a, b]
        chosen, chosen_later = 0, 0
        for x in range(min(pool[s], table.shape[1] - 1 - a) + 1):
            left = pool[s] - x
            for z in range(max(0, need[s] - x), min(left, later - b, cap[s]) + 1):
                ways = BINOMIAL[pool[s], x] * BINOMIAL[left, z] * table[i + 1, a + x, b + z]
                if ways > 0.0 and target >= 0.0 and a + x <= bound[s]:
                    chosen, chosen_later = x, z
                    target -= ways
        hand[s] = chosen
        a += chosen
        b += chosen_later
        pool[s] -= chosen
        need[s] = max(0, need[s] - chosen)


@kernel.kernel
def ratio_limit(
    unseen: Array, pile_known: bool, sizes: Array, bounds: Array, order: Array, i: int
) -> float:
    """The most that hand order[i] can contribute to the ratio of `propose`.

    With a known pile, the ways to split the cards of the later hands. Otherwise a hand is drawn
    from what the earlier ones left, and has the most ways when they took the species that it may
    hold least of.
    """
    hand = order[i]
    if pile_known:
        slots = 0
        for j in range(i, len(order)):
            slots += sizes[order[j]]
        splits = 1.0
        for k in range(sizes[hand]):
            splits *= (slots - k) / (k + 1)
        return splits
    pool = unseen.copy()
    taken = 0
    for j in range(i):
        taken += sizes[order[j]]
    for s in by_bound(bounds[hand]):
        gone = min(taken, pool[s])
        pool[s] -= gone
        taken -= gone
    return ways_within(pool, bounds[hand], sizes[hand])


@kernel.kernel
def ways_within(pool: Array, bound: Array, size: int) -> float:
    """Ways to choose a hand of `size` cards out of `pool`."""
    none = np.zeros(KINDS, np.int64)
    return completions(pool, none, bound, size, 0, none)[0, 0, 0]


@kernel.kernel
def by_tightness(unseen: Array, sizes: Array, bounds: Array) -> Array:
    """The hands in ascending order of the share of all hands that is within their bounds."""
    order = np.zeros(len(sizes), np.int64)
    if len(sizes) == 1:
        return order
    shares = np.zeros(len(sizes))
    free = np.full(KINDS, DECK)
    for i in range(len(sizes)):
        every = ways_within(unseen, free, sizes[i])
        share = ways_within(unseen, bounds[i], sizes[i]) / every
        j = i
        while j > 0 and shares[j - 1] > share:
            order[j], shares[j] = order[j - 1], shares[j - 1]
            j -= 1
        order[j], shares[j] = i, share
    return order


# --- heuristic --------------------------------------------------------------------------------


@kernel.kernel
def estimate(state: Record, out: Array) -> None:
    if state.over:
        kernel.rewards(state, out)
        return
    promise = np.zeros(SEATS)
    for p in range(state.players):
        promise[p] = prospects(state.collections[p], state.hands[p])
    pairs = state.players * (state.players - 1) / 2
    for p in range(state.players):
        share = 0.0
        for q in range(state.players):
            if q != p:
                ahead = promise[p] - promise[q]
                share += 0.5 + 0.5 * ahead / (1.0 + abs(ahead))
        out[p] = share / pairs


@kernel.kernel
def prospects(collection: Array, hand: Array) -> float:
    """How near a seat is to seven species, counted in species, with flocks half gathered."""
    value = 0.0
    for s in range(KINDS):
        part = min(hand[s], SMALL_FLOCK[s]) / SMALL_FLOCK[s]
        if collection[s] == 0:
            value += 0.6 * part * part
        else:
            value += 1.0 + 0.15 * min(collection[s] - 1, 2) + 0.1 * part * part
    return value


kernel.register(
    STATE, VIEW, deal=deal, legal=legal, apply=apply, ranks=ranks, observe=observe, sample=sample,
    estimate=estimate,
)  # fmt: skip


# --- how it is written down -------------------------------------------------------------------


class CuBirds(Game):
    name = "cubirds"
    title = "CuBirds"
    rules = "1"
    players = range(2, SEATS + 1)
    options = OPTIONS
    action_count = ACTIONS
    max_moves = 30_000
    state_dtype = STATE
    view_dtype = VIEW
    view_fields: ClassVar[Mapping[str, str]] = {
        "row_length … no_flight_cap": "the options; of a list of choices, the number in it",
        "phase": "0 lay, 1 draw, 2 fly, 3 over",
        "turns_since_flight": "finished turns since one with a flight",
        "took": "1 if this turn's lay took cards",
        "winner": "seat that completed its collection, or -1",
        "blocks": "(4,) number of blocks in each row",
        "row_species": "(4, 8) species of each block, left to right; 0 flamingo, 1 owl, 2 toucan, "
        "3 duck, 4 parrot, 5 magpie, 6 reed warbler, 7 robin",
        "row_count": "(4, 8) cards in each block",
        "collections": "(5, 8) cards in each seat's collection, by species",
        "hands": "(5, 8) the own hand by species; zeros for the others",
        "known": "(5, 8) cards each seat took from rows and has not shown since",
        "hidden": "(5,) how many more cards each seat holds",
        "since": "(5, 8) hidden cards a seat received since it last showed the species",
        "pile_size": "cards in the pile",
        "at_most": "(8,) how many of each species the pile can hold at most; -1 not known",
        "discard": "(8,) cards in the discard that all have seen",
        "discard_hidden": "cards in the discard that nobody has seen",
    }

    def scores(self, state: State) -> tuple[int, ...]:
        players = int(state["players"][0])
        return tuple(state["collections"][0, :players].sum(axis=1).tolist())

    def describe(self, state: State, action: Action) -> str:
        if action < DRAW_TWO:
            row, side = action // 2 % ROWS + 1, ("left", "right")[action % 2]
            return f"lay {SPECIES[action // (2 * ROWS)]} {row} {side}"
        if FLY_FIRST <= action < STAY:
            return f"fly {SPECIES[action - FLY_FIRST]}"
        return {DRAW_TWO: "draw", DECLINE: "decline", STAY: "stay"}[action]

    def show(self, state: State) -> dict[str, Any]:
        players = int(state["players"][0])
        shown = self._show_open(state)
        shown["hands"] = [_counted(hand) for hand in state["hands"][0, :players]]
        pile = state["pile"][0, : state["pile_size"][0]]
        shown["pile"] = [SPECIES[s] for s in reversed(pile.tolist())]
        shown["discard"] = _counted(state["discard"][0] + state["thrown"][0])
        return shown

    def show_view(self, view: View, seat: int) -> dict[str, Any]:
        shown = self._show_open(view.record)
        shown["hands"] = [
            _counted(view.hands[p])
            if p == seat
            else {
                "known": _counted(view.known[p]),
                "hidden": int(view.hidden[p]),
                "since": dict(zip(SPECIES, view.since[p].tolist(), strict=True)),
            }
            for p in range(view.players)
        ]
        at_most = dict(zip(SPECIES, view.at_most.tolist(), strict=True))
        known = view.at_most[0] != NOBODY
        shown["pile"] = {"size": view.pile_size, "at_most": at_most if known else None}
        shown["discard"] = _counted(view.discard)
        if view.round_end_discards == HIDDEN:
            shown["discard"] = {"known": shown["discard"], "hidden": view.discard_hidden}
        return shown

    def _show_open(self, record: State) -> dict[str, Any]:
        """What is open to all, with places kept for what is not."""
        field = record[0]
        return {
            "phase": PHASES[field["phase"]],
            "seat": self.mover(record),
            "turn": int(field["turn"]),
            "turns_since_flight": int(field["turns_since_flight"]),
            "took": bool(field["took"]),
            "rows": [_row(field["row_species"][r], field["row_count"][r]) for r in range(ROWS)],
            "hands": None,
            "collections": [_counted(c) for c in field["collections"][: field["players"]]],
            "pile": None,
            "discard": None,
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
        field["turns_since_flight"] = shown["turns_since_flight"]
        field["took"] = shown["took"]
        field["winner"] = NOBODY
        for row, cards in enumerate(shown["rows"]):
            for card in cards:
                species = _species(card)
                block = find_block(state[0], row, species)
                if block == NOBODY:
                    add_block(state[0], row, RIGHT, species, 1)
                else:
                    field["row_count"][row, block] += 1
        for p in range(players):
            field["hands"][p] = _counts(shown["hands"][p])
            field["collections"][p] = _counts(shown["collections"][p])
            field["since"][p] = field["hands"][p].sum()
            if shown["phase"] == "over" and complete(field["collections"][p]):
                field["winner"] = p
        field["pile_size"] = len(shown["pile"])
        for place, card in enumerate(reversed(shown["pile"])):
            field["pile"][place] = _species(card)
        field["discard"] = _counts(shown["discard"])
        return state

    def show_step(self, step: Mapping[str, Any], phase: str, seat: int) -> dict[str, Any]:
        # Whether another seat could have flown would tell about its hand.
        hide = phase == "fly" and step["seat"] != seat
        return {**step, "forced": None} if hide else dict(step)


def _species(name: str) -> int:
    if name not in SPECIES:
        raise UnknownNameError("species", name, SPECIES)
    return SPECIES.index(name)


def _counts(counted: Mapping[str, int]) -> list[int]:
    """What `_counted` wrote, as cards by species."""
    for name in counted:
        _species(name)
    return [counted.get(name, 0) for name in SPECIES]


def _counted(counts: Any) -> dict[str, int]:
    return {name: n for name, n in zip(SPECIES, counts.tolist(), strict=True) if n}


def _row(species: Any, counts: Any) -> list[str]:
    return [
        SPECIES[s] for s, n in zip(species.tolist(), counts.tolist(), strict=True) for _ in range(n)
    ]
