"""Checks of the contract that every game keeps, for the games here and for anybody's.

`check_game` plays random games, looks at every position from every seat, and raises ContractError
at the first broken rule, saying which rule it is and where. What it cannot know is what *should* be
hidden: it holds a game to its own `show_view`, so that needs tests of its own.
"""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import os
import random
import subprocess
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, NoReturn, TypeAlias

import numpy as np

from arena import kernel
from arena.core import Action, OptionValue, State, View
from arena.errors import ContractError, OptionError
from arena.game import Game, advance, play, random_word

Options: TypeAlias = Mapping[str, OptionValue]
Shown: TypeAlias = Mapping[str, Any]
CountCards: TypeAlias = Callable[[Shown], Mapping[str, int]]
Path: TypeAlias = tuple[str | int, ...]

MIXTURES = 4
DEALS = 20
FIRST_WORLDS, WORLDS = 20, 2
OPENING, STRIDE = 10, 10  # positions looked at closely: the first ones, and one in so many later
TOLERANCE = 1e-9


def check_game(
    game: Game,
    *,
    players: Iterable[int] | None = None,
    options: Iterable[Options] | None = None,
    seeds: Iterable[int] = range(3),
    hidden: bool = True,
    cards: CountCards | None = None,
    interpreted: int = 10,
) -> None:
    """Raise ContractError at the first rule of the contract that `game` breaks.

    A random game is played for each of `players` (all numbers), `options` (those of `variants`) and
    `seeds`. `hidden` says whether every seat has something to guess at. `cards`, if given, counts
    the cards by name in a position as `show` prints it; the numbers stay the same in a game.
    `interpreted` is how many games are played both compiled and in the interpreter: that one runs
    in another process, which imports the game's class from its module and calls it without
    arguments.
    """
    cases = []
    for number in game.players if players is None else players:
        guesses = _Guesses()
        for variant in variants(game, number) if options is None else options:
            case = _Case(game, number, game.resolve(number, variant))
            cases.append(case)
            _check_chance(case)
            private = _Guesses()
            for seed in seeds:
                _Walk(replace(case, seed=seed), guesses, private, cards).check()
            private.check(case)
            _check_ends(case)
        guesses.check(case)
        if hidden:
            guesses.check_seats(case)
    if kernel.COMPILED and interpreted:
        _check_interpreted(cases, interpreted)


def variants(game: Game, players: int) -> list[dict[str, OptionValue]]:
    """Options that try out every choice: the defaults, each other choice alone, some mixtures.

    Of whole numbers the least and the most. Combinations that the game refuses are left out.
    """
    found: list[dict[str, OptionValue]] = [{}]
    for option in game.options:
        values = option.values
        few = (values[0], values[-1]) if isinstance(values, range) else values
        found += [{option.name: value} for value in few if value != option.default]
    choices = {o.name: o.values for o in game.options if isinstance(o.values, tuple)}
    rng = random.Random(0)
    for _ in range(MIXTURES if len(choices) > 1 else 0):
        found.append({name: rng.choice(values) for name, values in choices.items()})
    return [variant for variant in found if _takes(game, players, variant)]


def _takes(game: Game, players: int, variant: Options) -> bool:
    try:
        game.resolve(players, variant)
    except OptionError:
        return False
    return True


@dataclass
class _Case:
    """A game being played, and how far it has come: the place at which a broken rule is found."""

    game: Game
    players: int
    options: Options
    seed: int = 0
    move: int = 0

    def __str__(self) -> str:
        where = f"after move {self.move}" if self.move else "after the deal"
        options = dict(self.options)
        return f"{self.game.name}, {self.players} players, {options=}, seed {self.seed}, {where}"

    def fail(self, rule: str, found: object) -> NoReturn:
        raise ContractError(f"{self}: {rule}; found {found}")

    def require(self, kept: bool, rule: str, found: object) -> None:
        if not kept:
            self.fail(rule, found)

    def ask(self, method: str, *arguments: Any) -> Any:
        """The answer of the game's method, which must not fail nor change its arguments."""
        before = [_content(a) for a in arguments]
        try:
            answer = getattr(self.game, method)(*arguments)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            raise ContractError(f"{self}: {method} must not fail; found {found}") from error
        changed = [a for a, was in zip(arguments, before, strict=True) if _content(a) != was]
        self.require(not changed, f"{method} must not change its arguments", "one changed")
        return answer

    def start(self) -> State:
        state: State = self.ask("initial", self.players, self.options, self.seed)
        return state

    def worlds(self, view: View, seat: int, count: int) -> list[State]:
        return [self.ask("sample", view, seat, 1000 * self.move + n) for n in range(count)]

    def text(self, method: str, *arguments: Any) -> Any:
        """As `ask`, of a method whose answer must come through JSON unchanged."""
        answer = self.ask(method, *arguments)
        try:
            again = json.loads(json.dumps(answer, allow_nan=False))
        except (TypeError, ValueError) as error:
            self.fail(f"{method} must be JSON", error)
        if isinstance(answer, dict):
            self.require(again == answer, f"{method} must read the same from JSON", answer)
        return answer


