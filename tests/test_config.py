"""Configurations: every mistake is told with its place, and what is right means what it says."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from arena import config, registry
from arena.config import RunConfig, load
from arena.core import Limits
from arena.errors import ConfigError

SHIPPED = sorted((Path(__file__).parent.parent / "configs").rglob("*.yaml"))

BOT = """
class MyBot:
    def __init__(self, game, seat, seed, **params): ...
    def act(self, turn): return turn.legal[0]
"""

FILES = {
    "mine.py": BOT,
    "deep/bot.py": BOT,
    "two.py": BOT + BOT.replace("MyBot", "Other"),
    "none.py": "def helper(): ...\n",
    "broken.py": "import nothing_of_that_name\n",
    "strict.py": BOT.replace("**params", "*, depth, width=1"),
    "three.txt": "1\n2\n3\n",
    "bad.txt": "1\none\n1\n",
}

GAMES = f"(known: {', '.join(sorted(registry.GAMES))})"
TOP = "(known: game, players, options, bots, schedule, seed, limits, isolation, "
TOP += "allow_oracle, max_faults)"
SCHEDULE = "(known: kind, deals, self_play, max_lineups, deal_book)"
BOTS = f"(known: {', '.join(sorted(registry.BOTS))})"
A_BOT = "a shipped bot, path/bot.py, a folder with bot.py or package.module:Name"
DURATION = "a duration above zero such as 50ms, 5s or 2m, or null for no limit"
TAB = "found a tab; expected blanks, YAML takes no tabs there"
SEED = "a whole number from 0 to 9007199254740991"


@pytest.fixture(autouse=True, scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A working directory with bots and deal books."""
    folder = tmp_path_factory.mktemp("configs")
    with pytest.MonkeyPatch.context() as patch:
        for name, content in FILES.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(content)
        patch.chdir(folder)
        yield folder


def read(text: str, *overrides: str) -> RunConfig:
    """The configuration that `text` says, from a file x.yaml in the working directory."""
    Path("x.yaml").write_text(textwrap.dedent(text), encoding="utf-8")
    return load("x.yaml", overrides)


def problems(text: str, *overrides: str) -> list[str]:
    """What is wrong with it."""
    with pytest.raises(ConfigError) as caught:
        read(text, *overrides)
    return list(caught.value.problems)


# --- mistakes -----------------------------------------------------------------------------------
# What is expected follows `x.yaml:`; a line that ends in … is only begun.

