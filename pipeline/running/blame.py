"""Look into validations that did not hold: have the first bad node found, and say it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.caching import cache
from pipeline.planning.steps import Step
from pipeline.record import StageRecord
from pipeline.running.diary import Diary
from pipeline.running.take import Bench, described, failed, take
from pipeline.stages.bisect import worst_of
from pipeline.stages.bisection import BISECTION, Bisection
from pipeline.stages.chained import onnx_role
from pipeline.stages.part import read_part
from pipeline.stages.placed import part_role
from pipeline.stages.validate import EXACT_TABLES
from pipeline.stages.verdict import Validation, explain
from registry.errors import PlatformError
from registry.format import Format

INTERRUPTED = "first bad node: the search for it was interrupted"


@dataclass(frozen=True)
class Wrong:
    """A validation that failed, and how."""

    step: Step
    error: PlatformError


def blame(wrong: Sequence[Wrong], bench: Bench, diary: Diary) -> PlatformError:
    """Return what the run ends with: every failure, with the first bad node where it is known.

    What goes wrong in the search, Ctrl-C too, is a line beside the failure and never in its place.
    """
    notes: dict[str, str | None] = {}
    try:
        for one in wrong:
            notes[one.step.task.name] = _note(one.step, bench, diary)
    except KeyboardInterrupt:
        for one in wrong:
            notes.setdefault(one.step.task.name, INTERRUPTED)
    said = "\n".join(_said(one, notes[one.step.task.name], diary) for one in wrong)
    return type(wrong[0].error)(said)


def _said(wrong: Wrong, note: str | None, diary: Diary) -> str:
    validation = _validation(wrong.step, diary)
    if note is None or validation is None:
        return str(wrong.error)
    return explain(validation, note)


def _note(step: Step, bench: Bench, diary: Diary) -> str | None:
    """Search, and say in a line what came of it; None where there is nothing to search in."""
    try:
        search = _search(step, bench, diary)
        return None if search is None else _found(search, bench, diary)
    except Exception as error:  # noqa: BLE001 - the parity error must not be hidden by another one
        return f"first bad node: the search for it failed: {str(error).partition(chr(10))[0]}"


def _found(search: Step, bench: Bench, diary: Diary) -> str:
    """Have the search done, from the cache or anew, and read what it found."""
    try:
        record = take(search, bench)
    except PlatformError as error:
        _write(failed(described(search), bench, error), bench, diary)
        raise
    file = search.folder / "output" / BISECTION
    found = Bisection.model_validate_json(file.read_bytes())
    _write(record, bench, diary)
    return found.sentence


def _write(record: StageRecord, bench: Bench, diary: Diary) -> None:
    diary.note(record)
    bench.watch.ended(record)


def _search(step: Step, bench: Bench, diary: Diary) -> Step | None:
    """Return the step that searches; None where no numbers are off, or nothing came as ONNX."""
    validation = _validation(step, diary)
    worst = None if validation is None else worst_of(validation)
    if validation is None or worst is None:
        return None
    onnx = _onnx(step, [demand.part for demand in validation.parts], diary.plan.steps)
    if onnx is None:
        return None
    exact = step.task.inputs.get(EXACT_TABLES)
    if exact and worst[0] == "precision":
        return None  # what is fed to the nodes is off already: stored rows are narrower
    inputs = dict(step.task.inputs)
    inputs |= {**onnx, "validation": step.folder / "output"}
    inputs |= {"tables": exact} if exact else {}
    inputs |= _cut(diary.plan.steps)
    name = step.task.name.replace(step.task.stage, "bisect", 1)
    update = {"name": name, "stage": "bisect", "inputs": inputs}
    material = step.material.model_copy(update={"stage": "bisect"})
    return replace(
        step,
        task=step.task.model_copy(update=update),
        material=material,
        needs=(step.task.name,),
        folder=cache.folder_of(bench.home, "bisect", material.key()),
        entry=None,
        why="the target does not answer like the original",
    )


def _onnx(step: Step, parts: Sequence[str], steps: Sequence[Step]) -> dict[str, Path] | None:
    """Return the outputs that hold the parts as ONNX, by role; None where one never was."""
    found = {}
    for part in parts:
        there = _before(step.task.inputs[part_role(part)], part, steps)
        if there is None:
            return None
        found[onnx_role(part)] = there
    return found


def _cut(steps: Sequence[Step]) -> dict[str, Path]:
    """Return the output of the cut by its role, where the job names parts."""
    return {step.task.stage: step.folder / "output" for step in steps if step.task.stage == "cut"}


def _before(output: Path, part: str, steps: Sequence[Step]) -> Path | None:
    """Return the output that holds a part as ONNX, which it was made from."""
    made = {step.folder / "output": step for step in steps}
    while read_part(output, part).format is not Format.ONNX:
        before = made[output].task.inputs.get("from")
        if before is None:
            return None
        output = before
    return output


def _validation(step: Step, diary: Diary) -> Validation | None:
    """Read what the step wrote; None where it did not come that far."""
    output = diary.stages[step.task.name].output
    if output is None:
        return None
    return Validation.model_validate_json((output / "parity.json").read_bytes())
