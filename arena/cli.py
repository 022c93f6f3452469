"""The command `arena`: parse, call, print.

Data go to stdout, messages to stderr. Only Typer is imported here at the top; each command imports
what it needs, so that help and shell completion answer at once.
"""

from __future__ import annotations

import contextlib
import io
import os
import platform
import shlex
import signal
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, NamedTuple, NoReturn

import typer

from arena import __version__
from arena.errors import (
    ArenaError,
    ConfigError,
    InfrastructureError,
    Interrupted,
    UnknownNameError,
)
from arena.report import Format

if TYPE_CHECKING:
    from arena.check_bot import BotChecker, BotReport
    from arena.core import Ending, Isolation, MatchResult, OptionValue
    from arena.game import Game, Option
    from arena.report import Standing
    from arena.repro import Reply
    from arena.store import Run
    from arena.tournament import Tournament

INTERNAL_ERROR = 3
"""Exit code for a mistake of ours."""

app = typer.Typer(
    help="Tournaments between bots for card games with hidden information.",
    epilog="Start with: arena run configs/smoke.yaml",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

new = typer.Typer(help="Write a bot to begin with.", no_args_is_help=True)
app.add_typer(new, name="new")

# --- shell completion ---------------------------------------------------------------------------


def _complete_config(incomplete: str) -> list[str]:
    """Configuration files, and the folders on the way to them."""
    folder = Path(incomplete).parent if not incomplete.endswith("/") else Path(incomplete)
    with contextlib.suppress(OSError):
        entries = sorted(folder.iterdir())
        paths = [p for p in entries if p.suffix in (".yaml", ".yml") or _may_lead_on(p)]
        return [f"{p}/" if p.is_dir() else str(p) for p in paths]
    return []


def _may_lead_on(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith((".", "_"))


def _complete_run(incomplete: str) -> list[str]:
    """Run folders under results/, by name or by path."""
    folders = sorted((p.parent for p in Path("results").glob("*/run.json")), reverse=True)
    return [f.name for f in folders] + [str(f) for f in folders]


def _complete_game(incomplete: str) -> list[str]:
    from arena.registry import GAMES

    return sorted(GAMES)


def _complete_ending(incomplete: str) -> list[str]:
    from arena.core import Ending

    return [ending.value for ending in Ending]


def _complete_bot(context: typer.Context, incomplete: str) -> list[str]:
    """The bots of the run that the command line names, else those shipped."""
    import json

    from arena.registry import BOTS

    # Before an option that lacks its value, Typer has not told apart what is what.
    run = context.params.get("run") or next(iter(context.args), "")
    for folder in (Path(run), Path("results") / run):
        with contextlib.suppress(OSError, ValueError, KeyError):
            return list(json.loads((folder / "run.json").read_text("utf-8"))["bots"])
    return sorted(BOTS)


# --- arguments ----------------------------------------------------------------------------------

ConfigPath = Annotated[
    Path,
    typer.Argument(metavar="CONFIG", help="a YAML file", autocompletion=_complete_config),
]
RunName = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="a run folder, or its name under results/", autocompletion=_complete_run
    ),
]
GameName = Annotated[
    str, typer.Option("--game", help="the game it plays", autocompletion=_complete_game)
]
MatchName = Annotated[
    str, typer.Argument(metavar="MATCH", help="its id, the beginning of it, or its number")
]
TableFormat = Annotated[Format, typer.Option("--format", help="how to print it")]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"arena {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="print the version"),
    ] = False,
) -> None:
    pass


# --- commands -----------------------------------------------------------------------------------


