"""Names for games and bots: from what a configuration says to what can be played.

Games and shipped bots are listed as `"module:attr"` and imported on first use. Foreign bots are
found by `find_bot`, which reads their files and never runs them, and loaded by `load_bot`.

**Foreign bots keep to themselves.** A bot file is loaded as part of a package of its own, whose
folder is the file's: `from . import util` and `import util` both give the `util.py` beside it, at
the top of a file and inside its functions, and no other bot ever meets that module. Nothing beside
a bot replaces the standard library, arena or its bots, for itself or for anybody else. `sys.path`
is not touched: the modules of the package have their own `__import__`, which looks beside the bot
first. Only the import statement does so; `importlib.import_module("util")` does not.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import hashlib
import importlib
import inspect
import lzma
import os
import re
import shlex
import shutil
import sys
import tempfile
import traceback
import types
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from platformdirs import user_cache_path

from arena.errors import BotLoadError, OptionError, UnknownNameError, suggestion

if TYPE_CHECKING:
    from arena.core import Bot
    from arena.game import Game

GAMES = {
    "aves": "arena.games.aves:Aves",
    "coloretto": "arena.games.coloretto:Coloretto",
    "cubirds": "arena.games.cubirds:CuBirds",
    "fruit-friends": "arena.games.fruit_friends:FruitFriends",
    "kuhn": "arena.games.kuhn:Kuhn",
}

BOTS = {
    "greedy": "bots.greedy:Greedy",
    "ismcts": "bots.ismcts:ISMCTS",
    "mcts": "bots.mcts:MCTS",
    "oracle": "bots.oracle:Oracle",
    "random": "bots.uniform:Uniform",
}

Factory: TypeAlias = "Callable[..., Bot]"
"""What makes a bot, its class as a rule: called as `factory(game, seat, seed, **params)`."""

ORACLE = "oracle"
"""The shipped bot that is shown the true state; no other one ever is."""

PROGRAM = "command:"
"""What a reference to a program begins with; its words follow as in a shell."""

PRIVATE_PACKAGE = r"\barena_bot_[0-9a-f]{16}\."
"""Pattern of what stands before the module names of a bot's file and of what lies beside it."""

_SHIPPED = Path(__file__).resolve().parent.parent / "bots"

_BROKEN = (lzma.LZMAError, zipfile.BadZipFile, zlib.error)
"""what damaged .zip files raise, besides"""

ARCHIVE_BYTES = 1 << 30
"""most that a .zip file of a bot may unpack to"""

Param: TypeAlias = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class BotSource:
    """Where a bot's code stands and what it is, before any of it has run."""

    ref: str
    """as the configuration names it, without params"""
    kind: Literal["shipped", "file", "folder", "module", "program"]
    path: Path
    """the file that defines the bot; of a program the folder in which it runs"""
    attr: str | None
    """its class or factory; None where the file's only bot is meant"""
    digest: str
    """hash over the code's contents, the same wherever it lies"""
    command: tuple[str, ...] = ()
    """of a program, what is run"""
    archive: Path | None = None
    """the .zip file from which a folder was unpacked"""


@dataclass(frozen=True, slots=True)
class BotSummary:
    """What `arena bots` tells about a bot; `params` maps each parameter to its default."""

    name: str
    doc: str
    params: Mapping[str, object]


# --- games and shipped bots ---------------------------------------------------------------------


@functools.cache
def game(name: str) -> Game:
    """The game of that name, one object for all; UnknownNameError lists the names there are."""
    if name not in GAMES:
        raise UnknownNameError("game", name, GAMES)
    module, _, attr = GAMES[name].partition(":")
    rules: Game = getattr(importlib.import_module(module), attr)()
    return rules


def describe_bots() -> list[BotSummary]:
    """The shipped bots by name, with the first line of their documentation and their params."""
    summaries = []
    for name in sorted(BOTS):
        factory = load_bot(find_bot(name))
        doc = inspect.getdoc(factory) or ""
        defaults = {p.name: p.default for p in _params(factory)[0].values()}
        summaries.append(BotSummary(name, doc.partition("\n")[0], defaults))
    return summaries


# --- references ---------------------------------------------------------------------------------


