"""What moves are worth near the end of a game, by going through all that can still happen.

Worlds are drawn from a view, many enough to have all that matter. Play goes on in all of them at
once; where a seat decides it does so for all worlds that look the same to it, and looks after
itself. That is exact while the seats that decide know the same, as in Coloretto, and while only one
decides. Games that go on after that count as lost, which leaves sure wins sure.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.core import Action, State, Turn
from arena.game import Game


def values(game: Game, turn: Turn, worlds: int, *, alone: bool) -> dict[Action, float]:
    """What each legal move is worth to its mover: 1 for the first place alone, 0 for the last.

    With `alone`, decisions of other seats end what is looked at.
    """
    drawn = [game.sample(turn.view, turn.seat, seed) for seed in range(worlds)]
    judge = turn.seat if alone else None
    return {a: _outcome(game, drawn, a, judge)[turn.seat] for a in turn.legal}


def _outcome(game: Game, worlds: Sequence[State], action: Action, judge: int | None) -> list[float]:
    """What each seat gets on average when `action` is played in all worlds."""
    groups: dict[object, list[State]] = {}
    players = int(worlds[0]["players"][0])
    total = [0.0] * players
    for world in worlds:
        after = _to_decision(game, game.apply(world, action))
        mover = game.mover(after)
        if mover is None:
            total = [a + b for a, b in zip(total, _rewards(game, after), strict=True)]
        elif judge in (None, mover):
            groups.setdefault((mover, game.observe(after, mover)), []).append(after)
    for group in groups.values():
        mover = game.mover(group[0])
        assert mover is not None
        outcomes = [_outcome(game, group, a, judge) for a in game.legal(group[0])]
        best = max(outcomes, key=lambda outcome: outcome[mover])
        total = [a + len(group) * b for a, b in zip(total, best, strict=True)]
    return [worth / len(worlds) for worth in total]


def _to_decision(game: Game, state: State) -> State:
    while len(legal := game.legal(state)) == 1:
        state = game.apply(state, legal[0])
    return state


def _rewards(game: Game, state: State) -> list[float]:
    places = game.ranks(state)
    return [
        (sum(b > a for b in places) + (places.count(a) - 1) / 2) / (len(places) - 1) for a in places
    ]
