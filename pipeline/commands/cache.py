"""`pipeline cache`: what earlier runs left on the disk, and removing it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from pipeline.commands.finite import MOST_DAYS, finite
from pipeline.commands.home_option import DEFAULT_HOME, Home
from pipeline.commands.store_options import AsJson
from pipeline.home import whole
from pipeline.showing import console
from pipeline.showing.progress import size

if TYPE_CHECKING:
    from pipeline.caching.inventory import Kept, Run
    from pipeline.caching.prune import Chosen

app = typer.Typer(
    help="List and remove what earlier runs left.", no_args_is_help=True, add_completion=False
)

Unused = Annotated[
    float | None,
    typer.Option(
        "--unused-for",
        callback=finite,
        min=0,
        max=MOST_DAYS,
        metavar="DAYS",
        help="What no run has used for so many days.",
    ),
]
KeepRuns = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="All that the N newest runs of each model did not use."),
]
DownTo = Annotated[
    float | None,
    typer.Option(
        callback=finite,
        min=0,
        max=1 << 20,
        metavar="GIB",
        help="The longest unused, until no more than so much is taken.",
    ),
]
Apply = Annotated[bool, typer.Option("--apply", help="Do it. Else it is only shown.")]


@app.command()
def ls(*, home: Home = DEFAULT_HOME, as_json: AsJson = False) -> None:
    """List the outputs that are kept, the longest unused first, and the runs."""
    from pipeline.caching.inventory import take_inventory  # noqa: PLC0415  the help starts fast
    from pipeline.caching.room import bytes_taken, files_of  # noqa: PLC0415

    found = take_inventory(whole(home))
    folders = [*(one.folder for one in found.entries), *(one.folder for one in found.runs)]
    rooms = {folder: files_of(folder) for folder in folders}
    sizes = {folder: bytes_taken(files) for folder, files in rooms.items()}
    total = bytes_taken(file for files in rooms.values() for file in files)
    if as_json:
        console.emit(
            {
                "home": str(whole(home)),
                "bytes": total,
                "entries": [_entry(one, sizes[one.folder]) for one in found.entries],
                "runs": [_run(one, sizes[one.folder]) for one in found.runs],
            }
        )
        return
    header = ("output of", "used by", "last used", "size", "key")
    console.show_table(header, [_row(one, sizes[one.folder]) for one in found.entries])
    console.say("")
    console.say(
        f"{_count(len(found.entries), 'output')} and {_count(len(found.runs), 'run')} take"
        f" {size(total)} in {whole(home)}; files that outputs share count once"
    )


@app.command()
def prune(
    *,
    unused_for: Unused = None,
    keep_runs: KeepRuns = None,
    down_to: DownTo = None,
    apply: Apply = False,
    home: Home = DEFAULT_HOME,
    as_json: AsJson = False,
) -> None:
    """Show what is not needed any more; with --apply, remove it.

    Name at least one of --unused-for, --keep-runs and --down-to. The newest run of each model
    stays, and so does all that a run under way needs. What is removed is made again when a run
    needs it; published versions are in the store and not touched.
    """
    if unused_for is None and keep_runs is None and down_to is None:
        raise typer.BadParameter("name at least one of --unused-for, --keep-runs and --down-to")
    from pipeline.caching import prune as engine  # noqa: PLC0415  the help starts fast
    from pipeline.caching.inventory import take_inventory  # noqa: PLC0415

    rule = engine.Rule(
        unused=None if unused_for is None else timedelta(days=unused_for),
        runs=keep_runs,
        size=None if down_to is None else int(down_to * (1 << 30)),
    )
    now, place = datetime.now(UTC), whole(home)
    if apply:
        chosen = engine.prune(place, rule, now)
    else:
        chosen = engine.choose(take_inventory(place), rule, now)
    if as_json:
        console.emit(_record(chosen, applied=apply))
    else:
        _say(chosen, place, applied=apply)


def _say(chosen: "Chosen", home: Path, *, applied: bool) -> None:
    done = "" if applied else "would be "
    for entry in chosen.entries:
        console.say(f"output of {entry.task}, last used {_day(entry.used)}: {done}removed")
    for run in chosen.runs:
        console.say(f"run of {run.model}, {_day(run.started)}: {done}removed")
    for folder in chosen.weights:
        console.say(f"weights fetched to {folder.relative_to(home)}: {done}removed")
    console.say(
        f"{_count(len(chosen.entries), 'output')} and {_count(len(chosen.runs), 'run')}:"
        f" {size(chosen.freed)} {done}freed in {home}"
    )
    if not applied and (chosen.entries or chosen.runs or chosen.weights):
        console.say("The same command with --apply removes them.")


def _record(chosen: "Chosen", *, applied: bool) -> dict[str, JsonValue]:
    return {
        "applied": applied,
        "freed": chosen.freed,
        "entries": [_entry(one) for one in chosen.entries],
        "runs": [_run(one) for one in chosen.runs],
        "weights": [str(one) for one in chosen.weights],
    }


def _entry(entry: "Kept", taken: int | None = None) -> dict[str, JsonValue]:
    return {
        "task": entry.task,
        "name": entry.name,
        "models": list(entry.models),
        "used": entry.used.isoformat(),
        "needed": entry.needed,
        **({} if taken is None else {"bytes": taken}),
    }


def _run(run: "Run", taken: int | None = None) -> dict[str, JsonValue]:
    return {
        "model": run.model,
        "started": run.started.isoformat(),
        "folder": str(run.folder),
        "running": run.running,
        **({} if taken is None else {"bytes": taken}),
    }


def _row(entry: "Kept", taken: int) -> tuple[str, ...]:
    users = "a run under way" if entry.needed else ", ".join(entry.models)
    return entry.task, users, _day(entry.used), size(taken), entry.name.partition("/")[2][:12]


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _day(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