def split_ref(ref: str) -> tuple[str, dict[str, Param]]:
    """Take the params off a reference: `"mcts:worlds=5"` → `("mcts", {"worlds": 5})`.

    Values read as in YAML 1.2: true, false, whole numbers, numbers with a point or an exponent,
    else text. OptionError if one is missing or given twice.
    """
    if ref.startswith(PROGRAM):
        return ref, {}
    head, colon, tail = ref.rpartition(":")
    if not colon or "=" not in tail:
        if head in BOTS:
            raise OptionError(f"bot {ref!r}: found {tail!r}, expected key=value[,key=value…]")
        return ref, {}
    params: dict[str, Param] = {}
    for part in tail.split(","):
        key, equals, value = (text.strip() for text in part.partition("="))
        if not (key.isidentifier() and equals and value):
            raise OptionError(f"bot {ref!r}: found {part!r}, expected key=value")
        if key in params:
            raise OptionError(f"bot {ref!r}: {key!r} is given twice")
        params[key] = _scalar(value)
    return head, params


def _scalar(text: str) -> Param:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if re.fullmatch(r"[-+]?\d+", text, re.ASCII):
        return int(text)
    if re.fullmatch(r"[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?", text, re.ASCII):
        return float(text)
    return text


def find_bot(ref: str, base: Path | None = None) -> BotSource:
    """Resolve a reference without params, without running the bot's code.

    It is the name of a shipped bot; a file `path/bot.py`, a folder holding `bot.py` or a .zip file
    of one, relative to `base` (the working directory); `package.module:Name`; or `command:` and the
    words of a program. A file or folder may be followed by `:Name` of the class or factory in it.
    Raises UnknownNameError if nothing of the kind exists and BotLoadError if a file, a module or a
    program that was clearly meant is not there.
    """
    if ref.startswith(PROGRAM):
        return _program(ref, (base or Path()).resolve())
    if ref in BOTS:
        module, _, attr = BOTS[ref].partition(":")
        path = _SHIPPED / f"{module.partition('.')[2]}.py"
        return BotSource(ref, "shipped", path, attr, _digest(ref, _SHIPPED, _SHIPPED.glob("*.py")))
    head, colon, tail = ref.rpartition(":")
    head, attr_ = (head, tail) if colon and tail.isidentifier() else (ref, None)
    path = ((base or Path()) / Path(head).expanduser()).resolve()
    if path.suffix == ".zip":
        return _in_archive(ref, path, attr_)
    if path.is_dir() and (_is_path(head) or (path / "bot.py").is_file()):
        return _in_folder(ref, path, attr_)
    if _is_path(head):
        return _in_file(ref, path, attr_)
    if attr_ and all(part.isidentifier() for part in head.split(".")):
        return _in_module(ref, head, attr_)
    raise UnknownNameError("bot", ref, BOTS)


def reason(message: str) -> str:
    """What the message of a BotLoadError says is wrong, without the reference to the bot."""
    return re.sub(r"^bot '[^']*': ", "", message)


def _is_path(head: str) -> bool:
    return head.endswith((".py", ".zip")) or head.startswith(".") or "/" in head or "\\" in head


def _in_folder(ref: str, folder: Path, attr: str | None) -> BotSource:
    if not (folder / "bot.py").is_file():
        held = ", ".join(_candidates(folder)[:20]) or "nothing of the kind"
        raise BotLoadError(f"bot {ref!r}: {folder} has no bot.py (it holds {held})")
    digest = _digest(ref, folder, _folder_files(folder))
    return BotSource(ref, "folder", folder / "bot.py", attr, digest)


def _folder_files(folder: Path) -> list[Path]:
    return [f for f in folder.rglob("*") if f.is_file() and _counts(f.relative_to(folder))]


def _counts(relative: Path) -> bool:
    """Whether a file of a bot's folder is part of the bot: not if hidden or written by Python."""
    return not any(part.startswith(".") or part == "__pycache__" for part in relative.parts)


def _in_archive(ref: str, archive: Path, attr: str | None) -> BotSource:
    """A folder in a .zip file, unpacked where it stays while the file's content does."""
    try:
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()[:32]
        folder = user_cache_path("arena") / "bots" / digest
        if not folder.exists():
            _unpack(archive, folder)
    except (EOFError, OSError, RuntimeError, ValueError, *_BROKEN) as error:
        raise BotLoadError(f"bot {ref!r}: cannot unpack {archive}: {error}") from None
    held = list(folder.iterdir())
    if len(held) == 1 and held[0].is_dir() and not (folder / "bot.py").exists():
        folder = held[0]
    return replace(_in_folder(ref, folder, attr), archive=archive)


