"""Figures of merit over labelled samples."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from registry.errors import SourceError

Metric = Callable[[np.ndarray, np.ndarray], float]


def measure(name: str, labels: np.ndarray, answers: np.ndarray) -> float:
    """Measure answers against labels, one label for each row of answers.

    Args:
        labels: Shape [rows] or [rows, 1].
        answers: Shape [rows], or [rows, columns].

    Raises:
        SourceError: The labels or the answers do not allow this metric.
    """
    column = labels.reshape(-1)
    if labels.shape[:1] != column.shape or answers.shape[:1] != column.shape:
        raise SourceError(
            f"{name}: labels {list(labels.shape)} and answers {list(answers.shape)} do not fit: "
            "one label for each row is needed"
        )
    for what, values in (("labels", column), ("answers", answers)):
        if not np.isfinite(values.astype(np.float64)).all():
            raise SourceError(f"{name}: the {what} hold NaN or infinity")
    if np.unique(column).size < 2:
        raise SourceError(
            f"{name}: the labels of {column.size} samples are of one class only, which measures "
            "nothing. Take more `rows`, or leave the metric out"
        )
    return METRICS[name](column, answers)


def auc(labels: np.ndarray, scores: np.ndarray) -> float:
    """Return the probability that a positive scores above a negative, ties counting half.

    From the rank sum R of the n positives among n + m samples, ties given their average
    rank: (R - n(n + 1)/2) / nm (Hanley and McNeil, Radiology 143, 1982; Mann and Whitney's U).
    """
    if not np.isin(labels, (0, 1)).all():
        raise SourceError("auc: labels have to be 0 or 1")
    if scores.size != labels.size:
        raise SourceError(f"auc: one score for each row is needed, not {list(scores.shape)}")
    _, inverse, counts = np.unique(scores.reshape(-1), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    positive = labels == 1
    n, m = int(positive.sum()), int((~positive).sum())
    return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * m))


def accuracy(labels: np.ndarray, answers: np.ndarray) -> float:
    """Return the share of rows whose class is the label.

    The class is the column with the highest score; of one column of floats, whether it
    reaches 0.5; of one column of integers, the integer.
    """
    return float(np.mean(_classes(answers) == labels))


def _classes(answers: np.ndarray) -> np.ndarray:
    if answers.size == answers.shape[0]:
        column = answers.reshape(-1)
        return column if column.dtype.kind in "iub" else column >= 0.5
    if answers.ndim != 2:
        raise SourceError(f"accuracy: answers {list(answers.shape)} are not [rows, classes]")
    classes: np.ndarray = answers.argmax(axis=1)
    return classes


METRICS: Mapping[str, Metric] = MappingProxyType({"accuracy": accuracy, "auc": auc})
