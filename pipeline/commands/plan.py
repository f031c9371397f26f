"""`pipeline plan`: show what a run would do."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from pydantic import JsonValue

from pipeline.commands.home_option import DEFAULT_HOME, Home
from pipeline.commands.job_argument import JobFile
from pipeline.commands.store_options import AsJson
from pipeline.showing import console
from pipeline.showing.progress import duration, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.planning.steps import Plan, Step


def plan(
    job: JobFile,
    *,
    home: Home = DEFAULT_HOME,
    as_json: AsJson = False,
) -> None:
    """Show the stages of a run, which are cached and why not, and what they will take.

    Nothing is run and nothing is written. Figures are those of earlier runs; where there are
    none they are upper bounds from the sizes of the model's files, marked with "up to".
    """
    from pipeline.home import whole  # noqa: PLC0415
    from pipeline.job.load import load_job  # noqa: PLC0415
    from pipeline.planning.plan import JobFile  # noqa: PLC0415
    from pipeline.planning.plan import plan as make_plan  # noqa: PLC0415
    from pipeline.processes import resources  # noqa: PLC0415  the command's help starts fast
    from pipeline.showing.reading import reading_sources  # noqa: PLC0415
    from pipeline.showing.watch import watching  # noqa: PLC0415

    found, file = load_job(job), JobFile(job.name, job.read_text("utf-8"))
    with watching(json=False) as watch, reading_sources(watch) as reading:
        made = make_plan(found, job.parent, whole(home), file=file, reading=reading)
    free = {"disk": resources.free_disk(made.home), "memory": resources.free_memory()}
    if as_json:
        console.emit(as_record(made, free))
        return
    ahead = [step for step in made.steps if step.entry is None]
    header = ("stage", "time", "memory", "disk", "why")
    console.show_table(header, [_row(step) for step in made.steps])
    console.say("")
    console.say(f"{len(made.steps) - len(ahead)} of {len(made.steps)} stages are cached.")
    for line in _demands(ahead, free):
        console.say(line)


def _demands(ahead: "list[Step]", free: dict[str, int]) -> "Iterator[str]":
    """Yield what the steps that are to be done ask of this host."""
    from pipeline.planning.able import unable  # noqa: PLC0415  the command's help starts fast
    from pipeline.toolchains.needed import needed  # noqa: PLC0415
    from targets.host.cpu import host  # noqa: PLC0415

    if not ahead:
        return
    expected = [step.forecast for step in ahead]
    disk, memory = sum(each.disk for each in expected), max(each.memory for each in expected)
    bound = "" if all(each.measured for each in expected) else "up to "
    yield f"disk: {bound}{size(disk)} more, {size(free['disk'])} free"
    yield f"memory: {bound}{size(memory)} at once, {size(free['memory'])} free"
    yield from (each.sentence for each in needed(step.task.toolchain for step in ahead))
    yield from unable(ahead, host())


def as_record(made: "Plan", free: dict[str, int]) -> dict[str, JsonValue]:
    """Lay a plan out for machines; bytes and seconds."""
    from pipeline.planning.able import unable  # noqa: PLC0415  the command's help starts fast
    from pipeline.toolchains.needed import needed  # noqa: PLC0415
    from targets.host.cpu import host  # noqa: PLC0415

    ahead = [step for step in made.steps if step.entry is None]
    return {
        "model": made.model,
        "home": str(made.home),
        "source": made.source,
        "source_digest": made.source_digest,
        "tools": dict(made.tools),
        "free": dict(free),
        "toolchains": [asdict(each) for each in needed(step.task.toolchain for step in ahead)],
        "unable": list(unable(ahead, host())),
        "stages": [
            {
                "name": step.task.name,
                "stage": step.task.stage,
                "needs": list(step.needs),
                "key": step.material.key(),
                "cached": step.entry is not None,
                "why": step.why,
                "measured": step.forecast.measured,
                "seconds": step.forecast.seconds,
                "memory": step.forecast.memory,
                "disk": step.forecast.disk,
            }
            for step in made.steps
        ],
    }


def _row(step: "Step") -> tuple[str, ...]:
    expected = step.forecast
    if step.entry is not None:
        return step.task.name, "", "", "", step.why
    bound = "" if expected.measured else "up to "
    time = "" if expected.seconds is None else duration(expected.seconds)
    return (
        step.task.name,
        time,
        f"{bound}{size(expected.memory)}",
        f"{bound}{size(expected.disk)}",
        step.why,
    )