@app.command()
def run(
    config: ConfigPath,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="run folder  [default: a new one in results/]"
        ),
    ] = None,
    workers: Annotated[
        str | None, typer.Option(metavar="N|auto", help="play on so many cores, with Ray")
    ] = None,
    local: Annotated[bool, typer.Option("--local", help="play in this process")] = False,
    address: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="play on the Ray cluster there")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="go on with the run in DIR, or with the latest")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="instead of the configuration's seed")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="instead of what CONFIG says: schedule.deals=10"
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="keep the reasons that trusted bots give for their moves"),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="print what would be played, and write nothing")
    ] = False,
    form: TableFormat = Format.TABLE,
) -> None:
    """Play a tournament and print its leaderboard.

    Without --workers, --local and --address the first second is played in this process, and the
    rest on all cores if that is faster.
    """
    from arena import report
    from arena.tournament import Tournament

    where = _where(workers, local, address)
    overrides = [*(settings or ()), *([] if seed is None else [f"seed={seed}"])]
    with _stdout_for_data():
        tournament = Tournament.load(config, overrides, _tell)
    if dry_run:
        if form in (Format.MD, Format.CSV):
            raise typer.BadParameter("--dry-run prints text or, with --format json, JSON")
        _print(report.summary_text(tournament.summary(), form))
        return
    with tournament.resume(output) if resume else tournament.begin(output) as opened:
        try:
            _play(tournament, opened, where, explain)
        except (Interrupted, InfrastructureError) as stop:
            _tell(*_told(stop))
            _tell_resume(opened, config, overrides, where)
            raise typer.Exit(_exit_code(stop)) from None
        _conclude(opened, form)


@app.command()
def board(run: RunName, form: TableFormat = Format.TABLE) -> None:
    """Print the leaderboard of a run, finished or not."""
    from arena import report
    from arena.store import Run

    with Run.open(run) as opened:
        _print(report.board_table(_standings(opened), form))
        if (finished := opened.finished()) < opened.plan.matches:
            _tell(f"{finished:,} of {opened.plan.matches:,} matches are finished")


@app.command()
def matches(
    run: RunName,
    bot: Annotated[
        str | None,
        typer.Option(help="only those in which it played", autocompletion=_complete_bot),
    ] = None,
    ending: Annotated[
        str | None,
        typer.Option(help="only those that ended so", autocompletion=_complete_ending),
    ] = None,
    form: TableFormat = Format.TABLE,
) -> None:
    """List the finished matches of a run."""
    from arena import report
    from arena.store import Run

    with Run.open(run) as opened:
        _print(report.matches_table(opened.results(bot, _ending(ending)), form))


@app.command()
def replay(
    run: RunName,
    match: MatchName,
    text: Annotated[bool, typer.Option("--text", help="print a transcript (the default)")] = False,
    json: Annotated[bool, typer.Option("--json", help="print the game record")] = False,
    seat: Annotated[
        int | None, typer.Option(help="print only what this seat could see, from 0")
    ] = None,
) -> None:
    """Print a match move by move."""
    from arena import replay as replaying
    from arena import tournament
    from arena.store import Run

    if text and json:
        raise typer.BadParameter("--text and --json exclude each other")
    with Run.open(run) as opened, _compiling_told(_tell):
        result = opened.result(match)
        result = replace(result, explained=opened.explained(result.spec.number))
        record = replaying.record(tournament.rules_of(opened), result, seat)
        if json:
            _print([replaying.to_json(record)])
        else:
            # What another seat answered may tell what it could have answered.
            detail = result.detail if seat in (None, result.offender) else ""
            _print(replaying.transcript(record, _title(result), detail))


