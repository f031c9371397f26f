"""Ask a loaded composition every case and hold its answers against the original's."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Literal

import numpy as np
from safetensors.numpy import load_file

from pipeline.job.job import BenchmarkOptions, ParityOptions
from pipeline.stages.benchmark import time_answers
from pipeline.stages.reference import LABELS
from pipeline.stages.scores import Scores, dropped, losses
from registry.errors import InputError
from registry.manifest import Benchmark, Draft, Parity
from registry.progress import Progress
from registry.signature import Precision
from targets.parity.cases import Case, read_cases, read_index
from targets.parity.compare import Comparison, Findings, answered
from targets.parity.tally import Limit
from targets.predictor import open_predictor
from targets.target import Arrays

Kind = Literal["conversion", "precision"]

NO_BENCHMARK = BenchmarkOptions(batches=())


@dataclass(frozen=True)
class Composition:
    """A composition on disk, and how it is to be loaded.

    Attributes:
        precision: What the dense part has to compute in; None is as shipped.
        benchmark: What is timed once all answers hold.
    """

    folder: Path
    draft: Draft
    target: str
    precision: Precision | None
    benchmark: BenchmarkOptions = NO_BENCHMARK


@dataclass(frozen=True)
class Heard:
    """What came of it, for each kind of number that was wanted.

    Attributes:
        memory: Bytes that the process held when all cases were answered, mapped files aside.
    """

    parity: tuple[Parity, ...]
    faults: tuple[str, ...]
    passed: bool
    memory: int
    benchmark: Benchmark | None


def hear(
    composition: Composition,
    options: ParityOptions,
    reference: Path,
    kinds: tuple[Kind, ...],
    progress: Progress,
) -> Heard:
    """Load the composition once and compare all cases.

    Raises:
        ParityError: Nothing was compared.
        SourceError: The labels do not allow a metric.
    """
    comparisons = {kind: Comparison(limit_of(options, kind)) for kind in kinds}
    scores = Scores(options.metrics)
    predictor = open_predictor(
        composition.folder,
        composition.draft,
        composition.target,
        precision=composition.precision,
    )
    with closing(predictor):
        for case, answer in _answers(predictor.predict, reference, progress):
            scores.add(case, answer)
            for comparison in comparisons.values():
                comparison.add(case, answer)
        in_force, memory = predictor.in_force(), allocated()
        found = {kind: comparison.conclude() for kind, comparison in comparisons.items()}
        holds = all(one.passed and not one.faults for one in found.values())
        benchmark = time_answers(predictor, composition.benchmark, reference) if holds else None
    faults = [f"{kind}: {fault}" for kind, one in found.items() for fault in one.faults]
    measured: dict[str, tuple[float, float]] = {}
    if options.metrics and not faults and all(map(_is_finite, found.values())):
        measured = scores.measured(read_labels(reference))
        faults += dropped(options.metrics, measured)
    records = [one.parity(kind, in_force, measured) for kind, one in found.items()]
    return Heard(
        parity=tuple(
            record.model_copy(update={"losses": losses(options.metrics)})
            for record in records
            if record
        ),
        faults=tuple(faults),
        passed=not faults and all(one.passed for one in found.values()),
        memory=memory,
        benchmark=benchmark,
    )


def _answers(
    predict: Callable[[Arrays], Arrays], reference: Path, progress: Progress
) -> Iterator[tuple[Case, Case]]:
    """Yield each case, and the same one as the target answers or refuses it."""
    total = len(read_index(reference).cases)
    for done, case in enumerate(read_cases(reference)):
        progress(done, total, "cases")
        yield case, answered(case, predict, InputError)
    progress(total, total, "cases")


def _is_finite(findings: Findings) -> bool:
    return all(isfinite(numbers.max_abs) for numbers in findings.outputs)


def limit_of(options: ParityOptions, kind: Kind) -> Callable[[str], Limit]:
    """Return the tolerance of an output by its name: its own, or that of the kind of number."""
    precision = options.precision or options.conversion
    limit = options.conversion if kind == "conversion" else precision
    return lambda output: options.outputs.get(output, limit)


def read_labels(reference: Path) -> np.ndarray:
    """Read the labels of the recorded cases, in the order of their rows."""
    labels: np.ndarray = load_file(reference / LABELS)["labels"]
    return labels


def allocated() -> int:
    """Return the bytes that this process allocated and holds; mapped files do not count."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("RssAnon:"))
    return int(line.split()[1]) << 10
