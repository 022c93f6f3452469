"""Replays: records anyone can check, views that tell no more, damage that is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from arena import match, registry, replay
from arena.core import Ending, Limits, MatchResult, MatchSpec, Turn
from arena.errors import DamagedRunError, OptionError
from arena.game import Game
from arena.player import Entry
from arena.seeding import derive

Golden = Callable[[str, str], None]


class Steady:
    """Plays moves that look random and are the same for ever; with `fault` at 0, none at all."""

    def __init__(self, game: Game, seat: int, seed: int, *, fault: int = -1) -> None:
        self.seed = seed
        self.fault = fault
        self.answered = 0

    def act(self, turn: Turn) -> int:
        self.answered += 1
        if self.answered - 1 == self.fault:
            return 4711
        drawn = derive("steady", self.seed, self.answered)
        return turn.legal[drawn // 2 % len(turn.legal) if drawn % 2 else 0]


def played(game: str, players: int, seed: int, fault: int = -1, **options: Any) -> MatchResult:
    """A match of steady bots, of which that of seat 1 may answer illegally once."""
    rules = registry.game(game)
    spec = MatchSpec(
        number=7,
        id="00c0ffee00c0ffee",
        game=game,
        players=players,
        options=rules.resolve(players, options),
        bots=tuple(f"bot {seat}" for seat in range(players)),
        line_up=0,
        deal=0,
        rotation=0,
        seed=seed,
        bot_seeds=tuple(range(players)),
    )
    params = [{"fault": fault} if seat == 1 else {} for seat in range(players)]
    entries = [Entry(b, Steady, p) for b, p in zip(spec.bots, params, strict=True)]
    return match.play(rules, spec, entries, Limits())


KUHN = registry.game("kuhn")
CUBIRDS = registry.game("cubirds")
GAMES = {
    "aves-2p": ("aves", 2, 1416),
    "coloretto-2p": ("coloretto", 2, 3),
    "kuhn": ("kuhn", 2, 5),
    "cubirds-2p": ("cubirds", 2, 8),
    "cubirds-3p": ("cubirds", 3, 1),
    "fruit-friends-2p": ("fruit-friends", 2, 2),
}


def test_a_record_has_these_keys_and_no_others() -> None:
    """The record as its description writes it."""
    record = replay.record(KUHN, played("kuhn", 2, 5))
    assert list(record) == [
        "schema", "game", "rules", "players", "options", "seed", "bots", "start", "steps",
        "ending", "offender", "scores", "ranks",
    ]  # fmt: skip
    assert list(record["steps"][0]) == ["seat", "id", "move", "forced", "state"]
    assert record["schema"] == "arena.record/1"
    assert record["steps"][-1]["state"]["seat"] is None


@pytest.mark.parametrize("name", GAMES)
def test_golden_games(name: str, golden: Golden) -> None:
    """Rules, notation and records are what they were."""
    game, players, seed = GAMES[name]
    result = played(game, players, seed)
    golden(f"games/{name}.json", replay.to_json(replay.record(registry.game(game), result)) + "\n")


@pytest.mark.parametrize("name", GAMES)
def test_a_record_can_be_checked_from_its_text(name: str) -> None:
    """Seed and moves lead through every state that the record shows, to its result."""
    game, players, seed = GAMES[name]
    rules = registry.game(game)
    record = json.loads(replay.to_json(replay.record(rules, played(game, players, seed))))
    state = rules.initial(record["players"], record["options"], record["seed"])
    assert rules.show(state) == record["start"]
    for step in record["steps"]:
        assert step["seat"] == rules.mover(state)
        assert step["id"] == rules.parse(state, step["move"])
        assert step["forced"] == (len(rules.legal(state)) == 1)
        state = rules.apply(state, step["id"])
        assert rules.show(state) == step["state"]
    assert rules.mover(state) is None
    assert record["scores"] == list(rules.scores(state))
    assert min(record["ranks"]) == 1


# --- one seat -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_seats_record_is_what_it_saw(name: str) -> None:
    """Every state is the seat's view, there is no seed, and all else is as in the full record."""
    game, players, seed = GAMES[name]
    rules, result = registry.game(game), played(game, players, seed)
    full = replay.record(rules, result)
    for seat in range(players):
        record = replay.record(rules, result, seat)
        assert record["view_of"] == seat
        assert "seed" not in replay.to_json(record)
        states = [rules.initial(players, full["options"], seed)]
        for action in result.actions:
            states.append(rules.apply(states[-1], action))
        views = [record["start"], *(step["state"] for step in record["steps"])]
        assert views == [rules.show_view(rules.observe(s, seat), seat) for s in states]
        for key in set(full) - {"seed", "start", "steps"}:
            assert record[key] == full[key]


