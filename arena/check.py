"""Checks of the contract that every game keeps, for the games here and for anybody's.

`check_game` plays random games, looks at the positions from every seat, and raises ContractError
at the first broken rule, saying which rule it is and where. What it cannot know is what *should* be
hidden: it holds a game to its own `show_view`, so that needs tests of its own.
"""

from __future__ import annotations

import functools
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
Shown: TypeAlias = dict[str, Any]
CountCards: TypeAlias = Callable[[Shown], Mapping[str, int]]
Path: TypeAlias = tuple[str | int, ...]

MIXTURES = 4
DEALS = 20
OPENING, STRIDE = 10, 10  # looked at closely are the first positions, and one in so many later
FIRST_WORLDS, CLOSE_WORLDS, WORLDS = 20, 2, 1  # samples a seat: after the deal, closely, else
WITNESSED = 6  # legal moves of a position
TOLERANCE = 1e-9
TOLD = 300  # characters of a value that a message tells


def check_game(
    game: Game,
    *,
    players: Sequence[int] | None = None,
    options: Sequence[Options] | None = None,
    seeds: Iterable[int] = range(3),
    hidden: bool = True,
    cards: CountCards | None = None,
    interpreted: int = 10,
) -> None:
    """Raise ContractError at the first rule of the contract that `game` breaks.

    A random game is played for each of `players` (all numbers), `options` (those of `variants`) and
    `seeds`. `hidden` says whether every seat has something to guess at. `cards`, if given, counts
    the cards by name in a position as `show` prints it; the numbers stay the same in a game.
    `interpreted` is the number of games for `check_interpreted`.
    """
    for case in _cases(game, players, options):
        guesses = _Guesses()
        _check_deals(case, guesses)
        walks = [_Walk(replace(case, seed=seed), guesses, cards) for seed in seeds]
        for walk in walks:
            walk.check()
        guesses.check_places(case)
        if hidden:
            guesses.check_seats(case)
        _check_ends(case)
        for walk in walks:
            walk.check_forced()
    if interpreted and kernel.COMPILED:
        check_interpreted(game, players=players, options=options, games=interpreted)


def check_interpreted(
    game: Game,
    *,
    players: Sequence[int] | None = None,
    options: Sequence[Options] | None = None,
    games: int = 200,
) -> None:
    """Raise ContractError where the interpreter comes to something else than compiled code.

    Plays random games both ways, spread over `players` and `options` as in `check_game`. The
    interpreter is another process, which imports the game's class from its module and calls it
    without arguments.
    """
    cases = itertools.cycle(_cases(game, players, options))
    chosen = [replace(case, seed=seed) for seed, case in zip(range(games), cases, strict=False)]
    for case, interpreted in zip(chosen, _interpret(chosen), strict=True):
        compiled = _trace(case.game, case.players, case.options, case.seed)
        for case.move, hashes in enumerate(zip(compiled, interpreted, strict=False)):
            different = [w for w, a, b in zip(TRACED, *hashes, strict=False) if a != b]
            rule = "compiled and interpreted rules must agree"
            case.require(not different, rule, f"a difference in {', '.join(different)}")


def _cases(
    game: Game, players: Sequence[int] | None, options: Sequence[Options] | None
) -> Iterator[_Case]:
    for number in game.players if players is None else players:
        for variant in variants(game, number) if options is None else options:
            yield _Case(game, number, game.resolve(number, variant))