IN_A_FILE = {
    "unknown game": (
        "game: cubird\nbots: [random, greedy]",
        [
            f"1: found game: cubird; expected the name of a game; did you mean 'cubirds'? {GAMES}",
        ],
    ),
    "no game, no bots": (
        "seed: 1\nplayers: 2",
        [
            "1: found no game; expected game: cubirds",
            "1: found no bots; expected bots: [random, greedy]",
        ],
    ),
    "empty game": (
        "game:\nbots: [random, greedy]",
        ["1: found game: nothing; expected a text"],
    ),
    "one wrong number of players": (
        "game: cubirds\nbots: [random, greedy]\nplayers:\n- 2\n- 6",
        ["5: found players: 6; expected a whole number from 2 to 5, as cubirds allows"],
    ),
    "unknown option": (
        "game: cubirds\nbots: [random, greedy]\noptions:\n  rowlength: 3",
        [
            "4: found the unknown key 'rowlength'; expected a key of options; did you mean "
            "'row_length'? (known: row_length, fly_requires_take, short_draw, refill_fail, "
            "setup_duplicates, reshuffle, round_end_discards, turn_cap, no_flight_cap)"
        ],
    ),
    "wrong values of options": (
        "game: cubirds\nbots: [random, greedy]\noptions:\n  row_length: 5\n"
        "  fly_requires_take: no\n"
        "  short_draw: partal\n  turn_cap: -1\n  no_flight_cap: '9'",
        [
            "4: found row_length: 5; expected a whole number from 3 to 4",
            "5: found fly_requires_take: no; expected true or false; did you mean false?",
            "6: found short_draw: partal; expected 'partial' or 'forbid' or 'end_game'; "
            "did you mean 'partial'?",
            "7: found turn_cap: -1; expected a whole number from 1 to 10000",
            "8: found no_flight_cap: '9'; expected a whole number from 1 to 10000",
        ],
    ),
    "unknown bot": (
        "game: kuhn\nbots:\n- random\n- gredy",
        [f"4: found bot: gredy; expected {A_BOT}; did you mean 'greedy'? {BOTS}"],
    ),
    "unknown bot with params": (
        "game: kuhn\nbots: [random, 'imcts:iterations=5']",
        [f"2: found bot: 'imcts:iterations=5'; expected {A_BOT}; did you mean 'ismcts'? {BOTS}"],
    ),
    "commas in a list in brackets": (
        "game: kuhn\nbots: [random, ismcts:iterations=5,depth=2]",
        [
            "2: found bot: depth=2; expected a bot; in a list in [ ] a reference with commas "
            f"needs quotes {BOTS}"
        ],
    ),
    "bot with a blank after the colon": (
        "game: kuhn\nbots:\n- random\n- ismcts: iterations=500",
        [
            "4: found {ismcts: …}, which names no bot; expected {bot: ismcts, params: {…}} or "
            "ismcts:key=value"
        ],
    ),
    "entry without bot": (
        "game: kuhn\nbots:\n- random\n- name: me\n  params: {}",
        ["4: found {name: …, params: …}, which names no bot; expected {bot: …}"],
    ),
    "unknown key in an entry": (
        "game: kuhn\nbots:\n- random\n- bot: greedy\n  nam: me",
        [
            "5: found the unknown key 'nam'; expected a key of an entry of bots; did you mean "
            "'name'? (known: name, bot, params)"
        ],
    ),
    "bots that are no list": (
        "game: kuhn\nbots: random",
        ["2: found bots: random; expected a list such as [random, greedy]"],
    ),
    "no bots in the list": (
        "game: kuhn\nbots: []",
        ["2: found bots: an empty list; expected a list such as [random, greedy]"],
    ),
    "list for a bot": (
        "game: kuhn\nbots: [random, [greedy]]",
        ["2: found bots: a list; expected lines of key: value"],
    ),
    "two bots with one name": (
        "game: kuhn\nbots:\n- random\n- {name: Random, bot: greedy}",
        [
            "4: found the bot name 'Random' a second time (first on line 3); expected different "
            "names, whatever the case; {name: …, bot: …} gives one"
        ],
    ),
    "one bot twice": (
        "game: kuhn\nbots:\n- random\n- random",
        [
            "4: found the bot name 'random' a second time (first on line 3); expected different "
            "names, whatever the case; {name: …, bot: …} gives one"
        ],
    ),
    "names that look alike": (
        "game: kuhn\nbots:\n- {name: Zo\u00eb, bot: random}\n- {name: Zoe\u0308, bot: greedy}",
        [
            "4: found the bot name 'Zoe\u0308' a second time (first on line 3); expected different "
            "names, whatever the case; {name: …, bot: …} gives one"
        ],
    ),
    "names that break tables": (
        "game: kuhn\nbots:\n- {name: a|b, bot: random}\n"
        '- {name: "a\\nb", bot: random}\n- {name: "a\\u200bb", bot: random}',
        [
            f"{line}: found name: {shown}; expected a name of printable characters in one line, "
            "without |"
            for line, shown in ((3, "a|b"), (4, r"'a\nb'"), (5, r"'a\u200bb'"))
        ],
    ),
    "names with blanks around": (
        "game: kuhn\nbots:\n- {name: 'bot ', bot: random}\n- {name: ' bot', bot: random}",
        [
            "3: found name: 'bot '; expected a name without blanks around it",
            "4: found name: ' bot'; expected a name without blanks around it",
        ],
    ),
    "names too long and too short": (
        f"game: kuhn\nbots:\n- {{name: {'x' * 61}, bot: random}}\n- {{name: '', bot: random}}",
        [
            f"3: found name: {'x' * 59}…; expected a name of 1 to 60 characters, this has 61",
            "4: found name: ''; expected a name of 1 to 60 characters, this has 0",
        ],
    ),
    "made name too long": (
        f"game: kuhn\nbots:\n- random\n- {{bot: mine.py, params: {{a: {'x' * 60}}}}}",
        [
            f"4: found bot: 'mine:a={'x' * 52}…'; expected a name of 1 to 60 characters, this has "
            "67; {name: …, bot: …} gives one"
        ],
    ),
    "missing bot file": (
        "game: kuhn\nbots:\n- random\n- ./mien.py",
        [
            "4: found bot: ./mien.py; expected a bot that loads, but there is no file "
            "{here}/mien.py; did you mean 'mine.py'? …"
        ],
    ),
    "bot files that cannot be used": (
        "game: kuhn\nbots:\n- none.py\n- two.py\n- mine.py:YourBot\n"
        "- nothing.here:Bot\n- {bot: {command: [no-such-program, -x]}}\n- {bot: {command: []}}",
        [
            "3: found bot: none.py; expected a bot that loads, but none.py holds …",
            "4: found bot: two.py; expected a bot that loads, but two.py holds …",
            "5: found bot: mine.py:YourBot; expected a bot that loads, but mine.py has no "
            "'YourBot'; did you mean 'MyBot'? …",
            "6: found bot: nothing.here:Bot; expected a bot that loads, but Python finds no module "
            "'nothing.here' …",
            "7: found bot: {command: …}; expected a bot that loads, but there is no program "
            "'no-such-program' in …",
            "8: found bot: {command: …}; expected a bot, or {command: [program, argument, …]}",
        ],
    ),
    "params that a bot does not take": (
        "game: kuhn\nbots:\n- random\n- bot: ismcts\n  params:\n    depth: 2\n    simulatons: 100",
        [
            "7: bot 'ismcts': ISMCTS takes no param 'simulatons'; did you mean 'iterations'? "
            "(known: iterations, seconds, temperature, level, observer, exploration, prior, depth, "
            "policy, epsilon, tau, nodes)"
        ],
    ),
    "searches that take all the time there is": (
        "game: kuhn\nlimits: {move: 2s}\nbots:\n- ismcts:seconds=2\n- ismcts:seconds=1.9",
        ["4: bot 'ismcts': seconds: found 2, expected less than limits.move, 2"],
    ),
    "oracles where none are wanted, under other names": (
        "game: kuhn\nbots:\n- random\n- {name: strong, bot: oracle}",
        [
            "4: found bot: oracle, which sees what is hidden; expected allow_oracle: true at the "
            "top level",
            "4: found the name 'strong' for the bot oracle; expected a name with 'oracle' in it, "
            "so that every board tells what it is",
        ],
    ),
    "params that a bot needs": (
        "game: kuhn\nbots:\n- random\n- {bot: strict.py, params: {with: 2}}",
        [
            "4: bot 'strict.py': MyBot takes no param 'with'; did you mean 'width'? "
            "(known: depth, width); needs the param 'depth'"
        ],
    ),
    "values that a shipped bot does not take": (
        "game: kuhn\nbots:\n- ismcts:iterations=-3\n- bot: mcts\n  params:\n    iterations: lots",
        [
            "3: bot 'ismcts': iterations: found -3, expected a whole number from 1 to 1000000000",
            "6: bot 'mcts': iterations: found 'lots', expected a whole number from 1 to 1000000000",
        ],
    ),
    "param given twice": (
        "game: kuhn\nbots:\n- random\n- {bot: ismcts:depth=2, params: {depth: 3}}",
        ["4: found the param 'depth' in bot and in params; expected it once"],
    ),
    "params that YAML readers disagree about": (
        "game: kuhn\nbots:\n- random\n- bot: mine.py\n  params:\n    a: no\n"
        "    b: Yes\n    c: 017\n"
        "    d: 0x1F\n    e: .inf\n    f: 1e999\n    g: [1]",
        [
            "6: found a: no; expected false, or quotes around it if it is a text",
            "7: found b: Yes; expected true, or quotes around it if it is a text",
            *(
                f"{line}: found {shown}; expected a decimal number without leading zeros, or "
                "quotes if it is a text"
                for line, shown in (
                    (8, "c: 017"),
                    (9, "d: 0x1F"),
                    (10, "e: .inf"),
                    (11, "f: 1e999"),
                )
            ),
            "12: found g: a list; expected a single value",
        ],
    ),
    "such params in a reference": (
        "game: kuhn\nbots: [random, mine.py:a=no]",
        [
            "2: found bot: mine.py:a=no; expected for a false, or quotes around it if it is a text",
        ],
    ),
    "fewer bots than seats": (
        "game: cubirds\nbots: [random, greedy]\nplayers: [2, 4]",
        [
            "2: found 2 bots for 4 seats; expected at least 4, or self_play: true in schedule for "
            "bots against themselves"
        ],
    ),
    "one bot": (
        "game: kuhn\nbots: [random]",
        [
            "2: found 1 bot for 2 seats; expected at least 2, or self_play: true in schedule for "
            "bots against themselves"
        ],
    ),
    "empty file": ("---", [" found nothing in the file; expected at least game: and bots:"]),
    "comments only": (
        "# a\n---",
        [" found nothing in the file; expected at least game: and bots:"],
    ),
    "list at the top": (
        "- game: kuhn\n- bots: [random]",
        ["1: found a list at the top; expected lines of key: value"],
    ),
    "text at the top": ("--- game", ["1: found game at the top; expected lines of key: value"]),
    "two documents": (
        "---\ngame: kuhn\n---\ngame: kuhn",
        ["3: found a second document after ---; expected one in a file"],
    ),
    "open bracket": (
        "game: kuhn\nbots: [random, greedy\nseed: 1",
        [
            "3: found broken YAML: expected ',' or ']', but got ':' while parsing a flow sequence "
            "that begins on line 2"
        ],
    ),
    "two colons": (
        "game: kuhn: poker",
        ["1: found a second ': ' in one line; expected key: value, texts with ': ' quoted"],
    ),
}

