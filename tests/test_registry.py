"""Names, references and the loading of bots that know nothing of each other."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from arena import registry
from arena.core import Turn
from arena.errors import BotLoadError, OptionError, UnknownNameError
from arena.registry import BotSource, check_params, describe_bots, find_bot, load_bot, split_ref

FAKES = Path(__file__).parent / "fakes"
TURN = Turn(None, 0, (0, 1))  # type: ignore[arg-type]


def load(ref: str, base: Path = FAKES) -> registry.Factory:
    return load_bot(find_bot(ref, base))


def move(ref: str, base: Path = FAKES) -> int:
    """What the bot answers to a turn with the legal moves 0 and 1."""
    return load(ref, base)(None, 0, 1).act(TURN)


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.py").write_text(content)
    return folder


BOT = """
class Bot:
    def __init__(self, game, seat, seed): pass
    def act(self, turn): return {}
"""


# --- games and shipped bots ---------------------------------------------------------------------


def test_a_game_is_one_shared_object() -> None:
    assert registry.game("kuhn") is registry.game("kuhn")
    assert registry.game("kuhn").name == "kuhn"


def test_an_unknown_game_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(
        UnknownNameError, match=r"no game is called 'cubird'; .*'cubirds'\? \(known"
    ):
        registry.game("cubird")


def test_names_are_known_without_loading_the_compiler() -> None:
    code = (
        "import sys; from arena import registry; registry.find_bot('random');"
        "sys.exit(bool({'numpy', 'numba', 'ray', 'bots'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_shipped_bots_are_described_by_their_classes() -> None:
    bots = {bot.name: bot for bot in describe_bots()}
    assert list(bots) == sorted(registry.BOTS)
    assert bots["random"].doc == "Plays any legal move with equal chance."
    assert dict(bots["random"].params) == {}
    assert "iterations" in bots["ismcts"].params
    assert all(bot.doc for bot in bots.values())


def test_the_random_bot_follows_from_its_seed() -> None:
    def moves(seed: int) -> list[int]:
        bot = load("random")(None, 0, seed)
        return [bot.act(TURN) for _ in range(40)]

    assert moves(1) == moves(1) != moves(2)
    assert set(moves(1)) == {0, 1}


# --- references ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ref", "name", "params"),
    [
        ("ismcts", "ismcts", {}),
        (
            "ismcts:iterations=500,exploration=0.7",
            "ismcts",
            {"iterations": 500, "exploration": 0.7},
        ),
        ("x:a=true,b=False,c=no", "x", {"a": True, "b": False, "c": "no"}),
        ("x:d=1e3,e=-5,f=.5,g=1_0", "x", {"d": 1000.0, "e": -5, "f": 0.5, "g": "1_0"}),
        ("path/bot.py", "path/bot.py", {}),
        ("path/bot.py:MyBot", "path/bot.py:MyBot", {}),
        ("path/bot.py:MyBot:depth=3", "path/bot.py:MyBot", {"depth": 3}),
        ("package.module:MyBot", "package.module:MyBot", {}),
        ("C:\\bots\\x.py: depth = 3", "C:\\bots\\x.py", {"depth": 3}),
    ],
)
def test_params_are_split_off(ref: str, name: str, params: dict[str, object]) -> None:
    found_name, found = split_ref(ref)
    assert (found_name, found) == (name, params)
    assert [type(v) for v in found.values()] == [type(v) for v in params.values()]


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("ismcts:iterations", "bot 'ismcts:iterations': found 'iterations', expected key=value"),
        ("ismcts:", "found '', expected key=value"),
        ("ismcts:iterations=", "found 'iterations=', expected key=value"),
        ("ismcts:iterations=5,7", "found '7', expected key=value"),
        ("ismcts:a=1,a=2", "'a' is given twice"),
    ],
)
def test_malformed_params_are_refused(ref: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        split_ref(ref)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("ref", "kind", "path", "attr"),
    [
        ("steady.py", "file", "steady.py", None),
        ("steady.py:Bot", "file", "steady.py", "Bot"),
        ("./lazy_import/bot.py", "file", "lazy_import/bot.py", None),
        ("lazy_import", "folder", "lazy_import/bot.py", None),
        ("lazy_import:Bot", "folder", "lazy_import/bot.py", "Bot"),
        ("../fakes/lazy_import/", "folder", "lazy_import/bot.py", None),
    ],
)
def test_files_and_folders_are_found(ref: str, kind: str, path: str, attr: str | None) -> None:
    source = find_bot(ref, FAKES)
    assert (source.ref, source.kind, source.attr) == (ref, kind, attr)
    assert source.path == FAKES / path


def test_an_installed_module_is_found_without_running_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "club_of_bots", __init__="RUN = []", eve=BOT.format("1"))
    monkeypatch.syspath_prepend(tmp_path)
    source = find_bot("club_of_bots.eve:Bot")
    assert (source.kind, source.path) == ("module", tmp_path / "club_of_bots" / "eve.py")
    assert "club_of_bots" not in sys.modules
    assert load_bot(source)(None, 0, 1).act(TURN) == 1
    write(tmp_path / "club_of_bots", other="CHANGED = 1")
    assert find_bot("club_of_bots.eve:Bot").digest != source.digest


@pytest.mark.parametrize(
    ("ref", "error", "message"),
    [
        ("gredy", UnknownNameError, "no bot is called 'gredy'; did you mean 'greedy'?"),
        ("stedy.py", BotLoadError, "there is no file"),
        ("stedy.py", BotLoadError, "did you mean 'steady.py'?"),
        ("nowhere/bot.py", BotLoadError, "there is no folder"),
        ("./relative_import/inner", BotLoadError, "inner has no bot.py (it holds deep.py)"),
        ("./lazy_import/data.txt", BotLoadError, "data.txt is not a .py file"),
        ("no_such_package.bot:Bot", BotLoadError, "Python finds no module 'no_such_package.bot'"),
        ("json.no_such_module:Bot", BotLoadError, "Python finds no module 'json.no_such_module'"),
        ("sys:Bot", BotLoadError, "Python finds no module 'sys' with a file"),
    ],
)
def test_what_is_not_there_is_told(ref: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        find_bot(ref, FAKES)
    assert message in str(caught.value)


# --- digests ------------------------------------------------------------------------------------


def folder_with_helpers(folder: Path) -> Path:
    return write(
        folder,
        bot="import util, random\n" + BOT.format("util.X"),
        util="def f():\n    from . import deep\nX = 0",
        deep="X = 1",
        random="raise RuntimeError",
        unrelated="X = 2",
    )


def test_a_digest_does_not_depend_on_the_place(tmp_path: Path) -> None:
    here, there = (folder_with_helpers(tmp_path / name) for name in ("here", "there"))
    for ref in ("bot.py", "."):
        assert find_bot(ref, here).digest == find_bot(ref, there).digest


@pytest.mark.parametrize(
    ("name", "of_file", "of_folder"),
    [
        ("bot", True, True),
        ("util", True, True),
        ("deep", True, True),  # imported by the helper, inside a function
        ("random", False, True),  # the standard library's is meant
        ("unrelated", False, True),
    ],
)
def test_a_digest_changes_with_the_code_that_counts(
    tmp_path: Path, name: str, of_file: bool, of_folder: bool
) -> None:
    folder = folder_with_helpers(tmp_path / "x")
    before = [find_bot(ref, folder).digest for ref in ("bot.py", ".")]
    with (folder / f"{name}.py").open("a") as file:
        file.write("\nY = 1\n")
    after = [find_bot(ref, folder).digest for ref in ("bot.py", ".")]
    assert [a != b for a, b in zip(after, before, strict=True)] == [of_file, of_folder]


def test_what_python_and_editors_leave_behind_does_not_count(tmp_path: Path) -> None:
    folder = folder_with_helpers(tmp_path / "x")
    before = find_bot(".", folder).digest
    for name in ("__pycache__", ".git"):
        (folder / name).mkdir()
        (folder / name / "x").write_text("x")
    assert find_bot(".", folder).digest == before


def test_all_shipped_bots_stand_and_fall_together() -> None:
    assert find_bot("random").digest == find_bot("greedy").digest


# --- loading ------------------------------------------------------------------------------------


def test_a_class_or_a_factory_can_be_chosen() -> None:
    assert load("two_classes.py:Timid").__name__ == "Timid"  # type: ignore[attr-defined]
    assert callable(load("two_classes.py:make"))


def test_an_imported_base_class_is_no_second_bot() -> None:
    assert move("base_class.py") == 0


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("two_classes.py", "holds the bots Bold, Timid; expected one public class"),
        ("two_classes.py", "or a choice, as in two_classes.py:Bold"),
        ("no_class.py", "no_class.py holds Weights, choose; expected one public class"),
        ("no_act.py", "no_act.py holds Bot; expected one public class with act(turn)"),
        ("no_act.py:Bot", "'Bot' in no_act.py is a class without act; expected"),
        ("raises_init.py:bot", "has no 'bot'; did you mean 'Bot'?"),
        ("two_classes.py:__name__", "'__name__' in two_classes.py cannot be called"),
        ("raises_import.py", "bot 'raises_import.py': its code fails to load: KeyError: 'owl'"),
        ("raises_import.py", "raises_import.py, line 3)"),
        ("exits_import.py", "fails to load: SystemExit: 0"),
        ("missing_import.py", "ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_told_why(ref: str, message: str) -> None:
    with pytest.raises(BotLoadError) as caught:
        load(ref)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["+" * 100_000, "1+" * 100_000, "not " * 50_000])
def test_a_file_too_deep_for_the_parser_is_found_like_any_other(text: str, tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(f"value = {text}1")
    assert find_bot("deep.py", tmp_path).kind == "file"


def test_a_damaged_archive_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = tmp_path / "bot.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "bot.py", "".join(map(chr, random.Random(1).choices(range(32, 127), k=999)))
        )
    content = bytearray(path.read_bytes())
    for place in range(100, 300):
        content[place] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(BotLoadError, match="cannot unpack"):
        find_bot("bot.zip", tmp_path)


def test_a_syntax_error_names_the_line(tmp_path: Path) -> None:
    write(tmp_path, bot="x = 1\nclass Bot(:\n")
    with pytest.raises(BotLoadError, match=r"SyntaxError: invalid syntax \(.*bot\.py, line 2\)"):
        load("bot.py", tmp_path)


def test_a_failed_load_leaves_nothing_behind(tmp_path: Path) -> None:
    write(tmp_path, bot="import util\n" + BOT.format("util.X"), util="1 / 0")
    source = find_bot("bot.py", tmp_path)
    for _ in range(2):
        with pytest.raises(BotLoadError, match="ZeroDivisionError"):
            load_bot(source)


def test_helpers_with_equal_names_never_meet() -> None:
    assert [move("helper_clash_a"), move("helper_clash_b"), move("helper_clash_a")] == [0, 1, 0]
    assert "util" not in sys.modules


def test_two_bots_in_one_folder_have_helpers_of_their_own(tmp_path: Path) -> None:
    code = "import util\n" + BOT.format("util.CALLS.append(1) or len(util.CALLS)")
    write(tmp_path, one=code, two=code, util="CALLS = []")
    one, two = load("one.py", tmp_path)(None, 0, 1), load("two.py", tmp_path)(None, 0, 1)
    assert [one.act(TURN), one.act(TURN), two.act(TURN)] == [1, 2, 1]


def test_relative_and_lazy_imports_find_what_lies_beside() -> None:
    assert move("relative_import") == 0
    assert move("lazy_import") == 1
    assert move("relative_import/bot.py") == 0


def test_the_standard_library_and_arena_are_never_shadowed() -> None:
    path = list(sys.path)
    assert move("shadows_json") == 0
    assert json.loads("1") == 1
    assert random.Random is sys.modules["random"].Random  # type: ignore[attr-defined]
    assert sys.path == path


def test_an_edited_bot_is_loaded_anew(tmp_path: Path) -> None:
    # Same size, same second: Python's own cache of compiled files would not notice.
    answers = []
    for answer in ("0", "1"):
        write(tmp_path, bot="import util\n" + BOT.format("util.X"), util=f"X = {answer}")
        answers.append(move("bot.py", tmp_path))
    assert answers == [0, 1]
    assert not (tmp_path / "__pycache__").exists()


def test_a_file_name_need_not_be_a_python_name(tmp_path: Path) -> None:
    write(tmp_path, **{"my-bot.v2": BOT.format("1")})
    assert move("my-bot.v2.py", tmp_path) == 1


def test_tools_that_look_modules_up_work_in_a_private_package(tmp_path: Path) -> None:
    """Dataclasses, type hints and pickling go by the module's name."""
    code = (
        "import pickle, typing\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Node:\n    visits: 'int' = 1\n"
    )
    write(
        tmp_path,
        bot=code + BOT.format("pickle.loads(pickle.dumps(Node())).visits"),
    )
    assert load("bot.py:Bot", tmp_path)(None, 0, 1).act(TURN) == 1


