"""Tournaments: tallies counted by hand, damage of every kind found."""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena import tournament
from arena.core import Ending, MatchResult, MatchSpec
from arena.errors import DamagedRunError, ResumeError, UnknownNameError
from arena.seeding import fingerprint
from arena.store import BotIdentity, Plan, Run
from arena.tournament import Tournament

NAMES = ("ann", "bob", "cem", "dea")
PLAN = Plan(
    config={},
    config_digest="",
    game="kuhn",
    rules="1",
    options={2: {}, 3: {}},
    bots=tuple(BotIdentity(name, "random", "") for name in NAMES),
    matches=400,
)


def made_up(number: int, draw: random.Random) -> MatchResult:
    """A match of two or three bots, perhaps of one bot against itself, that ended in some way."""
    players = draw.choice([2, 3])
    bots = tuple(draw.sample(NAMES, players))
    if draw.random() < 0.1:
        bots = bots[:1] * players
    scores = tuple(draw.randint(0, 4) for _ in bots)
    ranks = tuple(1 + sum(other > own for other in scores) for own in scores)
    offender = draw.randrange(players) if draw.random() < 0.2 else None
    if offender is not None:
        worse = tuple(-1 if seat == offender else score for seat, score in enumerate(scores))
        ranks = tuple(1 + sum(other > own for other in worse) for own in worse)
    ending = Ending.FINISHED if offender is None else draw.choice([Ending.CRASH, Ending.ILLEGAL])
    name = fingerprint("made up", number)
    spec = MatchSpec(number, name, "kuhn", players, {}, bots, number % 7, number // 7, 0, 1, (1, 2))
    return MatchResult(spec, ending, offender, scores, ranks, (), (0.0,) * players, "why")


def test_the_board_counts_what_a_person_would_count(tmp_path: Path) -> None:
    """Wins are first places alone, draws are shared ones; matches against oneself do not count."""
    draw = random.Random(1)
    results = [made_up(number, draw) for number in range(0, 400, 2)]
    tally: dict[str, Any] = defaultdict(lambda: defaultdict(int))
    for r in results:
        if len(set(r.spec.bots)) > 1:
            for seat, bot in enumerate(r.spec.bots):
                tally[bot]["matches"] += 1
                tally[bot]["score"] += r.scores[seat]
                first = r.ranks[seat] == 1
                kind = ("wins" if r.ranks.count(1) == 1 else "draws") if first else "losses"
                tally[bot][kind] += 1
                tally[bot]["forfeits"] += seat == r.offender
    with Run.create(tmp_path, PLAN, "") as run:
        run.add(run.packer(results))
        standings = tournament.board(run)
        forfeits = tournament.forfeits(run)
    assert sorted(s.bot for s in standings) == sorted(NAMES)
    for s in standings:
        for key in ("matches", "wins", "draws", "losses", "forfeits"):
            assert getattr(s, key) == tally[s.bot][key], (s.bot, key)
        assert s.wins and s.draws and s.losses and s.forfeits
        assert s.mean_score == pytest.approx(tally[s.bot]["score"] / s.matches)
    assert [s.rank for s in standings] == sorted(s.rank for s in standings)

    lost = [r for r in results if r.offender is not None]
    assert sum(f.count for f in forfeits) == len(lost)
    for f in forfeits:
        same = [r for r in lost if r.spec.bots[r.offender or 0] == f.bot and r.ending == f.ending]
        assert (f.count, f.first.spec.number) == (len(same), same[0].spec.number)


def test_a_run_without_matches_has_a_board(tmp_path: Path) -> None:
    """All bots are equal, and there are no scores."""
    with Run.create(tmp_path, PLAN, "") as run:
        standings = tournament.board(run)
        assert tournament.forfeits(run) == []
    assert {(s.rank, s.matches, s.mean_score) for s in standings} == {(1, 0, None)}


# --- a real run ---------------------------------------------------------------------------------

CONFIG = "game: kuhn\nbots: [random, {name: other, bot: random}]\nschedule: {deals: 3}\n"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tournament:
    """A tournament of six matches, in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(CONFIG)
    return Tournament.load(Path("small.yaml"))


def play(of: Tournament, run: Run) -> int:
    """Play what is left; how many matches that was."""
    played = []
    of.play(run, local=True, tell=lambda text: None, advance=lambda n, lost: played.append(n))
    return sum(played)


def test_playing_finishes_all_matches_of_the_schedule(small: Tournament) -> None:
    """Once; a finished run has nothing left to be played."""
    with small.begin(Path("run")) as run:
        assert play(small, run) == len(small.matches) == 6
        assert [r.spec for r in run.results()] == list(small.matches)
        assert play(small, run) == 0
        assert tournament.verify(run) == tournament.Verified(6, 6, 6)
        assert tournament.verify(run, sample=2) == tournament.Verified(6, 6, 2)
        assert tournament.verify(run, sample=9) == tournament.Verified(6, 6, 6)


def test_a_run_is_verified_wherever_its_folder_lies(small: Tournament, tmp_path: Path) -> None:
    """Bots given by path are not looked for, so they may be gone."""
    Path("mine.py").write_text("class A:\n  def __init__(self, game, seat, seed): pass\n"
                               "  def act(self, turn): return turn.legal[0]\n")  # fmt: skip
    Path("book.txt").write_text("3\n1\n4\n")
    Path("own.yaml").write_text(
        "game: kuhn\nbots: [random, mine.py]\nschedule: {deals: 3, deal_book: book.txt}\n"
    )
    own = Tournament.load(Path("own.yaml"))
    with own.begin(None) as run:
        play(own, run)
    Path("mine.py").unlink()
    with Run.open(run.folder) as found:
        assert tournament.verify(found).replayed == 6
        assert {result.spec.seed for result in found.results()} == {3, 1, 4}


def test_resume_finds_the_latest_run_that_is_unfinished(small: Tournament) -> None:
    """Whatever else lies there."""
    with pytest.raises(UnknownNameError, match="no run to resume"):
        small.latest()
    folders = []
    for number in range(3):
        with small.begin(None) as run:
            folders.append(run.folder)
            if number != 1:
                play(small, run)
    junk = Path("results/small-20990101-000000")
    junk.mkdir()
    (junk / "run.json").write_text("junk")
    Path("small-4p.yaml").write_text(CONFIG)
    with Tournament.load(Path("small-4p.yaml")).begin(None):
        pass
    assert small.latest() == folders[1]
    with small.resume(None) as run:
        assert run.folder == folders[1]
        assert play(small, run) == 6


def test_resume_by_name_finds_the_bots_again(small: Tournament) -> None:
    """A name under results/ is as good as the path."""
    with small.begin(None) as run:
        pass
    with small.resume(Path(run.folder.name)) as again:
        assert again.folder == run.folder


def test_another_tournament_does_not_go_on_with_a_run(small: Tournament) -> None:
    """The difference is told."""
    with small.begin(None) as run:
        pass
    other = Tournament.load(Path("small.yaml"), ["seed=2"])
    with pytest.raises(ResumeError, match=r"- config.seed: 1\n\+ config.seed: 2"):
        other.resume(run.folder)


# --- damage -------------------------------------------------------------------------------------


def sql(*statements: str) -> Callable[[Path], None]:
    """Something that changes a run's database."""

    def change(folder: Path) -> None:
        with contextlib.closing(sqlite3.connect(folder / "matches.sqlite")) as db, db:
            for statement in statements:
                db.execute(statement)

    return change


def manifest(**changes: Any) -> Callable[[Path], None]:
    """Something that changes a run's run.json."""

    def change(folder: Path) -> None:
        path = folder / "run.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return change


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (sql("UPDATE matches SET seed = 5 WHERE number = 2"), r"number 2\): seed is 5"),
        (sql("UPDATE matches SET rotation = 1 WHERE number = 2"), r"number 2\): rotation is 1"),
        (sql("UPDATE matches SET id = x'00c0ffee00c0ffee' WHERE number = 2"), "00c0ffee00c0ffee"),
        (sql("UPDATE matches SET actions = x'00' WHERE number = 2"), "played again unfinished"),
        (sql("UPDATE matches SET actions = x'02' WHERE number = 2"), r"move 1 is 2"),
        (sql("UPDATE matches SET scores = '[7,7]' WHERE number = 2"), r"number 2\)"),
        (sql("UPDATE matches SET ranks = '1|1' WHERE number = 2"), r"number 2\)"),
        (sql("UPDATE matches SET ending = 'turn_cap' WHERE number = 2"), r"number 2\)"),
        (sql("DELETE FROM matches WHERE number = 2"), "outcomes"),
        (sql("DELETE FROM outcomes", "DELETE FROM matches"), "6 of its 6 matches are missing"),
        (manifest(matches=7), "makes 6 matches, run.json says 7"),
        (manifest(rules="0"), "played by rules 0"),
    ],
)
def test_damage_is_found(small: Tournament, change: Callable[[Path], None], complaint: str) -> None:
    """Whatever was changed in a finished run, `verify` names it."""
    with small.begin(Path("run")) as run:
        play(small, run)
    change(Path("run"))
    with Run.open("run") as damaged, pytest.raises(DamagedRunError, match=complaint):
        tournament.verify(damaged)