# --- whole games ------------------------------------------------------------------------------


def _check_chance(case: _Case) -> None:
    """The same seed gives the same deal; others give others, if the deal uses chance at all."""
    deals = [replace(case, seed=seed).start() for seed in range(DEALS)]
    again = [replace(case, seed=seed).start() for seed in range(DEALS)]
    same = [_content(deal) for deal in deals] == [_content(deal) for deal in again]
    case.require(same, "the same seed must give the same deal", "two different deals")
    used = any(int(d["rng"][0]) != random_word(seed) for seed, d in enumerate(deals))
    differ = len({_content(deal, without="rng") for deal in deals}) > 1
    rule = "different seeds must give different deals"
    case.require(differ or not used, rule, f"one deal for {DEALS} seeds")


def _check_ends(case: _Case) -> None:
    """The game ends within its cap, also when moves are chosen to no purpose."""
    for choose in (min, max):
        _finish(case, case.start(), choose)


def _finish(case: _Case, state: State, choose: Callable[[Sequence[Action]], Action]) -> None:
    moves = case.move
    while legal := case.game.legal(state):
        case.require(moves < case.game.max_moves, *_endless(case.game))
        state = case.game.apply(state, choose(legal))
        moves += 1


def _endless(game: Game) -> tuple[str, str]:
    return f"every game must end within max_moves = {game.max_moves}", "moves that are still legal"