def variants(game: Game, players: int) -> list[dict[str, OptionValue]]:
    """Options that try out every choice: the defaults, each other choice alone, some mixtures.

    Of whole numbers the least and the most, alone, and all of them at their most. Combinations that
    the game refuses are left out.
    """
    found: list[dict[str, OptionValue]] = [{}]
    defaults = game.resolve(players)
    for option in game.options:
        values = option.values
        few = (values[0], values[-1]) if isinstance(values, range) else values
        found += [{option.name: value} for value in few if value != defaults[option.name]]
    numbers = {o.name: o.values[-1] for o in game.options if isinstance(o.values, range)}
    if len(numbers) > 1:
        found.append(dict(numbers))
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

    def fail(self, rule: str, found: str) -> NoReturn:
        raise ContractError(f"{self}: {rule}; found {found}")

    def require(self, kept: object, rule: str, found: object) -> None:
        if not kept:
            self.fail(rule, str(found)[:TOLD])

    def require_same(self, rule: str, found: object, expected: object) -> None:
        """States and views are the same if their fields are."""
        if _content(found) != _content(expected):
            self.fail(rule, _difference(found, expected))

    def ask(self, method: str, *arguments: Any) -> Any:
        """The answer of the game's method, which must not fail nor change its arguments."""
        before = [_content(argument) for argument in arguments]
        try:
            answer = getattr(self.game, method)(*arguments)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            raise ContractError(f"{self}: {method} must not fail; found {found}") from error
        changed = [_content(argument) for argument in arguments] != before
        self.require(not changed, f"{method} must not change its arguments", "one changed")
        return answer

    def ask_json(self, method: str, *arguments: Any) -> Shown:
        """As `ask`, of a method whose answer has to go through JSON unchanged."""
        answer: Shown = self.ask(method, *arguments)
        try:
            again = json.loads(json.dumps(answer, allow_nan=False))
        except (TypeError, ValueError) as error:
            self.fail(f"{method} must give JSON", f"{error} in {answer}"[:TOLD])
        self.require(again == answer, f"{method} must give what JSON reads back", answer)
        return answer

    def start(self) -> State:
        state: State = self.ask("initial", self.players, self.options, self.seed)
        return state

    def worlds(self, view: View, seat: int, count: int) -> list[State]:
        return [self.ask("sample", view, seat, 1000 * self.move + n) for n in range(count)]

    def by_text(self, state: State) -> dict[str, Action]:
        return {self.ask("describe", state, a): a for a in self.ask("legal", state)}

    def apply(self, state: State, action: Action) -> State:
        after: State = self.ask("apply", state, action)
        rule = "the state that apply returns must share no memory with the one before"
        self.require(not np.may_share_memory(after, state), rule, "shared memory")
        return after

    def finish(self, state: State, choose: Callable[[Sequence[Action]], Action]) -> None:
        """Play to the end, which must come in time."""
        moves = self.move
        while legal := _check_legal(self, state):
            self.require_move_left(moves)
            state = self.apply(state, choose(legal))
            moves += 1

    def require_move_left(self, moves: int) -> None:
        most = self.game.max_moves
        rule = f"every game must end within its {most} moves (max_moves)"
        self.require(moves < most, rule, "legal moves after them")


# --- whole games ------------------------------------------------------------------------------


def _check_deals(case: _Case, guesses: _Guesses) -> None:
    """The same seed gives the same deal; others give others, if the deal uses chance at all."""
    contents, used = set(), False
    for seed in range(DEALS):
        dealt = replace(case, seed=seed)
        deal = dealt.start()
        dealt.require_same("the same seed must give the same deal", dealt.start(), deal)
        contents.add(_content(deal, without="rng"))
        used |= int(deal["rng"][0]) != random_word(seed)
        for seat in range(case.players):
            view = _check_view(dealt, deal, seat)
            guesses.note(dealt, deal, seat, view, dealt.worlds(view, seat, 1))
    rule = "different seeds must give different deals"
    case.require(len(contents) > 1 or not used, rule, f"one deal for {DEALS} seeds")


def _check_ends(case: _Case) -> None:
    """Games end also when moves are chosen to no purpose, always the first or always the last."""
    for choose in (min, max):
        case.finish(case.start(), choose)


