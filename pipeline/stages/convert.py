"""Take one step of a part's route to its target's format."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from converters import route
from converters.converter import ConvertOptions, convert
from pipeline.processes.task import Task
from pipeline.stages.part import ARTIFACT, read_part
from pipeline.stages.placed import WHOLE
from registry.calibration import Calibrated
from registry.composition import Artifact
from registry.format import ENTRY, Format
from registry.progress import Progress
from registry.signature import Axis, Frozen, Input, Layout, Precision

#: Where the part's files lie in the output.
PART = "part"

#: The role of the calibrate task's output.
FEEDS = "feeds"


class Options(Frozen):
    """Reads the folder `from`: of the split, of the cut, or of the step before this one.

    Of a step that is calibrated, also `feeds`: the output of its calibrate task.

    Attributes:
        part: Its name.
        source, result: The step: its converter is the row of CONVERTERS with these two.
        weights: What the result's float weights are stored in. On a route of several steps
            only the last one narrows; the steps before it are asked for f32.
        layout: Which axis of images lies innermost.
        inputs: Of the job: the ranges of the integers that reach the dense part.
        axes: Of the job: the ranges of the free axes.
        isa: CPU flags of the target, where the result is for these alone.
        calibrated: How scales of i8 are found once; None where each request finds its own.
    """

    part: str = WHOLE
    source: Format
    result: Format
    weights: Precision
    layout: Layout = "auto"
    inputs: tuple[Input, ...]
    axes: dict[str, Axis] = Field(default_factory=dict)
    isa: tuple[str, ...] = ()
    calibrated: Calibrated | None = None


def run(task: Task, out: Path, progress: Progress) -> None:
    """Write the part's files, and `artifact.json` once they are checked."""
    options = Options.model_validate(task.options)
    folder = task.inputs["from"]
    (converter,) = route(options.source, options.result)
    source = read_part(folder, options.part)
    inputs = (*options.inputs, *_rows_of_integers(source))
    converter.guard(folder / source.folder / ENTRY[source.format], inputs)
    (out / PART).mkdir()
    progress(0, 1, "steps")
    wanted = ConvertOptions(
        weights=options.weights,
        layout=options.layout,
        axes=options.axes,
        inputs=inputs,
        isa=options.isa,
        calibrated=options.calibrated,
        feeds=task.inputs.get(FEEDS),
    )
    artifact = convert(converter, source, folder, out / PART, wanted)
    made = artifact.model_copy(update={"folder": PART})
    (out / ARTIFACT).write_text(made.model_dump_json(indent=1))
    progress(1, 1, "steps")


def _rows_of_integers(part: Artifact) -> Iterator[Input]:
    """Describe inputs that are rows of integer tables as the job does its own."""
    for tensor in part.signature.inputs:
        if tensor.name in part.ranges:
            low, high = part.ranges[tensor.name]
            yield Input(name=tensor.name, dtype=tensor.dtype, shape=tensor.shape, range=(low, high))