def test_a_seats_record_of_a_folded_hand_names_one_card() -> None:
    """The other card was never shown, and does not stand anywhere."""
    game = played("kuhn", 2, seed=0)
    folded = replace(game, actions=(1, 0))
    for seat in range(2):
        own = replay.record(KUHN, folded)["start"]["cards"][seat]
        text = replay.to_json(replay.record(KUHN, folded, seat))
        assert [c for c in ("jack", "queen", "king") if c in text] == [own]


def test_a_seats_record_does_not_tell_whether_others_could_have_flown() -> None:
    """In CuBirds a forced `stay` would tell about a hand."""
    record = replay.record(CUBIRDS, played("cubirds", 3, 1), view_of=0)
    phase = record["start"]["phase"]
    seen = set()
    for step in record["steps"]:
        hidden = phase == "fly" and step["seat"] != 0
        assert (step["forced"] is None) == hidden
        seen.add(hidden)
        phase = step["state"]["phase"]
    assert seen == {True, False}


def test_a_seats_record_shows_of_other_hands_and_the_pile_only_what_is_known() -> None:
    """In CuBirds neither a hand nor the order of the pile is written down."""
    record = replay.record(CUBIRDS, played("cubirds", 2, 8), view_of=1)
    for shown in [record["start"], *(step["state"] for step in record["steps"])]:
        assert set(shown["hands"][0]) == {"known", "hidden", "since"}
        assert set(shown["pile"]) == {"size", "at_most"}


def test_a_seats_record_does_not_tell_how_others_have_split() -> None:
    """In Fruit Friends the split, even after the reveal, or its number would tell the discard."""
    rules, result = registry.game("fruit-friends"), played("fruit-friends", 2, 2)
    full, seen = replay.record(rules, result), replay.record(rules, result, view_of=1)
    for step, shown in zip(full["steps"], seen["steps"], strict=True):
        hidden = step["seat"] == 0 and step["move"].startswith("split")
        told = {"move": "split", "id": None, "forced": None} if hidden else {}
        assert shown == step | told | {"state": shown["state"]}


@pytest.mark.parametrize("seat", [-1, 2])
def test_there_is_no_such_seat(seat: int) -> None:
    """The message says which there are."""
    with pytest.raises(OptionError, match=f"found {seat}, expected 0 to 1"):
        replay.record(KUHN, played("kuhn", 2, 5), seat)


# --- forfeits -----------------------------------------------------------------------------------


def test_a_forfeited_game_ends_before_the_offence() -> None:
    """The offending answer is no step; the offender is last and alone."""
    result = played("cubirds", 3, 1, fault=3)
    record = replay.record(CUBIRDS, result)
    assert (record["ending"], record["offender"], record["ranks"][1]) == ("illegal", 1, 3)
    last = record["steps"][-1]["state"]
    assert last["seat"] == 1
    assert record["scores"] == [sum(c.values()) for c in last["collections"]]


def test_a_bot_that_loses_before_the_first_move_leaves_no_steps() -> None:
    """The record then ends at the deal."""
    result = replace(
        played("kuhn", 2, 5), ending=Ending.CRASH, offender=0, actions=(), scores=(0, 0),
        ranks=(2, 1),
    )  # fmt: skip
    record = replay.record(KUHN, result)
    assert record["steps"] == []
    assert record["start"]["seat"] == 0
    assert json.loads(replay.to_json(record)) == record
    replay.prover(KUHN)(result)


# --- transcripts --------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_transcripts(seat: int | None, golden: Golden) -> None:
    """A game for people to read, whole or as one seat saw it."""
    record = replay.record(CUBIRDS, played("cubirds", 2, 8), seat)
    record["steps"] = record["steps"][:5] + record["steps"][-3:]
    name = "all" if seat is None else f"seat-{seat}"
    golden(f"games/transcript-{name}.txt", "\n".join(replay.transcript(record, "a match")) + "\n")


def test_a_transcript_says_why_a_game_ended() -> None:
    """With the detail that the record does not hold."""
    result = played("kuhn", 2, 5, fault=0)
    lines = list(replay.transcript(replay.record(KUHN, result), "a match", result.detail))
    assert "seat 1 (bot 1) lost by an illegal move: " in "\n".join(lines)
    assert "answered 4711" in "\n".join(lines)
    assert lines[-1].startswith("2. seat 1 (bot 1)")


def reasons(told: Any) -> list[str]:
    """The lines of a transcript that tell why the first move was made."""
    told_result = replace(GOOD, explained={1: told})
    lines = list(replay.transcript(replay.record(KUHN, told_result), "a match"))
    plain = list(replay.transcript(replay.record(KUHN, GOOD), "a match"))
    first = next(i for i, line in enumerate(lines) if line.startswith("1. "))
    assert lines[: first + 1] == plain[: first + 1]
    return lines[first + 1 : first + 1 + len(lines) - len(plain)]


