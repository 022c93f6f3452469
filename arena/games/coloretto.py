"""Coloretto (Michael Schacht, Abacusspiele, 2003), 2 to 5 players.

A turn is DRAW and PLACE (the top card of the deck goes to a row) or TAKE (a row goes to the own
display, and the seat is out of the round). When all are out, the rows are free again. The game ends
after the first round in which the deck has dropped below a threshold: that is the last-round card
of the printed game, which lies on so many cards. Three colours count plus, all others minus.

Everything but the order of the deck is public, so that a view lacks nothing else.

What colours are worth depends only on how many of them have at least 1, 2, … 6 cards, seven or more
being as good as six. There are 1,716 such holdings. For each of them and every number of jokers a
table holds the best that can be made of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations_with_replacement
from math import comb
from typing import Any, ClassVar

import numpy as np

from arena import kernel
from arena.core import Action, OptionValue, State, View
from arena.errors import OptionError
from arena.game import Game, choice, number, option_fields
from arena.kernel import (
    FINISHED,
    Array,
    Field,
    Record,
    shuffle,
    state_dtype,
    view_dtype,
)

COLOURS = ("blue", "brown", "green", "grey", "orange", "pink", "yellow")
CARDS = (*COLOURS, "joker", "golden-joker", "+2")
KINDS, SEATS, DECK, ROWS, PLACES = 7, 5, 73, 5, 3
JOKER, GOLDEN, PLUS_TWO, CODES = 7, 8, 9, 10
OF_COLOUR, JOKERS, PLUS_TWOS = 9, 3, 10  # cards

TURN, PLACE, OVER = 0, 1, 2  # phases
PHASES = ("turn", "place", "over")
DRAW, FIRST_PLACE = 5, 6  # TAKE is the row
ACTIONS = 11
WITNESSES = FIRST_PLACE + CODES * ROWS
NOBODY = NOTHING = -1

# Codes of option values, in the order of OPTIONS.
IPAD, CLASSIC, JUBILEE = 0, 1, 2
BROWN, VIOLET = 0, 1
BEST, LARGEST = 0, 1
LAST_TAKER, CLOCKWISE = 0, 1

OPTIONS = (
    choice(
        "edition", "ipad", "classic", "jubilee",
        doc="which cards there are; ipad is for 3 to 5 players, for 2 the default is classic",
    ),
    number(
        "last_round_threshold", 3 * 3, 1, 10_000,
        doc="the round in which the deck drops below so many cards is the last; the default is "
        "three times the players in ipad, 15 in classic, 16 in jubilee",
    ),
    choice("table", "brown", "violet", doc="1 3 6 10 15 21 or 1 4 8 7 6 5 points for 1 to 6 cards"),
    choice(
        "positive", "best", "largest", doc="colours that count plus: the best, or of most cards"
    ),
    choice("joker", "best", "largest", doc="colours that jokers join: the best, or of most cards"),
    choice("joker_new_colour", False, True, doc="whether jokers may be a colour one has not"),
    choice("next_start", "last_taker", "clockwise", doc="who starts the next round"),
)  # fmt: skip

PUBLIC_FIELDS: list[Field] = [
    *option_fields(OPTIONS),
    ("round_number", "i1"),
    ("row_size", "i1", (ROWS,)),
    ("row_cards", "i1", (ROWS, PLACES)),
    ("taken", "i1", (ROWS,)),
    ("out", "i1", (SEATS,)),
    ("displays", "i1", (SEATS, CODES)),
    ("drawn", "i1"),
    ("removed", "i1", (CODES,)),
    ("deck_size", "i1"),
    ("left", "i1", (CODES,)),  # cards in the deck
]
STATE = state_dtype([*PUBLIC_FIELDS, ("deck", "i1", (DECK,))])  # the next is deck[deck_size - 1]
VIEW = view_dtype(PUBLIC_FIELDS)


# --- points -----------------------------------------------------------------------------------

FULL = 6  # more cards of a colour count as six
WORTH = ((0, 1, 3, 6, 10, 15, 21), (0, 1, 4, 8, 7, 6, 5))  # brown, violet
DIGIT = 16 ** np.arange(FULL + 1)
CHOOSE = np.array([[comb(n, k) for k in range(FULL + 1)] for n in range(KINDS + FULL)])


def _tabulate_points() -> Array:
    """(6, 4, 1716) what colours are worth, by `scoring`, jokers and `holding`.

    A holding is told by how many colours have at least 1, 2, … 6 cards, and the holdings are in
    ascending order of that. To give a joker is to go on to another holding.
    """
    holdings = sorted(combinations_with_replacement(range(KINDS, -1, -1), FULL))
    number_of = {holding: i for i, holding in enumerate(holdings)}
    points = np.zeros((6, JOKERS + 1, len(holdings)), np.int8)
    next_ones: tuple[list[list[int]], ...] = ([], [])  # without and with new colours
    for i, holding in enumerate(holdings):
        counts = [sum(n > colour for n in holding) for colour in range(KINDS)]  # descending
        values = [[worth[count] for count in counts] for worth in WORTH]
        best = [2 * sum(sorted(v)[-3:]) - sum(v) for v in values]
        largest = 2 * sum(values[VIOLET][:3]) - sum(values[VIOLET])
        points[:, 0, i] = np.repeat([*best, largest], 2)
        for least in range(2):
            raised = {count: [*holding] for count in counts if count >= least}
            for count, after in raised.items():
                if count < FULL:
                    after[count] += 1
            numbers = [number_of[tuple(after)] for after in raised.values()] or [i]
            next_ones[1 - least].append(numbers + numbers[:1] * (KINDS - len(numbers)))
    for jokers in range(1, JOKERS + 1):
        for rule in range(6):
            after = points[rule, jokers - 1][np.array(next_ones[rule % 2])]
            points[rule, jokers] = after.max(axis=1)
    return points


POINTS = _tabulate_points()


@kernel.kernel
def scoring(state: Record) -> int:
    """The number of the options that decide what colours are worth, in POINTS."""
    rule = 0
    if state.table == VIOLET:
        rule = 4 if state.positive == LARGEST else 2
    return rule + state.joker_new_colour


@kernel.kernel
def holding(marks: int) -> int:
    """The number, in POINTS, of a holding given by the sum of DIGIT[cards] over all colours."""
    number = at_least = 0
    for cards in range(FULL, 0, -1):
        at_least += marks >> 4 * cards & 15
        number += CHOOSE[at_least + FULL - cards, FULL + 1 - cards]
    return number


@kernel.kernel
def points(state: Record, display: Array) -> int:
    """What the cards of a display would score now."""
    marks = most = 0
    for colour in range(KINDS):
        cards = min(display[colour], FULL)
        marks += DIGIT[cards]
        most = max(most, cards)
    jokers = display[JOKER] + display[GOLDEN]
    if state.joker == LARGEST and (most > 0 or state.joker_new_colour):
        marks += DIGIT[min(most + jokers, FULL)] - DIGIT[most]
        jokers = 0
    return POINTS[scoring(state), jokers, holding(marks)] + 2 * display[PLUS_TWO]


# --- rows and deck ----------------------------------------------------------------------------

IN_ROW = (PLACES + 1) ** np.arange(CODES)


@kernel.kernel
def count_rows(state: Record) -> int:
    return 3 if state.players == 2 else state.players


@kernel.kernel
def capacity(state: Record, row: int) -> int:
    return row + 1 if state.players == 2 else PLACES


@kernel.kernel
def has_place(state: Record, row: int) -> bool:
    """Whether a row is still there and not full."""
    return not state.taken[row] and state.row_size[row] < capacity(state, row)


@kernel.kernel
def put(state: Record, row: int, card: int) -> None:
    state.row_cards[row, state.row_size[row]] = card
    state.row_size[row] += 1


@kernel.kernel
def clear_row(state: Record, row: int, target: Array) -> None:
    """Move a row's cards to `target`, which counts them."""
    for place in range(state.row_size[row]):
        target[state.row_cards[row, place]] += 1
        state.row_cards[row, place] = 0
    state.row_size[row] = 0


