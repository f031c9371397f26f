"""Sample values that an input's dtype holds, and the job does not let come."""

import numpy as np

from pipeline.job.refusal import Rule, refuse
from registry.signature import Input

_MISSING = Rule(
    why="is no number, and the job does not say that values may be missing",
    key="missing",
    remedy="write missing: true for the input if they may, or take such rows out of the samples",
)
_ENDLESS = Rule(
    why="is no finite number",
    key="name",
    remedy="take such rows out of the samples, or write a large number that the model takes for it",
)


def hold(where: str, array: np.ndarray, tensor: Input) -> None:
    """Refuse NaN where no value may be missing, infinity, and integers outside of their range.

    The range of floats is not held, as it is not in requests.

    Args:
        where: File and column, for messages.
        array: Of the input's dtype.

    Raises:
        MisfitError: Names the first such value and its row.
    """
    if array.dtype.kind == "f":
        if not tensor.missing:
            refuse(where, array, np.isnan(array), _MISSING)
        refuse(where, array, np.isinf(array), _ENDLESS)
    elif array.dtype.kind in "iu" and tensor.range is not None:
        low, high = tensor.range
        rule = Rule(
            why=f"is outside of the input's range, {low:g} to {high:g}",
            key="range",
            remedy="requests with such values are refused: widen the range, or take such rows out",
        )
        refuse(where, array, (array < low) | (array > high), rule)
