"""Whatever a bot does becomes a result; what happened can be played again."""

from __future__ import annotations

import dataclasses
import math
import os
import random
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from arena import registry
from arena.core import Ending, Limits, MatchResult, MatchSpec, State, Turn
from arena.errors import Interrupted
from arena.game import Game
from arena.match import play
from arena.player import Entry, printable
from arena.registry import find_bot, load_bot

FAKES = Path(__file__).parent / "fakes"
ENDLESS = Limits()


def fake(ref: str, **params: bool | int | float) -> Entry:
    return Entry(ref, load_bot(find_bot(ref, FAKES)), params)


def spec_for(
    game: Game, bots: int, seed: int = 1, options: Mapping[str, object] | None = None
) -> MatchSpec:
    return MatchSpec(
        number=0,
        id="0123456789abcdef",
        game=game.name,
        players=bots,
        options=game.resolve(bots, options),
        bots=tuple(f"bot{seat}" for seat in range(bots)),
        line_up=0,
        deal=0,
        rotation=0,
        seed=seed,
        bot_seeds=tuple(range(100, 100 + bots)),
    )


def match(
    name: str,
    *entries: Entry,
    limits: Limits = ENDLESS,
    seed: int = 1,
    options: Mapping[str, object] | None = None,
) -> MatchResult:
    game = registry.game(name)
    return play(game, spec_for(game, len(entries), seed, options), entries, limits)


def replay(result: MatchResult) -> State:
    """The position to which a result's actions lead; raises if one is not legal."""
    spec = result.spec
    game = registry.game(spec.game)
    state = game.initial(spec.players, spec.options, spec.seed)
    for action in result.actions:
        state = game.apply(state, action)
    return state


def same(a: MatchResult, b: MatchResult) -> bool:
    """Whether two results are equal apart from the time they took."""
    return dataclasses.replace(a, seconds=()) == dataclasses.replace(b, seconds=())


STEADY = fake("steady.py")
RANDOM = fake("random")
LAST = fake("returns_np_int64.py")  # plays the last legal move


class Seen:
    """Bots made here are kept, with the turns they were asked."""

    def __init__(self) -> None:
        self.bots: list[Any] = []

    def entry(self) -> Entry:
        seen = self

        class Bot:
            def __init__(self, game: Game, seat: int, seed: int) -> None:
                self.arguments = (game, seat, seed)
                self.turns: list[Turn] = []
                self.random = random.Random(seed)
                seen.bots.append(self)

            def act(self, turn: Turn) -> int:
                self.turns.append(turn)
                return self.random.choice(turn.legal)

        return Entry("seen", Bot, {})


# --- a match without faults ---------------------------------------------------------------------


def test_kuhn_with_two_honest_bots() -> None:
    result = match("kuhn", STEADY, STEADY)
    assert (result.ending, result.offender, result.actions) == (Ending.FINISHED, None, (0, 0))
    assert sorted(result.scores) == [-1, 1]
    assert result.ranks == tuple(1 if chips > 0 else 2 for chips in result.scores)
    assert (result.detail, result.traceback) == ("", "")
    assert len(result.seconds) == 2 and all(s > 0 for s in result.seconds)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_recorded_actions_replay_to_the_result(players: int) -> None:
    game = registry.game("cubirds")
    for seed in range(5):
        result = match("cubirds", *[RANDOM] * players, seed=seed)
        end = replay(result)
        assert game.mover(end) is None
        assert result.scores == game.scores(end)
        assert result.ranks == tuple(
            1 + sum(other < own for other in game.ranks(end)) for own in game.ranks(end)
        )


def test_bots_decide_and_forced_moves_are_played_without_asking() -> None:
    game = registry.game("cubirds")
    seen = Seen()
    result = match("cubirds", seen.entry(), seen.entry(), seen.entry())
    asked = {seat: iter(bot.turns) for seat, bot in enumerate(seen.bots)}
    state = game.initial(3, result.spec.options, result.spec.seed)
    forced = 0
    for action in result.actions:
        legal, seat = game.legal(state), game.mover(state)
        if len(legal) > 1:
            turn = next(asked[seat])  # type: ignore[index]
            assert (turn.seat, turn.legal) == (seat, legal)
            assert turn.view == game.observe(state, seat)  # type: ignore[arg-type]
        else:
            forced += 1
        state = game.apply(state, action)
    assert forced > 0
    assert all(next(turns, None) is None for turns in asked.values())