# These stand after `game: kuhn` and `bots: [random, greedy]`, so from line 3 on.
AFTER_TWO_LINES = {
    "unknown key": (
        "optins: {}",
        [
            f"3: found the unknown key 'optins'; expected a key of the configuration; "
            f"did you mean 'options'? {TOP}"
        ],
    ),
    "unknown key in a section": (
        "schedule: {deels: 5}",
        [
            f"3: found the unknown key 'deels'; expected a key of schedule; "
            f"did you mean 'deals'? {SCHEDULE}"
        ],
    ),
    "key of a section at the top": (
        "deals: 5",
        ["3: found the unknown key 'deals'; expected it under schedule:"],
    ),
    "key that YAML takes for false": (
        "no: 1",
        [f"3: found the unknown key 'no'; expected a key of the configuration {TOP}"],
    ),
    "doubled key": (
        "seed: 1\nlimits: {}\nseed: 2",
        ["5: found the key 'seed' a second time (first on line 3); expected it once"],
    ),
    "doubled inner key": (
        "schedule:\n  deals: 1\n  deals: 1",
        ["5: found the key 'deals' a second time (first on line 4); expected it once"],
    ),
    "list as a key": (
        "? [a, b]\n: 1",
        ["3: found a list or a mapping as a key; expected a word"],
    ),
    "text for a section": (
        "schedule: daily",
        ["3: found schedule: daily; expected lines of key: value"],
    ),
    "list for a section": (
        "limits: [5s]",
        ["3: found limits: a list; expected lines of key: value"],
    ),
    "too many players": (
        "players: 3",
        ["3: found players: 3; expected a whole number from 2 to 2, as kuhn allows"],
    ),
    "same number of players twice": (
        "players: [2, 2]",
        ["3: found players: 2; expected each number of players once"],
    ),
    "players in words": (
        "players: two",
        ["3: found players: two; expected a whole number from 2 to 2, as kuhn allows"],
    ),
    "no players": (
        "players: []",
        ["3: found players: an empty list; expected a number of players or a list such as [2, 3]"],
    ),
    "option of a game without": (
        "options: {row_length: 3}",
        ["3: found the unknown key 'row_length'; expected options to be empty"],
    ),
    "negative deals": (
        "schedule: {deals: -3}",
        ["3: found deals: -3; expected a whole number, 1 or more"],
    ),
    "no deals": (
        "schedule: {deals: 0}",
        ["3: found deals: 0; expected a whole number, 1 or more"],
    ),
    "too many deals": (
        "schedule: {deals: 1e10}",
        ["3: found deals: 1e10; expected a whole number, 1 or more, at most 1,000,000,000"],
    ),
    "deals that are no whole number": (
        "schedule:\n  deals: 1.5\n  max_lineups: 12:30",
        [
            "4: found deals: 1.5; expected a whole number, 1 or more",
            "5: found max_lineups: 12:30; expected a whole number, 1 or more",
        ],
    ),
    "numbers in quotes": (
        "schedule: {deals: '10'}\nseed: \"7\"",
        [
            "3: found deals: '10'; expected a whole number, 1 or more, without quotes",
            f"4: found seed: '7'; expected {SEED}, without quotes",
        ],
    ),
    "numbers of another kind": (
        "seed: 0x10\nschedule: {deals: 010, max_lineups: yes}",
        [
            f"3: found seed: 0x10; expected {SEED}",
            "4: found deals: 010; expected a whole number, 1 or more",
            "4: found max_lineups: yes; expected a whole number, 1 or more",
        ],
    ),
    "seeds out of range": (
        "seed: 9007199254740992",
        [f"3: found seed: 9007199254740992; expected {SEED}"],
    ),
    "negative seed": ("seed: -1", [f"3: found seed: -1; expected {SEED}"]),
    "empty seed": ("seed:", [f"3: found seed: nothing; expected {SEED}"]),
    "unknown kind of schedule": (
        "schedule: {kind: roundrobin}",
        ["3: found kind: roundrobin; expected round-robin"],
    ),
    "no for false": (
        "schedule: {self_play: no}",
        ["3: found self_play: no; expected true or false; did you mean false?"],
    ),
    "on for true": (
        "schedule: {self_play: On}",
        ["3: found self_play: On; expected true or false; did you mean true?"],
    ),
    "text for true": (
        "schedule: {self_play: 'true'}",
        ["3: found self_play: 'true'; expected true or false"],
    ),
    "missing deal book": (
        "schedule: {deal_book: four.txt}",
        ["3: deal_book: {here}/four.txt: found no deal book (no such file)"],
    ),
    "short deal book": (
        "schedule: {deal_book: three.txt, deals: 4}",
        ["3: found 3 seeds in deal_book: three.txt; expected at least 4, one for each deal"],
    ),
    "bad deal book": (
        "schedule: {deal_book: bad.txt, deals: 1}",
        [
            "3: deal_book: {here}/bad.txt:2: found 'one'; expected one seed, a whole number from "
            "0 to 9007199254740991",
            "3: deal_book: {here}/bad.txt:3: found the seed 1 a second time (first on line 1); "
            "expected each seed once",
        ],
    ),
    "limits": (
        "limits:\n  move: 5 seconds\n  startup: 0",
        [
            f"4: found move: 5 seconds; expected {DURATION}",
            f"5: found startup: 0; expected {DURATION}",
        ],
    ),
    "more limits": (
        "limits:\n  move: -1s\n  startup: 1:30\n  memory: lots\n  ram: 1",
        [
            f"4: found move: -1s; expected {DURATION}",
            f"5: found startup: 1:30; expected {DURATION}",
            "6: found memory: lots; expected a size such as 512MiB, 2GB or a number of bytes, or "
            "null for no limit",
            "7: found the unknown key 'ram'; expected a key of limits (known: move, startup, bank, "
            "memory, processes, output)",
        ],
    ),
    "tab": ("schedule:\n\tdeals: 5", [f"4: {TAB}"]),
    "tab after a value": ("schedule:\n  kind: round-robin\n\tdeals: 5", [f"5: {TAB}"]),
    "tab after a colon": ("seed:\t- 5", [f"3: {TAB}"]),
    "unknown tags": (
        "seed: !mine 5\nschedule: !!python/object:os.system {}",
        [
            "3: found the tag !mine; expected a value without a tag",
            "4: found the tag !!python/object:os.system; expected a value without a tag",
        ],
    ),
    "unknown anchor": ("seed: *one", ["3: found broken YAML: found undefined alias 'one'"]),
    "endless anchor": (
        "options: &all {all: *all}",
        [
            "3: found an alias inside its own anchor; expected no circle",
            "3: found the unknown key 'all'; expected options to be empty",
        ],
    ),
    "merging a text": ("schedule:\n  <<: 5", ["4: found <<: 5; expected a mapping to merge"]),
    "control character": (
        "seed: 1\n# \a",
        ["4: found the character U+0007; expected plain text"],
    ),
}