def test_a_transcript_tells_what_a_search_expected() -> None:
    """The best moves with what they are worth, and how the game would go on."""
    moves = [
        {"action": 1, "visits": 640, "value": 0.584, "line": ["bet", *["pass", "bet"] * 4]},
        {"action": 0, "visits": 1, "value": 0.0, "line": ["pass"]},
        *({"action": 1, "visits": 0, "value": 0.0} for _ in range(4)),
    ]
    assert reasons({"iterations": 641, "moves": moves}) == [
        "    641 iterations:",
        "      bet: 640 visits, 0.58, then pass, bet, pass, bet, pass, bet, …",
        "      pass: 1 visits, 0.00",
        *["      bet: 0 visits, 0.00"] * 3,
        "      and 1 more",
    ]


def test_a_transcript_tells_of_the_move_played_however_bad() -> None:
    """As one drawn with a temperature may be."""
    moves = [{"action": 1 - GOOD.actions[0], "visits": 9, "value": 0.5} for _ in range(7)]
    moves[6] = {"action": GOOD.actions[0], "visits": 1, "value": 0.25}
    told = reasons({"iterations": 55, "moves": moves})
    assert len(told) == 8
    assert told[6].endswith(": 1 visits, 0.25")
    assert told[7] == "      and 1 more"


def test_explanations_do_nothing_to_a_terminal() -> None:
    """Neither do the texts of a search nor those of another bot."""
    moves = [{"action": 1, "visits": 1, "value": 0, "line": ["bet", "\x1b[31mred\n\x1b[2J"]}]
    for told in ({"iterations": 1, "moves": moves}, "\x1b[31mred\nblue"):
        lines = reasons(told)
        assert "\\x1b[31mred" in lines[-1]
        assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    "told",
    [
        "a hunch",
        {"why": [1, 2]},
        {"iterations": 1, "moves": "bet"},
        {"iterations": 1, "moves": [1]},
        {"iterations": 1, "moves": [{"action": 99, "visits": 1, "value": 0}]},
        {"iterations": 1, "moves": [{"action": 1, "visits": 1, "value": "high"}]},
        {"iterations": 1, "moves": [{"action": 1, "visits": 1, "value": 0, "line": 3}]},
        {"iterations": 1, "moves": {"action": 1}},
    ],
)
def test_a_transcript_tells_reasons_of_any_other_form_as_they_are(told: Any) -> None:
    """Bots may explain themselves as they like."""
    [line] = reasons(told)
    assert line.startswith("    it says: ")


@pytest.mark.parametrize("ending", list(Ending))
def test_a_transcript_has_words_for_every_ending(ending: Ending) -> None:
    """No ending is told by its code word alone."""
    result = replace(played("kuhn", 2, 5), ending=ending, offender=1 if ending.forfeit else None)
    text = "\n".join(replay.transcript(replay.record(KUHN, result), "a match"))
    assert ("seat 1 (bot 1) lost by" in text) == ending.forfeit


# --- proofs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("fault", [-1, 0])
def test_true_results_are_proven(name: str, fault: int) -> None:
    """Finished games and forfeits play out again as they are stored."""
    game, players, seed = GAMES[name]
    replay.prover(registry.game(game))(played(game, players, seed, fault))


GOOD = played("kuhn", 2, 5)
LOST = played("kuhn", 2, 5, fault=0)


@pytest.mark.parametrize(
    ("result", "complaint"),
    [
        (replace(GOOD, actions=(*GOOD.actions, 0)), "not legal there"),
        (replace(GOOD, actions=(2, *GOOD.actions[1:])), "move 1 is 2"),
        (replace(GOOD, actions=GOOD.actions[:-1]), "ending stored as finished"),
        (replace(GOOD, ending=Ending.TURN_CAP), "ending stored as turn_cap"),
        (replace(GOOD, ending=Ending.CRASH, offender=1), "game over at the forfeit"),
        (replace(GOOD, offender=1), "offender stored as 1"),
        (replace(GOOD, scores=tuple(s + 1 for s in GOOD.scores)), "scores stored as"),
        (replace(GOOD, ranks=(1, 1)), "ranks stored as"),
        (replace(LOST, offender=0, ranks=(2, 1)), "offender stored as 0"),
        (replace(LOST, ranks=(2, 1)), "ranks stored as"),
    ],
)
def test_changed_results_are_found(result: MatchResult, complaint: str) -> None:
    """Whatever was changed, the message names the match and the thing."""
    with pytest.raises(DamagedRunError, match=rf"match 00c0ffee00c0ffee \(number 7\).*{complaint}"):
        replay.prover(KUHN)(result)


def test_moves_that_are_not_legal_make_no_record() -> None:
    """The record of a damaged game would be wrong, so there is none."""
    with pytest.raises(DamagedRunError, match=r"move 1 is 2, which is not legal there"):
        replay.record(KUHN, replace(GOOD, actions=(2, 0)))
