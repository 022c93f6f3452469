"""A YAML document as texts and the places where they stand, with nothing interpreted.

PyYAML would turn `no` into false, `12:30:45` into a number and a doubled key into its last value.
Here it only cuts the document up: `read` gives a tree of `Text`, `Items` and `Table`, with aliases
and merge keys resolved, and whoever reads the tree decides what a text means. Mistakes that do not
keep the rest from being read are collected in `Problems`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import yaml

from arena.errors import ConfigError, suggestion

LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is written; places sort by `order`."""

    order: tuple[int, int]
    text: str
    """begins a message: `configs/x.yaml:12`"""
    reference: str
    """points there from inside a message: `on line 12`"""


@dataclass(slots=True)
class Text:
    """A single value as it is written; `plain` if it may mean more than its text: no quotes."""

    place: Place
    text: str
    plain: bool

    @property
    def empty(self) -> bool:
        return self.plain and not self.text

    @property
    def null(self) -> bool:
        return self.plain and self.text.lower() in ("", "~", "null")

    @property
    def shown(self) -> str:
        if self.empty:
            return "nothing"
        short = _shorten(self.text)
        return short if self.plain and short.isprintable() else repr(short)


@dataclass(slots=True)
class Items:
    """A list."""

    place: Place
    items: list[Node]

    @property
    def shown(self) -> str:
        return "a list" if self.items else "an empty list"


@dataclass(slots=True)
class Table:
    """A mapping; `keys` and `values` have the same keys, the places of the keys stand in `keys`."""

    place: Place
    keys: dict[str, Place]
    values: dict[str, Node]

    @property
    def shown(self) -> str:
        return _shorten(f"{{{', '.join(f'{key}: …' for key in self.values)}}}")


Node: TypeAlias = Text | Items | Table


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


class Problems:
    """What is wrong with a document, in the order of its lines."""

    def __init__(self) -> None:
        self._found: list[tuple[Place, str]] = []

    def add(self, place: Place, text: str) -> None:
        self._found.append((place, text))

    def __len__(self) -> int:
        return len(self._found)

    def lines(self) -> list[str]:
        """One line for each problem: its place and what is wrong there."""
        ordered = sorted(self._found, key=lambda found: found[0].order)
        return list(dict.fromkeys(f"{place.text}: {text}" for place, text in ordered))


# --- reading ------------------------------------------------------------------------------------


def read(path: Path, problems: Problems) -> Node:
    """The tree of a YAML file; ConfigError where nothing can be made of it."""
    return _parse(_read_text(path), partial(_line_of, path), problems)


