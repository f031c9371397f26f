"""Find the first node of a dense part that the target computes otherwise."""

import shutil
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from math import ceil, log2
from pathlib import Path

import numpy as np
from pydantic import Field

from converters.onnx_models.cuts import Cuts
from converters.programs.answers import answer
from pipeline.processes.task import Task
from pipeline.stages import validate
from pipeline.stages.bisection import BISECTION, Bisection, Kind, Reading, Suspect
from pipeline.stages.hearing import limit_of
from pipeline.stages.layout import link_pieces, read_pieces
from pipeline.stages.part import read_part, read_split
from pipeline.stages.placed import WHOLE, WantedBuild
from pipeline.stages.probe import Probe, Setup, read, run_plain
from pipeline.stages.search import search
from pipeline.stages.verdict import Validation, without_right
from registry.errors import IntegrityError, PlatformError
from registry.format import Format
from registry.manifest import Numbers
from registry.progress import Progress
from targets.onnxruntime import OnnxruntimeOptions
from targets.parity.cases import Case, read_case, read_index
from targets.parity.scaled import spread_of
from targets.parity.tally import Limit
from targets.predictor import open_predictor

#: Share of the largest value up to which a difference is taken for f32's rounding, layer by layer.
ROUNDING = 1e-5


class Options(validate.Options):
    """What the validation was told.

    Reads the folders `split`, `tables` and `reference`, `onnx` with the dense part as ONNX, and
    `validation`, which did not pass.

    Attributes:
        seconds: How long the search may take, about.
    """

    seconds: float = Field(default=120.0, gt=0)


@dataclass(frozen=True)
class Failure:
    """What is looked into: one output in one case.

    Attributes:
        right: What the original answered.
        feeds: What the dense part is fed for it.
    """

    kind: Kind
    output: str
    case: str
    limit: Limit
    right: np.ndarray
    feeds: Mapping[str, np.ndarray]


def run(task: Task, out: Path, progress: Progress) -> None:
    """Write `bisect.json`.

    Raises:
        IntegrityError: The validation did not fail by numbers.
    """
    options, start = Options.model_validate(task.options), time.monotonic()
    failure = _failure(options, task.inputs, out / "view")
    found = _before_target(failure, task.inputs) or _bisect(failure, options, task, out, progress)
    took = {"target": options.build.name, "seconds": time.monotonic() - start}
    (out / BISECTION).write_text(found.model_copy(update=took).model_dump_json(indent=1))


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
    """Look up what the dense part is fed, as a predictor does."""
    pieces = read_pieces(inputs)
    link_pieces(pieces, folder)
    plain = WantedBuild.whole(OnnxruntimeOptions(name="onnx"))
    draft = validate.draft_of(options, pieces, {plain: {WHOLE: inputs["onnx"]}}, folder)
    with closing(open_predictor(folder, draft, "onnx")) as predictor:
        ((_, feeds, _),) = predictor.by_part(case.inputs)
        fed = dict(feeds)
    shutil.rmtree(folder)
    return fed


def _before_target(failure: Failure, inputs: Mapping[str, Path]) -> Bisection | None:
    """Blame what comes before the target's own conversion, where it is off already."""
    after = _off(failure, run_plain(_part(inputs["onnx"]), failure.feeds))
    if after is None:
        return None
    if after.max_abs <= ROUNDING * float(np.abs(failure.right).max(initial=0.0)):
        return _said(failure, outcome="rounding", after=after)
    dense = read_split(inputs["split"]).dense
    if dense.format is not Format.EXPORTED_PROGRAM:
        return _said(failure, outcome="split", after=after)
    program = inputs["split"] / dense.folder
    if split := _off(failure, answer(program, failure.feeds)):
        return _said(failure, outcome="split", after=split)
    return _said(failure, outcome="export", after=after)


def _off(failure: Failure, answers: Mapping[str, np.ndarray]) -> Reading | None:
    """Return how far an answer is off, where that is beyond the limit."""
    reading = read(failure.output, failure.limit, failure.right, answers[failure.output])
    return reading if reading.worst > 1 else None


def _bisect(
    failure: Failure, options: Options, task: Task, out: Path, progress: Progress
) -> Bisection:
    """Cut the graph in halves until one node is left."""
    cuts = Cuts(_part(task.inputs["onnx"]))
    setup = Setup.of(options.build.parts[0].target, exact=failure.kind == "conversion")
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

    found = search(len(cuts), take, options.seconds)
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
            "output": failure.output,
            "case": failure.case,
            **found,
        }
    )


def _suspect(cuts: Cuts, number: int) -> Suspect:
    node = cuts.node(number)
    return Suspect(name=node.name, operator=node.operator, module=node.module, outputs=node.outputs)


def _part(folder: Path) -> Path:
    return folder / read_part(folder, WHOLE).folder
