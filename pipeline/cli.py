"""The console script: find the command, run it, turn what goes wrong into an exit code."""

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pipeline.showing.closed_pipe import write
from registry.errors import PlatformError, ResourceError

#: Exit codes beside those of `registry.errors`: click's for a wrong call, the shell's for
#: Ctrl-C, and sysexits.h's EX_SOFTWARE for a bug.
USAGE, INTERRUPTED, BUG = 2, 130, 70


@dataclass(frozen=True)
class Command:
    """A row of the table; `entry` is a Typer function or app, `module:name`."""

    name: str
    entry: str
    help: str


COMMANDS: tuple[Command, ...] = (
    Command("init", "pipeline.commands.init:init", "Write a job by looking at a model."),
    Command("check", "pipeline.commands.check:check", "Find the faults of a job."),
    Command("plan", "pipeline.commands.plan:plan", "Show what a run would do; touch nothing."),
    Command("run", "pipeline.commands.run:run", "Convert, validate and publish a model."),
    Command("predict", "pipeline.commands.predict:predict", "Answer inputs with a version."),
    Command("serve", "pipeline.commands.serve:serve", "Serve a version over HTTP."),
    Command("rollout", "pipeline.commands.rollout:rollout", "Take a version live."),
    Command("rollback", "pipeline.commands.rollback:rollback", "Go back to the version before."),
    Command("registry", "pipeline.commands.registry:app", "List, show, pull, verify versions."),
    Command("cache", "pipeline.commands.cache:app", "List and remove what earlier runs left."),
    Command("toolchain", "pipeline.commands.toolchain:app", "Build and check toolchains."),
    Command("schema", "pipeline.commands.schema:schema", "Print the job file's JSON Schema."),
    Command("completion", "pipeline.commands.completion:completion", "Complete in your shell."),
)


class Loaded(Protocol):
    """What typer makes of a command's function."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None) -> object:
        """Run it."""


def main() -> None:
    """Run the command that the process was started with."""
    sys.exit(call(sys.argv[1:]))


def call(arguments: Sequence[str]) -> int:
    """Run a command and return the exit code: the one place that maps one to the other."""
    try:
        return dispatch(arguments)
    except PlatformError as error:
        _complain(f"error: {error}")
        return error.exit_code
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else int(leave.code is not None)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_stdout()
        return 1
    except Exception as error:  # noqa: BLE001  a bug, unless the system refuses a file
        return _refused(error) if isinstance(error, OSError) and error.filename else _bug()


def dispatch(arguments: Sequence[str]) -> int:
    """Answer `--help` and `--version` here, and hand all else to the command."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        write(sys.stdout, overview())
        return 0 if arguments else USAGE
    if arguments[0] in ("-V", "--version"):
        write(sys.stdout, f"pipeline {version()}\n")
        return 0
    command = next((row for row in COMMANDS if row.name == arguments[0]), None)
    if command is None:
        _complain(f"error: {unknown(arguments[0])}")
        return USAGE
    load(command).main(args=list(arguments[1:]), prog_name=f"pipeline {command.name}")
    write(sys.stdout, "")
    return 0


def load(command: Command) -> Loaded:
    """Import one command's module, and no other, and return the command that it makes."""
    from importlib import import_module  # noqa: PLC0415  the help needs to start fast

    import typer  # noqa: PLC0415
    from typer.main import get_command  # noqa: PLC0415

    module, _, name = command.entry.partition(":")
    entry = getattr(import_module(module), name)
    app = entry if isinstance(entry, typer.Typer) else typer.Typer(add_completion=False)
    if app is not entry:
        app.command()(entry)
    app.rich_markup_mode = None
    made = get_command(app)
    for row in getattr(made, "commands", {}).values():
        row.short_help = first_words(row.help or "")
    return made


def first_words(text: str) -> str:
    """Take what stands before a sentence's first stop: a line of a list."""
    return " ".join(re.split(r"[;:.](?:\s|$)", text, maxsplit=1)[0].split()) + "."


def overview() -> str:
    """Lay out the top level's help from the table alone."""
    width = max(len(row.name) for row in COMMANDS)
    rows = "".join(f"  {row.name:<{width}}  {row.help}\n" for row in COMMANDS)
    return (
        "Usage: pipeline COMMAND [OPTIONS] [ARGUMENTS]\n\n"
        "Move a model to CPUs: split it, convert it, prove that its answers did not change,\n"
        "publish it, roll it out.\n\n"
        f"Commands:\n{rows}\n"
        "Options:\n"
        "  --version  Print the version.\n"
        "  --help     Print this. `pipeline COMMAND --help` tells more.\n"
    )


def unknown(name: str) -> str:
    """Say that there is no such command, and which one may be meant."""
    from difflib import get_close_matches  # noqa: PLC0415  the help needs to start fast

    close = get_close_matches(name, [row.name for row in COMMANDS], n=1)
    meant = f" Did you mean '{close[0]}'?" if close else ""
    return f"there is no command '{name}'.{meant} See: pipeline --help"


def version() -> str:
    """Return the installed version of this package."""
    from importlib import metadata  # noqa: PLC0415  the help needs to start fast

    try:
        return metadata.version("model-pipeline")
    except metadata.PackageNotFoundError:
        return "(a checkout that is not installed)"


def _complain(line: str) -> None:
    write(sys.stderr, f"{line}\n")


def _refused(error: OSError) -> int:
    """Say which file the system refuses: a name too long, a folder in its place, no right to it."""
    from registry.disk import remedy_of  # noqa: PLC0415  the help needs to start fast

    name = os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename
    _complain(f"error: {name}: {error.strerror}. {remedy_of(error)}")
    return ResourceError.exit_code


def _bug() -> int:
    """Show what is being handled whole, and say that it is a bug."""
    import traceback  # noqa: PLC0415  the help needs to start fast

    write(sys.stderr, traceback.format_exc())
    _complain(f"bug: this is a fault of pipeline {version()}, not of your job. Please report")
    _complain("it with the lines above.")
    return BUG


def _drop_stdout() -> None:
    """Keep the interpreter from flushing into the closed pipe once more on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
