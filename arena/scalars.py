"""What is written at a place of a configuration, read as what belongs there.

Each parser takes a node and returns its value, or raises Wrong with what was expected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeVar

from arena import registry, sandbox
from arena.core import Isolation, OptionValue
from arena.document import Items, Node, Table, Text
from arena.errors import OptionError, suggestion
from arena.game import Game, Option
from arena.registry import Param

T = TypeVar("T")

MOST = 10**9
"""The greatest whole number, where nothing else is said."""

_NUMBER = re.compile(r"[-+]?((0|[1-9][0-9]*(_[0-9]+)*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
_DISPUTED = re.compile(r"[-+]?(0[0-9_xXoObB].*|\.(inf|nan))", re.IGNORECASE)
_UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0}
_BYTES = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "B": 1}
_TRUTH = {"true": True, "false": False}
_ALMOST = {"yes": "true", "on": "true", "no": "false", "off": "false"}


class Wrong(Exception):  # noqa: N818 - it ends in a message of ConfigError
    """A value that is not what was expected at its place."""

    def __init__(self, node: Node, expected: str) -> None:
        super().__init__(expected)
        self.node = node
        self.expected = expected


def needs_quotes(text: str) -> bool:
    """Whether this text, written plainly, would not be taken for a text, here or by PyYAML."""
    word = text.lower()
    known = word in _TRUTH or word in _ALMOST or word in ("null", "~")
    return known or number(text) is not None or _DISPUTED.fullmatch(text) is not None


def number(text: str) -> int | float | None:
    """The number that `text` writes, None if it is none: an int if whole and without a point."""
    if not _NUMBER.fullmatch(text):
        return None
    digits = text.replace("_", "")
    value = float(digits)
    if "." in text or abs(value) > 1e40 or not value.is_integer():
        return value
    return int(Decimal(digits))


def plain(node: Node) -> str:
    """The text of a value written without quotes, else nothing."""
    return node.text if isinstance(node, Text) and node.plain else ""


def text(node: Node) -> str:
    if not isinstance(node, Text) or node.empty:
        raise Wrong(node, "a text")
    return node.text


def whole(least: int, most: int = MOST) -> Callable[[Node], int]:
    wanted = f", {least} or more" if most == MOST else f" from {least} to {most}"

    def parse(node: Node) -> int:
        value = number(plain(node))
        if value is None or value % 1 or not least <= value <= most:
            limit = f", at most {MOST:,}" if value and value > MOST == most else ""
            quoted = isinstance(node, Text) and not node.plain and number(node.text) is not None
            quotes = ", without quotes" if quoted else ""
            raise Wrong(node, f"a whole number{wanted}{limit}{quotes}")
        return int(value)

    return parse


def truth(node: Node) -> bool:
    word = plain(node).lower()
    if word not in _TRUTH:
        hint = f"; did you mean {_ALMOST[word]}?" if word in _ALMOST else ""
        raise Wrong(node, f"true or false{hint}")
    return _TRUTH[word]


def seconds(node: Node) -> float:
    text = plain(node)
    unit = next((unit for unit in _UNITS if text.endswith(unit)), "s")
    value = number(text.removesuffix(unit))
    if value is None or not 0 < value < math.inf:
        raise Wrong(node, "a duration above zero such as 50ms, 5s or 2m, or null for no limit")
    return value * _UNITS[unit]


def size(node: Node, null: str = ", or null for no limit") -> int:
    text = plain(node)
    unit = next((unit for unit in _BYTES if text.endswith(unit)), "")
    value = number(text.removesuffix(unit))
    if value is None or not 1 <= value * _BYTES.get(unit, 1) < 1 << 60:
        raise Wrong(node, f"a size such as 512MiB, 2GB or a number of bytes{null}")
    return int(value * _BYTES.get(unit, 1))


def isolation(node: Node) -> Isolation:
    mode = Isolation(word(*Isolation)(node))
    if mode is Isolation.STRICT:
        try:
            sandbox.bubblewrap()
        except OptionError as error:
            raise Wrong(node, f"isolated or trusted on this computer: {error}") from None
    return mode


def word(*words: str) -> Callable[[Node], str]:
    def parse(node: Node) -> str:
        found = text(node)
        if found not in words:
            raise Wrong(node, " or ".join(words))
        return found

    return parse


def or_null(parse: Callable[[Node], T]) -> Callable[[Node], T | None]:
    return lambda node: None if isinstance(node, Text) and node.null else parse(node)


def free(node: Node) -> Param:
    """A value whose kind is told by how it is written."""
    if not isinstance(node, Text):
        raise Wrong(node, "a single value")
    if not node.plain:
        return node.text
    word = node.text.lower()
    if word in _ALMOST:
        raise Wrong(node, f"{_ALMOST[word]}, or quotes around it if it is a text")
    value = _TRUTH[word] if word in _TRUTH else number(node.text)
    if _DISPUTED.fullmatch(node.text) or value in (math.inf, -math.inf):
        raise Wrong(node, "a decimal number without leading zeros, or quotes if it is a text")
    return node.text if value is None else value


def params_of(node: Node, assignments: str) -> dict[str, Param | None]:
    """The params in a reference, `key=value,…`, by the same rules as those under `params`."""
    params = {}
    for key, equals, value in (part.partition("=") for part in assignments.split(",")):
        try:
            if equals:
                params[key.strip()] = or_null(free)(Text(node.place, value.strip(), plain=True))
        except Wrong as wrong:
            raise Wrong(node, f"for {key.strip()} {wrong.expected}") from None
    return params


def game(node: Node) -> Game:
    name = text(node)
    if name not in registry.GAMES:
        raise Wrong(node, f"the name of a game{suggestion(name, sorted(registry.GAMES))}")
    return registry.game(name)


def players(node: Node, game: Game | None) -> tuple[int, ...]:
    if isinstance(node, Table) or (isinstance(node, Items) and not node.items):
        raise Wrong(node, "a number of players or a list such as [2, 3]")
    one = whole(game.players[0], game.players[-1]) if game else whole(1)
    numbers: list[int] = []
    for item in node.items if isinstance(node, Items) else [node]:
        try:
            numbers.append(one(item))
        except Wrong as wrong:
            owner = f", as {game.name} allows" if game else ""
            raise Wrong(item, f"{wrong.expected}{owner}") from None
        if numbers.count(numbers[-1]) > 1:
            raise Wrong(item, "each number of players once")
    return tuple(numbers)


def option(option: Option) -> Callable[[Node], OptionValue]:
    """What is written is read as the kind of thing that the option's choices are."""
    kind = type(option.default)

    def parse(node: Node) -> OptionValue:
        value: Any = truth(node) if kind is bool else text(node)
        if kind is int and (read := number(plain(node))) is not None:
            value = int(read) if not read % 1 else read
        try:
            option.encode(value)
        except OptionError as error:
            expected = str(error).partition("expected ")[2].partition(" (known: ")[0]
            raise Wrong(node, expected) from None
        return value  # type: ignore[no-any-return]

    return parse


def name(node: Node) -> str:
    found = text(node)
    if found != found.strip():
        raise Wrong(node, "a name without blanks around it")
    if not 1 <= len(found) <= 60:
        raise Wrong(node, f"a name of 1 to 60 characters, this has {len(found)}")
    if "|" in found or not found.isprintable():
        raise Wrong(node, "a name of printable characters in one line, without |")
    return found