def test_bots_are_built_afresh_in_seat_order_before_the_first_decision() -> None:
    seen = Seen()
    match("kuhn", seen.entry(), seen.entry())
    match("kuhn", seen.entry(), seen.entry())
    game = registry.game("kuhn")
    assert [bot.arguments for bot in seen.bots] == [(game, 0, 100), (game, 1, 101)] * 2

    class Late:
        def __init__(self, game: Game, seat: int, seed: int) -> None:
            assert all(bot.turns == [] for bot in late.bots)

        def act(self, turn: Turn) -> int:
            return turn.legal[0]

    late = Seen()
    assert match("kuhn", late.entry(), Entry("late", Late, {})).ending is Ending.FINISHED


def test_params_reach_the_bot() -> None:
    assert match("cubirds", fake("raises_rare.py", after=1), STEADY).ending is Ending.CRASH
    assert match("kuhn", fake("raises_rare.py", after=10**6), STEADY).ending is Ending.FINISHED


def test_the_same_match_twice_is_the_same() -> None:
    first, second = (match("cubirds", RANDOM, LAST, RANDOM) for _ in range(2))
    assert same(first, second)
    assert not same(first, match("cubirds", RANDOM, LAST, RANDOM, seed=2))


def test_a_turn_cap_is_nobodys_fault() -> None:
    result = match("cubirds", RANDOM, RANDOM, options={"turn_cap": 3})
    assert (result.ending, result.offender, result.detail) == (Ending.TURN_CAP, None, "")
    assert result.ranks in {(1, 1), (1, 2), (2, 1)}


def test_the_clock_tells_the_limit() -> None:
    for limit in (None, 60.0):
        seen = Seen()
        match("kuhn", seen.entry(), seen.entry(), limits=Limits(move=limit))
        assert {turn.clock for bot in seen.bots for turn in bot.turns} == {limit}


def test_a_numpy_integer_is_as_good_as_an_int() -> None:
    result = match("kuhn", LAST, LAST)
    assert (result.ending, result.actions) == (Ending.FINISHED, (1, 1))
    assert {type(action) for action in result.actions} == {int}


# --- answers that are no move -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ref", "answer"),
    [
        ("plays_illegal.py", "99"),
        ("returns_negative.py", "-1"),
        ("returns_none.py", "None, which is not a whole number"),
        ("returns_bool.py", "False, which is not a whole number"),
        ("returns_np_bool.py", "np.False_, which is not a whole number"),
        ("returns_float.py", "0.0, which is not a whole number"),
        ("returns_nan.py", "nan, which is not a whole number"),
        ("returns_text.py", "'0', which is not a whole number"),
        ("returns_list.py", "[0], which is not a whole number"),
        ("returns_np_array.py", "array([0]), which is not a whole number"),
        ("returns_huge.py", "an object of <class 'int'>"),
        ("index_bomb.py", "<index_bomb.Bomb object>, which is not a whole number"),
        ("repr_bomb.py", "an object of <class 'repr_bomb.Bomb'>, which is not a whole number"),
        ("lying_eq.py", "0, which is not a whole number"),
    ],
)
def test_an_answer_that_is_no_move_loses_the_match(ref: str, answer: str) -> None:
    result = match("kuhn", STEADY, fake(ref))
    assert (result.ending, result.offender) == (Ending.ILLEGAL, 1)
    assert (result.scores, result.ranks, result.actions) == ((0, 0), (1, 2), (0,))
    assert result.detail == f"move 2: answered {answer}; legal were 0, 1"
    assert result.traceback == ""


