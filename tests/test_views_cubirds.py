"""What a seat knows in CuBirds, and the worlds that its knowledge leaves open."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from arena.core import State
from arena.games.cubirds import CuBirds
from tests.chi_square import unlikely
from tests.reference_cubirds import (
    CARDS,
    CHOICES,
    GAMES,
    SPECIES,
    VARIANT_NAMES,
    VARIANTS,
    Memory,
    Reference,
    action_id,
    birds,
    counts,
    deals,
    fits,
    position,
    tight,
    uniform,
    unseen,
    violations,
)

GAME = CuBirds()
Options = dict[str, Any]


class Table:
    """A game of the product, watched by one `Memory` for each seat."""

    def __init__(self, state: State, options: Options) -> None:
        self.state = state
        shown = GAME.show(state)
        self.reference = Reference(shown, options)
        self.memories = [Memory(shown, seat, options) for seat in range(len(shown["hands"]))]

    def play(self, move: str) -> None:
        self.state = GAME.apply(self.state, action_id(move))
        events = self.reference.follow(move, GAME.show(self.state))
        for memory in self.memories:
            memory.see(events)

    def expected(self) -> list[dict[str, Any]]:
        """Each seat's view, as the sheet has it."""
        shown = GAME.show(self.state)
        return [memory.view(shown) for memory in self.memories]


def shown_views(state: State) -> list[dict[str, Any]]:
    seats = range(len(GAME.show(state)["hands"]))
    return [GAME.show_view(GAME.observe(state, seat), seat) for seat in seats]


def walk(
    table: Table, rng: random.Random, choose: Any, check: Any, most: int = 1500, every: int = 1
) -> None:
    """Play on, calling `check(table)` at every position or at some, and at the last one."""
    for number in range(most):
        if number % every == 0:
            check(table)
        legal = table.reference.legal()
        if not legal:
            break
        table.play(choose(rng, legal))
    check(table)


def tight_table(number: int, options: Options) -> Table:
    players = 2 + number % 4
    shown = tight(random.Random(number), players, options)
    return Table(GAME.restore(shown, players, options, number), options)


# --- views --------------------------------------------------------------------------------------


def check_views(table: Table) -> None:
    assert shown_views(table.state) == table.expected()


def check_truth(table: Table) -> None:
    shown = GAME.show(table.state)
    for seat, view in enumerate(shown_views(table.state)):
        assert violations(view, seat, shown) == []


@pytest.mark.parametrize(("options", "players", "choose"), GAMES)
def test_views_of_whole_games(options: Options, players: int, choose: Any) -> None:
    """`known`, `hidden`, `since`, `at_most` and hidden discards, kept up from public events."""
    rng = random.Random(f"views {choose.__name__} {players}")
    state = GAME.initial(players, options, rng.randrange(2**53))
    walk(Table(state, options), rng, choose, check_views, most=300)


@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_views_where_cards_are_few(options: Options) -> None:
    """Reshuffles within a step, draws and deals across a reshuffle, from restored positions."""
    for number in range(9):
        rng = random.Random(number)
        walk(tight_table(number, options), rng, CHOICES[number % 3], check_views, most=40)


@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_views_never_exclude_the_truth(options: Options) -> None:
    for number in range(6):
        rng = random.Random(number)
        walk(tight_table(number, options), rng, CHOICES[number % 3], check_truth, 60, 5)
    walk(Table(GAME.initial(4, options, 1), options), rng, uniform, check_truth, every=15)


def table_at(options: Options | None = None, **where: Any) -> Table:
    shown = position(**where)
    return Table(GAME.restore(shown, len(shown["hands"]), options), options or {})


def played(moves: str, options: Options | None = None, **where: Any) -> Table:
    """The game after `moves`, separated by commas."""
    table = table_at(options, **where)
    for move in moves.split(","):
        table.play(move.strip())
    return table