class _Walk:
    """One random game, looked at from all sides."""

    def __init__(
        self, case: _Case, guesses: _Guesses, private: _Guesses, cards: CountCards | None
    ) -> None:
        self.case = case
        self.guesses = guesses
        self.private = private
        self.cards = cards
        self.states: list[State] = []
        self.actions: list[Action] = []

    def check(self) -> None:
        case, rng = self.case, random.Random(self.case.seed)
        state, contents = case.start(), []
        self.deck = self.count(state)
        while True:
            legal = _check_legal(case, state)
            self.check_position(state, legal)
            self.states.append(state)
            contents.append(_content(state))
            if not legal:
                break
            case.require(case.move < case.game.max_moves, *_endless(case.game))
            self.actions.append(rng.choice(legal))
            state = self.moved(state, self.actions[-1])
            case.move += 1
        rule = "an earlier state must not be changed by later moves"
        case.require(contents == [_content(s) for s in self.states], rule, "a changed one")
        self.check_forced()

    def moved(self, state: State, action: Action) -> State:
        case = self.case
        after: State = case.ask("apply", state, action)
        again = case.ask("apply", state, action)
        same = _content(after) == _content(again)
        rule = "apply must be deterministic, all chance being in the state"
        case.require(
            same, rule, f"two different positions after {case.game.describe(state, action)!r}"
        )
        case.require(
            not np.may_share_memory(after, state),
            "the state that apply returns must not share memory with the one before",
            "shared memory",
        )
        return after

    def check_position(self, state: State, legal: Sequence[Action]) -> None:
        close = self.case.move < OPENING or self.case.move % STRIDE == 0 or not legal
        _check_standing(self.case, state, over=not legal)
        _check_notation(self.case, state, legal)
        views = [self.check_view(state, seat) for seat in range(self.case.players)]
        count = WORLDS if self.case.move else FIRST_WORLDS
        worlds = [self.case.worlds(view, seat, count) for seat, view in enumerate(views)]
        for seat, view in enumerate(views):
            for world in worlds[seat]:
                self.check_world(state, legal, seat, view, world)
        if close:
            self.check_closely(state, legal, views, worlds)

    # --- views --------------------------------------------------------------------------------

    def check_view(self, state: State, seat: int) -> View:
        case = self.case
        view: View = case.ask("observe", state, seat)
        rule = "a view must be a View of view_dtype"
        proper = isinstance(view, View) and view.record.dtype == case.game.view_dtype
        case.require(proper, rule, type(view).__name__)
        again = case.ask("observe", state, seat)
        rule = f"observing twice must give the same view of seat {seat}"
        case.require(_content(view) == _content(again), rule, _difference(view, again))
        rule = "a view must not hold the state's random word"
        case.require(state["rng"].tobytes() not in view.record.tobytes(), rule, "it in the view")
        rule = "nothing in a Turn may be, or share memory with, the state"
        for thing in _reachable(view):
            shared = isinstance(thing, np.ndarray) and np.may_share_memory(thing, state)
            case.require(not shared, rule, f"the state's memory in the view of seat {seat}")
        return view

    def check_world(
        self, state: State, legal: Sequence[Action], seat: int, view: View, world: State
    ) -> None:
        """A sampled world is a position of this game which looks to `seat` as the true one does."""
        case, world_of = self.case, f"a world sampled from the view of seat {seat}"
        seen = case.ask("observe", world, seat)
        rule = f"{world_of} must give that seat the same view"
        case.require(_content(seen) == _content(view), rule, _difference(view, seen))
        rule = f"{world_of} must have the same seat to move"
        mover, true_mover = case.ask("mover", world), case.ask("mover", state)
        case.require(mover == true_mover, rule, f"{mover} for {true_mover}")
        moves = _check_legal(case, world, f" in {world_of}")
        if mover == seat:
            rule = f"{world_of}, which is to move, must have the same legal moves"
            case.require(moves == legal, rule, f"{moves} for {legal}")
        for name in ("players", *(o.name for o in case.game.options)):
            value, true_value = world[name][0], state[name][0]
            rule = f"{world_of} must have the same players and options"
            case.require(value == true_value, rule, f"{name} {value} for {true_value}")
        rule = f"{world_of} must have a random word of its own, not zero"
        word = world["rng"][0]
        case.require(word != 0 and word != state["rng"][0], rule, f"the word {word}")
        rule = f"{world_of} must share no memory with the view"
        case.require(not np.may_share_memory(world, view.record), rule, "shared memory")
        if self.cards:
            rule = f"{world_of} must hold the same cards"
            case.require(
                self.count(world) == self.deck, rule, _counted(self.count(world), self.deck)
            )

    def check_closely(
        self,
        state: State,
        legal: Sequence[Action],
        views: Sequence[View],
        worlds: Sequence[Sequence[State]],
    ) -> None:
        case = self.case
        shown = self.check_shown(state, legal)
        shown_views = [case.text("show_view", view, seat) for seat, view in enumerate(views)]
        for seat, view in enumerate(views):
            rule = f"show_view must have the keys of show for seat {seat}"
            case.require(shown_views[seat].keys() == shown.keys(), rule, list(shown_views[seat]))
            again = case.ask("sample", view, seat, 1000 * case.move)
            rule = f"the same seed must sample the same world for seat {seat}"
            case.require(_content(again) == _content(worlds[seat][0]), rule, "two different worlds")
            twin = case.text("show_view", case.ask("observe", worlds[seat][0], seat), seat)
            rule = f"equal views of seat {seat} must be shown alike"
            case.require(twin == shown_views[seat], rule, f"{twin} and {shown_views[seat]}")
            self.check_worlds_views(seat, worlds[seat][0])
            _finish(case, worlds[seat][0], random.Random(case.move).choice)
            if legal:
                self.note_guesses(seat, shown, shown_views, worlds[seat])
                self.check_steps(state, legal, shown, seat, worlds[seat])

    def check_worlds_views(self, seat: int, world: State) -> None:
        """Other seats of a sampled world have views from which worlds can be sampled in turn."""
        case = self.case
        for other in range(case.players):
            view = case.ask("observe", world, other)
            inner = case.ask("observe", case.worlds(view, other, 1)[0], other)
            rule = f"a world sampled for seat {seat} must give seat {other} a view to sample from"
            case.require(_content(inner) == _content(view), rule, _difference(view, inner))

    def note_guesses(
        self, seat: int, shown: Shown, shown_views: Sequence[Shown], worlds: Sequence[State]
    ) -> None:
        """What the seat's `show_view` hides should differ from world to world, now or later."""
        case = self.case
        if len({_content(world, without="rng") for world in worlds}) > 1:
            self.guesses.seats.add(seat)
        shown_worlds = [case.ask("show", world) for world in worlds]
        for path in _hidden(shown, shown_views[seat]):
            truth = _at(shown, path)
            known_to_others = any(_at(view, path) == truth for view in shown_views)
            guesses = self.private if known_to_others else self.guesses
            guesses.note(seat, path, [_at(world, path) != truth for world in shown_worlds])

    def check_steps(
        self,
        state: State,
        legal: Sequence[Action],
        shown: Shown,
        seat: int,
        worlds: Sequence[State],
    ) -> None:
        """A move as `seat` sees it tells nothing that depends on what the seat cannot know."""
        case, phase = self.case, str(shown.get("phase", ""))
        mover = case.ask("mover", state)
        moves = _by_text(case.game, state)
        for text, action in moves.items():
            step = {"seat": mover, "id": action, "move": text, "forced": len(moves) == 1}
            seen = case.text("show_step", step, phase, seat)
            if seat == mover:
                rule = "show_step must leave a seat's own steps as they are"
                case.require(seen == step, rule, f"{seen} for {step}")
                continue
            for world in worlds[:1]:
                others = _by_text(case.game, world)
                if text in others:
                    step = {**step, "id": others[text], "forced": len(others) == 1}
                    twin = case.text("show_step", step, phase, seat)
                    rule = f"show_step must not tell seat {seat} what depends on hidden things"
                    case.require(
                        twin == seen, rule, f"{seen}, and {twin} in a world it cannot rule out"
                    )

    # --- text and cards -----------------------------------------------------------------------

    def check_shown(self, state: State, legal: Sequence[Action]) -> Shown:
        case = self.case
        shown: Shown = case.text("show", state)
        restored = case.ask("restore", shown, case.players, case.options)
        again = case.ask("show", restored)
        case.require(
            again == shown, "restore(show) must show the same again", f"{again} for {shown}"
        )
        moves = case.ask("legal", restored)
        rule = "restore(show) must have the same legal moves"
        case.require(moves == legal, rule, f"{moves} for {legal}")
        if self.cards:
            rule = "no card may be lost or made"
            case.require(
                self.count(state) == self.deck, rule, _counted(self.count(state), self.deck)
            )
        return shown

    def count(self, state: State) -> Mapping[str, int]:
        return self.cards(self.case.ask("show", state)) if self.cards else {}

    # --- the other way to play ----------------------------------------------------------------

    def check_forced(self) -> None:
        """`arena.game.advance` and `play`, by which matches are played, get to the same places."""
        case, game = self.case, self.case.game
        state = case.start()
        moves, out = np.zeros(game.max_moves, np.int32), np.zeros(game.action_count, np.int32)
        record = np.zeros(1, game.view_dtype)
        case.move, choices = advance(state, moves, 0, out, record)
        while choices:
            self.check_reached(state, moves)
            seat = int(state["seat"][0])
            rule = "advance must give the view and the legal moves of the seat to move"
            view = case.ask("observe", state, seat)
            case.require(
                _content(View(record)) == _content(view), rule, _difference(view, View(record))
            )
            legal = tuple(out[:choices].tolist())
            case.require(legal == case.ask("legal", state), rule, legal)
            action, record = self.actions[case.move], np.zeros(1, game.view_dtype)
            case.move, choices = play(state, action, moves, case.move, out, record)
        self.check_reached(state, moves)

    def check_reached(self, state: State, moves: kernel.Array) -> None:
        case, n = self.case, self.case.move
        rule = "advance and play must come to the same position as apply, move by move"
        done, expected = moves[:n].tolist(), self.actions[:n]
        case.require(done == expected, rule, f"the moves {done} for {expected}")
        same = n < len(self.states) and _content(state) == _content(self.states[n])
        case.require(same, rule, "another position")