def test_another_schedule_of_another_version_is_told_from_damage(small: Tournament) -> None:
    """What agrees is right, whoever began it; for what does not agree there is a reason."""
    with small.begin(Path("run")) as run:
        play(small, run)
    versions = {**json.loads(Path("run/run.json").read_text())["versions"], "arena": "0.0.9"}
    manifest(versions=versions)(Path("run"))
    with Run.open("run") as old:
        assert tournament.verify(old).replayed == 6
    sql("UPDATE matches SET rotation = 1 WHERE number = 2")(Path("run"))
    complaint = r"number 2\): rotation is .*; arena 0\.0\.9 has begun the run, this is .*: verify"
    with Run.open("run") as old, pytest.raises(DamagedRunError, match=complaint):
        tournament.verify(old)


def test_a_match_beyond_the_schedule_is_found(small: Tournament) -> None:
    """Even if all tables agree about it."""
    longer = Tournament.load(Path("small.yaml"), ["schedule.deals=4"])
    with longer.begin(Path("run")) as run:
        play(longer, run)
    config = small.plan(Path("run")).shown()["config"]
    manifest(config=config, matches=6)(Path("run"))
    complaint = "matches after number 5, where the schedule ends"
    with Run.open("run") as damaged, pytest.raises(DamagedRunError, match=complaint):
        tournament.verify(damaged)