@app.command()
def repro(
    run: RunName,
    match: MatchName,
    seat: Annotated[
        int | None, typer.Option(help="whose bot is asked, from 0  [default: who was at fault]")
    ] = None,
) -> None:
    """Play a match again in this process, up to where a bot failed.

    One bot is asked once more; all others do what is stored. There are no clocks and no limits, and
    breakpoints work. The bot's code runs with all your rights. The exit code is 1 if the bot fails
    or answers otherwise than before.
    """
    from arena import repro, tournament
    from arena.store import Run

    with Run.open(run) as opened, _compiling_told(_tell):
        result = opened.result(match)
        wanted = repro.seat_of(result, seat)
        name = result.spec.bots[wanted]
        if repro.changed(opened, name):
            _tell(f"the code of {name} has changed since the run")
        game, asked, differing = tournament.rules_of(opened), 0, 0
        announced = failed = False
        _print([f"{_title(result)}: {name} in seat {wanted}"])
        for reply in repro.replies(opened, game, result, wanted):
            _print(_reply_told(reply, announced))
            announced = reply.now is None
            asked += reply.move > 0 and not announced
            differing += reply.now not in (reply.then, None)
            failed = not reply.same
    count = f"{asked} answer{'' if asked == 1 else 's'}"
    _print([f"{count}, {differing or 'none'} otherwise than in the run"])
    if failed or differing:
        raise typer.Exit(1)


def _title(result: MatchResult) -> str:
    return f"match {result.spec.id}, number {result.spec.number}"


def _reply_told(reply: Reply, announced: bool) -> Iterator[str]:
    """What a bot has answered then and now, as lines of text; none if that is the same move."""
    place = f"move {reply.move}" if reply.move else "start"
    if reply.now is None or not (reply.same or announced):
        yield f"{place}, then: {reply.then}"
    if reply.now is not None and not reply.same:
        yield f"{place}, now:  {reply.now}"
        yield from reply.traceback.splitlines()


@app.command()
def log(
    run: RunName,
    bot: Annotated[
        str | None, typer.Option(help="only what it printed", autocompletion=_complete_bot)
    ] = None,
    match: Annotated[
        str | None, typer.Option(metavar="MATCH", help="only in this one, as for replay")
    ] = None,
) -> None:
    """Print what bots in processes of their own have printed."""
    from arena.store import Run

    with Run.open(run) as opened:
        number = None if match is None else opened.result(match).spec.number
        _print(_logged(opened.printed(bot, number)))


def _logged(printed: Iterable[tuple[MatchResult, int, str]]) -> Iterator[str]:
    from arena.player import printable

    for result, seat, text in printed:
        yield f"{_title(result)}: {result.spec.bots[seat]} in seat {seat}"
        yield from (f"  {line}" for line in printable(text).splitlines())


@app.command()
def games(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", autocompletion=_complete_game)
    ] = None,
) -> None:
    """List the games, or tell all about one."""
    from arena import registry, report

    if name is not None:
        _print(_about(registry.game(name)))
        return
    listed = [registry.game(known) for known in sorted(registry.GAMES)]
    rows = [(g.name, g.title, _span(g.players), g.rules) for g in listed]
    _print(report.table(("game", "title", "players", "rules"), rows, Format.TABLE))


@app.command()
def bots() -> None:
    """List the bots that are shipped, and their params."""
    from arena import registry

    for bot in registry.describe_bots():
        params = ", ".join(k if v is None else f"{k}={v}" for k, v in bot.params.items())
        _print([f"{bot.name:<8}{bot.doc}"])
        _print(textwrap.wrap(params, 92, initial_indent=" " * 8, subsequent_indent=" " * 8))


@new.command("bot")
def new_bot(
    name: Annotated[Path, typer.Argument(metavar="NAME", help="the folder to be made")],
    game: GameName = "cubirds",
) -> None:
    """Write a bot that works, with a test, a tournament and a list of the view fields."""
    from arena import authoring, registry

    _print(map(str, authoring.new_bot(name, registry.game(game))))
    path = str(name) if name.is_absolute() else f"./{name}"
    _tell(f"next: arena check {shlex.quote(path)} --game {game}")