class _Walk:
    """One random game, looked at from all sides."""

    def __init__(self, case: _Case, guesses: _Guesses, cards: CountCards | None) -> None:
        self.case = case
        self.guesses = guesses
        self.cards = cards
        self.states: list[State] = []
        self.actions: list[Action] = []

    def check(self) -> None:
        case, rng = self.case, random.Random(self.case.seed)
        state, contents = case.start(), []
        self.deck = self.count(state)
        while True:
            legal = _check_legal(case, state)
            self.states.append(state)
            contents.append(_content(state))
            self.check_position(state, legal)
            if not legal:
                break
            case.require_move_left(case.move)
            self.actions.append(rng.choice(legal))
            state = self.move_on(state, self.actions[-1])
            case.move += 1
        for case.move, (state, content) in enumerate(zip(self.states, contents, strict=True)):
            rule = "a state must not be changed by later moves"
            case.require(_content(state) == content, rule, "it changed at the end of the game")

    def move_on(self, state: State, action: Action) -> State:
        after = self.case.apply(state, action)
        rule = "apply must be deterministic: all chance comes from the state"
        self.case.require_same(rule, self.case.apply(state, action), after)
        return after

    def check_position(self, state: State, legal: Sequence[Action]) -> None:
        case = self.case
        close = case.move < OPENING or case.move % STRIDE == 0 or not legal
        count = FIRST_WORLDS if case.move == 0 else CLOSE_WORLDS if close else WORLDS
        _check_standing(case, state, over=not legal)
        _check_notation(case, state, legal)
        shown = self.check_shown(state) if close else {}
        if close and legal:
            self.check_witnesses(state, legal)
        for seat in range(case.players):
            view = _check_view(case, state, seat)
            worlds = case.worlds(view, seat, count)
            for world in worlds:
                self.check_world(state, seat, view, world)
            if close:
                _check_reachable(case, state, view)
                self.check_possible(seat, view, worlds[0])
                self.check_shown_view(seat, view, shown, worlds[0])
                self.guesses.note(case, state, seat, view, worlds)
                _check_steps(case, state, shown, seat, worlds[0])

    # --- witnesses ----------------------------------------------------------------------------

    def check_witnesses(self, state: State, legal: Sequence[Action]) -> None:
        """Witnesses tell no more of a move than views do; the mover's own tell all of it."""
        case, mover = self.case, self.case.ask("mover", state)
        some = random.Random(case.move).sample(legal, min(WITNESSED, len(legal)))
        afterwards = [case.apply(state, action) for action in some]
        count = case.game.witness_count or case.game.action_count
        own: list[int] = []
        for seat in range(case.players):
            seen = [case.ask("witness", state, action, seat) for action in some]
            own = seen if seat == mover else own
            rule = f"witness must be from 0 to {count - 1}"
            case.require(all(0 <= number < count for number in seen), rule, seen)
            views = [_content(case.ask("observe", after, seat)) for after in afterwards]
            rule = f"moves after which the views of seat {seat} are equal must have one witness"
            case.require(len({*zip(views, seen, strict=True)}) == len({*views}), rule, seen)
        rule = f"witnesses of its own moves must all differ for seat {mover}"
        case.require(len({*own}) == len(own), rule, own)
        world = case.worlds(_check_view(case, state, mover), mover, 1)[0]
        guessed = [case.ask("witness", world, action, mover) for action in some]
        rule = f"witnesses of its own moves must be the same in a world sampled for seat {mover}"
        case.require_same(rule, guessed, own)

    # --- worlds -------------------------------------------------------------------------------

    def check_world(self, state: State, seat: int, view: View, world: State) -> None:
        """A sampled world is a position of this game which looks to `seat` as the true one does."""
        case, world_of = self.case, f"a world sampled from the view of seat {seat}"
        seen = case.ask("observe", world, seat)
        case.require_same(f"{world_of} must look the same to that seat", seen, view)
        mover, moves = case.ask("mover", world), _check_legal(case, world, f" in {world_of}")
        rule = f"{world_of} must have the same seat to move"
        case.require_same(rule, mover, case.ask("mover", state))
        if mover == seat:
            rule = f"{world_of} must have the same legal moves for it"
            case.require_same(rule, moves, case.ask("legal", state))
        for name in ("players", *(option.name for option in case.game.options)):
            rule = f"{world_of} must have the same number of players and the same options"
            case.require(world[name] == state[name], rule, f"{name} {world[name][0]}")
        rule = f"{world_of} must have a random word of its own, not zero"
        word = world["rng"][0]
        case.require(word != 0 and word != state["rng"][0], rule, word)
        rule = f"{world_of} must share no memory with the view"
        case.require(not np.may_share_memory(world, view.record), rule, "shared memory")
        if self.cards:
            case.require_same(f"{world_of} must hold the same cards", self.count(world), self.deck)

    def check_possible(self, seat: int, view: View, world: State) -> None:
        """A sampled world is drawn by the seed, has views for all seats, and can be played on."""
        case = self.case
        rule = f"the same seed must sample the same world for seat {seat}"
        case.require_same(rule, case.worlds(view, seat, 1)[0], world)
        for other in range(case.players):
            theirs = case.ask("observe", world, other)
            inner = case.ask("observe", case.worlds(theirs, other, 1)[0], other)
            rule = f"in a world sampled for seat {seat}, the view of seat {other} must be possible"
            case.require_same(rule, inner, theirs)
        case.finish(world, random.Random(case.move).choice)

    def check_shown_view(self, seat: int, view: View, shown: Shown, world: State) -> None:
        case = self.case
        seen = case.ask_json("show_view", view, seat)
        rule = f"show_view must have the keys of show for seat {seat}"
        case.require(seen.keys() >= shown.keys(), rule, f"only {', '.join(seen)}")
        twin = case.ask_json("show_view", case.ask("observe", world, seat), seat)
        case.require_same(f"equal views of seat {seat} must be shown alike", twin, seen)

    # --- text and cards -----------------------------------------------------------------------

    def check_shown(self, state: State) -> Shown:
        case = self.case
        shown = case.ask_json("show", state)
        if self.cards:
            case.require_same("no card may be lost or added", self.count(state), self.deck)
        restored = case.ask("restore", shown, case.players, case.options)
        case.require_same("restore(show) must show the same", case.ask("show", restored), shown)
        rule = "restore(show) must have the same legal moves, as they are written"
        case.require_same(rule, [*case.by_text(restored)], [*case.by_text(state)])
        return shown

    def count(self, state: State) -> dict[str, int]:
        return dict(sorted(self.cards(self.case.ask("show", state)).items())) if self.cards else {}

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
            view = case.ask("observe", state, case.ask("mover", state))
            case.require_same("advance must observe for the seat to move", View(record), view)
            legal = tuple(out[:choices].tolist())
            case.require_same("advance must list the legal moves", legal, game.legal(state))
            action, record = self.actions[case.move], np.zeros(1, game.view_dtype)
            case.move, choices = play(state, action, moves, case.move, out, record)
        self.check_reached(state, moves)

    def check_reached(self, state: State, moves: kernel.Array) -> None:
        number = self.case.move
        rule = "advance must play the forced moves, and only those"
        self.case.require_same(rule, moves[:number].tolist(), self.actions[:number])
        rule = "advance must come to the same position as apply, move by move"
        self.case.require_same(rule, state, self.states[number])


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
    rule = f"legal moves must be from 0 to {case.game.action_count - 1}{where}"
    case.require(all(0 <= action < case.game.action_count for action in legal), rule, legal)
    return legal


