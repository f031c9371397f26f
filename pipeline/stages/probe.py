"""Run a cut of an ONNX graph on a target and as it came, and read how far they are apart."""

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from converters import route
from converters.calibration import write_feeds
from converters.converter import ConvertOptions
from converters.onnx_models.cuts import Cuts
from converters.onnx_models.reference import open_session
from pipeline.stages.bisection import Reading
from registry.calibration import Calibrated
from registry.errors import PlatformError, SourceError
from registry.format import Format
from registry.signature import Precision
from targets import AnyTarget, find_target
from targets.host.cpu import host, thread_plan
from targets.parity.scaled import scaled
from targets.parity.tally import Limit, Tally
from targets.target import Arrays


@dataclass(frozen=True)
class Setup:
    """How the target runs.

    Attributes:
        precision, weights: What it computes in, and what its weights are stored in.
        calibrated: How scales of i8 are found once.
    """

    runtime: str
    precision: Precision
    weights: Precision
    threads: int
    calibrated: Calibrated | None = None

    @staticmethod
    def of(target: AnyTarget, *, exact: bool) -> "Setup":
        """Return how a target runs as shipped, or as converted exactly."""
        if exact:
            return Setup(target.runtime, "f32", "f32", target.threads)
        return Setup(
            target.runtime, target.precision, target.weights, target.threads, target.calibrated
        )


@dataclass(frozen=True)
class Probe:
    """What every cut is held against.

    Attributes:
        feeds: Of the dense part, in the worst case.
        limit: Of the output that is off, and `spread` of that output.
        folder: For files in the making.
    """

    cuts: Cuts
    setup: Setup
    feeds: Arrays
    limit: Limit
    spread: float
    folder: Path

    def prefix(self, number: int) -> Reading | None:
        """Read the graph up to a node; None where nothing of it can be compared.

        Raises:
            PlatformError: It cannot be converted or run.
        """
        folder, feeds = self._prefix(number)
        return self._worst(run_plain(folder, feeds), self._run_target(folder, feeds))

    def alone(self, number: int) -> Reading | None:
        """Read a node that takes right values; None where nothing of it can be compared.

        Raises:
            PlatformError: It cannot be converted or run by itself.
        """
        folder, feeds = self._alone(number, self._before(number, run_plain))
        return self._worst(run_plain(folder, feeds), self._run_target(folder, feeds))

    def carried(self, number: int) -> Reading | None:
        """Read what becomes of the target's values in a node that is right.

        Raises:
            PlatformError: The nodes before it cannot be converted or run.
        """
        folder, feeds = self._alone(number, self._before(number, run_plain))
        right = run_plain(folder, feeds)
        folder, feeds = self._alone(number, self._before(number, self._run_target))
        return self._worst(right, run_plain(folder, feeds))

    def told(self, error: PlatformError) -> str:
        """Say what an error says, without the folder of files in the making."""
        return re.sub(rf"{re.escape(str(self.folder))}/?[^\s:]*: ", "", str(error))

    def _prefix(self, number: int) -> tuple[Path, dict[str, np.ndarray]]:
        folder = _emptied(self.folder)
        return folder, {name: self.feeds[name] for name in self.cuts.write_prefix(number, folder)}

    def _alone(self, number: int, values: Arrays) -> tuple[Path, dict[str, np.ndarray]]:
        folder = _emptied(self.folder)
        names = self.cuts.write_alone(number, values, folder)
        return folder, {name: values[name] for name in names}

    def _before(
        self, number: int, run: Callable[[Path, Arrays], dict[str, np.ndarray]]
    ) -> dict[str, np.ndarray]:
        """Compute what a node may take."""
        return dict(self.feeds) | (run(*self._prefix(number - 1)) if number else {})

    def _worst(self, right: Arrays, given: Arrays) -> Reading | None:
        """Compare what both have; a target may give one of two values that are the same."""
        readings = [self._compare(name, right[name], given[name]) for name in right.keys() & given]
        return max(readings, key=lambda one: one.worst, default=None)

    def _run_target(self, folder: Path, feeds: Arrays) -> dict[str, np.ndarray]:
        """Convert a graph by the target's route and let the target answer."""
        target = find_target(self.setup.runtime)
        steps = route(Format.ONNX, target.format)
        for step in steps:
            out = folder / step.result
            options = self._options(feeds) if step is steps[-1] else ConvertOptions()
            step.convert(folder, out, options)
            folder = out
        plan = thread_plan(self.setup.threads, host())
        return target.load(folder, self.setup.precision, plan).run(feeds)

    def _options(self, feeds: Arrays) -> ConvertOptions:
        """Ask for what the target asks for; scales that are found once, with what it is fed."""
        weights, calibrated = self.setup.weights, self.setup.calibrated
        if calibrated is None:
            return ConvertOptions(weights=weights)
        place = self.folder.with_name(f"{self.folder.name}-feeds")
        write_feeds([dict(feeds)], calibrated.samples, place)
        return ConvertOptions(weights=weights, calibrated=calibrated, feeds=place)

    def _compare(self, name: str, right: np.ndarray, given: np.ndarray) -> Reading:
        limit = self.limit if name in self.cuts.outputs else scaled(self.limit, self.spread, right)
        return read(name, limit, right, given)


def read(name: str, limit: Limit, right: np.ndarray, given: np.ndarray) -> Reading:
    """Hold a value against what it should be; what should be NaN may be anything."""
    max_abs, worst = _apart(limit, right, given)
    return Reading(
        output=name, dtype=str(right.dtype), shape=right.shape, max_abs=max_abs, worst=worst
    )


def _apart(limit: Limit, right: np.ndarray, given: np.ndarray) -> tuple[float, float]:
    if right.size != given.size:
        return np.inf, np.inf
    given = given.reshape(right.shape)
    if right.dtype.kind == "f":
        there = ~np.isnan(right)
        right, given = right[there], given[there]
    if not right.size:
        return 0.0, 0.0
    tally = Tally("", limit, exact=right.dtype.kind in "iub")
    tally.add("", right, given)
    numbers = tally.numbers()
    return numbers.max_abs, numbers.worst


def run_plain(folder: Path, feeds: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Let ONNX Runtime answer with `model.onnx` as it is, nothing optimised.

    Raises:
        SourceError: It cannot.
    """
    session = open_session(folder / "model.onnx")
    names = [output.name for output in session.get_outputs()]
    try:
        return dict(zip(names, session.run(names, dict(feeds)), strict=True))
    except Exception as error:
        raise SourceError(f"{folder}: ONNX Runtime cannot run it: {error}") from error


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