def test_a_source_can_be_sent_to_another_process() -> None:
    import pickle

    source = find_bot("helper_clash_b", FAKES)
    code = (
        "import pickle, sys; from arena import registry, Turn;"
        "bot = registry.load_bot(pickle.load(sys.stdin.buffer))(None, 0, 1);"
        "sys.exit(10 + bot.act(Turn(None, 0, (0, 1))))"
    )
    run = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(source))
    assert run.returncode == 11
    assert isinstance(source, BotSource)


# --- params -------------------------------------------------------------------------------------


class Deep:
    def __init__(self, game: object, seat: int, seed: int, *, depth: int, width: int = 2) -> None:
        pass

    def act(self, turn: Turn) -> int:
        return 0


class Open(Deep):
    def __init__(self, *args: object, **params: object) -> None:
        pass


def test_good_params_pass() -> None:
    check_params(Deep, {"depth": 1})
    check_params(Deep, {"depth": 1, "width": 2})
    check_params(Open, {"anything": 1})


@pytest.mark.parametrize(
    ("factory", "params", "message"),
    [
        (Deep, {}, "Deep needs the param 'depth'"),
        (
            Deep,
            {"depth": 1, "widht": 3},
            "Deep takes no param 'widht'; did you mean 'width'? (known: depth, width)",
        ),
        (Deep, {"depth": 1, "seed": 3}, "Deep takes no param 'seed'"),
        (Open, {"seat": 3}, "Open takes no param 'seat'"),
        (Deep, {"widht": 3}, "'width'? (known: depth, width); needs the param 'depth'"),
    ],
)
def test_wrong_params_are_named(
    factory: registry.Factory, params: dict[str, object], message: str
) -> None:
    with pytest.raises(OptionError) as caught:
        check_params(factory, params)
    assert message in str(caught.value)


def test_a_constructor_of_another_shape_is_refused() -> None:
    with pytest.raises(BotLoadError, match=r"Bot takes \(game\), expected \(game, seat, seed"):
        check_params(load("takes_no_seed.py"), {})


def test_a_folder_called_bots_hides_no_shipped_bot(tmp_path: Path) -> None:
    """Wherever Python may find it first: people keep their own bots in such folders."""
    (tmp_path / "bots").mkdir()
    code = (
        "import sys; sys.path.insert(0, '');"
        "from arena import registry;"
        "print(registry.load_bot(registry.find_bot('random')).__module__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "bots.uniform\n"