def _check_standing(case: _Case, state: State, over: bool) -> None:
    ranks, scores = case.ask("ranks", state), case.ask("scores", state)
    better = tuple(sum(other < own for other in ranks) for own in ranks)
    rule = "a seat's rank must be the number of seats that are better"
    case.require(ranks == better and len(ranks) == case.players, rule, ranks)
    rule = "scores must be finite, one for each seat"
    case.require(len(scores) == case.players and np.isfinite(np.hstack(scores)).all(), rule, scores)
    estimate = case.ask("estimate", state)
    rule = "estimate must give each seat a share from 0 to 1, together 1"
    inside = all(-TOLERANCE <= share <= 1 + TOLERANCE for share in estimate)
    whole = len(estimate) == case.players and abs(sum(estimate) - 1) <= TOLERANCE
    case.require(inside and whole, rule, estimate)
    if over:
        rewards = np.zeros(case.players)
        kernel.rewards(state[0], rewards)
        rule = f"estimate must be the rewards {rewards} when the game is over"
        case.require(np.allclose(estimate, rewards, atol=TOLERANCE), rule, estimate)


def _check_notation(case: _Case, state: State, legal: Sequence[Action]) -> None:
    for action in legal:
        text = case.ask("describe", state, action)
        rule = f"parse must read {text!r} as describe writes it"
        case.require_same(rule, case.ask("parse", state, text), action)