@kernel.kernel
def turn_up(state: Record) -> int:
    """Take the top card of the deck, in which there must be one."""
    state.deck_size -= 1
    card = state.deck[state.deck_size]
    state.deck[state.deck_size] = 0
    state.left[card] -= 1
    return card


@kernel.kernel
def stack(state: Record) -> None:
    """Make a deck of the cards that are `left`, in random order."""
    n = 0
    for card in range(CODES):
        for _ in range(state.left[card]):
            state.deck[n] = card
            n += 1
    state.deck_size = n
    shuffle(state, state.deck, n)


@kernel.kernel
def deal(state: Record) -> None:
    players = state.players
    colours = np.empty(KINDS, np.int8)
    for colour in range(KINDS):
        colours[colour] = colour
    shuffle(state, colours, KINDS)
    used = KINDS
    if players == 2:
        used = 5
    elif players == 3 and state.edition != IPAD:
        used = 6
    for i in range(used):
        state.left[colours[i]] = OF_COLOUR
    state.left[GOLDEN] = state.edition == JUBILEE
    state.left[JOKER] = JOKERS - state.left[GOLDEN]
    state.left[PLUS_TWO] = PLUS_TWOS
    for i in range(4 if players == 2 else players):
        state.displays[i % players, colours[i]] = 1
        state.left[colours[i]] -= 1
    stack(state)
    state.drawn = NOTHING
    state.round_number = 1


