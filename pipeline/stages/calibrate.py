"""Compute what parts are fed on recorded samples: what int8 finds its scales with."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

import numpy as np
from pydantic import Field

from converters.calibration import Calibration, write_feeds
from converters.programs.answers import answer
from pipeline.processes.task import Task
from pipeline.stages.layout import read_pieces
from pipeline.stages.part import read_parts, read_split
from pipeline.stages.probe import run_plain
from registry.composition import Artifact, Remark
from registry.errors import SourceError
from registry.format import Format
from registry.progress import Progress
from registry.remarks import tell
from registry.signature import Axis, Frozen, Input
from targets.embedding.ids import IdsProgram
from targets.embedding.part import EmbeddingPart
from targets.embedding.tables import open_table
from targets.parity.cases import read_cases
from targets.parity.rows import batches_of, row_count
from targets.target import Arrays

#: Rows that are fed at a time.
ROWS = 32

#: Fewer rows than these show little of what values come.
ENOUGH = 32

#: Answers with a part as it was cut, in its folder.
_RUN: Mapping[Format, Callable[[Path, Arrays], Mapping[str, np.ndarray]]] = MappingProxyType(
    {Format.EXPORTED_PROGRAM: answer, Format.ONNX: run_plain}
)


class Options(Frozen):
    """Reads the folders `split`, `tables`, `reference` and, of a dense part in parts, `cut`.

    Attributes:
        part: What is fed.
        samples: Recorded rows, at most.
        inputs, axes: Of the job.
    """

    part: str
    samples: int = Field(ge=1)
    inputs: tuple[Input, ...]
    axes: dict[str, Axis]


def run(task: Task, out: Path, progress: Progress) -> None:
    """Write the feeds, a file a batch, and `calibration.json`.

    Raises:
        SourceError: No samples were recorded, or NaN or infinity reaches the part with them.
    """
    options = Options.model_validate(task.options)
    batches = list(_recorded(task.inputs["reference"], options))
    rows = sum(row_count(options.inputs, batch) for batch in batches)
    if not rows:
        raise SourceError("calibration: no samples were recorded. Name some under `samples`")
    batches = [_prepared(task.inputs["split"], batch) for batch in batches]
    found = write_feeds(_feeds(batches, task.inputs, options.part, progress), rows, out)
    tell(Remark(by="calibration", text=text) for text in doubts(found, options.samples))


def doubts(found: Calibration, wanted: int) -> Iterator[str]:
    """Yield why scales that are found with these feeds may be off, a sentence each."""
    if found.samples < min(wanted, ENOUGH):
        yield (
            f"scales of int8 come from {found.samples} samples, which show little of what values "
            f"come: record {ENOUGH} or more"
        )
    elif found.samples < ENOUGH:
        yield f"scales of int8 come from {found.samples} samples: ask for {ENOUGH} or more"
    for name, (low, high) in found.ranges.items():
        if low == high:
            yield f"'{name}' is {low:g} in all samples that scales of int8 come from"


def _recorded(reference: Path, options: Options) -> Iterator[Arrays]:
    """Yield the first recorded rows in small batches."""
    left = options.samples
    for case in read_cases(reference):
        if case.kind != "recorded" or left <= 0:
            break
        for _, _, batch in batches_of(options.inputs, options.axes, case.inputs, min(ROWS, left)):
            yield batch
            left -= row_count(options.inputs, batch)
            if left <= 0:
                break


def _prepared(folder: Path, batch: Arrays) -> Arrays:
    """Add what is made of users' inputs before anything is looked up."""
    before = read_split(folder).preprocess
    if before is None:
        return batch
    feeds = {tensor.name: batch[tensor.name] for tensor in before.signature.inputs}
    return {**batch, **run_plain(folder / before.folder, feeds)}


def _feeds(
    batches: list[Arrays], inputs: Mapping[str, Path], part: str, progress: Progress
) -> Iterator[dict[str, np.ndarray]]:
    """Yield what a part is fed for each batch."""
    with closing(_embedding(inputs, batches[0])) as embedding:
        for done, batch in enumerate(batches):
            progress(done, len(batches), "batches")
            fed = _fed(part, inputs, embedding.run(batch))
            _check_finite(fed)
            yield fed
    progress(len(batches), len(batches), "batches")


def _check_finite(fed: Mapping[str, np.ndarray]) -> None:
    """Refuse what has no least and greatest number, before IPEX does in words of its own."""
    for name, array in fed.items():
        if array.dtype.kind != "f" or (known := np.isfinite(array)).all():
            continue
        raise SourceError(
            f"calibration: '{name}' holds {array[~known][0]!s} in the recorded samples, and no "
            "scale of int8 is found with that. Take such rows out of the samples, or write "
            "precision: f32"
        )


def _embedding(inputs: Mapping[str, Path], given: Arrays) -> EmbeddingPart:
    """Open what comes before the dense part."""
    pieces = read_pieces(inputs)
    programs = [IdsProgram(pieces.split_folder / one.folder) for one in pieces.split.id_programs]
    tables = {table.name: open_table(table, pieces.tables_folder) for table in pieces.tables}
    return EmbeddingPart(given, programs, pieces.split.lookups, tables)


def _fed(
    part: str, inputs: Mapping[str, Path], known: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Let the parts before one answer as they were cut, and take what it is fed of all that."""
    folder, parts = _parts(inputs)
    for artifact in parts:
        feeds = {tensor.name: known[tensor.name] for tensor in artifact.signature.inputs}
        if artifact.part == part:
            return feeds
        known |= _RUN[artifact.format](folder / artifact.folder, feeds)
    raise SourceError(f"calibration: there is no part '{part}'")


def _parts(inputs: Mapping[str, Path]) -> tuple[Path, tuple[Artifact, ...]]:
    if "cut" in inputs:
        return inputs["cut"], read_parts(inputs["cut"])
    return inputs["split"], (read_split(inputs["split"]).dense,)
