"""What is written for people, held against the code: fields, options, links, commands, YAML."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer.main
import yaml

from arena import cli, config, registry
from arena.core import VIEW_HEADER
from arena.game import Game, Option
from arena.seeding import derive, read_deal_book

ROOT = Path(__file__).parents[1]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in (
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "seeds").glob("*.md")),
    )
}
GAMES = sorted(registry.GAMES)
ARENA: Any = typer.main.get_command(cli.app)
CARD_GAMES = [name for name in GAMES if name != "kuhn"]
HEADINGS = [
    "Rules",
    "Options",
    "Where the printed rules are silent",
    "Notation",
    "Action ids",
    "What a bot sees",
    "Playing well",
    "Measured",
]


# --- the pages of the games ---------------------------------------------------------------------


def sections(game: str) -> dict[str, str]:
    """The text under each heading of a game's page, in their order."""
    parts = re.split(r"^## (.+)\n", PAGES[f"docs/rules/{game}.md"], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def first_table(text: str) -> dict[str, str]:
    """The second cell of each row by the first, without the head."""
    found = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    rows = found[0].splitlines()[2:] if found else []
    cells = [row.strip("|").split("|") for row in rows]
    return {first.strip(): second.strip() for first, second, *_ in cells}


def shapes(game: Game) -> dict[str, str]:
    """The shape of each view field, with the options in one row.

    A game that does not use `phase` need not explain it.
    """
    options = [option.name for option in game.options]
    told = {**VIEW_HEADER, **game.view_fields}
    names = game.view_dtype.names or ()
    shown = {
        f"`{name}`": str(game.view_dtype[name].shape or "")
        for name in names
        if name not in options and (name in told or name != "phase")
    }
    return {**shown, f"`{options[0]}` … `{options[-1]}`": ""} if options else shown


def values(option: Option) -> str:
    """How the cell with the values of an option ends."""
    if isinstance(option.values, range):
        return f" ({option.values[0]}–{option.values[-1]:,})"
    return ", ".join(f"`{v}`" if isinstance(v, str) else json.dumps(v) for v in option.values)


@pytest.mark.parametrize("game", GAMES)
def test_pages_of_games_are_built_alike(game: str) -> None:
    """Kuhn poker has no options, and its rules leave nothing open."""
    missing = {"Options", "Where the printed rules are silent"} if game == "kuhn" else set()
    assert list(sections(game)) == [heading for heading in HEADINGS if heading not in missing]


@pytest.mark.parametrize("game", GAMES)
def test_view_fields_are_explained(game: str) -> None:
    """All of them, with their shapes, and no others."""
    assert first_table(sections(game)["What a bot sees"]) == shapes(registry.game(game))


@pytest.mark.parametrize("game", CARD_GAMES)
def test_options_are_explained(game: str) -> None:
    """All of them, with their values, in their order, and no others."""
    options = registry.game(game).options
    table = first_table(sections(game)["Options"])
    assert list(table) == [f"`{option.name}`" for option in options]
    for option in options:
        assert table[f"`{option.name}`"].endswith(values(option))


def test_the_overview_leads_to_every_game() -> None:
    assert {f"({game}.md)" for game in GAMES} <= set(
        re.findall(r"\(\S+?\.md\)", PAGES["docs/rules/README.md"])
    )


# --- deal books ---------------------------------------------------------------------------------


@pytest.mark.parametrize("game", CARD_GAMES)
def test_nobody_chose_the_seeds_of_a_book(game: str) -> None:
    """They are the ones that seeds/README.md says, and it names the book."""
    book = read_deal_book(ROOT / "seeds" / f"{game}.txt")
    assert book == tuple(derive("deal book", game, n) for n in range(1000))
    assert f"`{game}.txt`" in PAGES["seeds/README.md"]


# --- links, commands, configurations ------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    """Those to files of ours."""
    for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", PAGES[page]):
        if "://" not in target:
            assert (ROOT / page).parent.joinpath(target).exists(), target


def blocks(page: str, *languages: str) -> list[str]:
    """The fenced blocks of a page that are marked with one of `languages`."""
    found = re.findall(r"^```(\w*)\n(.*?)^```", PAGES[page], re.MULTILINE | re.DOTALL)
    return [block for language, block in found if language in languages]


def commands(page: str) -> Iterator[str]:
    """What is written in backticks, or on a line of a shell's block, and begins with `arena`."""
    yield from re.findall(r"`(arena [^`\n]+)`", PAGES[page])
    for block in blocks(page, "", "sh"):
        yield from re.findall(r"^(?:\$ )?(arena .+)$", block, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_commands_can_be_given(page: str) -> None:
    """They exist, and so do their options and the configurations that they name."""
    for text in commands(page):
        command = ARENA
        words = ["1" if word == "N" else word for word in shlex.split(text, comments=True)[1:]]
        while words and hasattr(command, "commands") and words != ["--help"]:
            command = command.commands[words.pop(0)]
        if words not in ([], ["--help"]):
            command.make_context("arena", words).close()
        for word in words:
            assert not word.startswith("configs/") or (ROOT / word).exists(), text


@pytest.mark.parametrize("page", PAGES)
def test_json_is_json(page: str) -> None:
    for block in blocks(page, "json"):
        json.loads(block)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "yaml")])
def test_configurations_are_right(page: str, tmp_path: Path) -> None:
    """Whole ones load, beside the bots that the page writes down; of parts every key is known."""
    for block in blocks(page, "python"):
        if name := re.match(r"# (\w+\.py)\n", block):
            (tmp_path / name[1]).write_text(block, "utf-8")
    schema = config.schema()
    del schema["required"], schema["allOf"]  # which look at the game, named or not
    for block in blocks(page, "yaml"):
        written = yaml.safe_load(block)
        jsonschema.validate(written, schema)
        if {"game", "bots"} <= written.keys():
            (tmp_path / "run.yaml").write_text(block, "utf-8")
            config.load(tmp_path / "run.yaml", ["isolation=trusted"])
