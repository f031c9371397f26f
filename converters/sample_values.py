"""What an input that names no rows of a table may hold, by its samples."""

import numpy as np

_ANY = (-(2**63), 2**63 - 1)

#: A sample beyond is taken for a hash, not for a count.
_HUGE = 1 << 31


def guess_range(array: np.ndarray | None) -> tuple[tuple[float, float], str]:
    """Guess the lowest and highest value, and say how."""
    if array is None or not array.size:
        return (0, 1), "range is a guess: say what it may hold"
    low, high = int(array.min()), int(array.max())
    if max(-low, high) >= _HUGE:
        return _ANY, "range is any int64, as the samples look like hashes"
    return (min(0, low), max(1, high)), "range is that of the samples: say what it may hold"


def are_no_ids(array: np.ndarray | None) -> bool:
    """Say whether there are values that no table has rows for."""
    return array is not None and array.size > 0 and (array.min() < 0 or array.max() >= _HUGE)


def span(array: np.ndarray) -> tuple[float, float] | None:
    """Give whole numbers around what float samples hold: extremes beyond it test nothing real."""
    held = array[np.isfinite(array)] if array.dtype.kind == "f" else array[:0]
    if not held.size:
        return None
    lowest, highest = float(np.floor(held.min())), float(np.ceil(held.max()))
    return lowest, max(highest, lowest + 1)
