"""A stored match again for one of its bots, in this process, to look for its mistakes.

The other seats play what is stored, and so does this one once it has been asked: the match goes the
same way whatever the bot answers now. There are no clocks, so breakpoints work.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from arena import match, registry
from arena.core import Bot, Ending, Isolation, Limits, MatchResult
from arena.errors import OptionError
from arena.game import Game
from arena.isolation import Hosts
from arena.player import BotFault, Contestant, Entry, Oracle, Player
from arena.registry import BotSource, Param
from arena.store import BotIdentity, Run


@dataclass(frozen=True, slots=True)
class Reply:
    """What a bot has answered to one decision, then and now."""

    move: int
    """from 1; 0 for the start of the bot"""
    then: str
    """the move as people write it, or how it lost"""
    now: str | None
    """None before it is asked for the answer at which it lost"""
    same: bool
    """whether it is the answer that is stored; no fault is"""
    traceback: str = ""
    """if it raises now"""


def seat_of(result: MatchResult, wanted: int | None) -> int:
    """The seat to ask: the one that is wanted, or that was at fault. OptionError without any."""
    seats = ", ".join(f"{seat} ({name})" for seat, name in enumerate(result.spec.bots))
    if result.ending is Ending.RETIRED:
        raise OptionError(f"match {result.spec.id} was not played: {result.detail}")
    seat = result.offender if wanted is None else wanted
    if seat is None:
        raise OptionError(f"match {result.spec.id} was no bot's fault; --seat says which: {seats}")
    if seat not in range(result.spec.players):
        raise OptionError(f"seat: found {seat}, expected one of {seats}")
    return seat


def changed(run: Run, name: str) -> bool:
    """Whether a bot's code differs from that which the run was played with."""
    return _source(run, name).digest != _identity(run, name).digest


def replies(run: Run, game: Game, result: MatchResult, seat: int) -> Iterator[Reply]:
    """What the bot of a seat answers to its decisions, the one at which it lost included.

    It is asked when the next reply is taken, and ends with the first that has a fault. Before the
    answer at which it lost there is a reply without one: a bot may end this process, or not answer.
    """
    name = result.spec.bots[seat]
    source, identity = _source(run, name), _identity(run, name)
    params = next(e["params"] for e in run.plan.config["bots"] if e["name"] == name)
    with contextlib.ExitStack() as stack:
        if identity.isolation != Isolation.TRUSTED and source.kind in ("file", "folder"):
            stack.enter_context(contextlib.chdir(source.path.parent))  # as its own process would
        if source.kind == "program":
            hosts = stack.enter_context(Hosts(game, Isolation.ISOLATED))
            contestant: Contestant = hosts.guest(source, params)
        else:
            oracle = source.kind == "shipped" and source.ref == registry.ORACLE
            contestant = Entry(name, partial(_load_and_build, source), params, sees_state=oracle)
        player = contestant.player(game, result.spec, seat, Limits())
        stack.callback(player.finish, None)
        yield from _asked(player, game, result, seat)


def _load_and_build(source: BotSource, *arguments: Any, **params: Param) -> Bot:
    # What goes wrong with the bot's file is shown in the same way as what goes wrong later.
    return registry.load_bot(source)(*arguments, **params)


def _asked(player: Player, game: Game, result: MatchResult, seat: int) -> Iterator[Reply]:
    actions, lost = result.actions, result.detail.partition(": ")[2]
    try:
        player.start()
    except BotFault as fault:
        then = lost if result.detail.startswith("start: ") else "started"
        yield Reply(0, then, fault.detail, False, fault.traceback)
        return
    for number, state, turn in match.decisions(game, result.spec, actions):
        if turn.seat != seat:
            continue
        stored = actions[number - 1] if number <= len(actions) else None
        then = lost if stored is None else game.describe(state, stored)
        if isinstance(player, Oracle):
            player.state = state
        if stored is None:
            yield Reply(number, then, None, same=True)
        try:
            answer = player.answer(turn)
        except BotFault as fault:
            yield Reply(number, then, fault.detail, False, fault.traceback)
            return
        yield Reply(number, then, game.describe(state, answer), answer == stored)


def _identity(run: Run, name: str) -> BotIdentity:
    return next(bot for bot in run.plan.bots if bot.name == name)


def _source(run: Run, name: str) -> BotSource:
    return registry.find_bot(_identity(run, name).ref, run.folder)