def compare(found: list[str], expected: list[str], here: Path) -> None:
    for line, wanted in itertools.zip_longest(found, expected, fillvalue="nothing"):
        wanted = f"x.yaml:{wanted.replace('{here}', str(here))}"
        if wanted.endswith(" …"):
            assert line.startswith(wanted.removesuffix(" …"))
        else:
            assert line == wanted


@pytest.mark.parametrize(("text", "expected"), IN_A_FILE.values(), ids=IN_A_FILE)
def test_mistakes(here: Path, text: str, expected: list[str]) -> None:
    """Each mistake has exactly its lines."""
    compare(problems(text), expected, here)


@pytest.mark.parametrize(("text", "expected"), AFTER_TWO_LINES.values(), ids=AFTER_TWO_LINES)
def test_more_mistakes(here: Path, text: str, expected: list[str]) -> None:
    """Each mistake has exactly its lines."""
    compare(problems(f"game: kuhn\nbots: [random, greedy]\n{text}"), expected, here)


def test_all_mistakes_are_told_at_once_by_line() -> None:
    """One of each kind, and none hides another."""
    text = """\
        game: kuhn
        players: [2, 2]
        optins: {}
        bots:
          - rndom
          - random
          - {name: Random, bot: nowhere.py}
          - {name: "x|y", bot: ismcts, params: {simulatons: 100, flag: no}}
        schedule:
          deals: -3
          deals: 10
          deal_book: four.txt
        seed: one
        limits: {move: 5 seconds}
        """
    lines = [int(line.split(":")[1]) for line in problems(text)]
    assert lines == [2, 3, 5, 7, 7, 8, 8, 8, 10, 11, 12, 13, 14]


