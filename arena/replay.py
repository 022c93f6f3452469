"""Finished games, played again from their moves: records, transcripts, proofs.

A **record** is one game as a JSON object, complete enough for anyone to check every step without
our code; a record for one seat holds what that seat could have written down. A transcript is a
record as text for people. Both are made from a game and a `MatchResult` alone.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from arena import kernel, match
from arena.core import Ending, MatchResult, State
from arena.errors import ArenaError, DamagedRunError, OptionError
from arena.game import Game
from arena.kernel import Array
from arena.player import printable

SCHEMA = "arena.record/1"
SHOWN_MOVES, SHOWN_ANSWERS = 5, 6
"""of a bot's explanation, in a transcript: the moves, and how each is expected to go on"""

Record = dict[str, Any]

# --- records ------------------------------------------------------------------------------------


def record(game: Game, result: MatchResult, view_of: int | None = None) -> Record:
    """The record of a game; with `view_of`, what that seat could have written down.

    Raises OptionError if there is no such seat, DamagedRunError if the moves are not legal.
    """
    spec = result.spec
    if view_of is not None and not 0 <= view_of < spec.players:
        raise OptionError(f"seat: found {view_of}, expected 0 to {spec.players - 1}")
    start, steps = _played(game, result, view_of)
    source = {"seed": spec.seed} if view_of is None else {"view_of": view_of}
    return {
        "schema": SCHEMA,
        "game": game.name,
        "rules": game.rules,
        "players": spec.players,
        "options": dict(spec.options),
        **source,
        "bots": list(spec.bots),
        "start": start,
        "steps": steps,
        "ending": result.ending.value,
        "offender": result.offender,
        "scores": list(result.scores),
        "ranks": list(result.ranks),
    }