def _unpack(archive: Path, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (
        zipfile.ZipFile(archive) as content,
        tempfile.TemporaryDirectory(dir=folder.parent) as made,
    ):
        size = sum(info.file_size for info in content.infolist())
        if size > ARCHIVE_BYTES:
            raise OSError(f"it holds {size:,} bytes, more than {ARCHIVE_BYTES:,}")
        content.extractall(Path(made) / "bot")
        with contextlib.suppress(OSError):  # somebody else was faster
            (Path(made) / "bot").rename(folder)


def _program(ref: str, base: Path) -> BotSource:
    """A program. Words that are files are made absolute.

    It runs in the folder of the first file that is not given absolutely, as interpreters are.
    """
    try:
        words = shlex.split(ref.removeprefix(PROGRAM))
    except ValueError as error:
        raise BotLoadError(f"bot {ref!r}: {error}") from None
    if not words:
        raise BotLoadError(f"bot {ref!r}: found no program after {PROGRAM!r}")
    files = [path for word in words if (path := base / word).is_file()]
    command = tuple(str(path) if (path := base / word) in files else word for word in words)
    if command[0] not in map(str, files) and shutil.which(command[0]) is None:
        raise BotLoadError(f"bot {ref!r}: there is no program {words[0]!r} in {base} or in PATH")
    if files and command[0] == str(files[0]) and not os.access(files[0], os.X_OK):
        raise BotLoadError(f"bot {ref!r}: {files[0]} may not be executed; try chmod +x")
    own = [path for path in files if str(path) not in words] or files
    folder = own[0].parent if own else Path("/")
    digest = _digest(ref, base, files)
    return BotSource(f"{PROGRAM}{shlex.join(command)}", "program", folder, None, digest, command)


def _in_file(ref: str, path: Path, attr: str | None) -> BotSource:
    if not path.parent.is_dir():
        raise BotLoadError(f"bot {ref!r}: there is no folder {path.parent}")
    if not path.exists():
        near = suggestion(path.name, _candidates(path.parent))
        raise BotLoadError(f"bot {ref!r}: there is no file {path}{near}")
    if path.suffix != ".py":
        raise BotLoadError(f"bot {ref!r}: {path} is not a .py file")
    return BotSource(ref, "file", path, attr, _digest(ref, path.parent, _imported(path)))


def _candidates(folder: Path) -> list[str]:
    """What in a folder may be a bot: Python files and folders with a bot.py."""
    return sorted(f.name for f in folder.iterdir() if f.suffix == ".py" or (f / "bot.py").exists())


def _in_module(ref: str, module: str, attr: str) -> BotSource:
    spec = _spec(module)
    if spec is None or spec.origin is None or not spec.has_location:
        raise BotLoadError(f"bot {ref!r}: Python finds no module {module!r} with a file")
    path = Path(spec.origin)
    files = path.parent.rglob("*.py") if spec.parent else [path]
    return BotSource(ref, "module", path, attr, _digest(ref, path.parent, files))


def _spec(module: str) -> ModuleSpec | None:
    """As `importlib.util.find_spec`, but without importing the packages around the module."""
    top, *inner = module.split(".")
    try:
        spec = find_spec(top)
    except ValueError:  # a module that was made rather than found
        return None
    name = top
    for part in inner:
        if spec is None or spec.submodule_search_locations is None:
            return None
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, spec.submodule_search_locations)
    return spec


# --- contents -----------------------------------------------------------------------------------


def read_files(source: BotSource) -> dict[str, bytes]:
    """The files of a foreign bot by their path relative to the folder of its own file."""
    root = source.path.parent
    files = _folder_files(root) if source.kind == "folder" else _imported(source.path)
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in files}