def test_files_that_cannot_be_read(here: Path) -> None:
    """Missing, a folder, not text; with the nearest file there is."""
    Path("kuhn.yaml").write_text("")
    Path("latin.yaml").write_bytes(b"game: kuhn\nbots: [\xe4]\n")
    for path, expected in (
        ("kunh.yaml", "kunh.yaml: found no such file; did you mean 'kuhn.yaml'?"),
        ("no/where.yaml", "no/where.yaml: found no such file"),
        ("deep", "deep: cannot be read: Is a directory"),
        ("latin.yaml", "latin.yaml:2: found a byte that is not UTF-8; expected text"),
        ("kuhn.yaml", "kuhn.yaml: found nothing in the file; expected at least game: and bots:"),
    ):
        with pytest.raises(ConfigError) as caught:
            load(path)
        assert str(caught.value).partition(" (known")[0] == expected


# --- what is right ------------------------------------------------------------------------------


def test_everything_but_game_and_bots_has_a_default() -> None:
    """And the description of the module tells which."""
    documented = re.search(r"\n\n((    .*\n)+)", config.__doc__ or "")
    assert documented
    text = documented[1].replace("path/to/bot.py", "deep/bot.py")
    described = read(text)
    assert [entry.name for entry in described.bots] == ["random", "ismcts:iterations=500", "mine"]
    assert described.bots[2].params == {"depth": 3}
    short = read("game: cubirds\nbots: [random, greedy]")
    assert described.model_copy(update={"bots": ()}) == short.model_copy(update={"bots": ()})
    assert short.players == (2,)
    usual = Limits(move=5.0, startup=30.0, memory=1 << 30, processes=32, output=10_000)
    assert short.limits == usual
    assert (short.schedule.deals, short.seed) == (50, 1)


def test_sections_may_be_left_empty() -> None:
    """As they are when all their lines are comments."""
    empty = "game: kuhn\nbots: [random, greedy]\noptions:\nschedule:\nlimits:\n"
    assert read(empty) == read("game: kuhn\nbots: [random, greedy]")


NAMES = ["no", "on", "off", "yes", "null", "~", "true", "1e3", "12:30:45", "3.10", "2024-01-01"]
NAMES += ["017", "0x1F", "1_000", ".inf", "=", "<<", "CON", "a/../../x", "ä, 'b' \"c\"", "名前"]


@pytest.mark.parametrize("name", NAMES)
def test_names_stay_as_they_are_written(name: str) -> None:
    """Whatever YAML 1.1 would make of them, with and without quotes."""
    text = f"game: kuhn\nbots: [greedy, {{bot: random, name: {json.dumps(name)}}}]"
    assert read(text).names == ("greedy", name)
    if not set(name) & set(",'\""):
        assert read(f"game: kuhn\nbots:\n- greedy\n- name: {name}\n  bot: random").names[1] == name


@pytest.mark.parametrize(
    ("written", "number"),
    [("1e3", 1000), ("1_000", 1000), ("1.5e3", 1500), ("+7", 7), ("10.0", 10), ("1E2", 100)],
)
def test_whole_numbers_may_be_written_in_many_ways(written: str, number: int) -> None:
    """As long as all agree which number it is."""
    chosen = read(f"game: kuhn\nbots: [random, greedy]\nschedule: {{deals: {written}}}")
    assert chosen.schedule.deals == number
    assert type(chosen.schedule.deals) is int


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("5", 5), ("1e3", 1000), ("1_000", 1000), ("-0.5", -0.5), ("1e-3", 0.001), ("2.0", 2.0),
        (".5", 0.5), ("true", True), ("False", False), ("null", None), ("~", None), ("'no'", "no"),
        ("'5'", "5"), ("!!str 5", "5"), ("fast", "fast"), ("1:30", "1:30"), ("3.1.0", "3.1.0"),
        ("2024-01-01", "2024-01-01"), ("12345678901234567890", 12345678901234567890),
    ],
)  # fmt: skip
def test_params_are_read_as_they_are_written(written: str, value: object) -> None:
    """Numbers, true, false, null and texts, under params and in references; quotes make texts."""
    entries = [f"{{bot: mine.py, name: x, params: {{a: {written}}}}}"]
    if not set(written) & set("!':"):
        entries.append(f"{{bot: mine.py:a={written}, name: x}}")
    for entry in entries:
        found = read(f"game: kuhn\nbots:\n- random\n- {entry}").bots[1].params["a"]
        assert found == value
        assert type(found) is type(value)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("5s", 5.0), ("50ms", 0.05), ("2m", 120.0), ("1.5s", 1.5), ("3", 3.0), ("1e3", 1000.0),
     ("0.25", 0.25), ("null", None), ("~", None)],
)  # fmt: skip
def test_durations(written: str, seconds: float | None) -> None:
    """With a unit, or in seconds; null is no limit."""
    limits = read(f"game: kuhn\nbots: [random, greedy]\nlimits: {{move: {written}}}").limits
    assert (limits.move, limits.startup) == (seconds, 30.0)


