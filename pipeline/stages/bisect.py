"""Find the part, and the first node of it, that a target computes otherwise."""

import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from math import ceil, log2
from pathlib import Path

import numpy as np
from pydantic import Field

from converters.onnx_models.cuts import Cuts
from converters.programs.answers import answer
from pipeline.processes.task import Task
from pipeline.stages import validate
from pipeline.stages.bisection import BISECTION, Bisection, Kind, Reading, Suspect
from pipeline.stages.chained import (
    Stretch,
    chained,
    of_values,
    onnx_role,
    plainly,
    worst_part,
)
from pipeline.stages.hearing import limit_of
from pipeline.stages.layout import link_pieces, read_pieces
from pipeline.stages.part import read_part
from pipeline.stages.placed import Placed, WantedBuild
from pipeline.stages.probe import Probe, Setup, read, run_plain
from pipeline.stages.search import search
from pipeline.stages.verdict import Validation, without_right
from registry.composition import AROUND
from registry.errors import IntegrityError, PlatformError
from registry.format import ENTRY, Format
from registry.manifest import Numbers
from registry.progress import Progress
from targets.onnxruntime import OnnxruntimeOptions
from targets.parity.cases import Case, read_case, read_index
from targets.parity.scaled import spread_of
from targets.parity.tally import Limit
from targets.predictor import open_predictor
from targets.target import Arrays

#: Share of the largest value up to which a difference is taken for f32's rounding, layer by layer.
ROUNDING = 1e-5


class Options(validate.Options):
    """What the validation was told.

    Reads the folders `split`, `tables` and `reference`, for each part `onnx:<name>`, the part as
    ONNX, and `validation`, which did not pass. Of a build of several parts it also reads `cut`
    and what the validation read of them.

    Attributes:
        seconds: How long the search may take, about.
    """

    seconds: float = Field(default=120.0, gt=0)


@dataclass(frozen=True)
class Failure:
    """What is looked into: one output in one case.

    Attributes:
        right: What the original answered.
        feeds: What there is before the parts: inputs and vectors.
        part: The part that is looked into; empty where there is only one.
    """

    kind: Kind
    output: str
    case: str
    limit: Limit
    right: np.ndarray
    feeds: Mapping[str, np.ndarray]
    part: str = ""


def run(task: Task, out: Path, progress: Progress) -> None:
    """Write `bisect.json`.

    Raises:
        IntegrityError: The validation did not fail by numbers.
    """
    options, start = Options.model_validate(task.options), time.monotonic()
    failure = _failure(options, task.inputs, out / "view")
    found = _look(failure, options, task, out, progress)
    took = {"target": options.build.name, "seconds": time.monotonic() - start}
    (out / BISECTION).write_text(found.model_copy(update=took).model_dump_json(indent=1))


def _look(
    failure: Failure, options: Options, task: Task, out: Path, progress: Progress
) -> Bisection:
    """Look before the conversion, then for the part, then for its node."""
    parts = options.build.parts
    plain = plainly(parts, task.inputs, failure.feeds)
    if found := _before_target(failure, parts, plain, task.inputs):
        return found
    if len(parts) == 1:
        return _bisect(replace(failure, feeds=plain[0].feeds), parts[0], task, out, progress)
    limit = of_values(failure.limit, failure.right)
    off = worst_part(plain, task.inputs, limit, exact=failure.kind == "conversion")
    if off.reading.worst <= 1:
        return _said(failure, outcome="sum")
    within = replace(
        failure,
        part=off.stretch.placed.part,
        output=off.reading.output,
        limit=off.limit,
        right=off.stretch.right[off.reading.output],
        feeds=off.stretch.feeds,
    )
    return _bisect(within, off.stretch.placed, task, out, progress)


def worst_of(validation: Validation) -> tuple[Kind, Numbers] | None:
    """Return the output that is off the most, of the conversion where that does not hold.

    None where no numbers are off, or the original itself answers none.
    """
    for parity in validation.parity:
        off = [one for one in parity.outputs if not (one.passed or without_right(one))]
        if off:
            return parity.kind, max(off, key=lambda one: one.worst)
    return None


def _failure(options: Options, inputs: Mapping[str, Path], folder: Path) -> Failure:
    """Take up the worst error of the validation."""
    file = inputs["validation"] / "parity.json"
    worst = worst_of(Validation.model_validate_json(file.read_bytes()))
    if worst is None:
        raise IntegrityError(f"{file}: no numbers are off")
    kind, numbers = worst
    case = _case(inputs["reference"], numbers)
    return Failure(
        kind=kind,
        output=numbers.output,
        case=case.name,
        limit=limit_of(options.parity, kind)(numbers.output),
        right=(case.outputs or {})[numbers.output],
        feeds=_feeds(options, inputs, case, folder),
    )


def _case(reference: Path, numbers: Numbers) -> Case:
    for entry in read_index(reference).cases:
        if numbers.where.startswith(f"case '{entry.name}' at ["):
            return read_case(reference, entry)
    raise IntegrityError(f"{reference}: there is no {numbers.where}")