def _line_of(path: Path, line: int) -> Place:
    return Place((0, line), f"{path}:{line}", f"on line {line}")


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        near = [str(p) for p in sorted(path.parent.glob("*.y*ml"))]
        raise ConfigError([f"{path}: found no such file{suggestion(str(path), near)}"]) from None
    except OSError as error:
        raise ConfigError([f"{path}: cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        problem = "found a byte that is not UTF-8; expected text"
        raise ConfigError([f"{path}:{line}: {problem}"]) from None


def _parse(text: str, place_of: Callable[[int], Place], problems: Problems) -> Node:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        line, problem = _syntax_problem(error, text)
        raise ConfigError([f"{place_of(line).text}: {problem}"]) from None
    if root is None:
        return Text(place_of(1), "", plain=True)
    return _Builder(place_of, problems).build(root, ())


def _syntax_problem(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    """The line of a mistake that YAML does not get over, and what is wrong there."""
    if isinstance(error, yaml.reader.ReaderError):
        line = text.count("\n", 0, error.position) + 1
        return line, f"found the character U+{ord(text[error.position]):04X}; expected plain text"
    assert isinstance(error, yaml.MarkedYAMLError) and error.problem_mark
    line = error.problem_mark.line + 1
    problem, context = error.problem or "", error.context or ""
    tabbed = _first_tab(text.splitlines()[:line])
    if tabbed or "\\t" in problem:
        return tabbed or line, "found a tab; expected blanks, YAML takes no tabs there"
    if "single document" in context:
        return line, "found a second document after ---; expected one in a file"
    if "mapping values" in problem:
        return line, "found a second ': ' in one line; expected key: value, texts with ': ' quoted"
    begun = error.context_mark.line + 1 if error.context_mark else line
    where = f" {context}{f' that begins on line {begun}' if begun != line else ''}"
    return line, f"found broken YAML: {problem}{where if context else ''}"


def _first_tab(lines: Iterable[str]) -> int | None:
    """Number of the first line that is indented with a tab."""
    for number, content in enumerate(lines, start=1):
        if "\t" in content[: len(content) - len(content.lstrip())]:
            return number
    return None


# --- overrides ----------------------------------------------------------------------------------


def override(tree: Node, assignment: str, number: int, text_key: str, problems: Problems) -> None:
    """Put `a.b.0=value`, the `number`th `--set`, into the tree; the value is YAML like the rest.

    Where the key leads into a text in a list, the text becomes a table that has it at `text_key`.
    """
    shown = f"--set {_shorten(assignment)}"
    place = Place((1, number), shown, f"in {shown}")
    key, equals, value = assignment.partition("=")
    *path, last = key.split(".")
    if not equals or not all([*path, last]):
        problems.add(place, "expected key=value, such as schedule.deals=10")
        return
    try:
        node = _parse(value, lambda line: place, problems)
        target = tree
        for part in path:
            target = _enter(target, part, text_key, place)
        _put(target, last, node, place)
    except LookupError as error:
        problems.add(place, error.args[0])
    except ConfigError as error:
        problems.add(place, str(error).removeprefix(f"{place.text}: "))


def _enter(target: Node, key: str, text_key: str, place: Place) -> Items | Table:
    """The list or table at `key`, which is made if nothing is there."""
    if isinstance(target, Items):
        inner = target.items[_index(target, key)]
        if isinstance(inner, Text):
            inner = Table(inner.place, {text_key: inner.place}, {text_key: inner})
            target.items[_index(target, key)] = inner
        return inner
    if isinstance(target, Table):
        inner = target.values.get(key, Text(place, "", plain=True))
        if isinstance(inner, Text) and inner.empty:
            inner = Table(place, {}, {})
            _put(target, key, inner, target.keys.get(key, place))
        if not isinstance(inner, Text):
            return inner
    raise LookupError(f"found {key}: {inner.shown}; expected nothing further after {key!r}")


def _put(target: Node, key: str, node: Node, place: Place) -> None:
    if isinstance(target, Items):
        target.items[_index(target, key)] = node
    elif isinstance(target, Table):
        target.keys[key] = place
        target.values[key] = node


def _index(target: Items, key: str) -> int:
    if not (key.isdecimal() and int(key) < len(target.items)):
        raise LookupError(f"found {key!r}; expected a number from 0 to {len(target.items) - 1}")
    return int(key)


# --- PyYAML's nodes -----------------------------------------------------------------------------

_TAG = "tag:yaml.org,2002:"
_KINDS = ("str", "int", "float", "bool", "null", "timestamp", "value", "merge", "seq", "map")
_KNOWN_TAGS = {_TAG + kind for kind in _KINDS}


class _Builder:
    """Copies PyYAML's nodes into ours."""

    def __init__(self, place_of: Callable[[int], Place], problems: Problems) -> None:
        self._place_of = place_of
        self._problems = problems
        self._resolver = yaml.SafeLoader("")

    def build(self, node: yaml.Node, inside: tuple[yaml.Node, ...]) -> Node:
        """The tree under `node`, which stands in the nodes `inside`."""
        place = self._place_of(node.start_mark.line + 1)
        if node in inside:
            self._problems.add(place, "found an alias inside its own anchor; expected no circle")
            return Text(place, "", plain=True)
        if node.tag not in _KNOWN_TAGS:
            tag = node.tag.replace(_TAG, "!!")
            self._problems.add(place, f"found the tag {tag}; expected a value without a tag")
        if isinstance(node, yaml.SequenceNode):
            return Items(place, [self.build(item, (*inside, node)) for item in node.value])
        if isinstance(node, yaml.MappingNode):
            return self._table(node, place, (*inside, node))
        return Text(place, node.value, self._is_plain(node))

    def _is_plain(self, node: yaml.Node) -> bool:
        # An explicit !!str is as good as quotes; it shows where PyYAML would guess another tag.
        guess = self._resolver.resolve(yaml.ScalarNode, node.value, (True, False))  # type: ignore[no-untyped-call]
        said_text = node.tag == f"{_TAG}str" != guess
        return getattr(node, "style", None) is None and not said_text

    def _table(self, node: yaml.MappingNode, place: Place, inside: tuple[yaml.Node, ...]) -> Table:
        table = Table(place, {}, {})
        merged: list[Node] = []
        for key, value in node.value:
            at = self._place_of(key.start_mark.line + 1)
            if not isinstance(key, yaml.ScalarNode):
                self._problems.add(at, "found a list or a mapping as a key; expected a word")
            elif key.tag == f"{_TAG}merge":
                content = self.build(value, inside)
                merged += content.items if isinstance(content, Items) else [content]
            elif key.value in table.keys:
                first = table.keys[key.value].reference
                found = f"found the key {key.value!r} a second time (first {first})"
                self._problems.add(at, f"{found}; expected it once")
            else:
                table.keys[key.value] = at
                table.values[key.value] = self.build(value, inside)
        self._merge(table, merged)
        return table

    def _merge(self, table: Table, merged: Iterable[Node]) -> None:
        for other in merged:
            if not isinstance(other, Table):
                found = f"found <<: {other.shown}; expected a mapping to merge"
                self._problems.add(other.place, found)
                continue
            for key in [key for key in other.values if key not in table.values]:
                table.keys[key] = other.keys[key]
                table.values[key] = other.values[key]