@pytest.mark.parametrize(
    ("written", "size"),
    [("512MiB", 512 << 20), ("1.5GB", 1_500_000_000), ("4096", 4096), ("64kB", 64_000),
     ("null", None)],
)  # fmt: skip
def test_sizes(written: str, size: int | None) -> None:
    """With a unit, or in bytes; null is no limit."""
    text = f"game: kuhn\nbots: [random, greedy]\nlimits: {{memory: {written}}}"
    assert read(text).limits.memory == size


def test_a_bot_whose_code_fails_is_no_mistake() -> None:
    """The others play; one line tells of it."""
    Path("fails.yaml").write_text("game: kuhn\nbots: [random, broken.py]")
    told: list[str] = []
    assert load("fails.yaml", tell=told.append).names == ("random", "broken")
    (line,) = told
    assert line.startswith("bot 'broken.py' does not load and will lose: its code fails to load: ")
    assert "No module named 'nothing_of_that_name'" in line


def test_a_program_is_given_by_its_words() -> None:
    """In a list or in a reference; it is named after its file, and found from anywhere."""
    Path("deep/engine").write_text("#!/bin/sh\n")
    Path("deep/engine").chmod(0o755)
    text = "game: kuhn\nbots: [random, {bot: {command: [deep/engine, --fast, 'a b']}}]"
    program = read(text).bots[1]
    assert program.name == "engine"
    assert program.bot == f"command:{Path.cwd() / 'deep/engine'} --fast 'a b'"
    reference = "\"command:deep/engine --fast 'a b'\""
    assert read(f"game: kuhn\nbots: [random, {reference}]").bots[1] == program


@pytest.mark.parametrize(
    ("entry", "name", "params"),
    [
        ("random", "random", {}),
        (
            "ismcts:iterations=5,depth=2",
            "ismcts:iterations=5,depth=2",
            {"iterations": 5, "depth": 2},
        ),
        ("{bot: ismcts, params: {iterations: 5}}", "ismcts:iterations=5", {"iterations": 5}),
        (
            "{bot: ismcts:iterations=5, params: {seconds: null}}",
            "ismcts:iterations=5,seconds=null",
            {"iterations": 5, "seconds": None},
        ),
        ("mine.py", "mine", {}),
        ("./mine.py:MyBot", "mine:MyBot", {}),
        ("mine.py:a=1", "mine:a=1", {"a": 1}),
        ("deep", "deep", {}),
        ("deep/bot.py", "deep", {}),
        ("deep/bot.py:MyBot", "deep:MyBot", {}),
        ("{bot: deep, name: d 2, params: {on: 'off'}}", "d 2", {"on": "off"}),
        ("bots.greedy:Greedy", "bots.greedy:Greedy", {}),
    ],
)
def test_bots_have_readable_names(entry: str, name: str, params: dict[str, object]) -> None:
    """The name that is given, else one made from the bot and its params."""
    found = read(f"game: kuhn\nbots:\n- greedy\n- {entry}").bots[1]
    assert (found.name, found.params) == (name, params)


def test_one_bot_may_play_under_several_names_and_params() -> None:
    """They are told apart by what they are called."""
    text = "game: kuhn\nbots: [random, {name: again, bot: random}, mcts:worlds=2, mcts:worlds=3]"
    assert read(text).names == ("random", "again", "mcts:worlds=2", "mcts:worlds=3")


def test_a_bot_against_itself_needs_no_other() -> None:
    """Self-play fills the seats."""
    text = "game: cubirds\nplayers: 5\nbots: [random]\nschedule: {self_play: true}"
    assert read(text).schedule.self_play


def test_anchors_and_merge_keys() -> None:
    """Explicit keys win over merged ones, earlier merged ones over later."""
    text = """\
        game: kuhn
        seed: &n 7
        bots:
          - {name: a, bot: mine.py, params: &a {x: 1, y: 2}}
          - {name: b, bot: mine.py, params: &b {<<: *a, y: 3, z: *n}}
          - {name: c, bot: mine.py, params: {x: 9, <<: [*b, *a]}}
        """
    assert [entry.params for entry in read(text).bots] == [
        {"x": 1, "y": 2},
        {"x": 1, "y": 3, "z": 7},
        {"x": 9, "y": 3, "z": 7},
    ]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_configurations(path: Path) -> None:
    """They load, and begin by saying what they are for and how long they take."""
    assert load(path).resolved()
    assert re.match(r"# .*\n(# .*\n)*#   arena run configs/", path.read_text())


# --- overrides ----------------------------------------------------------------------------------

PLAIN = """\
    game: cubirds
    bots:
      - random
      - ismcts:depth=2
      - {name: x, bot: greedy}
    """


def test_overrides_are_read_like_the_file() -> None:
    """Keys that are there, that are not, inside lists, inside references; the last one wins."""
    chosen = read(
        PLAIN, "schedule.deals=1e1", "seed=6", "seed=7", "bots.1.params.iterations=50",
        "players=[2, 3]", "bots.2.name=no", "options.fly_requires_take=true", "limits.move=null",
        "bots.0={bot: mcts, name: '12:30'}",
    )  # fmt: skip
    assert chosen.schedule.deals == 10
    assert chosen.seed == 7
    assert chosen.players == (2, 3)
    assert chosen.options["fly_requires_take"] is True
    assert chosen.limits.move is None
    assert chosen.names == ("12:30", "ismcts:depth=2,iterations=50", "no")
    assert chosen.bots[1].params == {"depth": 2, "iterations": 50}


def test_an_override_mends_a_mistake() -> None:
    """What it replaces is not looked at."""
    assert read("game: kuhn\nbots: [random, greedy]\nseed: x", "seed=3").seed == 3