# --- turns ------------------------------------------------------------------------------------


@kernel.kernel
def legal(state: Record, out: Array) -> int:
    if state.over:
        return 0
    n = 0
    if state.phase == PLACE:
        for row in range(count_rows(state)):
            if has_place(state, row):
                out[n] = FIRST_PLACE + row
                n += 1
        return n
    may_draw = False
    for row in range(count_rows(state)):
        if state.row_size[row] > 0 and not repeats(state, row):
            out[n] = row
            n += 1
        may_draw |= has_place(state, row)
    if may_draw and state.deck_size > 0:
        out[n] = DRAW
        n += 1
    return n


@kernel.kernel
def repeats(state: Record, row: int) -> bool:
    """Whether a lower row has the same cards when the last of two takes one of what is left."""
    if state.players > 2 or not state.out[1 - state.seat]:
        return False
    cards = contents(state, row)
    equal = False
    for lower in range(row):
        equal |= contents(state, lower) == cards
    return equal


@kernel.kernel
def contents(state: Record, row: int) -> int:
    """A number that tells which cards lie in a row, in whatever order."""
    cards = 0
    for place in range(state.row_size[row]):
        cards += IN_ROW[state.row_cards[row, place]]
    return cards


@kernel.kernel
def witness(state: Record, action: int, seat: int) -> int:
    """Which card is placed in which row."""
    if action < FIRST_PLACE:
        return action
    return action + state.drawn * np.int64(ROWS)


@kernel.kernel
def apply(state: Record, action: int) -> None:
    if action == DRAW:
        state.drawn = turn_up(state)
        state.phase = PLACE
        return
    if action < DRAW:
        take(state, action)
    else:
        put(state, action - FIRST_PLACE, state.drawn)
        state.drawn = NOTHING
        state.phase = TURN
    state.turn += 1
    pass_on(state)


@kernel.kernel
def take(state: Record, row: int) -> None:
    display = state.displays[state.seat]
    golden = display[GOLDEN]
    clear_row(state, row, display)
    state.taken[row] = 1
    state.out[state.seat] = 1
    if display[GOLDEN] > golden and state.deck_size > 0:
        display[turn_up(state)] += 1


@kernel.kernel
def pass_on(state: Record) -> None:
    """Give the turn to the next seat that is in and can do something; else the round ends."""
    seat = next_in(state)
    if seat != NOBODY and can_go_on(state):
        state.seat = seat
    else:
        end_round(state)


@kernel.kernel
def next_in(state: Record) -> int:
    """The next seat that is in, at last the mover itself; NOBODY if there is none."""
    for i in range(1, state.players + 1):
        seat = (state.seat + i) % state.players
        if not state.out[seat]:
            return seat
    return NOBODY


