"""What a run is to play: a YAML file, checked whole before the first game.

`load` finds every mistake in the file, not just the first, and says of each where it stands, what
was found there and what would be right. YAML's own guesses play no part: the place where a value
stands decides what it means. So a bot may be called `no` or `1e3`, a number may be written `1_000`,
and `no` where true or false is wanted is a mistake, not a guess. Only in `options` and `params` the
way it is written tells the kind of a value; what YAML readers disagree about is refused there.

A configuration, with the defaults of all that can be left out:

    game: cubirds                # required
    players: 2                   # or a list: [2, 3]; default: the fewest the game allows
    options: {}                  # of the game, see `arena games NAME`
    bots:                        # required
      - random
      - ismcts:iterations=500
      - {name: mine, bot: path/to/bot.py, params: {depth: 3}}
    schedule:
      kind: round-robin
      deals: 50                  # per line-up; each is played from every seat rotation
      self_play: false           # also each bot against itself
      max_lineups: null          # at most so many line-ups of different bots, a balanced sample
      deal_book: null            # a file of deal seeds instead of seeds derived from `seed`
    seed: 1
    limits:
      move: 5s                   # for an answer
      startup: 30s               # for loading and building a bot
      bank: null                 # for all answers of a match
      memory: 1GiB               # this and what follows hold for isolated bots
      processes: 32              # and threads
      output: 10kB               # kept of what a bot prints in a match
    isolation: isolated          # or trusted, strict: where bots run that are not shipped
    allow_oracle: false          # let the bot `oracle` play, which sees what is hidden
    max_faults: 10               # lost so by a bot, and it plays no more; null: it plays on

Paths are relative to the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from arena import document, registry, scalars, seeding
from arena.core import Isolation, Limits, OptionValue
from arena.document import Items, Node, Place, Problems, Table, Text
from arena.errors import (
    BotLoadError,
    ConfigError,
    OptionError,
    UnknownNameError,
    suggestion,
)
from arena.game import Game, Option
from arena.isolation import Hosts
from arena.player import BotFault
from arena.registry import BotSource, Param
from arena.scalars import MOST

T = TypeVar("T")

# --- the configuration --------------------------------------------------------------------------

_DURATION = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "string", "pattern": r"^[0-9._]+(ms|s|m)$"},
        {"type": "null"},
    ]
}
_PROGRAM = {
    "type": "object",
    "additionalProperties": False,
    "required": ["command"],
    "properties": {"command": {"type": "array", "items": {"type": "string"}, "minItems": 1}},
}
_SIZE = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "string", "pattern": r"^[0-9._]+(B|kB|MB|GB|KiB|MiB|GiB)$"},
        {"type": "null"},
    ]
}
_LIMITS = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "move": {**_DURATION, "description": "for one answer", "default": "5s"},
        "startup": {**_DURATION, "description": "for building a bot", "default": "30s"},
        "bank": {**_DURATION, "description": "for all answers of a match", "default": None},
        "memory": {**_SIZE, "description": "that a bot may take", "default": "1GiB"},
        "processes": {
            "anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}],
            "description": "processes and threads of a bot",
            "default": 32,
        },
        "output": {
            "anyOf": _SIZE["anyOf"][:2],
            "description": "kept of what it prints in a match",
            "default": "10kB",
        },
    },
}


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class BotEntry(_Section):
    """One bot of a run; the same bot may stand in it several times under different names."""

    name: str = Field(
        min_length=1,
        max_length=60,
        description="how tables call it; default: made from bot and params",
    )
    bot: str = Field(
        description="a shipped bot, path/bot.py, a folder with bot.py or a .zip file of one, "
        "package.module:Name, or {command: [program, argument, …]}; a path may be followed by "
        ":Name, and all of them by :key=value,…"
    )
    params: dict[str, Param | None] = Field(
        default={}, description="passed to the bot's constructor by name"
    )


class Schedule(_Section):
    """Which matches are played."""

    kind: Literal["round-robin"] = Field(
        default="round-robin", description="every line-up of different bots, from every rotation"
    )
    deals: int = Field(default=50, ge=1, le=MOST, description="deals played by each line-up")
    self_play: bool = Field(default=False, description="also each bot against itself")
    max_line_ups: int | None = Field(
        default=None,
        alias="max_lineups",
        ge=1,
        le=MOST,
        description="per number of players at most so many line-ups of different bots: a sample "
        "in which all bots play equally often",
    )
    deal_book: Path | None = Field(
        default=None, description="file of deal seeds, one to a line; the first `deals` are used"
    )


class RunConfig(_Section):
    """A checked configuration with every default filled in; paths are absolute."""

    game: str = Field(description="name of the game")
    players: tuple[int, ...] = Field(
        description="number of players, or a list; default: the fewest the game allows"
    )
    options: dict[str, OptionValue] = Field(default={}, description="rule variants of the game")
    bots: tuple[BotEntry, ...] = Field(min_length=1, description="who plays")
    schedule: Schedule = Schedule()
    seed: int = Field(
        default=1,
        ge=0,
        lt=seeding.SEED_LIMIT,
        description="from which the deals and the chance of bots derive",
    )
    limits: Annotated[Limits, WithJsonSchema(_LIMITS)] = Field(
        default=Limits(move=5.0, startup=30.0, memory=1 << 30, processes=32, output=10_000),
        description="durations as 50ms, 5s, 2m or seconds, sizes as 512MiB; null for no limit",
    )
    isolation: Isolation = Field(
        default=Isolation.ISOLATED, description="where the bots run that are not shipped"
    )
    allow_oracle: bool = Field(
        default=False, description="let the bot oracle play, which sees what is hidden"
    )
    max_faults: int | None = Field(
        default=10,
        ge=1,
        le=MOST,
        description="matches that a bot may lose by faults of its own before it plays no more",
    )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.bots)

    @property
    def options_by_players(self) -> dict[int, dict[str, OptionValue]]:
        return {n: registry.game(self.game).resolve(n, self.options) for n in self.players}

    def sources(self) -> dict[str, BotSource]:
        """Where each bot's code stands now, by name."""
        found = {ref: registry.find_bot(ref) for ref in {entry.bot for entry in self.bots}}
        return {entry.name: found[entry.bot] for entry in self.bots}

    def identities(self) -> dict[str, str]:
        """By name, what tells a bot from others, wherever this computer keeps its files.

        That is its reference, or its name if it is found by a path, and its params.
        """
        return {
            entry.name: json.dumps([_portable_ref(entry), entry.params], sort_keys=True)
            for entry in self.bots
        }

    def book(self) -> tuple[int, ...] | None:
        """The seeds of the deals to be played, if they come from a deal book."""
        path = self.schedule.deal_book
        return seeding.read_deal_book(path)[: self.schedule.deals] if path else None

    def resolved(self, folder: Path | None = None) -> dict[str, Any]:
        """All settings as plain data; `load` gives an equal configuration back from `to_yaml`.

        Paths are absolute, or relative to `folder` if the file is to be written there: then the
        folder and the bots can move together.
        """
        data = self.model_dump(mode="json", by_alias=True)
        if folder is not None:
            book = data["schedule"]["deal_book"]
            data["schedule"]["deal_book"] = book and _relative(book, folder)
            for entry in data["bots"]:
                if _is_path(entry["bot"]):
                    entry["bot"] = _relative(entry["bot"], folder)
        return data

    def to_yaml(self, folder: Path | None = None) -> str:
        """`resolved(folder)` as the text of a configuration file."""
        return yaml.dump(
            self.resolved(folder), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
        )

    def digest(self) -> str:
        """Hash over all that decides the results: settings, rules version, bots' code, deal book.

        It is the same wherever the files lie.
        """
        sources = self.sources()
        content = self.resolved()
        content["rules"] = registry.game(self.game).rules
        content["schedule"]["deal_book"] = self.book()
        content["bots"] = [
            [e.name, _portable_ref(e), e.params, sources[e.name].digest] for e in self.bots
        ]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


