"""Time how fast a loaded composition answers one caller, at several batch sizes."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from pipeline.job.job import BenchmarkOptions
from pipeline.processes.resources import cpu_name
from registry.errors import InputError
from registry.manifest import Benchmark, Speed
from registry.signature import Input
from targets.host.cpu import host
from targets.parity.cases import read_cases
from targets.parity.extents import Layout
from targets.parity.hostile import usual
from targets.parity.rows import row_count, take_rows
from targets.predictor import Predictor
from targets.target import Arrays

#: Answers at each batch size: a few before the clock runs, and those that are timed.
_BEFORE, _FEWEST, _MOST = 2, 3, 20_000

_SEED = 0


def time_answers(
    predictor: Predictor, options: BenchmarkOptions, reference: Path
) -> Benchmark | None:
    """Time as many answers as fit into the seconds that each batch size has.

    Returns:
        None where nothing is wanted, or the model refuses inputs of every size.
    """
    load = os.getloadavg()[0]
    speeds = tuple(_speeds(predictor, options, reference))
    if not speeds:
        return None
    return Benchmark(
        cpu=cpu_name(),
        cpus=host().cpus,
        host_cpus=os.cpu_count(),
        load=round(load, 2),
        in_force=predictor.in_force(),
        speeds=speeds,
    )


def _speeds(predictor: Predictor, options: BenchmarkOptions, reference: Path) -> Iterator[Speed]:
    layout = Layout(predictor.inputs, predictor.axes)
    for size in dict.fromkeys(layout.batches((wanted,))[0] for wanted in options.batches):
        recorded = _recorded(predictor.inputs, reference, size)
        arrays = recorded or usual(predictor.inputs, predictor.axes, size, _SEED)
        if arrays is None or size == 0:
            continue
        try:
            seconds = _timed(predictor.predict, arrays, options.seconds)
        except InputError:  # generated inputs need not be what the model takes
            continue
        yield Speed(
            batch=size,
            calls=len(seconds),
            p50=float(np.percentile(seconds, 50)),
            p95=float(np.percentile(seconds, 95)),
            rate=size * len(seconds) / float(seconds.sum()),
            rows="recorded" if recorded else "generated",
            axes=_sizes(predictor.inputs, arrays),
        )


def _recorded(
    inputs: tuple[Input, ...], reference: Path, size: int
) -> dict[str, np.ndarray] | None:
    """Take rows from the job's samples, if it has so many that the original answered."""
    for case in read_cases(reference):
        if case.kind != "recorded":  # those come first
            break
        if case.outputs is not None and row_count(inputs, case.inputs) >= size:
            taken = take_rows(inputs, case.inputs, 0, size)
            if row_count(inputs, taken) == size:
                return taken
    return None


def _timed(predict: Callable[[Arrays], Arrays], arrays: Arrays, seconds: float) -> np.ndarray:
    for _ in range(_BEFORE):
        predict(arrays)
    taken: list[float] = []
    end = time.perf_counter() + seconds
    while len(taken) < _FEWEST or (time.perf_counter() < end and len(taken) < _MOST):
        start = time.perf_counter()
        predict(arrays)
        taken.append(time.perf_counter() - start)
    return np.array(taken)


def _sizes(inputs: tuple[Input, ...], arrays: Arrays) -> dict[str, int]:
    return {
        dim: size
        for tensor in inputs
        for dim, size in zip(tensor.shape, arrays[tensor.name].shape, strict=True)
        if isinstance(dim, str)
    }