def test_a_view_counts_in_the_sheets_order() -> None:
    """Nothing can be read from the order in which cards are listed."""
    table = played(
        "lay robin 1 right, decline", rows=("OFR", "TDM", "WRO", "FTD"), hands=("RM", "W")
    )
    view = shown_views(table.state)[1]
    assert list(view["hands"][0]["known"]) == []
    assert list(view["hands"][0]["since"]) == list(SPECIES)
    table = played("lay robin 1 right", rows=("MRFO", "TDM", "WRO", "FTD"), hands=("RM", "W"))
    assert list(shown_views(table.state)[1]["hands"][0]["known"]) == ["flamingo", "owl"]


def test_taken_cards_are_known_until_they_leave_the_hand() -> None:
    where: dict[str, Any] = {"rows": ("OFFP", "TDM", "WRO", "TD"), "hands": ("PFMM", "WW", "D")}
    table = played("lay parrot 1 left", **where)
    hand = shown_views(table.state)[1]["hands"][0]
    assert (hand["known"], hand["hidden"]) == ({"flamingo": 2, "owl": 1}, 3)
    assert hand["since"] == {**dict.fromkeys(SPECIES, 4), "parrot": 0}
    table.play("fly flamingo")
    hand = shown_views(table.state)[1]["hands"][0]
    assert (hand["known"], hand["hidden"]) == ({"owl": 1}, 2)
    assert hand["since"] == {**dict.fromkeys(SPECIES, 4), "parrot": 0, "flamingo": 0}


def test_since_counts_the_draws_after_a_species_was_shown() -> None:
    table = played(
        "lay owl 1 left, draw, stay, lay robin 2 left, decline, stay, lay duck 1 left, draw",
        rows=("MFP", "TPM", "WFP", "FTM"), hands=("ODMM", "RW"), pile="WWWWRRR",
    )  # fmt: skip
    hand = shown_views(table.state)[1]["hands"][0]
    assert hand["hidden"] == 6
    assert hand["since"] == {**dict.fromkeys(SPECIES, 8), "owl": 4, "duck": 2}


def test_a_new_deal_forgets_the_old_hands() -> None:
    table = played(
        "lay parrot 1 left, stay, lay duck 1 right, decline, stay",
        rows=("OFP", "TDM", "WRO", "TD"), hands=("PM", "D"), pile="R",
    )  # fmt: skip
    hand = shown_views(table.state)[1]["hands"][0]
    assert hand == {"known": {}, "hidden": 8, "since": dict.fromkeys(SPECIES, 8)}


def test_at_most_is_what_was_shuffled_in_less_what_came_out_since() -> None:
    """The first card drawn lay there before the shuffle and lowers nothing; the second is taken
    off by its owner alone."""
    table = played(
        "draw", phase="draw", hands=("R", "R"), pile="M", discard="WWDTO", rest="row"
    )  # fmt: skip
    own, other = shown_views(table.state)
    everything = dict.fromkeys(SPECIES, 0) | counts(birds("WWDTO"))
    assert other["pile"] == {"size": 4, "at_most": everything}
    drawn = Counter(own["hands"][0]) - Counter(["robin", "magpie"])
    left = {s: n - drawn[s] for s, n in everything.items()}
    assert own["pile"] == {"size": 4, "at_most": left}


@pytest.mark.parametrize("reshuffle", ["lazy", "eager"])
def test_running_out_of_cards_is_no_reshuffle(reshuffle: str) -> None:
    """What the pile could hold is as before: anything, or what was once shuffled in less what has
    been drawn by oneself."""
    options = {"reshuffle": reshuffle}
    where: dict[str, Any] = {"phase": "draw", "hands": ("R", "R"), "rest": "row"}
    table = played("draw", options, pile="MD", **where)
    for view in shown_views(table.state):
        assert view["pile"] == {"size": 0, "at_most": None}
    moves = "draw, stay, lay robin 1 left, draw"
    table = played(moves, options, pile="M", discard="OT", **where)
    last = Counter(GAME.show(table.state)["hands"][1])
    for view, gone in zip(
        shown_views(table.state), (Counter(birds("OT")) - last, last), strict=True
    ):
        left = Counter(birds("OT")) - gone
        assert view["pile"] == {"size": 0, "at_most": dict.fromkeys(SPECIES, 0) | counts(left)}