def test_a_move_that_was_legal_before_is_refused() -> None:
    result = match("cubirds", fake("replays_old_move.py"), STEADY)
    assert (result.ending, result.offender) == (Ending.ILLEGAL, 0)
    stale = int(result.detail.split("answered ")[1].split(";")[0])
    legal = registry.game("cubirds").legal(replay(result))
    assert stale not in legal
    assert result.detail == (
        f"move {len(result.actions) + 1}: answered {stale}; legal were {', '.join(map(str, legal))}"
    )


def test_what_a_bot_tells_does_nothing_to_a_terminal() -> None:
    assert printable("\x1b[2Jé\tx\r\n\ud800") == "\\x1b[2Jé\tx\\r\n\\ud800"


def test_what_is_told_of_an_answer_is_one_short_printable_line() -> None:
    detail = match("kuhn", fake("giant_repr.py"), STEADY).detail
    assert detail.startswith("move 1: answered \\x1b[31m \\ud800\\x1b[31m \\ud800")
    assert detail.isprintable()
    assert detail.endswith("…, which is not a whole number; legal were 0, 1")
    assert len(detail) < 300


# --- exceptions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ref", "ending", "detail"),
    [
        ("raises_systemexit.py", Ending.CRASH, "raised SystemExit: 0"),
        ("raises_keyboardinterrupt.py", Ending.CRASH, "raised KeyboardInterrupt"),
        ("raises_memoryerror.py", Ending.MEMORY, "raised MemoryError"),
        ("deep_recursion.py", Ending.CRASH, "raised RecursionError: maximum recursion depth"),
        ("exception_bomb.py", Ending.CRASH, "raised an exception of <class 'exception_bomb.Bomb'>"),
    ],
)
def test_an_exception_loses_the_match(ref: str, ending: Ending, detail: str) -> None:
    result = match("kuhn", STEADY, fake(ref))
    assert (result.ending, result.offender) == (ending, 1)
    assert (result.scores, result.ranks, result.actions) == ((0, 0), (1, 2), (0,))
    assert result.detail.startswith(f"move 2: {detail}")


def test_a_traceback_begins_in_the_bots_code_and_keeps_its_causes() -> None:
    result = match("cubirds", fake("raises_rare.py", after=3), RANDOM)
    moves = len(result.actions)
    assert moves > 3
    assert result.detail == f"move {moves + 1}: raised ValueError: no such bird"
    path = FAKES / "raises_rare.py"
    lines = result.traceback.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{path.name}", line 16, in look_up'
    assert "KeyError: 'owl'" in lines
    assert lines[-1] == "ValueError: no such bird"
    assert "match.py" not in result.traceback


@pytest.mark.parametrize("ref", ["giant_message.py", "deep_recursion.py"])
def test_a_traceback_fits_into_any_file(ref: str) -> None:
    result = match("kuhn", fake(ref), STEADY)
    assert result.traceback.startswith("Traceback")
    assert len(result.traceback.encode()) < 50_000
    assert result.traceback.replace("\n", "").isprintable()
    assert result.detail.isprintable()
    assert len(result.detail) < 300


