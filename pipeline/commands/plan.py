"""`pipeline plan`: show what a run would do."""

from typing import TYPE_CHECKING

from pydantic import JsonValue

from pipeline.commands.home_option import DEFAULT_HOME, Home
from pipeline.commands.job_argument import JobFile
from pipeline.commands.store_options import AsJson
from pipeline.showing import console
from pipeline.showing.progress import duration, size

if TYPE_CHECKING:
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
    header = ("stage", "time", "memory", "disk", "why")
    console.show_table(header, [_row(step) for step in made.steps])
    ahead = [step.forecast for step in made.steps if step.entry is None]
    console.say("")
    console.say(f"{len(made.steps) - len(ahead)} of {len(made.steps)} stages are cached.")
    if ahead:
        disk, memory = sum(each.disk for each in ahead), max(each.memory for each in ahead)
        bound = "" if all(each.measured for each in ahead) else "up to "
        console.say(f"disk: {bound}{size(disk)} more, {size(free['disk'])} free")
        console.say(f"memory: {bound}{size(memory)} at once, {size(free['memory'])} free")


def as_record(made: "Plan", free: dict[str, int]) -> dict[str, JsonValue]:
    """Lay a plan out for machines; bytes and seconds."""
    return {
        "model": made.model,
        "home": str(made.home),
        "source": made.source,
        "source_digest": made.source_digest,
        "tools": dict(made.tools),
        "free": dict(free),
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