# --- positions --------------------------------------------------------------------------------


def _check_legal(case: _Case, state: State, where: str = "") -> tuple[Action, ...]:
    legal: tuple[Action, ...] = case.ask("legal", state)
    mover = case.ask("mover", state)
    rule = f"there must be legal moves until the game is over, and none then{where}"
    case.require(bool(legal) == (mover is not None), rule, f"{legal} with seat {mover} to move")
    rule = f"the seat to move must be one of the players{where}"
    case.require(mover is None or 0 <= mover < case.players, rule, mover)
    rule = f"legal moves must be ascending and all different{where}"
    case.require(list(legal) == sorted(set(legal)), rule, legal)
    rule = f"legal moves must be whole numbers from 0 to {case.game.action_count - 1}{where}"
    case.require(
        all(type(a) is int and 0 <= a < case.game.action_count for a in legal), rule, legal
    )
    return legal


def _check_standing(case: _Case, state: State, over: bool) -> None:
    """Ranks, scores and estimate."""
    ranks, estimate = case.ask("ranks", state), case.ask("estimate", state)
    rule = "a seat's rank must be the number of seats that are better"
    expected = tuple(sum(other < own for other in ranks) for own in ranks)
    case.require(ranks == expected and len(ranks) == case.players, rule, ranks)
    rule = "estimate must give each seat a share from 0 to 1, together 1"
    shares = len(estimate) == case.players and all(
        -TOLERANCE <= e <= 1 + TOLERANCE for e in estimate
    )
    case.require(shares and abs(sum(estimate) - 1) <= TOLERANCE, rule, estimate)
    scores = case.text("scores", state)
    case.require(len(scores) == case.players, "there must be a score for each seat", scores)
    if over:
        rewards = np.zeros(case.players)
        kernel.rewards(state[0], rewards)
        rule = "estimate must be the rewards when the game is over"
        case.require(
            np.allclose(estimate, rewards, atol=TOLERANCE), rule, f"{estimate} for {rewards}"
        )


