"""Hold each converted part of a build against the part as it was, on what it really takes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

from pipeline.job.job import ParityOptions
from pipeline.stages.bisection import Reading
from pipeline.stages.chained import load_part, of_values, onnx_role, plainly
from pipeline.stages.hearing import Composition, limit_of
from pipeline.stages.placed import Placed
from pipeline.stages.probe import read
from pipeline.stages.verdict import PartReading
from targets.embedding.part import EmbeddingPart
from targets.parity.cases import Case, read_cases

#: Answered cases that are looked at: the whole build is held against all of them.
MOST = 8


def read_by_part(
    parts: Sequence[Placed],
    inputs: Mapping[str, Path],
    composition: Composition,
    parity: ParityOptions,
) -> tuple[PartReading, ...]:
    """Say of each part, as shipped, how far it is off by itself; of one part there is no more.

    None is read where a part never was ONNX: nothing runs it as it was in every environment.
    """
    if len(parts) == 1 or any(onnx_role(one.part) not in inputs for one in parts):
        return ()
    runners = {one.part: load_part(one, inputs, exact=False) for one in parts}
    worst: dict[str, Reading] = {}
    with closing(EmbeddingPart.open(composition.folder, composition.draft)) as embedding:
        for case in islice(_answered(inputs["reference"]), MOST):
            outputs = case.outputs or {}
            first = next(iter(outputs))
            limit = of_values(limit_of(parity, "precision")(first), outputs[first])
            for stretch in plainly(parts, inputs, case.inputs, embedding.run):
                name = stretch.placed.part
                given = runners[name].run(stretch.feeds)
                for value, right in stretch.right.items():
                    found = read(value, limit(right), right, given[value])
                    if name not in worst or found.worst > worst[name].worst:
                        worst[name] = found
    return tuple(PartReading(part=name, worst=reading) for name, reading in worst.items())


def _answered(reference: Path) -> Iterator[Case]:
    return (case for case in read_cases(reference) if case.outputs)