@pytest.mark.parametrize("discards", ["public", "hidden"])
def test_hands_thrown_in(discards: str) -> None:
    options = {"round_end_discards": discards}
    where = {"phase": "fly", "hands": ("", "DDT"), "discard": "OO"}
    view = shown_views(played("stay", options, **where).state)[1]
    if discards == "public":
        assert view["discard"] == {"owl": 2, "toucan": 1, "duck": 2}
    else:
        assert view["discard"] == {"known": {"owl": 2}, "hidden": 3}


@pytest.mark.parametrize("discards", ["public", "hidden"])
def test_hands_thrown_in_and_shuffled_in_the_same_step(discards: str) -> None:
    options = {"round_end_discards": discards}
    where = {"phase": "fly", "hands": ("", "DDT"), "pile": "R" * 15, "discard": "OO", "rest": "row"}
    view = shown_views(played("stay", options, **where).state)[0]
    if discards == "public":
        shuffled = {**dict.fromkeys(SPECIES, 0), "owl": 2, "toucan": 1, "duck": 2}
        assert (view["pile"], view["discard"]) == ({"size": 4, "at_most": shuffled}, {})
    else:
        assert view["pile"] == {"size": 4, "at_most": None}
        assert view["discard"] == {"known": {}, "hidden": 0}


@pytest.mark.parametrize(("phase", "known"), [("lay", True), ("draw", True), ("fly", False)])
def test_a_record_does_not_tell_whether_another_seat_could_have_flown(
    phase: str, known: bool
) -> None:
    step = {"seat": 1, "id": 74, "move": "stay", "forced": True}
    assert GAME.show_step(step, phase, 1) == step
    assert GAME.show_step(step, phase, 0) == {**step, "forced": True if known else None}
    assert step["forced"] is True


# --- samples ------------------------------------------------------------------------------------


def check_samples(table: Table) -> None:
    """Each seat's sample looks the same to it and contradicts nothing that it can know."""
    state = table.state
    for seat, expected in enumerate(table.expected()):
        view = GAME.observe(state, seat)
        world = GAME.sample(view, seat, table.reference.turn)
        assert GAME.observe(world, seat) == view
        shown = GAME.show(world)
        assert violations(expected, seat, shown) == []
        assert GAME.mover(world) == GAME.mover(state)
        assert GAME.capped(world) == GAME.capped(state)
        if GAME.mover(state) in (seat, None):
            assert GAME.legal(world) == GAME.legal(state)


@pytest.mark.parametrize(("options", "players", "choose"), GAMES)
def test_samples_in_whole_games(options: Options, players: int, choose: Any) -> None:
    rng = random.Random(f"samples {choose.__name__} {players}")
    state = GAME.initial(players, options, rng.randrange(2**53))
    walk(Table(state, options), rng, choose, check_samples, most=500, every=20)


@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_samples_where_cards_are_few(options: Options) -> None:
    for number in range(9):
        rng = random.Random(number)
        walk(tight_table(number, options), rng, CHOICES[number % 3], check_samples, 40, 4)


@pytest.mark.parametrize("options", VARIANTS, ids=VARIANT_NAMES)
def test_sampled_worlds_can_be_played_on(options: Options) -> None:
    """By the same rules, and with the seat's knowledge staying true."""
    for number in range(8):
        rng = random.Random(number)
        players = 2 + number % 4
        table = Table(GAME.initial(players, options, number), options)
        walk(table, rng, uniform, lambda table: None, most=30 * number)
        for seat in range(players):
            world = GAME.sample(GAME.observe(table.state, seat), seat, number)
            reference = Reference(GAME.show(world), options)
            for _ in range(30):
                if not reference.legal():
                    break
                move = rng.choice(reference.legal())
                world = GAME.apply(world, action_id(move))
                reference.follow(move, GAME.show(world))
                assert GAME.show(world) == reference.shown()
                view = GAME.show_view(GAME.observe(world, seat), seat)
                assert violations(view, seat, GAME.show(world)) == []