@kernel.kernel
def can_go_on(state: Record) -> bool:
    """Whether there is a row to be taken or a card to be drawn, for whoever is in."""
    for row in range(count_rows(state)):
        if state.row_size[row] > 0 or (state.deck_size > 0 and has_place(state, row)):
            return True
    return False


@kernel.kernel
def end_round(state: Record) -> None:
    for row in range(count_rows(state)):
        clear_row(state, row, state.removed)  # there is something only with two players
        state.taken[row] = 0
    for seat in range(state.players):
        state.out[seat] = 0
    if state.deck_size < state.last_round_threshold:
        state.over = FINISHED
        state.phase = OVER
        state.seat = NOBODY
        return
    # Whoever took last has moved last: only after a take there can be nothing left to do.
    if state.next_start == CLOCKWISE:
        state.seat = state.round_number % state.players
    state.round_number += 1


@kernel.kernel
def ranks(state: Record, out: Array) -> None:
    totals = np.zeros(SEATS, np.int64)
    for p in range(state.players):
        totals[p] = points(state, state.displays[p])
    for p in range(state.players):
        out[p] = 0
        for q in range(state.players):
            out[p] += totals[q] > totals[p]


# --- hidden information -----------------------------------------------------------------------


@kernel.kernel
def copy_public(source: Record, target: Record) -> None:
    """Copy what everybody sees, between state and view in either direction."""
    target.players = source.players
    target.seat = source.seat
    target.phase = source.phase
    target.over = source.over
    target.turn = source.turn
    target.edition = source.edition
    target.last_round_threshold = source.last_round_threshold
    target.table = source.table
    target.positive = source.positive
    target.joker = source.joker
    target.joker_new_colour = source.joker_new_colour
    target.next_start = source.next_start
    target.round_number = source.round_number
    target.drawn = source.drawn
    target.deck_size = source.deck_size
    for row in range(ROWS):
        target.row_size[row] = source.row_size[row]
        target.taken[row] = source.taken[row]
        for place in range(PLACES):
            target.row_cards[row, place] = source.row_cards[row, place]
    for card in range(CODES):
        target.removed[card] = source.removed[card]
        target.left[card] = source.left[card]
    for p in range(SEATS):
        target.out[p] = source.out[p]
        for card in range(CODES):
            target.displays[p, card] = source.displays[p, card]


@kernel.kernel
def observe(state: Record, seat: int, view: Record) -> None:
    copy_public(state, view)


@kernel.kernel
def sample(view: Record, seat: int, world: Record) -> None:
    copy_public(view, world)
    stack(world)


# --- heuristic --------------------------------------------------------------------------------

# In points, found by matches between bots that are greedy for different estimates.
FREE_PLACE = (1.5, 0.5)  # by table: what a card that may still join a row is worth
GROWTH = 0.1  # a card of a colour, for each card of it that a seat may still get
SPARE_ROW = 6.0  # what is left when two players have chosen among three rows


@kernel.kernel
def estimate(state: Record, out: Array) -> None:
    if state.over:
        kernel.rewards(state, out)
        return
    held = np.empty(SEATS)
    gains = np.empty((2, SEATS, ROWS))
    for p in range(state.players):
        held[p] = prospects(state, state.displays[p])
        for row in range(count_rows(state)):
            if not state.out[p] and not state.taken[row]:
                gains[0, p, row] = gain(state, p, row, NOTHING, held[p])
                if state.phase == PLACE and has_place(state, row):
                    gains[1, p, row] = gain(state, p, row, state.drawn, held[p])
    if state.phase == TURN:
        share(state, state.seat, NOTHING, held, gains, out)
    else:
        share_after_placing(state, held, gains, out)


