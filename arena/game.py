"""`Game`: a game as people and bots meet it, over the kernels that hold its rules.

A game is one module in `arena.games`: a state dtype, a view dtype, seven kernels (the verbs of
`arena.kernel`) and a subclass of `Game` that says how positions are written down. States and views
are values: no method changes its arguments, and nothing about a game in progress is kept here.
"""

from __future__ import annotations

import abc
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arena import kernel
from arena.core import Action, OptionValue, State, View
from arena.errors import IllegalActionError, OptionError, suggestion
from arena.kernel import CAPPED, RUNNING, Array


@dataclass(frozen=True, slots=True)
class Option:
    """One rule variant; `values` are its choices, or a range of whole numbers."""

    name: str
    values: tuple[OptionValue, ...] | range
    doc: str
    default: OptionValue

    def encode(self, value: object) -> int:
        """The number that stands for `value` in a record; OptionError if it is not a choice."""
        if isinstance(self.values, range):
            if type(value) is int and value in self.values:
                return value
            wanted = f"a whole number from {self.values[0]} to {self.values[-1]}"
        else:
            for code, choice in enumerate(self.values):
                if type(value) is type(choice) and value == choice:
                    return code
            wanted = " or ".join(_yaml(v) for v in self.values)
            wanted += suggestion(str(value), [v for v in self.values if isinstance(v, str)])
        raise OptionError(f"option {self.name}: found {_yaml(value)}, expected {wanted}")

    def decode(self, code: int) -> OptionValue:
        """The value for which `code` stands in a record."""
        return code if isinstance(self.values, range) else self.values[code]


def choice(name: str, *values: OptionValue, doc: str) -> Option:
    """An option with a list of values, the default first."""
    return Option(name, values, doc, values[0])


def number(name: str, default: int, least: int, most: int, doc: str) -> Option:
    """An option that takes a whole number from `least` to `most`."""
    return Option(name, range(least, most + 1), doc, default)


def _yaml(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)


def option_fields(options: tuple[Option, ...]) -> list[kernel.Field]:
    """The record fields in which a game's options stand, for its state and its view alike."""
    return [(o.name, "i4") for o in options]


class Game(abc.ABC):
    """The rules of one game. Built-in ones are looked up with `arena.registry.game(name)`."""

    name: ClassVar[str]
    title: ClassVar[str]
    rules: ClassVar[str]
    """version of the rules; changes whenever the behaviour does"""
    players: ClassVar[range]
    """the possible numbers of players"""
    options: ClassVar[tuple[Option, ...]]
    action_count: ClassVar[int]
    """action ids are 0 … action_count - 1"""
    witness_count: ClassVar[int] = 0
    """`kernel.witness` is below it; 0 if the game leaves that to the action ids"""
    max_moves: ClassVar[int]
    """no game has more moves, whatever the options"""
    state_dtype: ClassVar[np.dtype[Any]]
    view_dtype: ClassVar[np.dtype[Any]]
    view_fields: ClassVar[Mapping[str, str]]
    """what each field of a view means, with its shape"""

    # --- playing --------------------------------------------------------------------------------

    def resolve(
        self, players: int, options: Mapping[str, object] | None = None
    ) -> dict[str, OptionValue]:
        """All options with their values; OptionError names what is unknown, wrong or undefined."""
        given = dict(options or {})
        if players not in self.players:
            raise OptionError(
                f"{self.name} is for {self.players[0]} to {self.players[-1]} players, "
                f"found {players}"
            )
        resolved: dict[str, OptionValue] = {}
        for option in self.options:
            value = given.pop(option.name, option.default)
            resolved[option.name] = option.decode(option.encode(value))
        if given:
            unknown = next(iter(given))
            known = [o.name for o in self.options]
            raise OptionError(
                f"{self.name} has no option {unknown!r}{suggestion(str(unknown), known)}"
            )
        self.check_combination(players, resolved)
        return resolved

    def check_combination(self, players: int, options: Mapping[str, OptionValue]) -> None:
        """Raise OptionError where valid values do not make a game together."""

    def initial(
        self, players: int | None = None, options: Mapping[str, object] | None = None, seed: int = 0
    ) -> State:
        """The position after the deal. All chance in the game follows from `seed`."""
        state = self._blank(self.players[0] if players is None else players, options, seed)
        _deal(state)
        return state

    def _blank(self, players: int, options: Mapping[str, object] | None, seed: int) -> State:
        resolved = self.resolve(players, options)
        state = kernel.blank(self.state_dtype)
        state["rng"] = random_word(seed)
        state["players"] = players
        for option in self.options:
            state[option.name] = option.encode(resolved[option.name])
        return state

    def mover(self, state: State) -> int | None:
        """The seat to move, None when the game is over."""
        return None if state["over"][0] else int(state["seat"][0])

    def capped(self, state: State) -> bool:
        """Whether a cap on the number of turns ended the game."""
        return bool(state["over"][0] == CAPPED)

    def legal(self, state: State) -> tuple[Action, ...]:
        """The legal moves, ascending; empty when the game is over."""
        out = np.empty(self.action_count, np.int32)
        return tuple(out[: _legal(state, out)].tolist())

    def apply(self, state: State, action: Action) -> State:
        """The position after `action`; IllegalActionError if it is not legal there."""
        if action not in self.legal(state):
            raise self._illegal(state, "action", action)
        after = kernel.copy(state)
        _apply(after, action)
        return after

    def ranks(self, state: State) -> tuple[int, ...]:
        """Each seat's place: 0 is best, ties share. Before the end, the standing."""
        out = np.zeros(int(state["players"][0]), np.int64)
        _ranks(state, out)
        return tuple(out.tolist())

    def estimate(self, state: State) -> tuple[float, ...]:
        """Each seat's expected share of the reward, by the game's heuristic; they sum to 1."""
        out = np.zeros(int(state["players"][0]), np.float64)
        _estimate(state, out)
        return tuple(out.tolist())

    @abc.abstractmethod
    def scores(self, state: State) -> tuple[Any, ...]:
        """Each seat's score, in the game's own numbers."""

    # --- hidden information ---------------------------------------------------------------------

    def observe(self, state: State, seat: int) -> View:
        """What `seat` knows with a perfect memory of all it has seen."""
        self._check_seat(seat, state)
        record = kernel.blank(self.view_dtype)
        _observe(state, seat, record)
        return View(record)

    def sample(self, view: View, seat: int, seed: int) -> State:
        """A position drawn uniformly from those that `seat`'s view cannot rule out."""
        self._check_seat(seat, view.record)
        world = kernel.blank(self.state_dtype)
        world["rng"] = random_word(seed)
        _sample(view.record, seat, world)
        return world

    def witness(self, state: State, action: Action, seat: int) -> int:
        """The number of what `seat` sees of `action`, which must be legal; see `kernel.witness`.

        Raises OptionError for a seat that does not play.
        """
        self._check_seat(seat, state)
        return int(_witness(state, action, seat))

    def _check_seat(self, seat: int, record: Array) -> None:
        # Compiled code would read beyond the record.
        players = int(record["players"][0])
        if seat not in range(players):
            raise OptionError(f"{self.name}: found seat {seat!r}, expected 0 to {players - 1}")

    # --- text -----------------------------------------------------------------------------------

    @abc.abstractmethod
    def describe(self, state: State, action: Action) -> str:
        """The move as people write it."""

    def parse(self, state: State, text: str) -> Action:
        """The legal move that `text` describes; IllegalActionError lists the nearest one."""
        wanted = " ".join(text.lower().split())
        for action in self.legal(state):
            if self.describe(state, action).lower() == wanted:
                return action
        raise self._illegal(state, "move", text)

    def _illegal(self, state: State, kind: str, found: object) -> IllegalActionError:
        what = f"{kind} {found!r}"
        if self.mover(state) is None:
            return IllegalActionError(f"{what}: the game is over")
        texts = {self.describe(state, a): a for a in self.legal(state)}
        hint = suggestion(str(found), texts)
        numbers = ", ".join(map(str, texts.values()))
        return IllegalActionError(f"{what} is not legal here{hint}; legal ids: {numbers}")

    @abc.abstractmethod
    def show(self, state: State) -> dict[str, Any]:
        """The whole position as a JSON-able dictionary."""

    @abc.abstractmethod
    def show_view(self, view: View, seat: int) -> dict[str, Any]:
        """What `seat` knows, in the same shape, with what it cannot know replaced."""

    @abc.abstractmethod
    def restore(
        self,
        shown: Mapping[str, Any],
        players: int,
        options: Mapping[str, object] | None = None,
        seed: int = 0,
    ) -> State:
        """A position from what `show` prints, where nobody remembers anything of its past."""

    def show_step(self, step: Mapping[str, Any], phase: str, seat: int) -> dict[str, Any]:
        """A step of a game record as `seat` may see it; `phase` is that of the decision.

        `step` has the keys seat, id, move and forced.
        """
        return dict(step)