def _played(
    game: Game, result: MatchResult, view_of: int | None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The position after the deal and the steps, as everybody or one seat sees them."""
    state = game.initial(result.spec.players, result.spec.options, result.spec.seed)
    start = shown = _shown(game, state, view_of)
    steps = []
    for number, action in enumerate(result.actions, start=1):
        legal = game.legal(state)
        if action not in legal:
            raise _damaged(result, f"move {number} is {action}, which is not legal there")
        step: Mapping[str, Any] = {
            "seat": game.mover(state),
            "id": action,
            "move": game.describe(state, action),
            "forced": len(legal) == 1,
        }
        if view_of is not None:
            step = game.show_step(step, shown.get("phase", ""), view_of)
        if number in result.explained and view_of in (None, game.mover(state)):
            told = _in_words(game, state, result.explained[number])
            step = {**step, "explanation": told}
        state = game.apply(state, action)
        shown = _shown(game, state, view_of)
        steps.append({**step, "state": shown})
    return start, steps


def _shown(game: Game, state: State, view_of: int | None) -> dict[str, Any]:
    if view_of is None:
        return game.show(state)
    return game.show_view(game.observe(state, view_of), view_of)


def to_json(record: Record) -> str:
    """The record as one JSON document, with a line for each key and each step."""
    lines = []
    for key, value in record.items():
        text = _json(value)
        if key == "steps" and value:
            text = "[\n  " + ",\n  ".join(map(_json, value)) + "\n ]"
        lines.append(f" {_json(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _in_words(game: Game, state: State, told: Any) -> Any:
    """A bot's explanation, with the texts of the moves that it names, if it has the usual form."""
    try:
        moves = [{**m, "move": game.describe(state, m["action"])} for m in told["moves"]]
        return {**told, "moves": moves}
    except (KeyError, TypeError, ValueError, IndexError, ArenaError):
        return told


# --- transcripts --------------------------------------------------------------------------------

_ENDINGS = {
    Ending.FINISHED: "the game came to its end",
    Ending.TURN_CAP: "the game was stopped because it took too many turns",
    Ending.ILLEGAL: "{} lost by an illegal move",
    Ending.TIMEOUT: "{} lost by taking too long",
    Ending.CRASH: "{} lost by an exception in the bot",
    Ending.MEMORY: "{} lost by running out of memory",
    Ending.RETIRED: "not played, since one of its bots had been at fault too often before",
}


def transcript(record: Record, title: str, detail: str = "") -> Iterator[str]:
    """A record as lines of text: the start, each move with what it changed, how it ended.

    A position takes several lines; those that stay as they were are not repeated. `detail` is what
    is known of a forfeit beyond the record. Nothing else is told, so the transcript of one seat's
    record says no more than that.
    """
    who = [f"seat {seat} ({bot})" for seat, bot in enumerate(record["bots"])]
    yield title
    yield f"{record['game']}, rules {record['rules']}: {', '.join(who)}"
    if options := record["options"]:
        yield f"options: {_words(options)}"
    if "view_of" in record:
        yield f"as {who[record['view_of']]} saw it"
    else:
        yield f"seed {record['seed']}"
    yield ""
    yield "start"
    position = _position(record["start"])
    yield from position
    for number, step in enumerate(record["steps"], start=1):
        forced = " (the only move)" if step["forced"] else ""
        yield f"{number}. {who[step['seat']]}: {step['move']}{forced}"
        if "explanation" in step:
            yield from (f"    {line}" for line in _reasons(step["explanation"], step["id"]))
        before, position = position, _position(step["state"])
        yield from (line for line in position if line not in before)
    yield ""
    yield from _end(record, who, detail)


def _reasons(told: Any, played: object) -> Iterator[str]:
    """A bot's explanation: of a search, what it thinks of the best moves and of the one played."""
    try:
        moves = list(enumerate(told["moves"]))
        shown = [m for i, m in moves if i < SHOWN_MOVES or m["action"] == played]
        lines = [f"{told['iterations']} iterations:", *map(_reason, shown)]
        more = len(moves) - len(shown)
    except (AttributeError, KeyError, TypeError, ValueError):
        lines, more = [f"it says: {_words(told)}"], 0
    yield from (printable(" ".join(line.split("\n"))) for line in lines)
    if more:
        yield f"  and {more} more"


def _reason(move: Mapping[str, Any]) -> str:
    """What a search thinks of a move: `stay: 640 visits, 0.58, then fly owl, draw`."""
    answers = [str(answer) for answer in move.get("line", [])[1:]]
    shown = answers[:SHOWN_ANSWERS] + ["…"] * (len(answers) > SHOWN_ANSWERS)
    then = f", then {', '.join(shown)}" if shown else ""
    return f"  {move['move']}: {move['visits']} visits, {move['value']:.2f}{then}"


def _end(record: Record, who: Sequence[str], detail: str) -> Iterator[str]:
    offender = "" if record["offender"] is None else who[record["offender"]]
    reason = _ENDINGS[Ending(record["ending"])].format(offender)
    yield f"{reason}{f': {detail}' if detail else ''}"
    if record["ending"] == Ending.RETIRED:
        return
    if record["steps"]:
        last = record["steps"][-1]
        yield f"last move: {last['move']}, by {who[last['seat']]}, number {len(record['steps'])}"
    table = sorted(zip(record["ranks"], who, record["scores"], strict=True), key=lambda r: r[0])
    width = max(map(len, who))
    for rank, name, score in table:
        yield f"{rank}. {name:<{width}}  {_words(score)}"


def _position(shown: Mapping[str, Any]) -> list[str]:
    """A position: single values in one line, then a line for each thing that has parts."""
    flat = {key: v for key, v in shown.items() if not isinstance(v, dict | list)}
    parts = {key: v for key, v in shown.items() if key not in flat}
    width = max(map(len, parts), default=0)
    lines = [", ".join(f"{key.replace('_', ' ')} {_words(v)}" for key, v in flat.items())]
    lines += [f"{key.replace('_', ' '):<{width}}  {_words(v)}" for key, v in parts.items()]
    return [f"    {line}" for line in lines]


def _words(value: Any) -> str:
    """A JSON value in words: `owl 2, robin 1`, `owl×2 robin | duck`; – for nothing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ({}, []):
        return "–"
    if isinstance(value, dict):
        nested = any(isinstance(v, dict) for v in value.values())
        if nested:
            return "; ".join(f"{key} {_words(v)}" for key, v in value.items())
        return ", ".join(f"{key} {_words(v)}" for key, v in value.items())
    if isinstance(value, list | tuple):
        words = ["?" if v is None else _words(v) for v in value]
        if any(isinstance(v, dict | list) for v in value):
            return " | ".join(words)
        runs = [(word, len(list(run))) for word, run in itertools.groupby(words)]
        return " ".join(word if n == 1 else f"{word}×{n}" for word, n in runs)
    return str(value)


# --- proofs -------------------------------------------------------------------------------------


def prover(game: Game) -> Callable[[MatchResult], None]:
    """A function that plays matches of `game` again from their seeds and moves.

    It raises DamagedRunError, naming the match, where the moves are not legal or lead to another
    ending, other scores or other places; of a forfeit, where the standing before the offence was
    another.
    """
    out = np.empty(game.action_count, np.int32)

    def prove(result: MatchResult) -> None:
        if result.ending is Ending.RETIRED:
            return
        spec = result.spec
        state = game.initial(spec.players, spec.options, spec.seed)
        followed = _follow(state, np.array(result.actions, np.int64), out)
        if followed < len(result.actions):
            what = f"move {followed + 1} is {result.actions[followed]}"
            raise _damaged(result, f"{what}, which is not legal there")
        for what, stored, found in _compared(game, state, result):
            if stored != found:
                raise _damaged(result, f"{what} stored as {stored}, played again {found}")

    return prove


def _compared(
    game: Game, state: State, result: MatchResult
) -> Iterator[tuple[str, object, object]]:
    """What is stored beside what the position after the last move says."""
    mover = game.mover(state)
    if result.ending.forfeit:
        yield "game over at the forfeit", False, mover is None
        # A bot that cannot be built loses before anybody has moved; otherwise it is its turn.
        yield "offender", result.offender, mover if result.actions else result.offender
    else:
        reached = Ending.TURN_CAP if game.capped(state) else Ending.FINISHED
        yield "ending", result.ending.value, "unfinished" if mover is not None else reached.value
        yield "offender", result.offender, None
    yield "scores", result.scores, game.scores(state)
    yield "ranks", result.ranks, match.places(game.ranks(state), result.offender)


def _damaged(result: MatchResult, what: str) -> DamagedRunError:
    spec = result.spec
    return DamagedRunError(f"match {spec.id} (number {spec.number}): {what}")


@kernel.kernel
def _follow(states: Array, actions: Array, out: Array) -> int:
    """Play `actions` as long as they are legal; return how many were."""
    state = states[0]
    for played in range(len(actions)):
        allowed = False
        for i in range(kernel.legal(state, out)):
            allowed |= out[i] == actions[played]
        if not allowed:
            return played
        kernel.apply(state, actions[played])
    return len(actions)