def test_own_moves_look_the_same_in_the_world_and_in_a_sample_of_it() -> None:
    """As long as no unseen card is turned up or drawn."""
    compared = 0
    for number in range(4):
        rng = random.Random(number)
        table = Table(GAME.initial(2 + number, {}, number), {})
        while legal := table.reference.legal():
            seat, move = table.reference.seat, rng.choice(legal)
            world = GAME.sample(GAME.observe(table.state, seat), seat, number)
            table.play(move)
            kinds = {event[0] for event in table.reference.events}
            if not kinds & {"drew", "turned up"}:
                world = GAME.apply(world, action_id(move))
                assert GAME.observe(world, seat) == GAME.observe(table.state, seat)
                compared += 1
    assert compared > 400


def test_a_sample_follows_from_its_seed() -> None:
    view = GAME.observe(GAME.initial(3, seed=1), 1)
    worlds = [GAME.sample(view, 1, seed).tobytes() for seed in (1, 1, 2)]
    assert worlds[0] == worlds[1] != worlds[2]


# --- their distribution -------------------------------------------------------------------------

SITUATIONS: dict[str, tuple[int, Callable[[], Table]]] = {
    "nothing of the past": (0, lambda: table_at(hands=("RR", "OOD"), pile="OMM", rest="row")),
    "a species laid": (
        1,
        lambda: played(
            "lay owl 1 left, decline",
            rows=("MFP", "TPM", "WFP", "FTM"), hands=("OOMDD", "R"), pile="OODMW", rest="row",
        ),
    ),
    "draws between two species laid": (
        1,
        lambda: played(
            "lay owl 1 left, draw, stay, lay robin 2 left, decline, stay, lay duck 1 left, draw",
            rows=("MFP", "TPM", "WFP", "FTM"), hands=("ODMM", "RW"), pile="ODODOMD", rest="row",
        ),
    ),
    "known cards and three seats": (
        2,
        lambda: played(
            "lay parrot 1 left, stay, lay magpie 2 left, draw, stay",
            rows=("OFP", "TDR", "WRO", "TD"), hands=("POD", "MMO", "RW"), pile="RODOMFD",
            rest="row",
        ),
    ),
    "known cards laid with hidden ones": (
        2,
        lambda: played(
            "lay parrot 1 left, stay, lay magpie 2 left, draw, stay, lay robin 2 right, decline,"
            "stay, lay owl 2 right, draw, stay, lay duck 3 right, decline",
            rows=("OFP", "TFR", "WRT", "TF"),
            hands=("PODM", "MDO", "RWW"),
            pile="ROMOMFD",
            rest="row",
        ),
    ),
    "a species flown": (
        1,
        lambda: played(
            "draw, fly flamingo, lay robin 1 left, draw, stay, lay magpie 1 left, draw",
            rows=("OWP", "TDW", "WRO", "TD"), phase="draw", hands=("FFMO", "RD"),
            pile="FDFOOMMFD", rest="row",
        ),
    ),
    "a draw across a reshuffle, by another": (
        1,
        lambda: played(
            "draw", phase="draw", hands=("RWM", "R"), pile="M", discard="WWDTO", rest="row"
        ),
    ),
    "a draw across a reshuffle, by oneself": (
        0,
        lambda: played(
            "draw", phase="draw", hands=("RWM", "RWTO"), pile="M", discard="WWDTO", rest="row"
        ),
    ),
    "after a reshuffle, three seats": (
        2,
        lambda: played(
            "draw, stay, lay robin 1 right, draw, stay, lay reed-warbler 1 left, draw",
            rows=("OFP", "TDM", "WRO", "TDM"), phase="draw", hands=("M", "RT", "WD"), pile="M",
            discard="WWDDTOM", rest="row",
        ),
    ),
    "a deal across a reshuffle": (
        0,
        lambda: played(
            "stay", phase="fly", hands=("", "RRW"), pile="RRRRMMMMMWWR", discard="MMW", rest="row"
        ),
    ),
    "a deal across a reshuffle, the last seat": (
        1,
        lambda: played(
            "stay", phase="fly", hands=("", "RRW"), pile="RRRRMMMMMWWR", discard="MMW", rest="row"
        ),
    ),
    "hidden discards": (
        1,
        lambda: played(
            "stay", {"round_end_discards": "hidden"}, phase="fly", hands=("", "RRW"),
            pile="RRRRRRRWMMMMMMMMWM", discard="O", rest="row",
        ),
    ),
    "hidden discards shuffled again": (
        0,
        lambda: played(
            "stay, lay magpie 1 left, draw",
            {"round_end_discards": "hidden"}, phase="fly", hands=("", "RRWW"),
            pile="RRMMMMMMMMWMRRRWR", discard="W", rest="row",
        ),
    ),
}  # fmt: skip