@app.command()
def check(
    bot: Annotated[
        str | None,
        typer.Argument(
            metavar="BOT",
            help="as a configuration names it: a file, a folder, a .zip file, module:Class",
            autocompletion=_complete_bot,
        ),
    ] = None,
    game: GameName = "cubirds",
    isolation: Annotated[
        str, typer.Option(metavar="isolated|trusted|strict", help="where the bot runs")
    ] = "isolated",
    matches: Annotated[int, typer.Option(metavar="N", min=1, help="matches in each seat")] = 1,
    every: Annotated[
        Path | None,
        typer.Option("--all", metavar="DIR", help="check all bots that lie in a folder"),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="where --all writes a file for each  [default: there]"),
    ] = None,
    form: TableFormat = Format.TABLE,
) -> None:
    """Find out whether a bot keeps the rules, by playing it as a run would.

    It plays in every seat, for every number of players, against random and itself. The exit code
    is 1 if a check has failed.
    """
    from arena import check_bot, registry

    if (bot is None) == (every is None):
        raise typer.BadParameter("expected BOT or --all DIR, and not both")
    rules, mode = registry.game(game), _isolation(isolation)
    ref, params = registry.split_ref(bot or "random")
    source = registry.find_bot(ref)
    with (
        _stdout_for_data(),
        _compiling_told(_tell),
        check_bot.BotChecker(rules, mode, matches=matches) as checker,
    ):
        if every is not None:
            lines, passed = _check_all(checker, every, report or every, form)
        else:
            lines, passed = _checked(ref, checker.check(source, params), form)
    _print(lines)
    if not passed:
        raise typer.Exit(1)


def _check_all(
    checker: BotChecker, folder: Path, reports: Path, form: Format
) -> tuple[Iterable[str], bool]:
    """Check all bots in a folder, write a file for each; a table of them, and whether all pass."""
    from arena.check_bot import candidates, check_candidate
    from arena.report import table
    from arena.store import write_text

    found_bots = candidates(folder)
    reports.mkdir(parents=True, exist_ok=True)
    suffix = "txt" if form is Format.TABLE else form.value
    rows = []
    for path in found_bots:
        found = check_candidate(checker, path)
        lines, passed = _checked(path.name, found, form)
        write_text(reports / f"{path.name}.check.{suffix}", "".join(f"{x}\n" for x in lines))
        failed = ", ".join(f.check for f in found.failed)
        rows.append(
            (path.name, _verdict(passed), failed, next((f.found for f in found.failed), ""))
        )
        _tell(f"{path.name}: {failed or 'ok'}")
    return table(("bot", "verdict", "failed checks", "found"), rows, form), not any(
        r[2] for r in rows
    )


def _checked(name: str, found: BotReport, form: Format) -> tuple[Iterable[str], bool]:
    """What a check has found, as lines of text, and whether the bot may play."""
    import json
    from dataclasses import asdict

    from arena.player import printable
    from arena.report import table

    passed = not found.failed
    if form is Format.JSON:
        whole = {"bot": name, "verdict": _verdict(passed), **asdict(found)}
        return [json.dumps(whole, ensure_ascii=False, indent=1)], passed
    rows = [(f.check, f.verdict.value, f.found) for f in found.findings]
    lines = [*table(("check", "verdict", "found"), rows, form)]
    if form is Format.CSV:
        return lines, passed
    for title, text in (("traceback", found.traceback), ("printed", found.printed)):
        lines += ["", f"{title}:", *printable(text).rstrip().splitlines()] if text else []
    return lines, passed


def _verdict(passed: bool) -> str:
    return "ok" if passed else "failed"


@app.command()
def verify(
    run: RunName,
    sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="play only N matches again, at random")
    ] = None,
) -> None:
    """Play the stored matches again and compare what comes of them."""
    from arena import tournament
    from arena.store import Run

    with Run.open(run) as opened, _compiling_told(_tell):
        found = tournament.verify(opened, sample)
    _print(
        [
            f"{found.finished:,} of {found.scheduled:,} scheduled matches are finished, each once, "
            f"as the schedule has them",
            f"{found.replayed:,} played again: same endings, scores and places",
        ]
    )


@app.command()
def schema() -> None:
    """Print the JSON Schema of configurations, for editors."""
    import json

    from arena import config

    _print([json.dumps(config.schema(), indent=2, ensure_ascii=False)])