@pytest.mark.parametrize(
    ("ref", "detail"),
    [
        ("raises_init.py", "start: raised ValueError: no weights for seat {seat}"),
        ("exits_init.py", "start: raised SystemExit: licence expired"),
        ("takes_no_seed.py", "start: raised TypeError: Bot.__init__() takes 2 positional "),
        ("factory_of_none.py:make", "start: raised AttributeError: 'NoneType' object has no"),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_that_cannot_be_built_forfeits_before_the_first_move(
    ref: str, detail: str, seat: int
) -> None:
    entries = [STEADY, STEADY]
    entries[seat] = fake(ref)
    result = match("kuhn", *entries)
    assert (result.ending, result.offender, result.actions) == (Ending.CRASH, seat, ())
    assert result.ranks == ((2, 1), (1, 2))[seat]
    assert result.detail.startswith(detail.format(seat=seat))


def test_a_bot_that_is_built_only_once_loses_the_second_match() -> None:
    entry = fake("raises_second_init.py")
    endings = [match("kuhn", entry, STEADY).ending for _ in range(3)]
    assert endings == [Ending.FINISHED, Ending.CRASH, Ending.CRASH]


def test_of_two_faults_the_first_counts() -> None:
    assert match("kuhn", fake("raises_init.py"), fake("exits_init.py")).offender == 0
    assert match("kuhn", fake("plays_illegal.py"), fake("raises_init.py")).offender == 1
    assert match("kuhn", fake("plays_illegal.py"), fake("deep_recursion.py")).offender == 0


@pytest.mark.parametrize(
    "ref", ["giant_repr.py", "index_bomb.py", "exception_bomb.py", "raises_init.py"]
)
def test_what_is_told_of_a_fault_is_the_same_in_every_match(ref: str) -> None:
    first, second = (match("kuhn", fake(ref), STEADY) for _ in range(2))
    assert first.detail == second.detail
    assert first.traceback == second.traceback
    assert "0x" not in first.detail + first.traceback
    assert "arena_bot_" not in first.detail + first.traceback


# --- Ctrl-C -------------------------------------------------------------------------------------


class CtrlC:
    """Ctrl-C is pressed while this bot thinks, or while it is built."""

    def __init__(self, game: Game, seat: int, seed: int, *, when: str = "act") -> None:
        self.when = when
        self.press("init")

    def press(self, when: str) -> None:
        if when == self.when:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                pass

    def act(self, turn: Turn) -> Any:
        self.press("act")
        return self

    def __index__(self) -> int:
        self.press("index")
        return 99

    def __repr__(self) -> str:
        self.press("repr")
        return "pressed"


@pytest.mark.parametrize("when", ["init", "act", "index", "repr"])
def test_a_real_ctrl_c_is_never_a_bots_fault(when: str) -> None:
    def handler(number: int, frame: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(Interrupted):
            match("kuhn", Entry("ctrl-c", CtrlC, {"when": when}), STEADY)
    finally:
        signal.signal(signal.SIGINT, before)


# --- time ---------------------------------------------------------------------------------------


def test_an_answer_after_the_limit_loses_the_match() -> None:
    result = match("kuhn", fake("slow.py", think=0.02), STEADY, limits=Limits(move=0.01))
    assert (result.ending, result.offender, result.ranks) == (Ending.TIMEOUT, 0, (2, 1))
    assert (result.actions, result.traceback) == ((), "")
    assert result.detail == "move 1: took longer than the limit of 0.01 s"
    assert result.seconds[0] >= 0.02


def test_an_exception_after_the_limit_came_too_late() -> None:
    slow = fake("slow.py", think=0.02, fail=True)
    assert match("kuhn", slow, STEADY, limits=Limits(move=0.01)).ending is Ending.TIMEOUT
    assert match("kuhn", slow, STEADY, limits=Limits(move=60)).ending is Ending.CRASH


def test_a_slow_start_loses_the_match_and_has_its_own_limit() -> None:
    slow = fake("slow.py", start=0.02)
    result = match("kuhn", slow, STEADY, limits=Limits(startup=0.01))
    assert (result.ending, result.offender, result.actions) == (Ending.TIMEOUT, 0, ())
    assert result.detail == "start: took longer than the limit of 0.01 s"
    assert match("kuhn", slow, STEADY, limits=Limits(move=60)).ending is Ending.ILLEGAL


# --- bots that reach for more -------------------------------------------------------------------


@pytest.mark.parametrize("ref", ["mutates_view.py", "keeps_views.py", "reseeds_random.py"])
def test_a_meddling_bot_changes_nothing_for_the_others(ref: str) -> None:
    for seed in range(3):
        honest = match("cubirds", RANDOM, STEADY, RANDOM, seed=seed)
        assert honest.ending is Ending.FINISHED
        assert same(match("cubirds", RANDOM, fake(ref), RANDOM, seed=seed), honest)


def test_a_view_is_a_private_copy() -> None:
    seen = Seen()
    match("cubirds", seen.entry(), seen.entry())
    records = [turn.view.record for bot in seen.bots for turn in bot.turns]
    buffers = {id(record.base) for record in records}
    assert len(buffers) == len(records)
    assert all(len(record.base) == record.nbytes for record in records)
    assert not np.shares_memory(records[0], records[1])


# --- places after a forfeit ---------------------------------------------------------------------


@pytest.mark.parametrize("ref", ["raises_rare.py", "replays_old_move.py"])
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_others_keep_the_order_of_their_standing(ref: str, seat: int) -> None:
    params = {"after": 20} if ref == "raises_rare.py" else {}
    entries = [RANDOM] * 3
    entries[seat] = fake(ref, **params)
    result = match("cubirds", *entries, seed=7)
    game = registry.game("cubirds")
    state = replay(result)
    standing = game.ranks(state)
    assert game.mover(state) == result.offender == seat
    assert result.scores == game.scores(state)
    one, two = (s for s in range(3) if s != seat)
    assert result.ranks[seat] == 3
    assert (result.ranks[one], result.ranks[two]) == {
        -1: (1, 2), 0: (1, 1), 1: (2, 1)
    }[(standing[one] > standing[two]) - (standing[one] < standing[two])]  # fmt: skip


@pytest.mark.parametrize(
    ("standing", "offender", "places"),
    [
        ((0, 0, 2, 3), 3, (1, 1, 3, 4)),
        ((0, 0, 2, 2), 0, (4, 1, 2, 2)),
        ((0, 0, 0, 0), 1, (1, 4, 1, 1)),
        ((0, 1, 2, 3), 0, (4, 1, 2, 3)),
        ((3, 0, 0, 2), 2, (3, 1, 4, 2)),
        ((1, 1, 0, 3), 3, (2, 2, 1, 4)),
    ],
)
def test_places_count_the_seats_that_are_ahead(
    monkeypatch: pytest.MonkeyPatch,
    standing: tuple[int, ...],
    offender: int,
    places: tuple[int, ...],
) -> None:
    game = registry.game("cubirds")
    monkeypatch.setattr(type(game), "ranks", lambda self, state: standing)
    entries = [STEADY] * 4
    entries[offender] = fake("raises_init.py")
    assert match("cubirds", *entries).ranks == places


# --- the true state, reasons --------------------------------------------------------------------


class Seeing:
    """Keeps what it is shown, and spoils it."""

    shown: ClassVar[list[tuple[Turn, State]]] = []

    def __init__(self, game: Game, seat: int, seed: int) -> None: ...

    def act(self, turn: Turn, state: State) -> int:
        self.shown.append((turn, state.copy()))
        state[:] = np.zeros_like(state)
        return turn.legal[-1]


def test_an_oracle_is_shown_copies_of_the_true_state() -> None:
    """Those in which its turns came about; the match goes on as it would without."""
    Seeing.shown.clear()
    oracle = Entry("oracle", Seeing, {}, sees_state=True)
    result = match("cubirds", oracle, STEADY, seed=4)
    assert result.ending is Ending.FINISHED
    game = registry.game("cubirds")
    for turn, state in Seeing.shown:
        assert game.legal(state) == turn.legal
        assert game.observe(state, turn.seat) == turn.view
    assert replay(result)["over"][0]


def test_nobody_else_is_shown_it() -> None:
    """A bot that asks for the state without being the oracle cannot even be called."""
    result = match("cubirds", Entry("sly", Seeing, {}), STEADY)
    assert (result.ending, result.offender) == (Ending.CRASH, 0)
    assert "missing 1 required positional argument: 'state'" in result.detail


class Reasoning:
    """Tells something else after every move."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.told = iter([{"why": [1, 2]}, {"nan": math.nan}, {1, 2}, "x" * 10**6])

    def act(self, turn: Turn) -> int:
        return turn.legal[0]

    def explain(self) -> object:
        return next(self.told)


def test_reasons_are_kept_where_they_are_plain_data() -> None:
    """And when they are asked for; what cannot be kept, or fails, is nobody's fault."""
    game, entries = registry.game("cubirds"), (Entry("talks", Reasoning, {}), STEADY)
    spec = spec_for(game, 2)
    explained = play(game, spec, entries, ENDLESS, explain=True)
    assert explained.explained == {1: {"why": [1, 2]}}
    assert play(game, spec, entries, ENDLESS).explained == {}
    assert explained.actions == play(game, spec, entries, ENDLESS).actions