def random_word(seed: int) -> int:
    """A well-mixed, non-zero 64-bit word for the `rng` field of a state."""
    digest = hashlib.blake2b(str(seed).encode(), digest_size=8, person=b"arena.rng").digest()
    return int.from_bytes(digest, "little") or 1


# --- entry points: what crosses the border takes arrays of shape (1,) ---------------------------


@kernel.kernel
def _deal(states: Array) -> None:
    kernel.deal(states[0])


@kernel.kernel
def _legal(states: Array, out: Array) -> int:
    return kernel.legal(states[0], out)


@kernel.kernel
def _apply(states: Array, action: int) -> None:
    kernel.apply(states[0], action)


@kernel.kernel
def _ranks(states: Array, out: Array) -> None:
    kernel.ranks(states[0], out)


@kernel.kernel
def _estimate(states: Array, out: Array) -> None:
    kernel.estimate(states[0], out)


@kernel.kernel
def _observe(states: Array, seat: int, views: Array) -> None:
    kernel.observe(states[0], seat, views[0])


@kernel.kernel
def _sample(views: Array, seat: int, worlds: Array) -> None:
    kernel.sample(views[0], seat, worlds[0])


@kernel.kernel
def _witness(states: Array, action: int, seat: int) -> int:
    return kernel.witness(states[0], action, seat)


@kernel.kernel
def advance(
    states: Array, actions: Array, played: int, out: Array, views: Array
) -> tuple[int, int]:
    """Play the moves that are forced, up to a decision, and observe it for the seat that decides.

    The forced moves are written to `actions[played:]`. Returns how many moves have been played now
    and how many legal moves were written to `out`: at least 2, or 0 when the game is over.
    """
    state = states[0]
    while state.over == RUNNING:
        n = kernel.legal(state, out)
        if n > 1:
            kernel.observe(state, state.seat, views[0])
            return played, n
        actions[played] = out[0]
        played += 1
        kernel.apply(state, out[0])
    return played, 0


@kernel.kernel
def play(
    states: Array, action: int, actions: Array, played: int, out: Array, views: Array
) -> tuple[int, int]:
    """Play `action`, write it to `actions[played]` and go on as `advance`."""
    actions[played] = action
    kernel.apply(states[0], action)
    return advance(states, actions, played + 1, out, views)
