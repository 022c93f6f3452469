"""A new bot plays as it is, in every game, and its README leaves no view field out."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from arena import authoring, check_bot, config, match, registry
from arena.core import Ending, Limits
from arena.errors import OptionError, RunExistsError
from arena.player import Entry
from tests.test_match import spec_for

GAMES = sorted(registry.GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_a_new_bot_plays_with_all_numbers_of_players(name: str, tmp_path: Path) -> None:
    """And by the same seed the same moves."""
    game = registry.game(name)
    authoring.new_bot(tmp_path / "my_bot", game)
    bot = Entry("my_bot", registry.load_bot(registry.find_bot("my_bot", tmp_path)), {})
    for players in game.players:
        first, second = (
            match.play(game, spec_for(game, players, seed=3), [bot] * players, Limits())
            for _ in range(2)
        )
        assert first.ending is Ending.FINISHED, first.detail + first.traceback
        assert first.actions == second.actions


@pytest.mark.parametrize("name", GAMES)
def test_its_readme_names_every_view_field(name: str, tmp_path: Path) -> None:
    """Each once, with the shape that it has."""
    game = registry.game(name)
    authoring.new_bot(tmp_path / "bot", game)
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (tmp_path / "bot" / "README.md").read_text().splitlines()
        if line.startswith("| `")
    ]
    shapes = {field.strip("`"): shape for field, shape, *_ in rows}
    assert len(rows) == len(shapes)
    assert shapes == {
        field: str(game.view_dtype[field].shape or "number") for field in game.view_dtype.names
    }


@pytest.mark.parametrize("name", GAMES)
def test_its_tournament_is_a_configuration(name: str, tmp_path: Path) -> None:
    authoring.new_bot(tmp_path / "my_bot", registry.game(name))
    loaded = config.load(tmp_path / "my_bot" / "tournament.yaml", ["isolation=trusted"])
    assert (loaded.game, loaded.names) == (name, ("my_bot", "random", "greedy"))


def test_its_own_test_passes(tmp_path: Path) -> None:
    authoring.new_bot(tmp_path / "my_bot", registry.game("kuhn"))
    names: dict[str, object] = {"__file__": str(tmp_path / "my_bot" / "test_bot.py")}
    exec((tmp_path / "my_bot" / "test_bot.py").read_text(), names)
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        test()  # type: ignore[operator]


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(RunExistsError, match="exists already"):
        authoring.new_bot(tmp_path / "there", registry.game("kuhn"))
    assert not list((tmp_path / "there").iterdir())


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("my_bot", "MyBot"), ("s12-x", "S12XBot"), ("none", "NoneBot"), ("turn", "TurnBot")],
)
def test_the_class_is_called_like_the_folder(folder: str, expected: str) -> None:
    assert authoring.class_name(folder) == expected


@pytest.mark.parametrize("folder", ["1st", "a b", "x'y", "", "_"])
def test_other_names_are_refused(folder: str) -> None:
    with pytest.raises(OptionError, match="expected a letter"):
        authoring.class_name(folder)


# --- the guide ----------------------------------------------------------------------------------

GUIDE = (Path(__file__).parents[1] / "docs" / "writing-a-bot.md").read_text()


def test_the_bot_of_the_guide_plays(tmp_path: Path) -> None:
    """And what it says that the rules can tell, they tell."""
    code, questions = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    (tmp_path / "my_bot.py").write_text(code)
    factory = registry.load_bot(registry.find_bot("my_bot.py", tmp_path))
    game = registry.game("cubirds")
    spec = spec_for(game, 3)
    bots = [Entry("my_bot", factory, {"patience": 3})] * 3
    result = match.play(game, spec, bots, Limits())
    assert result.ending is Ending.FINISHED, result.detail
    for _, _, turn in list(match.decisions(game, spec, result.actions))[:10]:
        exec(questions, {"game": game, "turn": turn, "seed": 1})


def test_the_guide_has_the_limits_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "plain.yaml").write_text("game: kuhn\nbots: [random, greedy]\n")
    table = dict(re.findall(r"^\| `(\w+)` \| .* \| (\w+) \|$", GUIDE, re.MULTILINE))
    settings = [
        f"limits.{name}={'null' if value == 'none' else value}" for name, value in table.items()
    ]
    assert table.keys() == {field.name for field in dataclasses.fields(Limits)}
    assert config.load(tmp_path / "plain.yaml", settings) == config.load(tmp_path / "plain.yaml")


def test_the_guide_names_every_check() -> None:
    source = (Path(check_bot.__file__)).read_text()
    told = re.findall(r"^\| ([a-z ,]+) \| ", GUIDE, re.MULTILINE)
    rows = [name for line in told for name in line.split(", ") if name != "check"]
    assert len(rows) == 11
    assert all(f'"{name}"' in source for name in rows)