def secrets(view: Mapping[str, Any], seat: int, world: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The hidden cards of each other seat in a world."""
    return [
        tuple((Counter(counts(hand)) - Counter(facts["known"])).elements())
        for p, (hand, facts) in enumerate(zip(world["hands"], view["hands"], strict=True))
        if p != seat
    ]


@pytest.mark.parametrize("name", SITUATIONS)
def test_samples_are_uniform(name: str) -> None:
    """Over arrangements of single cards: the other hands, the pile's cards, the next of them."""
    seat, situation = SITUATIONS[name]
    table = situation()
    view = table.expected()[seat]
    observed = GAME.observe(table.state, seat)
    assert GAME.show_view(observed, seat) == view
    weights: Counter[Any] = Counter()
    for hands, pile, weight in deals(view, seat):
        key = tuple(tuple(Counter(counts(hand)).elements()) for hand in hands)
        cards = tuple(Counter(counts(pile)).elements())
        for card in pile:
            weights[key, cards, card] += weight * pile[card] / len(cards)
        if not pile:
            weights[key, cards, None] += weight
    assert len(weights) > 1
    seen: Counter[Any] = Counter()
    for seed in range(4000):
        world = GAME.show(GAME.sample(observed, seat, seed))
        cards = tuple(Counter(counts(world["pile"])).elements())
        top = world["pile"][0] if cards else None
        seen[tuple(secrets(view, seat, world)), cards, top] += 1
    assert unlikely(seen, weights) < 3.72


def test_samples_put_the_pile_in_every_order() -> None:
    """Single cards are counted one by one here, hand slots and pile places alike."""
    table = played(
        "lay owl 1 left, draw",
        rows=("MFP", "TPM", "WFP", "FTM"), hands=("OOD", "R"), pile="OODTT", rest="row",
    )  # fmt: skip
    view = table.expected()[1]
    cards = list(unseen(view, 1).elements())
    hidden = view["hands"][0]["hidden"]
    weights: Counter[Any] = Counter()
    for arrangement in itertools.permutations(cards):
        if fits(Counter(arrangement[:hidden]), view["hands"][0]["since"]):
            hand = tuple(Counter(counts(arrangement[:hidden])).elements())
            weights[hand, arrangement[hidden:]] += 1
    by_deals = {
        (tuple(Counter(counts(hands[0])).elements()), tuple(Counter(counts(pile)).elements())): n
        for hands, pile, n in deals(view, 1)
    }
    total = Counter[Any]()
    for (hand, pile), number in weights.items():
        total[hand, tuple(Counter(counts(pile)).elements())] += number
    ratios = {total[key] / by_deals[key] for key in by_deals}
    assert set(total) == set(by_deals) and len(ratios) == 1, "`deals` weighs wrongly"

    observed = GAME.observe(table.state, 1)
    seen: Counter[Any] = Counter()
    for seed in range(4000):
        world = GAME.show(GAME.sample(observed, 1, seed))
        seen[secrets(view, 1, world)[0], tuple(world["pile"])] += 1
    assert unlikely(seen, weights) < 3.72


def test_samples_of_the_first_position_hold_every_card_alike_often() -> None:
    """A hidden card is of a species as often as the unseen cards are."""
    state = GAME.initial(4, seed=9)
    view = GAME.observe(state, 2)
    left = unseen(GAME.show_view(view, 2), 2)
    seen: Counter[str] = Counter()
    worlds = 600
    for seed in range(worlds):
        world = GAME.show(GAME.sample(view, 2, seed))
        seen[world["pile"][0]] += 1
        seen[world["pile"][-1]] += 1
    assert set(seen) <= set(CARDS)
    assert unlikely(seen, left) < 3.72
