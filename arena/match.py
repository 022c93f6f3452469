"""One match, from the deal to the places; whatever a bot does becomes a result.

Bots are built afresh for every match and asked in turn. What a bot does wrong ends the match: the
bot is last and alone, the others keep the order of their standing. What goes wrong anywhere else
is no bot's fault and is raised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from arena.core import Action, Ending, Limits, MatchResult, MatchSpec, State, Turn, View
from arena.game import Game, advance
from arena.game import play as play_on
from arena.kernel import blank
from arena.player import BotFault, Contestant, DisturbedError, Oracle, Player


def play(
    game: Game,
    spec: MatchSpec,
    contestants: Sequence[Contestant],
    limits: Limits,
    explain: bool = False,
) -> MatchResult:
    """Play `spec` with the bots `contestants`, by seat; with `explain`, ask them for their reasons.

    The `detail` of a result counts moves from 1, forced ones included.

    Never raises for what a bot does. `Interrupted`, and only that, passes through bots: where
    Ctrl-C is to stop a match, the signal handler has to raise it, since a KeyboardInterrupt may
    come from a bot and is taken for a crash.
    """
    try:
        return _play_through(game, spec, contestants, limits, explain)
    except DisturbedError:
        # Where nobody can reach the others, whoever it was is at fault alone.
        apart = [contestant.apart() for contestant in contestants]
        return _play_through(game, spec, apart, limits, explain)


def _play_through(
    game: Game,
    spec: MatchSpec,
    contestants: Sequence[Contestant],
    limits: Limits,
    explain: bool,
) -> MatchResult:
    """From building the bots to ending them, whatever happens in between."""
    players = [c.player(game, spec, seat, limits) for seat, c in enumerate(contestants)]
    result = None
    try:
        result = _play(game, spec, players, explain)
    finally:
        printed = [player.finish(result) for player in players]
    return replace(result, printed=tuple(printed)) if any(printed) else result


def _play(game: Game, spec: MatchSpec, players: Sequence[Player], explain: bool) -> MatchResult:
    state = game.initial(spec.players, spec.options, spec.seed)
    seats = state["seat"]  # shares the state's memory: always the seat to move
    moves = np.empty(game.max_moves, np.int32)
    out = np.empty(game.action_count, np.int32)
    dtype = game.view_dtype
    seat, played, choices = 0, 0, None
    ending, offender, detail, trace = Ending.FINISHED, None, "", ""
    explained = {}
    for oracle in players:
        if isinstance(oracle, Oracle):
            oracle.state = state
    try:
        while seat < len(players):
            players[seat].start()
            seat += 1
        record = blank(dtype)
        played, choices = advance(state, moves, played, out, record)
        while choices:
            seat = seats.item()
            player = players[seat]
            turn = Turn(View(record), seat, tuple(out[:choices].tolist()), player.clock)
            action = player.answer(turn)
            if explain and (told := player.explain()) is not None:
                explained[played + 1] = told
            record = blank(dtype)
            played, choices = play_on(state, action, moves, played, out, record)
        if game.capped(state):
            ending = Ending.TURN_CAP
    except BotFault as fault:
        ending, offender, trace = fault.ending, seat, fault.traceback
        detail = f"{'start' if choices is None else f'move {played + 1}'}: {fault.detail}"
    return MatchResult(
        spec=spec,
        ending=ending,
        offender=offender,
        scores=game.scores(state),
        ranks=places(game.ranks(state), offender),
        actions=tuple(moves[:played].tolist()),
        seconds=tuple(player.seconds for player in players),
        detail=detail,
        traceback=trace,
        explained=explained,
    )


def decisions(
    game: Game, spec: MatchSpec, actions: Sequence[Action]
) -> Iterator[tuple[int, State, Turn]]:
    """The decisions of a match in which `actions` were played, as its bots were asked them.

    Each with the number of its move, from 1, and the position; the one after the last of `actions`
    included, if the game goes on. Turns have no clocks.
    """
    state = game.initial(spec.players, spec.options, spec.seed)
    for number, action in enumerate([*actions, None], start=1):
        legal = game.legal(state)
        if len(legal) > 1:
            seat = int(state["seat"][0])
            yield number, state, Turn(game.observe(state, seat), seat, legal)
        if action is not None:
            state = game.apply(state, action)


def places(standing: Sequence[int], offender: int | None) -> tuple[int, ...]:
    """Places from 1, equal ones shared and the next ones left out; the offender last and alone."""
    key = [(seat == offender, rank) for seat, rank in enumerate(standing)]
    return tuple(1 + sum(other < own for other in key) for own in key)