def _check_view(case: _Case, state: State, seat: int) -> View:
    view: View = case.ask("observe", state, seat)
    proper = isinstance(view, View) and view.record.dtype == case.game.view_dtype
    case.require(proper, "a view must be a View of view_dtype", type(view).__name__)
    rule = f"observing again must give the same view of seat {seat}"
    case.require_same(rule, case.ask("observe", state, seat), view)
    rule = "a view must not hold the state's random word"
    found = f"it in the view of seat {seat}"
    case.require(state["rng"].tobytes() not in view.record.tobytes(), rule, found)
    return view


def _check_reachable(case: _Case, state: State, view: View) -> None:
    """What a bot is given leads neither to the state nor to a copy of it."""
    for thing in _reachable([view, case.game]):
        if isinstance(thing, np.ndarray):
            copied = thing.dtype == state.dtype and _content(thing) == _content(state)
            rule = "neither a view nor the game may hold the state, its memory or a copy"
            case.require(
                not copied and not np.may_share_memory(thing, state), rule, "one that does"
            )


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


def _check_steps(case: _Case, state: State, shown: Shown, seat: int, world: State) -> None:
    """What `seat` may see of a step is the same in a world where the same move can be made."""
    mover, phase = case.ask("mover", state), str(shown.get("phase", ""))
    true_moves, guessed_moves = case.by_text(state), case.by_text(world)
    for text in true_moves.keys() & guessed_moves.keys():
        step, guess = (
            {"seat": mover, "id": moves[text], "move": text, "forced": len(moves) == 1}
            for moves in (true_moves, guessed_moves)
        )
        seen = case.ask_json("show_step", step, phase, seat)
        if seat == mover:
            case.require_same("show_step must not change a seat's own steps", seen, step)
        rule = f"show_step must not tell seat {seat} what depends on hidden things"
        case.require_same(rule, seen, case.ask_json("show_step", guess, phase, seat))


def _content(value: Any, without: str = "") -> object:
    """Equal for equal states and for equal views. Bytes are not: copies do not keep the padding."""
    record = value.record if isinstance(value, View) else value
    if isinstance(record, np.ndarray) and record.dtype.names:
        return record.view(np.uint8)[_field_bytes(record.dtype, without)].tobytes()
    return repr(value)


@functools.cache
def _field_bytes(dtype: np.dtype[Any], without: str) -> kernel.Array:
    """The places of the bytes that belong to a field."""
    fields = [place for name, place in (dtype.fields or {}).items() if name != without]
    return np.concatenate([np.arange(at, at + kind.itemsize) for kind, at, *_ in fields])


def _difference(found: Any, expected: Any) -> str:
    if isinstance(found, View):
        return _difference(found.record, expected.record)
    if isinstance(found, np.ndarray):
        return next(
            f"{found[name][0]} in the field {name}, expected {expected[name][0]}"
            for name in found.dtype.names or ()
            if not np.array_equal(found[name], expected[name])
        )
    return f"{str(found)[:TOLD]}, expected {str(expected)[:TOLD]}"


# --- what is hidden ---------------------------------------------------------------------------