OVERRIDES = {
    "schedule.deels=10": "found the unknown key 'deels'; expected a key of schedule; "
    f"did you mean 'deals'? {SCHEDULE}",
    "schedule.deals=ten": "found deals: ten; expected a whole number, 1 or more",
    "seed=": f"found seed: nothing; expected {SEED}",
    "seed": "expected key=value, such as schedule.deals=10",
    "=5": "expected key=value, such as schedule.deals=10",
    "schedule..deals=5": "expected key=value, such as schedule.deals=10",
    "seed.x=5": "found seed: 1; expected nothing further after 'seed'",
    "bots.3=random": "found '3'; expected a number from 0 to 2",
    "bots.x.name=y": "found 'x'; expected a number from 0 to 2",
    "bots.0.params.x=1": "bot 'random': Uniform takes no param 'x'",
    "bots=[random, mcts, random]": "found the bot name 'random' a second time (first in --set "
    "bots=[random, mcts, random]); expected different names, whatever the case; "
    "{name: …, bot: …} gives one",
    "players=[2,": "found broken YAML: expected the node content, but found '<stream end>' while "
    "parsing a flow node",
    "limits={move: 1, move: 2}": "found the key 'move' a second time (first in "
    "--set limits={move: 1, move: 2}); expected it once",
}


@pytest.mark.parametrize(("override", "problem"), OVERRIDES.items(), ids=OVERRIDES)
def test_mistakes_in_overrides(override: str, problem: str) -> None:
    """They are told with the override instead of a line."""
    found = problems(f"seed: 1\n{textwrap.dedent(PLAIN)}", override)
    assert found == [f"--set {override}: {problem}"]


def test_the_file_points_to_an_override() -> None:
    """Where it is only because of the override that a line is wrong."""
    assert problems(PLAIN, "bots.0.name=X") == [
        "x.yaml:5: found the bot name 'x' a second time (first in --set bots.0.name=X); expected "
        "different names, whatever the case; {name: …, bot: …} gives one"
    ]


def test_the_file_comes_before_the_overrides() -> None:
    """Overrides in their order."""
    found = problems("game: kuhn\nbots: [random, greedy]\nseed: x", "b=1", "a=1", "schedule.x=1")
    assert [line.split(":")[0] for line in found] == [
        "x.yaml",
        "--set b=1",
        "--set a=1",
        "--set schedule.x=1",
    ]