def _digest(ref: str, root: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    try:
        for file in sorted(files):
            content = file.read_bytes()
            digest.update(f"{_relative(file, root)}\0{len(content)}\0".encode())
            digest.update(content)
    except OSError as error:
        raise BotLoadError(
            f"bot {ref!r}: cannot read {error.filename}: {error.strerror}"
        ) from error
    return digest.hexdigest()[:32]


def _relative(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix() if file.is_relative_to(root) else file.name


def _imported(path: Path) -> set[Path]:
    """A bot's file and what it imports from beside it, directly or not, as far as can be read."""
    found: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        for name in _imported_names(file):
            module, package = path.parent / f"{name}.py", path.parent / name
            waiting += [module] if module.is_file() else package.rglob("*.py")
    return found


def _imported_names(file: Path) -> Iterator[str]:
    """First parts of the module names in a file's import statements that may lie beside a bot."""
    try:
        tree = ast.parse(file.read_bytes())
    except (MemoryError, OSError, RecursionError, SyntaxError, ValueError):
        return  # told when the bot is loaded
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module else [alias.name for alias in node.names]
        relative = isinstance(node, ast.ImportFrom) and node.level > 0
        for name in names:
            first = name.partition(".")[0]
            if relative or not _is_public(first):
                yield first


def _is_public(name: str) -> bool:
    """Whether a top-level module name always means the same for everyone."""
    return name in sys.stdlib_module_names or name in ("arena", "bots")


# --- loading ------------------------------------------------------------------------------------


def load_bot(source: BotSource) -> Factory:
    """Run a bot's code and return its class or factory.

    Raises BotLoadError if the code fails, or if it does not hold exactly what was asked for; the
    message then says what it does hold and how to choose.
    """
    try:
        module = _run(source)
    except (Exception, SystemExit) as error:
        raise BotLoadError(f"bot {source.ref!r}: its code fails to load: {_told(error)}") from error
    return _choose(source, module)


def _run(source: BotSource) -> types.ModuleType:
    importlib.invalidate_caches()
    if source.kind == "shipped":
        _claim_package()
        return importlib.import_module(BOTS[source.ref].partition(":")[0])
    if source.kind == "module":
        return importlib.import_module(source.ref.rpartition(":")[0])
    return importlib.import_module(_private_package(source).main)


def _claim_package() -> None:
    """See to it that `bots` is the package beside arena, and no folder of that name elsewhere."""
    file = _SHIPPED / "__init__.py"
    known = sys.modules.get("bots")
    if known is None or known.__file__ != str(file):
        spec = spec_from_file_location("bots", file, submodule_search_locations=[str(_SHIPPED)])
        assert spec
        assert spec.loader
        sys.modules["bots"] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules["bots"])


def _told(error: BaseException) -> str:
    """The error in one line, with the place where it was raised."""
    text = traceback.format_exception_only(error)[-1].strip()
    if isinstance(error, SyntaxError):
        return f"{text} ({error.filename}, line {error.lineno})"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "importlib" not in f.filename]
    return f"{text} ({frames[-1].filename}, line {frames[-1].lineno})"


def _choose(source: BotSource, module: types.ModuleType) -> Factory:
    """The class or factory that is meant; never a guess between two."""
    where, file = f"bot {source.ref!r}: ", source.path.name
    attr = source.attr or _only_bot(where, source, module)
    if not hasattr(module, attr):
        names = [n for n, value in vars(module).items() if n[0] != "_" and callable(value)]
        raise BotLoadError(f"{where}{file} has no {attr!r}{suggestion(attr, names)}")
    factory: Any = getattr(module, attr)
    expected = "expected a class with act(turn), or a function that returns such a bot"
    if not callable(factory):
        raise BotLoadError(f"{where}{attr!r} in {file} cannot be called; {expected}")
    if inspect.isclass(factory) and not hasattr(factory, "act"):
        raise BotLoadError(f"{where}{attr!r} in {file} is a class without act; {expected}")
    return factory  # type: ignore[no-any-return]


def _only_bot(where: str, source: BotSource, module: types.ModuleType) -> str:
    """The name of the one public class with `act` that the file itself defines."""
    own = {
        name: value
        for name, value in vars(module).items()
        if name[0] != "_" and getattr(value, "__module__", None) == module.__name__
    }
    bots = [n for n, value in own.items() if inspect.isclass(value) and hasattr(value, "act")]
    if len(bots) == 1:
        return bots[0]
    found = f"the bots {', '.join(bots)}" if bots else ", ".join(own) or "nothing"
    raise BotLoadError(
        f"{where}{source.path.name} holds {found}; expected one public class with act(turn), or "
        f"a choice, as in {source.ref}:{next(iter(bots or own), 'MyBot')}"
    )


