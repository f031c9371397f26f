"""The limit of an output, scaled to values inside the model."""

from dataclasses import dataclass

import numpy as np

from targets.parity.tally import Limit, Spread

#: Roundings of float32 that no limit forbids.
ROUNDINGS = 8 * float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Scaled:
    """A limit for values of another size."""

    atol: float
    rtol: float
    because: str


def scaled(limit: Limit, spread: float, values: np.ndarray) -> Scaled:
    """Allow values the share of their spread that the limit allows an output of its own.

    Args:
        spread: Of the output that the limit is for; see `spread_of`.
        values: What is right.
    """
    finite = np.abs(values[np.isfinite(values)].astype(np.float64))
    rounding = ROUNDINGS * float(finite.max(initial=0.0))
    atol = (limit.atol / spread + limit.rtol) * spread_of(values) + rounding
    return Scaled(atol, limit.rtol, limit.because)


def spread_of(values: np.ndarray) -> float:
    """Return the standard deviation; of values that hardly vary, their size; never 0."""
    spread = Spread()
    spread.add(values)
    if spread.deviation() > spread.floor():
        return spread.deviation()
    finite = np.abs(values[np.isfinite(values)].astype(np.float64))
    return float(finite.max(initial=0.0)) or 1.0