@kernel.kernel
def prospects(state: Record, display: Array) -> float:
    """What a display scores now, corrected for what will become of its colours.

    In brown they grow, the more the more cards of them are left. In violet a set of three is spoilt
    by the next card and few colours are best, so that early points mean little.
    """
    now = float(points(state, display))
    growth, colours = 0.0, 0
    for colour in range(KINDS):
        if display[colour] > 0:
            colours += 1
            if display[colour] < FULL:
                growth += (display[colour] - 1) * state.left[colour]
    if state.table == BROWN:
        return now + GROWTH * growth / state.players
    return now - until_last_round(state) / 120 * (now - 2 * display[PLUS_TWO] + 1.5 * colours)


@kernel.kernel
def until_last_round(state: Record) -> int:
    """Cards that can be drawn without the last round being reached."""
    return max(0, state.deck_size - state.last_round_threshold)


@kernel.kernel
def gain(state: Record, seat: int, row: int, extra: int, held: float) -> float:
    """What a row adds to the prospects `held` of a seat, with an `extra` card if not NOTHING."""
    display = state.displays[seat]
    size = state.row_size[row]
    free = capacity(state, row) - size
    for place in range(size):
        display[state.row_cards[row, place]] += 1
    if extra != NOTHING:
        display[extra] += 1
        free -= 1
    worth = prospects(state, display) - held if size > 0 or extra != NOTHING else 0.0
    for place in range(size):
        display[state.row_cards[row, place]] -= 1
    if extra != NOTHING:
        display[extra] -= 1
    return worth + FREE_PLACE[state.table] * min(free, state.deck_size)


@kernel.kernel
def share_after_placing(state: Record, held: Array, gains: Array, out: Array) -> None:
    """As `share`, after the mover has put the drawn card where it is best for it."""
    tried = np.empty(SEATS)
    best = -1.0
    for row in range(count_rows(state)):
        if has_place(state, row):
            share(state, next_in(state), row, held, gains, tried)
            if tried[state.seat] > best:
                best = tried[state.seat]
                for p in range(state.players):
                    out[p] = tried[p]


@kernel.kernel
def share(state: Record, first: int, placed: int, held: Array, gains: Array, out: Array) -> None:
    """Share the reward by what seats have once they have chosen rows in turn, from `first` on.

    gains[0, p, r] is what row r adds to held[p], gains[1, p, r] what it adds with the drawn card;
    the latter counts for the row `placed`.
    """
    at_least = SPARE_ROW if state.players == 2 and state.table == BROWN else 0.0
    promise = np.empty(SEATS)
    used = 0
    for i in range(state.players):
        p = (first + i) % state.players
        choice, most = NOTHING, at_least
        for row in range(count_rows(state)):
            with_drawn = 1 if row == placed else 0
            free = not state.out[p] and not state.taken[row] and not used >> row & 1
            if free and gains[with_drawn, p, row] > most:
                choice, most = row, gains[with_drawn, p, row]
        if choice != NOTHING:
            used |= 1 << choice
        promise[p] = held[p] if state.out[p] else held[p] + most
    # A lead of so many points makes three wins in four.
    close = 2.0 + until_last_round(state) / (10 if state.table == BROWN else 4)
    pairs = state.players * (state.players - 1) / 2
    for p in range(state.players):
        part = 0.0
        for q in range(state.players):
            if q != p:
                ahead = promise[p] - promise[q]
                part += 0.5 + 0.5 * ahead / (close + abs(ahead))
        out[p] = part / pairs


kernel.register(
    STATE, VIEW, deal=deal, legal=legal, apply=apply, ranks=ranks, observe=observe, sample=sample,
    estimate=estimate, witness=witness,
)  # fmt: skip


# --- how it is written down -------------------------------------------------------------------


