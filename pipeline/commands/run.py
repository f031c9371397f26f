"""`pipeline run`: from a job to a published version."""

import signal
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from pipeline.commands.finite import finite
from pipeline.commands.home_option import DEFAULT_HOME, Home
from pipeline.commands.job_argument import JobFile
from pipeline.showing import console
from registry.errors import PlatformError

if TYPE_CHECKING:
    from pipeline.job.job import Job
    from pipeline.running.run import RunResult


def run(  # noqa: PLR0913  each is an option of the command
    job: JobFile,
    *,
    force: Annotated[bool, typer.Option("--force", help="Do what is cached again.")] = False,
    until: Annotated[
        str | None, typer.Option(metavar="STAGE", help="The last stage to do.")
    ] = None,
    no_push: Annotated[bool, typer.Option("--no-push", help="Publish nothing.")] = False,
    ignore_forecast: Annotated[
        bool, typer.Option("--ignore-forecast", help="Try although it may not fit.")
    ] = False,
    patience: Annotated[
        float,
        typer.Option(
            callback=finite,
            min=0.1,
            metavar="MINUTES",
            help="Without a sign of life before a stage is ended.",
        ),
    ] = 15.0,
    home: Home = DEFAULT_HOME,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print events as JSON, one object a line.")
    ] = False,
) -> None:
    """Split, convert, validate and publish a model as its job says.

    Stages whose inputs, options, code and tools have not changed are taken from the cache, so
    that a run that was stopped goes on where it was.
    """
    from pipeline.home import whole  # noqa: PLC0415  the command's help starts fast
    from pipeline.job.fitting import fit_samples  # noqa: PLC0415
    from pipeline.job.load import load_job  # noqa: PLC0415
    from pipeline.planning.plan import JobFile, plan  # noqa: PLC0415
    from pipeline.running.run import Wishes, execute  # noqa: PLC0415
    from pipeline.showing.reading import reading_sources  # noqa: PLC0415
    from pipeline.showing.watch import watching  # noqa: PLC0415

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    wishes = Wishes(force, until, not no_push, not ignore_forecast, patience * 60)
    try:
        found = load_job(job)
        fit_samples(found, job)
        file = JobFile(job.name, job.read_text("utf-8"))
        with watching(json=as_json) as watch:
            with reading_sources(watch) as reading:
                planned = plan(found, job.parent, whole(home), file=file, reading=reading)
            result = execute(planned, wishes, watch)
    except PlatformError as error:
        if as_json:
            console.emit(_unstarted(error))
        raise
    _end(result, found, as_json=as_json)


def _end(result: "RunResult", job: "Job", *, as_json: bool) -> None:
    """Show what came of the run, and leave as it ended."""
    from pipeline.running.summary import as_record, show_summary  # noqa: PLC0415

    if as_json:
        console.emit(as_record(result))
    else:
        show_summary(result, job)
    if result.record.outcome == "interrupted":
        console.note("interrupted: finished stages are kept; the same command goes on from there")
        raise KeyboardInterrupt
    if result.error is not None:
        raise result.error


def _unstarted(error: PlatformError) -> dict[str, JsonValue]:
    from pipeline.record import fault_of  # noqa: PLC0415

    return {
        "event": "result",
        "outcome": "failed",
        "error": fault_of(error).model_dump(mode="json"),
    }
