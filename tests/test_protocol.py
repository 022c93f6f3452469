"""The protocol of programs is what docs/protocol.md and its schema say; the examples speak it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from arena import bot_process, config, match, registry, sandbox
from arena.core import Ending, Isolation, Limits, MatchResult
from arena.errors import OptionError
from arena.isolation import Hosts
from arena.player import Entry
from arena.store import Run
from tests.test_cli import arena
from tests.test_match import spec_for

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLES = DOCS / "examples"
SCHEMA = json.loads((DOCS / "protocol.schema.json").read_text())
Message = dict[str, Any]
UNLIMITED = Limits()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs have the time to write what they still have to when a match is over."""
    monkeypatch.setattr(bot_process, "PARTING_SECONDS", 10.0)


def validate(kind: str, message: Message) -> None:
    """Raise unless it is a message of that kind, and of no other."""
    jsonschema.validate(message, {**SCHEMA["definitions"][kind], **_definitions})
    jsonschema.validate(message, SCHEMA)


_definitions = {"definitions": SCHEMA["definitions"]}


def session(
    name: str, folder: Path, program: str, *, limits: Limits = UNLIMITED, seat: int = 0
) -> tuple[list[str], list[str], MatchResult]:
    """A match of a program against `random`: lines to it, lines from it, and the result."""
    sent, answered = folder / "sent", folder / "answered"
    recorded = f"tee {sent} | {program} | tee {answered}"
    source = registry.find_bot(f"command:sh -c {shlex.quote(recorded)}")
    game = registry.game(name)
    other = Entry("random", registry.load_bot(registry.find_bot("random")), {})
    with Hosts(game, Isolation.ISOLATED) as hosts:
        contestants = [other] * game.players[0]
        contestants[seat] = hosts.guest(source, {"depth": 3, "name": "x"})
        result = match.play(game, spec_for(game, len(contestants)), contestants, limits)
    return sent.read_text().splitlines(), answered.read_text().splitlines(), result


PYTHON = f"{shlex.quote(sys.executable)} {EXAMPLES / 'python' / 'bot.py'}"


def test_the_schema_is_one() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", sorted(registry.GAMES))
def test_a_session_is_as_the_schema_says(name: str, tmp_path: Path) -> None:
    """Each message is of the kind that is expected where it comes."""
    sent, answered, result = session(name, tmp_path, PYTHON, limits=Limits(move=30.0))
    assert result.ending is Ending.FINISHED, result.detail
    kinds = ["start", *["turn"] * (len(sent) - 2), "end"]
    for kind, line in zip(kinds, sent, strict=True):
        message = json.loads(line)
        assert message["type"] == kind
        validate(kind, message)
        assert line == json.dumps(message, separators=(",", ":"))  # C programs rely on it
    validate("ready", json.loads(answered[0]))
    assert len(answered) == len(sent) - 1
    for line, turn in zip(answered[1:], sent[1:], strict=False):
        validate("answer", json.loads(line))
        assert json.loads(line)["id"] in [move["id"] for move in json.loads(turn)["legal"]]


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("start", {"seat": -1}),
        ("start", {"seed": 0.5}),
        ("start", {"extra": 1}),
        ("turn", {"legal": [{"id": 0, "move": "pass"}]}),
        ("turn", {"clock": "1s"}),
        ("answer", {"id": True}),
        ("answer", {"id": "0"}),
        ("answer", {"id": 1.5}),
        ("ready", {"type": "steady"}),
        ("end", {"ending": "lost"}),
        ("end", {"ranks": [0]}),
    ],
)
def test_the_schema_refuses(kind: str, change: Message) -> None:
    message = dict(told()[kind])
    validate(kind, message)
    message.update(change)
    with pytest.raises(jsonschema.ValidationError):
        validate(kind, message)


# --- the document -------------------------------------------------------------------------------


def shown() -> list[tuple[str, str]]:
    """The session in the document: `>` to the program, `<` from it."""
    text = (DOCS / "protocol.md").read_text()
    block = re.search(r"```\n(> .*?)```", text, re.DOTALL)
    assert block
    return [(line[0], line[2:]) for line in block[1].splitlines()]


def told() -> Mapping[str, Message]:
    """A message of each kind, from the document."""
    messages = [json.loads(line) for _, line in shown()]
    return {message.get("type", "answer"): message for message in messages}


def test_the_session_in_the_document_is_a_real_one(tmp_path: Path) -> None:
    """Played by a program that always bets."""
    bets = tmp_path / "bets.py"
    bets.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    turn = json.loads(line)['type'] == 'turn'\n"
        '    print(\'{"id": 1}\' if turn else \'{"type": "ready"}\', flush=True)\n'
    )
    limits = Limits(move=5.0)
    program = f"{shlex.quote(sys.executable)} {bets}"
    sent, answered, _ = session("kuhn", tmp_path, program, limits=limits, seat=1)
    assert [line for sign, line in shown() if sign == ">"] == sent
    assert [line for sign, line in shown() if sign == "<"] == answered[: len(sent) - 1]


# --- the examples -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the examples, with the one in C compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler (cc)")
    folder = tmp_path_factory.mktemp("docs") / "examples"
    shutil.copytree(EXAMPLES, folder)
    source = [*("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"), "bot.c", "-o", "bot"]
    subprocess.run([compiler, *source], cwd=folder / "c", check=True)
    return folder


@pytest.mark.parametrize("mode", [Isolation.ISOLATED, Isolation.STRICT])
def test_the_examples_play_a_tournament(mode: Isolation, examples: Path, tmp_path: Path) -> None:
    """All matches to their end, and twice the same."""
    if mode is Isolation.STRICT:
        try:
            sandbox.bubblewrap()
        except OptionError as error:
            pytest.skip(str(error))
    boards = []
    for folder in (tmp_path / "first", tmp_path / "second"):
        settings = ["--set", f"isolation={mode.value}", "-o", str(folder), "--local"]
        done = arena("run", str(examples / "tournament.yaml"), *settings)
        assert done.code == 0, done.err
        boards.append(done.out)
        with Run.open(folder) as run:
            results = list(run.results())
            assert len(results) == 12
            assert {r.ending for r in results} == {Ending.FINISHED}, [r.detail for r in results]
            printed = [text for _, _, text in run.printed("python")]
            assert len(printed) == 8
            assert all(text.startswith("places by seat: [") for text in printed)
    assert boards[0] == boards[1]


@pytest.mark.parametrize("program", ["c/bot", "python/bot.py"])
def test_the_examples_pass_the_check(program: str, examples: Path) -> None:
    words = program if program == "c/bot" else f"python3 {program}"
    path = shlex.join([str(examples / w) if "/" in w else w for w in words.split()])
    done = arena("check", f"command:{path}", "--game", "kuhn")
    assert done.code == 0, done.out


def test_the_tournament_of_the_examples_is_a_configuration(examples: Path) -> None:
    assert config.load(examples / "tournament.yaml").names == ("random", "python", "c")