# --- running ------------------------------------------------------------------------------------


class _Where(NamedTuple):
    """Where the matches are played, as the runner takes it."""

    workers: int | None
    local: bool
    address: str | None

    @property
    def arguments(self) -> list[str]:
        """As it stands on the command line."""
        words = ["--local"] if self.local else []
        words += ["--workers", str(self.workers)] if self.workers else []
        return words + (["--address", self.address] if self.address else [])


def _where(workers: str | None, local: bool, address: str | None) -> _Where:
    count = None if workers in (None, "auto") else workers
    if count is not None and not (count.isascii() and count.isdigit() and int(count)):
        raise typer.BadParameter(f"--workers: found {count!r}, expected auto or a number from 1")
    if local and (count or address):
        raise typer.BadParameter("--local excludes --workers and --address")
    return _Where(int(count) if count else None, local, address)


def _play(tournament: Tournament, run: Run, where: _Where, explain: bool) -> None:
    """Play what is not finished, telling on stderr how it goes."""
    from arena.progress import Meter

    total, finished = run.plan.matches, run.finished()
    if finished == total:
        _tell(f"{run.folder}: all {total:,} matches are finished")
        return
    if finished:
        _tell(f"going on with {run.folder}: {finished:,} of {total:,} matches are finished")
    else:
        _tell(f"playing {total:,} matches into {run.folder}")
    if tournament.matches.sampled:
        _tell(f"playing {tournament.matches.sampled}, a balanced sample")
    lost = int((run.outcomes()["offender"] >= 0).sum())
    meter = Meter(total, finished, lost)
    with _stdout_for_data(), meter, _compiling_told(meter.tell):
        how = {**where._asdict(), "explain": explain}
        tournament.play(run, **how, tell=meter.tell, advance=meter.advance)


def _conclude(run: Run, form: Format) -> None:
    """Write and print the leaderboard; tell what went wrong and where the results are."""
    from arena import report, tournament

    standings = _standings(run)
    tournament.write_board(run, standings)
    _print(report.board_table(standings, form))
    if forfeits := tournament.forfeits(run):
        _tell(*report.forfeits_text(forfeits, run.folder))
    _tell(f"results in {run.folder}")


def _tell_resume(run: Run, config: Path, overrides: Sequence[str], where: _Where) -> None:
    """Say what is saved and, in the last line, the command that goes on."""
    command = ["arena", "run", str(config), "-o", str(run.folder), "--resume"]
    for override in overrides:
        command += ["--set", override]
    _tell(f"{run.finished():,} of {run.plan.matches:,} matches are saved; go on with")
    _tell(shlex.join([*command, *where.arguments]))


def _standings(run: Run) -> list[Standing]:
    from arena import tournament

    with _compiling_told(_tell):
        return tournament.board(run)


@contextlib.contextmanager
def _stdout_for_data() -> Iterator[None]:
    """Send to stderr what the code of bots writes to stdout, in whatever way.

    Bots get streams of their own: closing or replacing them closes none of ours.
    """
    ours = sys.stdout, sys.stderr
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    theirs = io.TextIOWrapper(
        os.fdopen(os.dup(2), "wb"), errors="backslashreplace", line_buffering=True
    )
    sys.stdout = sys.stderr = theirs
    try:
        yield
    finally:
        sys.stdout, sys.stderr = ours
        with contextlib.suppress(OSError, ValueError):
            theirs.close()
        os.dup2(kept, 1)
        os.close(kept)


@contextlib.contextmanager
def _compiling_told(tell: Callable[[str], None]) -> Iterator[None]:
    """Tell once of each game and bot, and of arena itself, that some of it is compiled."""
    from arena.kernel import announce_compiling

    told: set[str] = set()

    def announce(kernel: str) -> None:
        *package, module, _ = kernel.split(".")
        name = "arena" if package == ["arena"] else module
        if name not in told:
            told.add(name)
            tell(f"compiling {name} … (first run only)")

    with announce_compiling(announce):
        yield