def _check_notation(case: _Case, state: State, legal: Sequence[Action]) -> None:
    for action in legal:
        text = case.ask("describe", state, action)
        rule = "parse must read a move as describe writes it"
        case.require(case.ask("parse", state, text) == action, rule, f"{text!r} for {action}")


def _by_text(game: Game, state: State) -> dict[str, Action]:
    return {game.describe(state, action): action for action in game.legal(state)}


def _content(value: Any, without: str = "") -> object:
    """Equal for equal states and for equal views. Bytes are not: copies do not keep the padding."""
    record = value.record if isinstance(value, View) else value
    if isinstance(record, np.ndarray) and record.dtype.names:
        return tuple(record[name].tobytes() for name in record.dtype.names if name != without)
    return repr(value)


def _difference(expected: View, found: View) -> str:
    for name in expected.fields:
        one, other = expected.record[name][0], found.record[name][0]
        if not np.array_equal(one, other):
            return f"the field {name} with {other} for {one}"
    return "equal fields"


def _counted(found: Mapping[str, int], expected: Mapping[str, int]) -> str:
    names = [name for name in {**expected, **found} if found.get(name) != expected.get(name)]
    return ", ".join(f"{found.get(n, 0)} {n} for {expected.get(n, 0)}" for n in names)


def _reachable(start: object) -> Iterator[object]:
    """All objects to which a program can get from `start`, but for modules, classes and code."""
    waiting, met = [start], {id(start)}
    while waiting:
        thing = waiting.pop()
        yield thing
        nearby = gc.get_referents(thing)
        if isinstance(thing, np.ndarray):
            nearby.append(thing.base)
        for other in nearby:
            if id(other) not in met and not isinstance(other, _CODE):
                met.add(id(other))
                waiting.append(other)


_CODE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, np.dtype)


# --- what is hidden ---------------------------------------------------------------------------


