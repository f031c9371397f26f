"""The numbers of one output, gathered case by case."""

import math
from collections import Counter
from typing import Protocol

import numpy as np

from registry.manifest import Numbers

#: Keys of the histogram for what has no power of ten.
EQUAL, INFINITE = -99, 99

#: Below this share of its mean (and below this much in its unit) an output hardly varies.
FLAT_SHARE, FLAT = 1e-6, 1e-12


class Limit(Protocol):
    """How far an answer may be off: |error| <= atol + rtol * |reference|."""

    @property
    def atol(self) -> float: ...  # noqa: D102 -- said above
    @property
    def rtol(self) -> float: ...  # noqa: D102 -- said above
    @property
    def because(self) -> str: ...  # noqa: D102 -- said above


class Tally:
    """Compare an output in case after case and keep the numbers alone.

    Integers and booleans are held to be equal, whatever the limit. NaN on either side, or on
    both, is an infinite error. An infinity is right where the reference has the same one, as
    masked scores have; anywhere else it is an infinite error too.
    """

    def __init__(self, output: str, limit: Limit, *, exact: bool) -> None:
        self.compared = 0
        self._output = output
        self._atol, self._rtol = (0.0, 0.0) if exact else (limit.atol, limit.rtol)
        self._because = "integers and booleans have to be equal" if exact else limit.because
        self._max_abs = 0.0
        self._worst = 0.0
        self._where = "nowhere: every element is equal"
        self._histogram: Counter[int] = Counter()
        self._spread = Spread()

    def add(self, case: str, reference: np.ndarray, answer: np.ndarray) -> None:
        """Compare two arrays of one shape and dtype."""
        if not reference.size:
            return
        errors = errors_of(reference, answer)
        with np.errstate(invalid="ignore"):  # 0 times infinity
            allowed = self._atol + self._rtol * np.abs(reference.astype(np.float64))
        ratios = _ratios(errors, allowed)
        self.compared += reference.size
        self._max_abs = max(self._max_abs, float(errors.max()))
        self._histogram.update(histogram_of(errors))
        self._spread.add(reference)
        if (worst := float(ratios.max())) > self._worst:
            self._worst = worst
            index = np.unravel_index(int(ratios.argmax()), ratios.shape)
            place = ", ".join(str(int(at)) for at in index)
            values = f"{reference[index]!s} in the original, {answer[index]!s} here"
            self._where = f"case '{case}' at [{place}]: {values}"

    def numbers(self) -> Numbers:
        """Sum up; at least one element has to have been compared."""
        floor = self._spread.floor()
        spread = self._spread.deviation()
        return Numbers(
            output=self._output,
            compared=self.compared,
            max_abs=self._max_abs,
            max_scaled=self._max_abs / max(spread, floor),
            constant=spread <= floor,
            worst=self._worst,
            where=self._where,
            atol=self._atol,
            rtol=self._rtol,
            because=self._because,
            passed=self._worst <= 1,
            histogram=dict(sorted(self._histogram.items())),
        )


class Spread:
    """Mean and standard deviation of finite values that come in pieces (Chan et al. 1979)."""

    def __init__(self) -> None:
        self._count = 0
        self._mean = 0.0
        self._squares = 0.0

    def add(self, values: np.ndarray) -> None:
        """Take in one more piece."""
        piece = values.astype(np.float64).reshape(-1)
        piece = piece[np.isfinite(piece)]
        if not piece.size:
            return
        total = self._count + piece.size
        mean = float(piece.mean())
        apart = mean - self._mean
        self._squares += float(((piece - mean) ** 2).sum())
        self._squares += apart * apart * self._count * piece.size / total
        self._mean += apart * piece.size / total
        self._count = total

    def deviation(self) -> float:
        """Return the standard deviation of all values so far."""
        return math.sqrt(self._squares / self._count) if self._count else 0.0

    def floor(self) -> float:
        """Return the deviation up to which the values count as constant."""
        return FLAT_SHARE * abs(self._mean) + FLAT


def errors_of(reference: np.ndarray, answer: np.ndarray) -> np.ndarray:
    """Return |answer - reference| as float64, infinite where it is not a number."""
    with np.errstate(invalid="ignore", over="ignore"):
        errors = np.abs(answer.astype(np.float64) - reference.astype(np.float64))
    errors = np.where(np.isnan(errors), np.inf, errors)
    if reference.dtype.kind in "iub":  # neighbours above 2^53 are one float64
        errors = np.maximum(errors, 1.0)
    return np.where(answer == reference, 0.0, errors)


def histogram_of(errors: np.ndarray) -> dict[int, int]:
    """Count errors by power of ten, as `Numbers.histogram` has them."""
    keys = np.full(errors.shape, EQUAL)
    keys[np.isinf(errors)] = INFINITE
    counted = np.isfinite(errors) & (errors > 0)
    powers = np.floor(np.log10(errors[counted]))
    keys[counted] = np.clip(powers, EQUAL + 1, INFINITE - 1).astype(int)
    found, counts = np.unique(keys, return_counts=True)
    return {int(key): int(count) for key, count in zip(found, counts, strict=True)}


def _ratios(errors: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    ratios = np.where(errors > 0, np.inf, 0.0)
    finite = np.isfinite(errors) & (errors > 0) & (allowed > 0)
    ratios[finite] = errors[finite] / allowed[finite]
    return ratios