# --- resolved -----------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" "), max_size=20)
names = texts.map(str.strip).filter(lambda name: name and "|" not in name)
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
    st.sampled_from(
        ["no", "1e3", "1e-3", "017", "0o7", "~", "null", "=", "<<", "1_0", "2024-01-01"]
    ),
)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Data of configurations of CuBirds."""
    optional = st.fixed_dictionaries
    bots = [
        {"name": name, "bot": draw(st.sampled_from(["mine.py", "deep", "two.py:Other"])),
         "params": draw(st.dictionaries(st.sampled_from("abcd"), values))}
        for name in draw(st.lists(names, min_size=1, max_size=4, unique_by=str.casefold))
    ]  # fmt: skip
    duration = st.none() | st.floats(1e-3, 1e6)
    return {
        "game": "cubirds",
        "isolation": "trusted",  # else a process would be started to see whether the bots load
        "players": draw(st.lists(st.integers(2, 5), min_size=1, unique=True)),
        "bots": bots,
        **draw(
            optional(
                {
                    "schedule": optional(
                        {"self_play": st.just(True)},
                        optional={
                            "deals": st.integers(1, 3),
                            "max_lineups": st.none() | st.integers(1, 100),
                            "deal_book": st.sampled_from(
                                [None, "three.txt", "./deep/../three.txt"]
                            ),
                        },
                    )
                },
                optional={
                    "seed": st.integers(0, 2**53 - 1),
                    "limits": optional({}, optional={"move": duration, "startup": duration}),
                    "options": optional(
                        {},
                        optional={
                            "row_length": st.sampled_from([3, 4]),
                            "fly_requires_take": st.booleans(),
                            "reshuffle": st.sampled_from(["lazy", "eager"]),
                            "turn_cap": st.integers(10, 1000),
                        },
                    ),
                },
            )
        ),
    }


def usable(data: dict[str, Any]) -> bool:
    """Whether no two names look alike."""
    found = [config.unicodedata.normalize("NFKC", b["name"]).casefold() for b in data["bots"]]
    if data["schedule"].get("deal_book"):
        data["schedule"].setdefault("deals", 3)
    return len(set(found)) == len(found)


@given(documents().filter(usable))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(
    {
        "game": "cubirds",
        "players": [2],
        "bots": [{"name": "1e3", "bot": "mine.py", "params": {"a": "1e3", "b": 1e22, "c": "1"}}],
        "schedule": {"self_play": True},
    }
)
@example(
    {
        "game": "cubirds",
        "players": [2],
        "bots": [
            {"name": "~", "bot": "mine.py", "params": {"a": "0O", "b": "nO", "c": ".Inf"}},
            {"name": "nULL", "bot": "mine.py", "params": {"a": "~", "b": "TRue", "c": "017"}},
        ],
        "schedule": {"self_play": True},
    }
)
def test_a_resolved_configuration_loads_back_equal(here: Path, data: dict[str, Any]) -> None:
    """From wherever it is written, with equal digest and equal bots, and nothing left out."""
    # JSON is YAML whose texts all have quotes.
    Path("x.yaml").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    first = load("x.yaml")
    folder = here / "results" / "run"
    folder.mkdir(parents=True, exist_ok=True)
    for text in (first.to_yaml(folder), first.to_yaml()):
        (folder / "config.yaml").write_text(text, encoding="utf-8")
        again = load(folder / "config.yaml")
        assert again == first
        assert again.digest() == first.digest()
        assert again.identities() == first.identities()
        assert again.to_yaml(folder) == first.to_yaml(folder)
    for given_entry, entry in zip(data["bots"], first.bots, strict=True):
        assert entry.params == given_entry["params"]
        assert entry.name == given_entry["name"]
    assert set(first.resolved()) == set(RunConfig.model_fields)
    assert len(first.resolved()["options"]) == 9


def test_a_run_folder_moves_with_its_bots(tmp_path: Path) -> None:
    """Resolved paths lead from the run folder to the bots; digest and identities stay."""
    old, new = tmp_path / "old", tmp_path / "new"
    (old / "configs").mkdir(parents=True)
    (old / "results" / "run").mkdir(parents=True)
    for name in ("mine.py", "three.txt"):
        shutil.copy(name, old / name)
    (old / "configs" / "c.yaml").write_text(
        "game: kuhn\nbots: [random, ../mine.py]\n"
        "schedule: {deals: 2, deal_book: ../three.txt}\nlimits: {move: 50ms}\n"
    )
    before = load(old / "configs" / "c.yaml")
    (old / "results" / "run" / "config.yaml").write_text(before.to_yaml(old / "results" / "run"))
    shutil.move(old, new)
    after = load(new / "results" / "run" / "config.yaml")
    moved = load(new / "configs" / "c.yaml")
    assert after == moved
    assert after.bots[1].bot == str(new / "mine.py")
    assert after.identities() == moved.identities() == before.identities()
    assert after.book() == (1, 2)


def test_the_digest_tells_what_decides_results(tmp_path: Path) -> None:
    """Settings, code of the bots and seeds of the deals played: not comments, not places."""
    text = "game: kuhn\nbots: [random, mine.py]\nschedule: {deals: 2, deal_book: three.txt}\n"

    def digest(folder: str, text: str = text, bot: str = BOT, book: str = "1\n2\n3\n") -> str:
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "mine.py").write_text(bot)
        (tmp_path / folder / "three.txt").write_text(book)
        (tmp_path / folder / "c.yaml").write_text(text)
        return load(tmp_path / folder / "c.yaml").digest()

    same = digest("a")
    assert digest("b", "# other place\n" + text, book="# other\n1\n2\n4\n") == same
    others = [
        digest("a", text + "seed: 2\n"),
        digest("a", text + "limits: {move: 1s}\n"),
        digest("a", text.replace("[random, mine.py]", "[mine.py, random]")),
        digest("a", text.replace("mine.py", "mine.py:MyBot:a=1")),
        digest("a", bot=BOT + "# edited\n"),
        digest("a", book="1\n3\n"),
    ]
    assert len({same, *others}) == 1 + len(others)


def test_identities_tell_bots_from_each_other() -> None:
    """By reference and params for shipped bots, whatever they are called; by name for files."""
    text = """\
        game: kuhn
        bots: [random, {name: again, bot: random}, mcts:worlds=2, mine.py, {name: m, bot: mine.py}]
        """
    found = read(text).identities()
    assert found == {
        "random": '["random", {}]',
        "again": '["random", {}]',
        "mcts:worlds=2": '["mcts", {"worlds": 2}]',
        "mine": '["mine", {}]',
        "m": '["m", {}]',
    }


# --- schema -------------------------------------------------------------------------------------


def test_the_schema_takes_what_load_takes(here: Path) -> None:
    """Shipped configurations, as written and resolved, by the rules of draft 7."""
    schema = config.schema()
    jsonschema.Draft7Validator.check_schema(schema)
    check = jsonschema.Draft7Validator(schema)
    for path in SHIPPED:
        check.validate(yaml.safe_load(path.read_text()))
        check.validate(load(path).resolved())
    check.validate(yaml.safe_load(read(PLAIN).to_yaml(here)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"game": "cubird"},
        {"players": 6},
        {"players": [2, 2]},
        {"bots": []},
        {"bots": [{"name": "x"}]},
        {"options": {"rowlength": 3}},
        {"options": {"reshuffle": "never"}},
        {"schedule": {"deals": 0}},
        {"schedule": {"deels": 1}},
        {"schedule": {"kind": "swiss"}},
        {"seed": -1},
        {"limits": {"move": "5 seconds"}},
        {"limits": {"move": 0}},
        {"limts": {}},
    ],
    ids=str,
)
def test_the_schema_refuses_what_load_refuses(wrong: dict[str, Any]) -> None:
    """So that an editor shows the mistake while it is made."""
    data = {"game": "cubirds", "bots": ["random", "greedy"]} | wrong
    assert problems(json.dumps(data))
    assert not jsonschema.Draft7Validator(config.schema()).is_valid(data)


def test_the_schema_explains_every_key() -> None:
    """Descriptions and defaults are what an editor shows."""
    schema = config.schema()
    sections = [schema, *schema["definitions"].values()]
    keys = [key for s in sections if "properties" in s for key in s["properties"].values()]
    described = [key for key in keys if "$ref" not in key and "anyOf" not in key]
    assert all(key.get("description") for key in described)
    assert schema["properties"]["game"]["enum"] == sorted(registry.GAMES)
    games = {part["if"]["properties"]["game"]["const"]: part for part in schema["allOf"]}
    options = games["cubirds"]["then"]["properties"]["options"]["properties"]
    assert options["short_draw"]["enum"] == ["partial", "forbid", "end_game"]