# --- words --------------------------------------------------------------------------------------


def _ending(name: str | None) -> Ending | None:
    if name is None:
        return None
    from arena.core import Ending

    endings = {ending.value: ending for ending in Ending}
    if name not in endings:
        raise UnknownNameError("ending", name, endings)
    return endings[name]


def _isolation(name: str) -> Isolation:
    from arena.core import Isolation

    if name not in list(Isolation):
        raise UnknownNameError("isolation", name, [mode.value for mode in Isolation])
    return Isolation(name)


def _span(numbers: range) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"


def _about(game: Game) -> Iterator[str]:
    """All that is to be known of a game before a bot is written for it."""
    from arena import report
    from arena.core import VIEW_HEADER

    yield f"{game.title} ({game.name}), rules {game.rules}, for {_span(game.players)} players"
    yield f"actions are 0 to {game.action_count - 1}, at most {game.max_moves:,} in a game"
    yield f"rules, notation, action ids: docs/rules/{game.name}.md in arena's repository"
    if game.options:
        rows = [(o.name, _choice(o.default), _choices(o), o.doc) for o in game.options]
        yield ""
        yield from report.table(("option", "default", "values", "meaning"), rows, Format.TABLE)
    yield ""
    fields = {**VIEW_HEADER, **game.view_fields}
    yield from report.table(("view field", "meaning"), fields.items(), Format.TABLE)


def _choice(value: OptionValue) -> str:
    """As it is written in a configuration."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _choices(option: Option) -> str:
    if isinstance(option.values, range):
        return _span(option.values)
    return ", ".join(map(_choice, option.values))


def _print(lines: Iterable[str]) -> None:
    """Write data to stdout; quietly stop when the reader, such as `head`, has had enough."""
    try:
        for line in lines:
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(*lines: str) -> None:
    """Write messages to stderr."""
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.stderr.flush()


# --- the process --------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code; nobody but a developer sees a traceback."""
    if arguments is None and sys.argv[1:2] in (["run"], ["check"], ["repro"]):
        _fix_hash_seed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what a plain terminal cannot show
    before = [(n, signal.signal(n, _stop)) for n in (signal.SIGINT, signal.SIGTERM)]
    try:
        app(arguments, prog_name="arena")
    except (Interrupted, ArenaError, OSError) as error:
        _tell(*_told(error))
        sys.exit(_exit_code(error))
    except Exception as error:
        _tell(*_bug_report(error))
        sys.exit(INTERNAL_ERROR)
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _fix_hash_seed() -> None:
    """Start over with the hash seed of workers, or bots that go through sets would differ."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise Interrupted(number)


def _exit_code(error: Interrupted | ArenaError | OSError) -> int:
    if isinstance(error, Interrupted):
        return 128 + int(error.args[0])
    return error.exit_code if isinstance(error, ArenaError) else InfrastructureError.exit_code


def _told(error: Interrupted | ArenaError | OSError) -> list[str]:
    if isinstance(error, Interrupted):
        return ["interrupted"]
    if os.environ.get("ARENA_DEBUG"):
        return traceback.format_exception(error)
    return [str(error) if isinstance(error, ConfigError) else f"arena: {error}"]


def _bug_report(error: Exception) -> list[str]:
    if os.environ.get("ARENA_DEBUG"):
        return traceback.format_exception(error)
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = [f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(frames)]
    return [
        "arena: internal error. This is a bug in arena; please report it with these lines:",
        f"  command: {shlex.join(['arena', *sys.argv[1:]])}",
        f"  error:   {type(error).__name__}: {' '.join(str(error).split())[:200]}",
        f"  at:      {' < '.join(places)}",
        f"  with:    arena {__version__}, Python {platform.python_version()}, {sys.platform}",
        "ARENA_DEBUG=1 shows the traceback.",
    ]


if __name__ == "__main__":
    main()
