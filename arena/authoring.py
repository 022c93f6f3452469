"""What somebody needs who begins to write a bot: a folder with one that plays already.

Everything in it comes from the game: the fields of its views with their meanings, and a first idea
of which moves are sensible, in `SENSIBLE`. A game without an entry there gets a bot that plays any
legal move.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator
from pathlib import Path
from string import Template

from arena import registry, report
from arena.core import VIEW_HEADER
from arena.errors import OptionError, RunExistsError
from arena.game import Game, Option
from arena.report import Format


def new_bot(folder: Path, game: Game) -> list[Path]:
    """Write a bot for `game` into a new folder; returns its files.

    RunExistsError if there is something of that name already, OptionError if the name cannot be
    made the name of a class.
    """
    name = folder.resolve().name
    if name in registry.BOTS:
        raise OptionError(f"bot name: found {name!r}, which is a shipped bot; expected another")
    values = {
        "name": name,
        "class_name": class_name(name),
        "game": game.name,
        "title": game.title,
        "actions": str(game.action_count - 1),
        "sensible": SENSIBLE.get(game.name, ANYTHING),
        "fields": "\n".join(view_table(game)),
        "players": str(game.players[0]),
    }
    files = {path: Template(text).substitute(values) for path, text in TEMPLATES.items()}
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise RunExistsError(
            f"{folder} exists already; choose another name, or delete it first"
        ) from None
    for path, text in files.items():
        (folder / path).write_text(text, "utf-8")
    return [folder / path for path in files]


def class_name(name: str) -> str:
    """The name of a bot's class by that of its folder: `my_bot` → `MyBot`, `s12` → `S12Bot`."""
    if not re.fullmatch(r"[^\W\d_][\w-]*", name):
        raise OptionError(
            f"bot name: found {name!r}; expected a letter, then letters, digits, - and _"
        )
    words = "".join(word[:1].upper() + word[1:] for word in re.split("[-_]", name))
    taken = keyword.iskeyword(words) or hasattr(builtins, words) or words in ("Game", "Turn")
    return words if words.endswith("Bot") and not taken else f"{words}Bot"


def view_table(game: Game) -> Iterator[str]:
    """The fields of a game's views and their meaning, as a Markdown table."""
    options = {option.name: _meaning(option) for option in game.options}
    meanings = {"phase": "0; this game has none", **VIEW_HEADER, **options, **game.view_fields}
    dtype = game.view_dtype
    rows = [
        (f"`{name}`", str(dtype[name].shape or "number"), _SHAPE.sub("", meanings[name], count=1))
        for name in dtype.names or ()
    ]
    return report.table(("field", "shape", "meaning"), rows, Format.MD)


_SHAPE = re.compile(r"^\([\d, ]+\) ")


def _meaning(option: Option) -> str:
    if isinstance(option.values, range):
        return f"option: {option.doc}"
    codes = ", ".join(f"{code} {_word(value)}" for code, value in enumerate(option.values))
    return f"option: {option.doc}; {codes}"


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# --- what is written ----------------------------------------------------------------------------

ANYTHING = """\
        return turn.legal"""

