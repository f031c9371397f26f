"""Say which targets a conversion was for: the stage itself is shared and does not know."""

from collections.abc import Iterator

from pipeline.job.compose import compose
from pipeline.job.fault import Fault, Place, block
from pipeline.job.text import Text
from pipeline.planning.steps import Plan, Step
from pipeline.stages import convert, validate
from registry.errors import ConversionError, JobError, PlatformError


def concerned(error: PlatformError, step: Step, plan: Plan) -> PlatformError:
    """Put the targets of a step before what its conversion says, with the first one's place.

    Others come back as they are, and so does what all of a job's targets have in common.
    """
    if step.task.stage != "convert" or not isinstance(error, ConversionError):
        return error
    wanted = tuple(dict.fromkeys(_targets(step, plan)))
    if not wanted or len(wanted) == len(set(_all(plan))) > 1:
        return error
    names = ", ".join(f"`{name}`" for name in wanted)
    said = f"target{'s' if len(wanted) > 1 else ''} {names}: {error}"
    place = _place(plan.file, wanted[0])
    shown = block(plan.file.name, plan.file.lines, Fault(place, said)) if place else said
    return type(error)(shown)


def _targets(step: Step, plan: Plan) -> Iterator[str]:
    """Yield the names of the targets whose validation needs the step's output."""
    part = convert.Options.model_validate(step.task.options).part
    needs = {one.task.name: one.needs for one in plan.steps}
    for task, options in _validations(plan):
        if step.task.name in _before(task, needs):
            yield from (one.target.name for one in options.build.parts if one.part == part)


def _all(plan: Plan) -> Iterator[str]:
    for _, options in _validations(plan):
        yield from (one.target.name for one in options.build.parts)


def _validations(plan: Plan) -> Iterator[tuple[str, validate.Options]]:
    for one in plan.steps:
        if one.task.stage == "validate":
            yield one.task.name, validate.Options.model_validate(one.task.options)


def _before(task: str, needs: dict[str, tuple[str, ...]]) -> set[str]:
    """Name all tasks that a task needs, and those that they need."""
    found: set[str] = set()
    ahead = [task]
    while ahead:
        new = set(needs.get(ahead.pop(), ())) - found
        found |= new
        ahead += new
    return found


def _place(text: Text, name: str) -> Place | None:
    try:
        targets = compose(text)[0]["targets"]
    except JobError:
        return None
    return next((one["name"].place for one in targets if one["name"].text == name), None)