class Coloretto(Game):
    name = "coloretto"
    title = "Coloretto"
    rules = "1"
    players = range(2, SEATS + 1)
    options = OPTIONS
    action_count = ACTIONS
    witness_count = WITNESSES
    max_moves = 3 * DECK  # every card is drawn, placed and taken once at most
    state_dtype = STATE
    view_dtype = VIEW
    view_fields: ClassVar[Mapping[str, str]] = {
        "edition … next_start": "the options; of a list of choices, the number in it",
        "phase": "0 turn, 1 place, 2 over",
        "round_number": "the round being played, from 1",
        "row_size": "(5,) cards in each row",
        "row_cards": "(5, 3) the cards of each row, the newest last, then zeros; a card is 0 blue, "
        "1 brown, 2 green, 3 grey, 4 orange, 5 pink, 6 yellow, 7 joker, 8 golden joker, 9 +2",
        "taken": "(5,) 1 for the rows taken in this round",
        "out": "(5,) 1 for the seats that are out of this round",
        "displays": "(5, 10) cards in each seat's display, by card",
        "drawn": "the card turned up and to be placed, or -1",
        "removed": "(10,) cards that left the game in third rows, by card",
        "deck_size": "cards in the deck",
        "left": "(10,) cards in the deck, by card",
    }

    def resolve(
        self, players: int, options: Mapping[str, object] | None = None
    ) -> dict[str, OptionValue]:
        given = dict(options or {})
        edition = given.setdefault("edition", "classic" if players == 2 else "ipad")
        threshold = 3 * players if edition == "ipad" else 16 if edition == "jubilee" else 15
        given.setdefault("last_round_threshold", threshold)
        return super().resolve(players, given)

    def check_combination(self, players: int, options: Mapping[str, OptionValue]) -> None:
        if players == 2 and options["edition"] == "ipad":
            raise OptionError(
                "option edition: found 'ipad' for 2 players, but that edition has no rules for 2; "
                "expected 'classic' or 'jubilee'"
            )

    def scores(self, state: State) -> tuple[int, ...]:
        field = state[0]
        return tuple(int(points(field, field["displays"][p])) for p in range(field["players"]))

    def describe(self, state: State, action: Action) -> str:
        if action == DRAW:
            return "draw"
        return f"take {action + 1}" if action < DRAW else f"place {action - FIRST_PLACE + 1}"

    def show(self, state: State) -> dict[str, Any]:
        deck = state["deck"][0, : state["deck_size"][0]]
        return self._show(state, [CARDS[card] for card in reversed(deck.tolist())])

    def show_view(self, view: View, seat: int) -> dict[str, Any]:
        return self._show(view.record, {"size": view.deck_size, **_counted(view.left)})

    def _show(self, record: State, deck: list[str] | dict[str, int]) -> dict[str, Any]:
        field = record[0]
        players, rows = int(field["players"]), int(count_rows(field))
        return {
            "phase": PHASES[field["phase"]],
            "seat": self.mover(record),
            "round": int(field["round_number"]),
            "rows": [
                [CARDS[card] for card in field["row_cards"][r, : field["row_size"][r]].tolist()]
                for r in range(rows)
            ],
            "taken": [bool(taken) for taken in field["taken"][:rows]],
            "out": [bool(out) for out in field["out"][:players]],
            "displays": [_counted(display) for display in field["displays"][:players]],
            "drawn": CARDS[field["drawn"]] if field["drawn"] != NOTHING else None,
            "removed": _counted(field["removed"]),
            "deck": deck,
            "last_round": bool(field["deck_size"] < field["last_round_threshold"]),
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
        field["round_number"] = shown["round"]
        for row, cards in enumerate(shown["rows"]):
            field["row_size"][row] = len(cards)
            for place, card in enumerate(cards):
                field["row_cards"][row, place] = CARDS.index(card)
            field["taken"][row] = shown["taken"][row]
        field["drawn"] = NOTHING if shown["drawn"] is None else CARDS.index(shown["drawn"])
        for p in range(players):
            field["out"][p] = shown["out"][p]
            for code, card in enumerate(CARDS):
                field["displays"][p, code] = shown["displays"][p].get(card, 0)
        for code, card in enumerate(CARDS):
            field["removed"][code] = shown["removed"].get(card, 0)
            field["left"][code] = shown["deck"].count(card)
        field["deck_size"] = len(shown["deck"])
        for place, card in enumerate(reversed(shown["deck"])):
            field["deck"][place] = CARDS.index(card)
        return state


def _counted(counts: Any) -> dict[str, int]:
    return {card: n for card, n in zip(CARDS, counts.tolist(), strict=True) if n}