def _feeds(
    options: Options, inputs: Mapping[str, Path], case: Case, folder: Path
) -> dict[str, np.ndarray]:
    """Look up what the parts are fed, as a predictor does."""
    pieces = read_pieces(inputs)
    link_pieces(pieces, folder)
    target = OnnxruntimeOptions(name="onnx")
    named = tuple(Placed(part=one.part, target=target) for one in options.build.parts)
    plain = WantedBuild(name="onnx", parts=named)
    folders = {one.part: inputs[onnx_role(one.part)] for one in named}
    draft = validate.draft_of(options, pieces, {plain: folders}, folder)
    with closing(open_predictor(folder, draft, "onnx")) as predictor:
        feeds = predictor.feeds(case.inputs)
    shutil.rmtree(folder)
    return feeds


def _before_target(
    failure: Failure, parts: Sequence[Placed], plain: Sequence[Stretch], inputs: Mapping[str, Path]
) -> Bisection | None:
    """Blame what comes before the target's own conversion, where it is off already."""
    after = _off(failure, plain)
    if after is None:
        return None
    if after.max_abs <= ROUNDING * float(np.abs(failure.right).max(initial=0.0)):
        return _said(failure, outcome="rounding", after=after)
    came = {one.part: _came(one.part, inputs) for one in parts}
    outcome = "around" if came.keys() & set(AROUND) else "split"
    if all(read_part(folder, part).format is Format.ONNX for part, folder in came.items()):
        return _said(failure, outcome=outcome, after=after)
    if split := _off(failure, list(chained(parts, came, _as_it_came, failure.feeds))):
        return _said(failure, outcome=outcome, after=split)
    return _said(failure, outcome="export", after=after)


def _came(part: str, inputs: Mapping[str, Path]) -> Path:
    """Return the output that holds a part before any conversion."""
    return inputs["split"] if part in AROUND else inputs.get("cut", inputs["split"])


def _as_it_came(folder: Path, feeds: Arrays) -> Mapping[str, np.ndarray]:
    """Answer with a part before any conversion: a program of torch, or ONNX."""
    run = run_plain if (folder / ENTRY[Format.ONNX]).exists() else answer
    return run(folder, feeds)


def _off(failure: Failure, stretches: Sequence[Stretch]) -> Reading | None:
    """Return how far an answer is off, where that is beyond the limit."""
    (given,) = [one.right[failure.output] for one in stretches if failure.output in one.right]
    reading = read(failure.output, failure.limit, failure.right, given)
    return reading if reading.worst > 1 else None


def _bisect(
    failure: Failure, placed: Placed, task: Task, out: Path, progress: Progress
) -> Bisection:
    """Cut the graph of a part in halves until one node is left."""
    folder = task.inputs[onnx_role(placed.part)]
    cuts = Cuts(folder / read_part(folder, placed.part).folder)
    setup = Setup.of(placed.target, exact=failure.kind == "conversion")
    seconds = Options.model_validate(task.options).seconds
    probe = Probe(cuts, setup, failure.feeds, failure.limit, spread_of(failure.right), out / "cut")
    taken, fault, most = 0, "", 2 + ceil(log2(max(2, len(cuts))))

    def take(number: int) -> Reading | None:
        nonlocal taken, fault
        progress(taken, max(most, taken + 1), "cuts")
        taken += 1
        try:
            return probe.prefix(number)
        except PlatformError as error:
            fault = fault or probe.told(error)
            return None

    found = search(len(cuts), take, seconds)
    if found.wrong is None:
        outcome = "unable" if found.before is None else "nowhere"
        said = _said(failure, outcome=outcome, before=found.before, cuts=taken, fault=fault)
    else:
        single = found.wrong - found.right == 1
        said = _said(
            failure,
            outcome="node" if single else "range",
            first=_suspect(cuts, found.right + 1),
            last=_suspect(cuts, found.wrong),
            suspects=found.wrong - found.right,
            before=found.before,
            after=found.after,
            cuts=taken,
            **(_by_itself(probe, found.wrong) if single else {"fault": fault}),
        )
    shutil.rmtree(out / "cut", ignore_errors=True)
    progress(most, most, "cuts")
    return said


def _by_itself(probe: Probe, number: int) -> dict[str, object]:
    """Read a node that takes right values, and one that takes the target's; or say why not."""
    found: dict[str, object] = {}
    try:
        found["alone"] = probe.alone(number)
        found["carried"] = probe.carried(number)
    except PlatformError as error:
        found["fault"] = probe.told(error)
    return found


def _said(failure: Failure, **found: object) -> Bisection:
    return Bisection.model_validate(
        {
            "target": "",
            "kind": failure.kind,
            "part": failure.part,
            "output": failure.output,
            "case": failure.case,
            **found,
        }
    )


def _suspect(cuts: Cuts, number: int) -> Suspect:
    node = cuts.node(number)
    return Suspect(name=node.name, operator=node.operator, module=node.module, outputs=node.outputs)