class _Guesses:
    """Whether samples differ where they may.

    A *place* is a seat and a path in what `show` prints where `show_view` prints something else.
    It is *hidden* if what the seat is shown there was the same in two positions and the truth was
    not; it is *open* if a sample differed from the truth. A view that tells more than it should
    has places that are hidden and not open. `seats` are those that had different samples.
    """

    def __init__(self) -> None:
        self.seats: set[int] = set()
        self.hidden: set[tuple[int, Path]] = set()
        self.open: set[tuple[int, Path]] = set()
        self.samples: Counter[tuple[int, Path]] = Counter()
        self._truths: dict[tuple[int, Path, str], Any] = {}

    def note(
        self, case: _Case, state: State, seat: int, view: View, worlds: Sequence[State]
    ) -> None:
        if len({_content(world, without="rng") for world in worlds}) > 1:
            self.seats.add(seat)
        shown, seen = case.ask("show", state), case.ask("show_view", view, seat)
        guessed = [case.ask("show", world) for world in worlds]
        for path in _differing(shown, seen):
            place, truth = (seat, path), _at(shown, path)
            if self._truths.setdefault((*place, repr(_at(seen, path))), truth) != truth:
                self.hidden.add(place)
            self.samples[place] += len(worlds)
            if any(_at(world, path) != truth for world in guessed):
                self.open.add(place)

    def check_places(self, case: _Case) -> None:
        for seat, path in self.hidden - self.open:
            count = self.samples[seat, path]
            if count >= FIRST_WORLDS:  # fewer may all be right by chance
                place = "/".join(map(str, path)) or "the position"
                rule = "samples must differ from the truth in what show_view hides"
                case.fail(
                    rule, f"the truth in {place}, hidden from seat {seat}, in all {count} of them"
                )

    def check_seats(self, case: _Case) -> None:
        for seat in set(range(case.players)) - self.seats:
            rule = "samples must differ somewhere, unless a game is declared to have hidden=False"
            case.fail(rule, f"only equal ones for seat {seat} in all games")


def _differing(truth: Any, seen: Any, path: Path = ()) -> Iterator[Path]:
    """Where a view shows something else than the truth."""
    if isinstance(truth, dict) and isinstance(seen, dict) and truth.keys() <= seen.keys():
        for key in truth:
            yield from _differing(truth[key], seen[key], (*path, key))
    elif isinstance(truth, list) and isinstance(seen, list) and len(truth) == len(seen):
        for i in range(len(truth)):
            yield from _differing(truth[i], seen[i], (*path, i))
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

TRACED = ("the state", "the legal moves", "the ranks", "the estimate", "a view", "a sample")
VIEW_STRIDE, SAMPLE_STRIDE = 10, 100  # not in every position, since the interpreter is slow at them


def _interpret(cases: Sequence[_Case]) -> list[list[list[str]]]:
    """`_trace` of the cases in an interpreter of their own."""
    home = type(cases[0].game)
    task = {
        "game": [home.__module__, home.__qualname__],
        "cases": [[case.players, dict(case.options), case.seed] for case in cases],
    }
    interpreter = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-m", "arena.check"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=False,
    )
    if interpreter.returncode:
        rule = f"NUMBA_DISABLE_JIT=1 must work for {home.__module__}:{home.__qualname__}"
        cases[0].fail(rule, interpreter.stderr.strip().rpartition("\n")[2])
    traces: list[list[list[str]]] = json.loads(interpreter.stdout)
    return traces


def _trace(game: Game, players: int, options: Options, seed: int) -> list[list[str]]:
    """For the positions of a random game, hashes of TRACED, or of as many as are looked at."""
    rng = random.Random(seed)
    state = game.initial(players, options, seed)
    trace: list[list[str]] = []
    while True:
        legal, number = game.legal(state), len(trace)
        values: list[object] = [state, legal]
        if number % VIEW_STRIDE == 0 or not legal:
            seat = number // VIEW_STRIDE % players
            view = game.observe(state, seat)
            estimate = [round(share, 9) for share in game.estimate(state)]
            values += [game.ranks(state), estimate, view]
            if number % SAMPLE_STRIDE == 0:
                values.append(game.sample(view, seat, seed))
        trace.append([_hash(value) for value in values])
        if not legal or number > game.max_moves:
            return trace
        state = game.apply(state, rng.choice(legal))


def _hash(value: object) -> str:
    return blake2b(repr(_content(value)).encode(), digest_size=6).hexdigest()


def _main() -> None:
    """Trace the games that stdin names; answer on stdout."""
    task = json.load(sys.stdin)
    module, name = task["game"]
    game = getattr(importlib.import_module(module), name)()
    json.dump([_trace(game, *case) for case in task["cases"]], sys.stdout)


if __name__ == "__main__":
    _main()
