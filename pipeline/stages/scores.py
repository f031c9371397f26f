"""Figures of merit of the original and of a target, over the same labelled samples."""

from collections.abc import Mapping

import numpy as np

from pipeline.job.job import Metric
from registry.manifest import Loss
from targets.parity.cases import Case
from targets.parity.metrics import measure


class Scores:
    """Keep what metrics need of the recorded cases: both sides' answers, in order."""

    def __init__(self, metrics: tuple[Metric, ...]) -> None:
        self._metrics = metrics
        self._outputs = {metric.output for metric in metrics}
        self._original: dict[str, list[np.ndarray]] = {name: [] for name in self._outputs}
        self._target: dict[str, list[np.ndarray]] = {name: [] for name in self._outputs}

    def add(self, case: Case, answer: Case) -> None:
        """Take in what both sides answered to a case."""
        if case.kind != "recorded":
            return
        for name in self._outputs:
            _keep(self._original[name], case.outputs, name)
            _keep(self._target[name], answer.outputs, name)

    def measured(self, labels: np.ndarray) -> dict[str, tuple[float, float]]:
        """Return every metric of the original and of the target.

        Raises:
            SourceError: Labels or answers do not allow the metric.
        """
        return {
            name_of(metric): (
                measure(metric.name, labels, np.concatenate(self._original[metric.output])),
                measure(metric.name, labels, np.concatenate(self._target[metric.output])),
            )
            for metric in self._metrics
        }


def dropped(
    metrics: tuple[Metric, ...], measured: Mapping[str, tuple[float, float]]
) -> tuple[str, ...]:
    """Return a sentence for each metric that lost more than its job allows."""
    faults = []
    for metric in metrics:
        before, after = measured[name_of(metric)]
        if not before - after <= metric.max_drop:
            faults.append(
                f"{metric.name} of output '{metric.output}' falls from {before:.6g} to "
                f"{after:.6g}; it may fall by {metric.max_drop:g}"
            )
    return tuple(faults)


def losses(metrics: tuple[Metric, ...]) -> dict[str, Loss]:
    """Return how much of each metric may be lost, for the manifest."""
    return {
        name_of(metric): Loss(max_drop=metric.max_drop, because=metric.because)
        for metric in metrics
    }


def name_of(metric: Metric) -> str:
    """Name a metric in records: 'auc(like)'."""
    return f"{metric.name}({metric.output})"


def _keep(kept: list[np.ndarray], outputs: Mapping[str, np.ndarray] | None, name: str) -> None:
    if outputs is not None and name in outputs:
        kept.append(outputs[name])