def _absolute_ref(source: BotSource) -> str:
    """The reference to a bot from anywhere on this computer."""
    if source.kind in ("shipped", "module", "program"):
        return source.ref
    path = source.archive or (source.path.parent if source.kind == "folder" else source.path)
    return f"{path}:{source.attr}" if source.attr else str(path)


def _portable_ref(entry: BotEntry) -> str:
    has_path = _is_path(entry.bot) or entry.bot.startswith(registry.PROGRAM)
    return entry.name if has_path else entry.bot


def _is_path(absolute_ref: str) -> bool:
    return Path(absolute_ref).is_absolute()


def _relative(path: str, folder: Path) -> str:
    relative = Path(os.path.relpath(path, folder.resolve())).as_posix()
    return relative if relative.startswith(".") else f"./{relative}"


class _Dumper(yaml.SafeDumper):
    """Puts texts in quotes that `load` would not take for texts, though PyYAML would."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = "'" if scalars.needs_quotes(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


# --- schema -------------------------------------------------------------------------------------


def schema() -> dict[str, Any]:
    """JSON Schema (draft 7) of configuration files, with the games, their options and the bots."""
    made = RunConfig.model_json_schema(ref_template="#/definitions/{model}")
    made["definitions"] = made.pop("$defs")
    made["required"] = ["game", "bots"]
    made["title"], made["description"] = "arena configuration", "What a run is to play."
    games = [registry.game(name) for name in sorted(registry.GAMES)]
    entry, keys = made["definitions"]["BotEntry"], made["properties"]
    entry["required"] = ["bot"]
    entry["properties"]["bot"]["examples"] = sorted(registry.BOTS)
    keys["bots"]["items"] = {"anyOf": [entry["properties"]["bot"], keys["bots"]["items"]]}
    entry["properties"]["bot"] = {"anyOf": [entry["properties"]["bot"], _PROGRAM]}
    keys["game"]["enum"] = [game.name for game in games]
    keys["players"] = _schema_of_players(range(1, MOST), keys["players"]["description"])
    made["allOf"] = [_schema_of_game(game) for game in games]
    return {"$schema": "http://json-schema.org/draft-07/schema#", **made}


def _schema_of_players(players: range, description: str) -> dict[str, Any]:
    one = {"type": "integer", "minimum": players[0], "maximum": players[-1]}
    several = {"type": "array", "items": one, "minItems": 1, "uniqueItems": True}
    return {"anyOf": [one, several], "description": description}


def _schema_of_game(game: Game) -> dict[str, Any]:
    options = {option.name: _schema_of_option(option) for option in game.options}
    properties = {
        "players": _schema_of_players(game.players, f"players of {game.title}"),
        "options": {"properties": options, "additionalProperties": False},
    }
    return {
        "if": {"properties": {"game": {"const": game.name}}},
        "then": {"properties": properties},
    }


def _schema_of_option(option: Option) -> dict[str, Any]:
    kind: dict[str, Any] = {"description": option.doc, "default": option.default}
    if isinstance(option.values, range):
        return {
            "type": "integer",
            "minimum": option.values[0],
            "maximum": option.values[-1],
            **kind,
        }
    return {"enum": list(option.values), **kind}


# --- loading ------------------------------------------------------------------------------------


def load(
    path: Path | str, overrides: Sequence[str] = (), tell: Callable[[str], None] = lambda text: None
) -> RunConfig:
    """Read and check a configuration; `overrides` are `key=value`, with `a.b.0` for inner keys.

    Loads the bots, which runs their code, where it will run in matches. Raises ConfigError with a
    line for each mistake. That a bot's code fails is none: `tell` gets a line about it.
    """
    path = Path(path)
    problems = Problems()
    tree = document.read(path, problems)
    if isinstance(tree, Text) and tree.empty:
        raise ConfigError([f"{path}: found nothing in the file; expected at least game: and bots:"])
    for number, assignment in enumerate(overrides):
        document.override(tree, assignment, number, "bot", problems)
    with _Reader(path.parent.resolve(), problems, tell) as reader:
        config = reader.configuration(tree)
    if problems or config is None:
        raise ConfigError(problems.lines())
    return config


class _Found(NamedTuple):
    place: Place
    source: BotSource
    params: dict[str, Param | None]


class _Reader:
    """Turns a tree of texts into a RunConfig and collects what is wrong with it.

    Each method takes what it can from its part and goes on, so that one mistake hides no other.
    """

    def __init__(self, base: Path, problems: Problems, tell: Callable[[str], None]) -> None:
        self.base = base
        self.problems = problems
        self._tell = tell
        self._names: dict[str, Place] = {}
        self._sources: dict[str, BotSource] = {}
        self._isolation = Isolation.TRUSTED
        self._allow_oracle = False
        self._limits = Limits()
        self._hosts: Hosts | None = None

    def __enter__(self) -> _Reader:
        return self

    def __exit__(self, *error: object) -> None:
        if self._hosts:
            self._hosts.close()

    def configuration(self, tree: Node) -> RunConfig | None:
        """The whole; None only if there are problems."""
        top = self._table(tree, "", _keys(RunConfig))
        for key, example in (("game", "cubirds"), ("bots", "[random, greedy]")):
            if isinstance(tree, Table) and key not in top.values:
                self.problems.add(top.place, f"found no {key}; expected {key}: {example}")
        game = self._get(top, "game", scalars.game, None)
        fewest: tuple[int, ...] = (game.players[0],) if game else ()
        players = self._get(top, "players", partial(scalars.players, game=game), fewest) or ()
        schedule = self._schedule(top)
        self._limits = self._read_limits(top)
        isolation = self._get(top, "isolation", scalars.isolation, _default("isolation"))
        self._isolation = isolation or Isolation.ISOLATED
        allow_oracle = self._get(top, "allow_oracle", scalars.truth, _default("allow_oracle"))
        self._allow_oracle = allow_oracle is not False
        values = {
            "game": game and game.name,
            "players": players,
            "options": self._options(top, game, players),
            "bots": self._bots(top, game),
            "schedule": schedule,
            "seed": self._get(
                top, "seed", scalars.whole(0, seeding.SEED_LIMIT - 1), _default("seed")
            ),
            "limits": self._limits,
            "isolation": isolation,
            "allow_oracle": allow_oracle,
            "max_faults": self._get(
                top, "max_faults", scalars.or_null(scalars.whole(1)), _default("max_faults")
            ),
        }
        if not schedule["self_play"]:
            self._check_seats(top, max(players, default=0))
        return None if self.problems else RunConfig.model_validate(values)

    # --- tables and their values

    def _attempt(self, key: str, node: Node, parse: Callable[[Node], T]) -> T | None:
        """The value of a node, or None and a problem."""
        try:
            return parse(node)
        except scalars.Wrong as wrong:
            found = f"found {key}: {wrong.node.shown}"
            self.problems.add(wrong.node.place, f"{found}; expected {wrong.expected}")
        return None

    def _get(self, table: Table, key: str, parse: Callable[[Node], T], default: T) -> T | None:
        """The value of a key; the default if it is left out; None, and a problem, if wrong."""
        return self._attempt(key, table.values[key], parse) if key in table.values else default

    def _table(self, node: Node, name: str, known: Collection[str]) -> Table:
        """The node as a table without unknown keys; left empty, it is an empty table."""
        if isinstance(node, Text) and node.empty:
            return Table(node.place, {}, {})
        if not isinstance(node, Table):
            found = f"found {name}: {node.shown}" if name else f"found {node.shown} at the top"
            self.problems.add(node.place, f"{found}; expected lines of key: value")
            return Table(node.place, {}, {})
        for key in [key for key in node.values if key not in known]:
            self.problems.add(node.keys[key], _unknown_key(key, name, known))
        values = {key: value for key, value in node.values.items() if key in known}
        return Table(node.place, node.keys, values)

    def _section(self, top: Table, name: str, known: Collection[str]) -> Table:
        node = top.values.get(name, Table(top.place, {}, {}))
        return self._table(node, name, known)

    # --- sections

    def _options(
        self, top: Table, game: Game | None, players: tuple[int, ...]
    ) -> dict[str, OptionValue | None]:
        if game is None:
            return {}
        before = len(self.problems)
        table = self._section(top, "options", [option.name for option in game.options])
        written = [option for option in game.options if option.name in table.values]
        given = {o.name: self._get(table, o.name, scalars.option(o), o.default) for o in written}
        resolved = []
        for number in players if len(self.problems) == before else ():
            try:
                resolved.append(game.resolve(number, given))
            except OptionError as error:
                self.problems.add(table.place, str(error))
        if not resolved:
            return given
        # What is not the same for all numbers of players is a default that follows from them.
        first, *others = resolved
        return {k: v for k, v in first.items() if all(options[k] == v for options in others)}

    def _schedule(self, top: Table) -> dict[str, Any]:
        parsers: dict[str, Callable[[Node], Any]] = {
            "kind": scalars.word("round-robin"),
            "deals": scalars.whole(1),
            "self_play": scalars.truth,
            "max_lineups": scalars.or_null(scalars.whole(1)),
            "deal_book": scalars.or_null(self._path),
        }
        table = self._section(top, "schedule", parsers)
        defaults = Schedule().model_dump(by_alias=True)
        values = {k: self._get(table, k, parse, defaults[k]) for k, parse in parsers.items()}
        if values["deal_book"]:
            self._check_book(table.values["deal_book"], values["deal_book"], values["deals"] or 1)
        return values

    def _check_book(self, node: Node, path: Path, deals: int) -> None:
        try:
            seeds = len(seeding.read_deal_book(path))
        except ConfigError as error:
            for problem in error.problems:
                self.problems.add(node.place, f"deal_book: {problem}")
            return
        if seeds < deals:
            found = f"found {seeds} seeds in deal_book: {node.shown}"
            self.problems.add(node.place, f"{found}; expected at least {deals}, one for each deal")

    def _path(self, node: Node) -> Path:
        return (self.base / Path(scalars.text(node)).expanduser()).resolve()

    def _read_limits(self, top: Table) -> Limits:
        parsers: dict[str, Callable[[Node], Any]] = {
            "move": scalars.or_null(scalars.seconds),
            "startup": scalars.or_null(scalars.seconds),
            "bank": scalars.or_null(scalars.seconds),
            "memory": scalars.or_null(scalars.size),
            "processes": scalars.or_null(scalars.whole(1)),
            "output": partial(scalars.size, null=""),
        }
        table = self._section(top, "limits", parsers)
        usual = asdict(_default("limits"))
        read: dict[str, Any] = {k: self._get(table, k, p, usual[k]) for k, p in parsers.items()}
        return Limits(**read)

    # --- bots

    def _bots(self, top: Table, game: Game | None) -> list[BotEntry | None]:
        node = top.values.get("bots")
        if node is None:
            return []
        if not isinstance(node, Items) or not node.items:
            wanted = "a list such as [random, greedy]"
            self.problems.add(node.place, f"found bots: {node.shown}; expected {wanted}")
            return []
        return [self._bot(item, game) for item in node.items]

    def _bot(self, node: Node, game: Game | None) -> BotEntry | None:
        table = self._bot_table(node)
        if table is None:
            return None
        name = self._get(table, "name", scalars.name, None)
        bot = self._get(table, "bot", self._find, None)
        before = len(self.problems)
        params = self._params(table, bot.params if bot else {})
        buildable = game if len(self.problems) == before else None
        if bot and "name" not in table.values:
            name = self._get(table, "bot", partial(_made_name, bot.source, params), None)
        if name is not None:
            self._claim(name, table.values.get("name", table).place)
        if bot and bot.source.ref == registry.ORACLE:
            self._check_oracle(bot, name, table)
        if bot:
            self._try(bot, params, buildable, table.values.get("params", table.values["bot"]))
        if bot is None or name is None:
            return None
        return BotEntry(name=name, bot=_absolute_ref(bot.source), params=params)

    def _bot_table(self, node: Node) -> Table | None:
        """An entry in its long form."""
        if isinstance(node, Text):
            return Table(node.place, {"bot": node.place}, {"bot": node})
        if isinstance(node, Table) and "bot" not in node.values:
            bot = next((key for key in node.values if key in registry.BOTS), None)
            wanted = f"{{bot: {bot}, params: {{…}}}} or {bot}:key=value" if bot else "{bot: …}"
            found = f"found {node.shown}, which names no bot"
            self.problems.add(node.place, f"{found}; expected {wanted}")
            return None
        return self._table(node, "bots", _keys(BotEntry))

    def _find(self, node: Node) -> _Found:
        text = self._reference(node)
        try:
            ref, _ = registry.split_ref(text)
            if ref not in self._sources:
                self._sources[ref] = registry.find_bot(ref, self.base)
        except UnknownNameError:
            wanted = "a shipped bot, path/bot.py, a folder with bot.py or package.module:Name"
            if "=" in text and ":" not in text:
                wanted = "a bot; in a list in [ ] a reference with commas needs quotes"
            hint = suggestion(text.partition(":")[0], sorted(registry.BOTS))
            raise scalars.Wrong(node, f"{wanted}{hint}") from None
        except (BotLoadError, OptionError) as error:
            raise scalars.Wrong(
                node, f"a bot that loads, but {registry.reason(str(error))}"
            ) from None
        given = {} if text == ref else scalars.params_of(node, text.removeprefix(f"{ref}:"))
        return _Found(node.place, self._sources[ref], given)

    def _reference(self, node: Node) -> str:
        """The reference to a bot; a program may be given by a list of its words."""
        if not isinstance(node, Table):
            return scalars.text(node)
        command = self._table(node, "bot", ["command"]).values.get("command")
        if not isinstance(command, Items) or not command.items:
            raise scalars.Wrong(node, "a bot, or {command: [program, argument, …]}")
        return registry.PROGRAM + shlex.join(map(scalars.text, command.items))

    def _params(self, table: Table, given: Mapping[str, Param | None]) -> dict[str, Param | None]:
        """The params of an entry: those `given` in its reference and those under `params`."""
        params = dict(given)
        node = table.values.get("params", Table(table.place, {}, {}))
        inner = self._table(node, "params", node.values if isinstance(node, Table) else ())
        for key, value in inner.values.items():
            if key in given:
                found = f"found the param {key!r} in bot and in params"
                self.problems.add(inner.keys[key], f"{found}; expected it once")
            else:
                params[key] = self._attempt(key, value, scalars.or_null(scalars.free))
        return params

    def _check_oracle(self, bot: _Found, name: str | None, table: Table) -> None:
        """It plays only where that is wanted, and every board tells by its name what it is."""
        if not self._allow_oracle:
            found = f"found bot: {registry.ORACLE}, which sees what is hidden"
            self.problems.add(bot.place, f"{found}; expected allow_oracle: true at the top level")
        if name is not None and registry.ORACLE not in name:
            found = f"found the name {name!r} for the bot {registry.ORACLE}"
            wanted = f"a name with {registry.ORACLE!r} in it, so that every board tells what it is"
            self.problems.add(table.values["name"].place, f"{found}; expected {wanted}")

    def _try(
        self, bot: _Found, params: Mapping[str, Param | None], game: Game | None, node: Node
    ) -> None:
        """Load the bot and check the names of its params; their values too if it is shipped.

        Other bots are built in matches only, where whatever they do is a result.
        """
        trusted = bot.source.kind == "shipped" or self._isolation is Isolation.TRUSTED
        try:
            if trusted:
                factory = registry.load_bot(bot.source)
                registry.check_params(factory, params)
                if game and bot.source.kind == "shipped":
                    factory(game, 0, 0, **params)
                    self._check_seconds(params.get("seconds"))
            else:
                self._hosts = self._hosts or Hosts(None, self._isolation)
                self._hosts.guest(bot.source, params).load(self._limits)
        except BotFault as fault:
            reason = registry.reason(fault.detail)
            self._tell(f"bot {bot.source.ref!r} does not load and will lose: {reason}")
        except (BotLoadError, OptionError) as error:
            text = str(error)
            if text != registry.reason(text):
                found = f"found bot: {bot.source.ref}"
                text = f"{found}; expected a bot that loads, but {registry.reason(text)}"
                self.problems.add(bot.place, text)
            else:
                self.problems.add(_blamed(node, text), f"bot {bot.source.ref!r}: {text}")

    def _check_seconds(self, seconds: object) -> None:
        """A search that takes all the time there is for an answer loses every match."""
        move = self._limits.move
        if isinstance(seconds, int | float) and move is not None and seconds >= move:
            raise OptionError(
                f"seconds: found {seconds:g}, expected less than limits.move, {move:g}"
            )

    def _claim(self, name: str, place: Place) -> None:
        folded = unicodedata.normalize("NFKC", name).casefold()
        if folded not in self._names:
            self._names[folded] = place
        else:
            first = self._names[folded].reference
            found = f"found the bot name {name!r} a second time (first {first})"
            wanted = "different names, whatever the case; {name: …, bot: …} gives one"
            self.problems.add(place, f"{found}; expected {wanted}")

    def _check_seats(self, top: Table, seats: int) -> None:
        node = top.values.get("bots")
        if isinstance(node, Items) and 0 < len(node.items) < seats:
            found = f"found {len(node.items)} bot{'s'[: len(node.items) - 1]} for {seats} seats"
            wanted = f"at least {seats}, or self_play: true in schedule for bots against themselves"
            self.problems.add(node.place, f"{found}; expected {wanted}")


def _blamed(node: Node, message: str) -> Place:
    """The place of the key that a message about a table names first, else that of the table."""
    keys = node.keys if isinstance(node, Table) else {}
    named = {key: re.search(rf"\b{re.escape(key)}\b", message) for key in keys}
    found = {match.start(): keys[key] for key, match in named.items() if match}
    return found[min(found)] if found else node.place


def _keys(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _default(key: str) -> Any:
    return RunConfig.model_fields[key].default


def _unknown_key(key: str, section: str, known: Collection[str]) -> str:
    found = f"found the unknown key {key!r}"
    homes = {"schedule": _keys(Schedule), "limits": [f.name for f in fields(Limits)]}
    home = next((name for name, keys in homes.items() if key in keys), None)
    if home and not section:
        return f"{found}; expected it under {home}:"
    where = {"": "the configuration", "bots": "an entry of bots"}.get(section, section)
    if not known:
        return f"{found}; expected {where} to be empty"
    return f"{found}; expected a key of {where}{suggestion(key, known)}"


def _made_name(source: BotSource, params: Mapping[str, Param | None], node: Node) -> str:
    """The name of an entry without one: what its bot is called, and its params."""
    name = source.ref
    if source.kind in ("file", "folder"):
        file = source.path
        name = file.parent.name if file.name == "bot.py" else file.stem
        name = source.archive.stem if source.archive else name
        name += f":{source.attr}" if source.attr else ""
    if source.kind == "program":
        name = Path(next(filter(_is_path, source.command), source.command[0])).stem
    if params:
        name += ":" + ",".join(f"{key}={_written(value)}" for key, value in params.items())
    try:
        return scalars.name(Text(node.place, name, plain=False))
    except scalars.Wrong as wrong:
        raise scalars.Wrong(
            wrong.node, f"{wrong.expected}; {{name: …, bot: …}} gives one"
        ) from None


def _written(value: Param | None) -> str:
    return value if isinstance(value, str) else json.dumps(value)