class _Guesses:
    """Whether samples differ where they may.

    `seats` are those that had different samples. A *place* is a seat and a path in what `show`
    prints where the seat is shown something else than the truth; `counts` tells how many samples
    were looked at there, `open` where one of them differed from the truth.
    """

    def __init__(self) -> None:
        self.seats: set[int] = set()
        self.counts: Counter[tuple[int, Path]] = Counter()
        self.open: set[tuple[int, Path]] = set()

    def note(self, seat: int, path: Path, differ: Sequence[bool]) -> None:
        self.counts[seat, path] += len(differ)
        if any(differ):
            self.open.add((seat, path))

    def check(self, case: _Case) -> None:
        for (seat, path), count in self.counts.items():
            # A few equal samples can be chance, or what the seat could work out.
            if count >= FIRST_WORLDS and (seat, path) not in self.open:
                place = "/".join(map(str, path)) or "the whole position"
                case.fail(
                    f"samples must differ where they may: show_view hides {place} from seat {seat}",
                    f"the truth there in all of {count} samples",
                )

    def check_seats(self, case: _Case) -> None:
        for seat in range(case.players):
            if seat not in self.seats:
                case.fail(
                    "samples must differ where something is hidden (if nothing ever is, say so: "
                    "check_game(…, hidden=False))",
                    f"only equal samples for seat {seat}",
                )


def _hidden(truth: Any, seen: Any, path: Path = ()) -> Iterator[Path]:
    """Where a view shows something else than the truth."""
    if isinstance(truth, dict) and isinstance(seen, dict) and truth.keys() == seen.keys():
        for key in truth:
            yield from _hidden(truth[key], seen[key], (*path, key))
    elif isinstance(truth, list) and isinstance(seen, list) and len(truth) == len(seen):
        for i in range(len(truth)):
            yield from _hidden(truth[i], seen[i], (*path, i))
    elif truth != seen:
        yield path


def _at(shown: Any, path: Path) -> Any:
    """What stands at a path; None where it leads nowhere."""
    for step in path:
        try:
            shown = shown[step]
        except (KeyError, IndexError, TypeError):
            return None
    return shown


# --- compiled and interpreted -----------------------------------------------------------------

TRACED = ("the state", "the legal moves", "ranks", "estimate", "a view", "a sample")
SAMPLE_STRIDE = 25  # sampling is slow in the interpreter


def _check_interpreted(cases: Sequence[_Case], count: int) -> None:
    """The interpreter comes to the same as compiled code, in `count` games over the cases."""
    chosen = [
        replace(case, seed=n, move=0)
        for n, case in zip(range(count), itertools.cycle(cases), strict=False)
    ]
    home = type(chosen[0].game)
    task = {
        "game": [home.__module__, home.__qualname__],
        "cases": [[case.players, dict(case.options), case.seed] for case in chosen],
    }
    interpreter = subprocess.Popen(
        [sys.executable, "-W", "error::RuntimeWarning", "-m", "arena.check"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    answer, errors = interpreter.communicate(json.dumps(task))
    if interpreter.returncode:
        last = errors.strip().rpartition("\n")[2]
        chosen[0].fail("the game must run with NUMBA_DISABLE_JIT=1 in another process", last)
    for case, interpreted in zip(chosen, json.loads(answer), strict=True):
        compiled = _trace(case.game, case.players, case.options, case.seed)
        for case.move, (one, other) in enumerate(zip(compiled, interpreted, strict=False)):
            for what, own, others in zip(TRACED, one, other, strict=True):
                rule = "interpreted and compiled rules must agree"
                case.require(own == others, rule, f"a difference in {what}")


def _trace(game: Game, players: int, options: Options, seed: int) -> list[list[str]]:
    """For every position of a random game a hash of each of TRACED."""
    rng = random.Random(seed)
    state = game.initial(players, options, seed)
    trace: list[list[str]] = []
    while True:
        legal = game.legal(state)
        view = game.observe(state, len(trace) % players)
        drawn = len(trace) % SAMPLE_STRIDE == 0
        world = game.sample(view, len(trace) % players, seed) if drawn else None
        estimate = [round(share, 9) for share in game.estimate(state)]
        values = (state, legal, game.ranks(state), estimate, view, world)
        trace.append(
            [blake2b(repr(_content(v)).encode(), digest_size=6).hexdigest() for v in values]
        )
        if not legal:
            return trace
        state = game.apply(state, rng.choice(legal))


def _main() -> None:
    """Trace the games named on stdin; answer on stdout."""
    task = json.load(sys.stdin)
    module, name = task["game"]
    game = getattr(importlib.import_module(module), name)()
    json.dump([_trace(game, *case) for case in task["cases"]], sys.stdout)


if __name__ == "__main__":
    _main()