SENSIBLE = {
    "aves": """\
        hand = turn.view.hands[turn.seat]  # (8,) own cards, 8 * colour + number; 0 is no card
        colours = (hand // 8).tolist()
        # Give away what there are two of. A move's id is 32 * slot on hand + gap in the circle,
        # and 256 more where a card is returned; 512 is to pass.
        spare = [a for a in turn.legal if a < 512 and colours.count(colours[a % 256 // 32]) > 1]
        return spare or turn.legal""",
    "coloretto": """\
        sizes = turn.view.row_size  # (5,) cards in each row
        # Ids 0 to 4 take that row, 5 draws, 6 to 10 place the card that was drawn.
        full = [a for a in turn.legal if a < 5 and sizes[a] == 3]
        return full or [a for a in turn.legal if a >= 5] or turn.legal""",
    "cubirds": """\
        hand = turn.view.hands[turn.seat]  # (8,) own cards by species
        if turn.view.phase == 0:  # lay the species of which there are most; it is id // 8
            most = max(hand[a // 8] for a in turn.legal)
            return [a for a in turn.legal if hand[a // 8] == most]
        return turn.legal[:-1]  # the last id is to decline cards, or not to fly""",
    "fruit-friends": """\
        mine = turn.view.displays[turn.seat]  # (8,) own cards by fruit
        pairs = turn.view.pairs[turn.view.active]  # (3, 2) fruits that are to be taken
        if turn.view.phase == 1:  # take more of what there is already; the pair is id - 105
            most = max(mine[pairs[a - 105]].sum() for a in turn.legal)
            return [a for a in turn.legal if mine[pairs[a - 105]].sum() == most]
        return turn.legal""",
    "kuhn": """\
        card = turn.view.cards[turn.seat]  # 0 jack, 1 queen, 2 king
        # Id 0 is to pass, 1 to bet: bet the king, never the jack.
        return {0: turn.legal[:1], 2: turn.legal[1:]}.get(int(card), turn.legal)""",
}
"""By game, which moves are worth a thought: the end of a method that returns some of
`turn.legal`."""

_BOT = '''\
"""A bot for $title: it plays at random among the moves that look sensible.

README.md lists all that a view tells.
"""

import random
from collections.abc import Sequence

from arena import Game, Turn


class $class_name:
    """Built afresh for every seat of every match; params of the configuration come by name."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.random = random.Random(seed)  # all chance comes from here: same seed, same moves

    def act(self, turn: Turn) -> int:
        """Answer with one of `turn.legal`."""
        return self.random.choice(self.sensible(turn))

    def sensible(self, turn: Turn) -> Sequence[int]:
$sensible
'''

_TEST = '''\
"""Run with `pytest`. `arena check .` tests much more, in the way in which a run would play."""

from pathlib import Path

from arena import Game, Turn
from arena.registry import find_bot, game, load_bot

BOT = load_bot(find_bot(str(Path(__file__).with_name("bot.py"))))
RULES: Game = game("$game")


def play(seed: int) -> list[int]:
    """The moves of a game in which the bot has all seats."""
    state, moves = RULES.initial(seed=seed), []
    bots = [BOT(RULES, seat, seed + seat) for seat in range(RULES.players[0])]
    while (seat := RULES.mover(state)) is not None:
        legal = RULES.legal(state)
        turn = Turn(RULES.observe(state, seat), seat, legal)
        moves.append(bots[seat].act(turn) if len(legal) > 1 else legal[0])
        state = RULES.apply(state, moves[-1])  # raises if the move is not legal
    return moves


def test_plays_to_the_end() -> None:
    assert play(seed=1)


def test_plays_the_same_by_the_same_seed() -> None:
    assert play(seed=2) == play(seed=2)
'''

_README = """\
# $name

A bot for $title. It works as it is; what it does stands in `bot.py`. Here
you find out whether it keeps the rules, how it does against random and greedy, and whether its own
tests pass (`pip install pytest` if there is none):

```
arena check . --game $game
arena run tournament.yaml
pytest
```

When a match is lost by a fault, `arena run` prints the command (`arena repro …`) that plays it
again up to the failing move, where breakpoints work.

## What a bot is asked

`act(turn)` answers with one of `turn.legal`, which are ids from 0 to $actions, ascending, at least
two. `turn.seat` is the bot's own seat. `turn.clock` are the seconds that are left, or None.
`game.describe(game.sample(turn.view, turn.seat, 0), id)` writes a move as people do.

## What a view tells

`turn.view.NAME` is a number, or a read-only NumPy array of the shape given here. Seats count from
0. A name that is listed as an option holds the value that the tournament is played with.

$fields
"""

_TOURNAMENT = """\
# arena run tournament.yaml
game: $game
players: $players
bots:
  - bot.py
  - random
  - greedy
schedule: {deals: 20}
seed: 1
"""

TEMPLATES = {
    "bot.py": _BOT,
    "test_bot.py": _TEST,
    "README.md": _README,
    "tournament.yaml": _TOURNAMENT,
    "pytest.ini": "[pytest]\n",  # so that settings of folders around it do not count
}