# --- private packages ---------------------------------------------------------------------------


class _Package:
    """The package that a bot's file and all modules beside it are loaded into.

    `main` is the module of the bot's file; `builtins` those of every module of the package.
    """

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path
        self.main = f"{name}.{path.stem.replace('.', '_')}"
        self.builtins = {**vars(builtins), "__import__": self._import}
        self._holds = functools.cache(self._look)
        module = types.ModuleType(name)
        module.__path__ = [str(path.parent)]
        sys.modules[name] = module

    def _look(self, name: str) -> bool:
        """Whether an absolute import of `name` means a module beside the bot."""
        if _is_public(name):
            return False
        spec = PathFinder.find_spec(name, [str(self.path.parent)])
        # A folder without __init__.py counts only where nothing else has the name, as in Python.
        return spec is not None and (spec.has_location or find_spec(name) is None)

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> types.ModuleType:
        first = name.partition(".")[0]
        if level > 0 or not self._holds(first):
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        inside = f"{self.name}.{name}"
        if fromlist:
            return builtins.__import__(inside, globals, locals, fromlist)
        importlib.import_module(inside)
        return sys.modules[f"{self.name}.{first}"]


class _Loader(SourceFileLoader):
    """Runs a bot's file with its package's builtins, and always from the source that was hashed."""

    def get_code(self, fullname: str) -> types.CodeType:
        code: types.CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code

    def exec_module(self, module: types.ModuleType) -> None:
        package = _packages[module.__name__.partition(".")[0]]
        vars(module)["__builtins__"] = package.builtins
        super().exec_module(module)


class _Finder:
    """Finds the modules of the private packages for Python's import system."""

    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        package = _packages.get(fullname.partition(".")[0])
        if package is None:
            return None
        if fullname == package.main:
            loader = _Loader(fullname, str(package.path))
            return spec_from_file_location(fullname, package.path, loader=loader)
        spec = PathFinder.find_spec(fullname, path)
        if spec and spec.origin and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(fullname, spec.origin)
        return spec


_packages: dict[str, _Package] = {}


def _private_package(source: BotSource) -> _Package:
    """The package of a bot's file, made on first use."""
    # The content is part of the name, so that a bot edited in a long session is loaded anew.
    key = hashlib.sha256(f"{source.path}\0{source.digest}".encode()).hexdigest()
    name = f"arena_bot_{key[:16]}"
    if name not in _packages:
        _packages[name] = _Package(name, source.path)
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
    return _packages[name]


# --- params -------------------------------------------------------------------------------------


def check_params(factory: Factory, params: Mapping[str, object]) -> None:
    """Check params against a bot's signature.

    OptionError names those it does not take or does not get; BotLoadError says so if it cannot be
    called with `(game, seat, seed)` at all.
    """
    known, open_ended = _params(factory)
    problems = []
    for name in params:
        if name not in known and (not open_ended or name in ("game", "seat", "seed")):
            problems.append(f"takes no param {name!r}{suggestion(name, known)}")
    for name, param in known.items():
        if param.default is param.empty and name not in params:
            problems.append(f"needs the param {name!r}")
    if problems:
        raise OptionError(f"{_name(factory)} {'; '.join(problems)}")


def _params(factory: Factory) -> tuple[dict[str, inspect.Parameter], bool]:
    """The parameters after game, seat and seed, and whether any other name is taken as well."""
    try:
        parameters = list(inspect.signature(factory).parameters.values())
    except ValueError:  # written in C
        return {}, True
    leading = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if len(leading) < 3 and not takes_any:
        raise BotLoadError(
            f"{_name(factory)} takes {inspect.signature(factory)}, expected "
            f"(game, seat, seed, …params)"
        )
    fixed = {p.name for p in leading[:3]}
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    known = {p.name: p for p in named if p.name not in fixed}
    return known, any(p.kind is p.VAR_KEYWORD for p in parameters)


def _name(factory: Factory) -> str:
    return str(getattr(factory, "__qualname__", factory))
