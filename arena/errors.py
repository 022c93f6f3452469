"""Every exception that arena raises on purpose.

    ArenaError
    ├── ConfigError         a configuration file, one or more mistakes            exit code 2
    ├── UnknownNameError    no game, bot, run, match or option of that name       exit code 2
    ├── OptionError         a value that a game or a bot does not take            exit code 2
    ├── BotLoadError        a bot that cannot be loaded or built                  exit code 2
    ├── IllegalActionError  a move that the rules do not allow in this position   exit code 2
    ├── RunExistsError      would write over a folder or mix with a run           exit code 4
    ├── ResumeError         what is to be resumed is not what was begun           exit code 4
    ├── DamagedRunError     a run folder that cannot be read or does not verify   exit code 1
    ├── ContractError       a game or a bot that breaks its contract              exit code 1
    └── InfrastructureError a worker, a disk or a cluster failed; resumable       exit code 6

A message names the value found, where it stands and what would be right, so that the text alone is
enough to mend the mistake. The command line prints it without a traceback and exits with
`exit_code`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ArenaError(Exception):
    """Root of the tree; never raised itself."""

    exit_code = 1


class ConfigError(ArenaError):
    """A configuration has mistakes; `problems` holds one line for each of them."""

    exit_code = 2

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class UnknownNameError(ArenaError):
    """A name that stands for nothing here; the message lists the names that do, or gives a hint."""

    exit_code = 2

    def __init__(self, kind: str, name: str, known: Iterable[str] = (), hint: str = "") -> None:
        told = f"; {hint}" if hint else suggestion(name, sorted(known))
        super().__init__(f"no {kind} is called {name!r}{told}")


class OptionError(ArenaError):
    """A value that a game or a bot does not take."""

    exit_code = 2


class BotLoadError(ArenaError):
    """A bot whose file, class or constructor does not work."""

    exit_code = 2


class IllegalActionError(ArenaError):
    """A move that the rules do not allow in this position."""

    exit_code = 2


class RunExistsError(ArenaError):
    """Writing there would mix two runs or destroy one."""

    exit_code = 4


class ResumeError(ArenaError):
    """The configuration or the bots differ from those the run was begun with."""

    exit_code = 4


class DamagedRunError(ArenaError):
    """A run folder that cannot be read, or whose games do not replay to their stored results."""


class ContractError(ArenaError):
    """A game or a bot that breaks the contract every game or bot has to keep."""


class InfrastructureError(ArenaError):
    """A worker process, the disk or the cluster failed; the run can be resumed."""

    exit_code = 6


class Interrupted(BaseException):
    """Ctrl-C, as a signal handler of ours raises it; unlike KeyboardInterrupt never a bot's doing.

    It is no ArenaError and not even an Exception, so that nothing takes it for a mistake.
    """


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` with the nearest known name, and the list of names if it is short."""
    names = list(known)
    near = difflib.get_close_matches(name.lower(), [n.lower() for n in names], n=1, cutoff=0.6)
    text = ""
    if near:
        text += f"; did you mean {next(n for n in names if n.lower() == near[0])!r}?"
    if names and len(names) <= 20:
        text += f" (known: {', '.join(names)})"
    return text
