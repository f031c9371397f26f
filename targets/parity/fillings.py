"""What generated inputs hold."""

from collections.abc import Callable, Mapping
from math import ceil, floor, isfinite
from types import MappingProxyType

import numpy as np

from registry.signature import Ids, Input

Shape = tuple[int, ...]

#: A value for the whole input, or one for each column.
Value = float | np.ndarray

#: The values that an input is to hold, picked at random; none where it is not for this input.
Filling = Callable[[Input], tuple[Value, ...]]

#: Ends of the range of floats whose job gives none. Larger ones say more of how a sum of f32
#: cancels than of the model.
LARGE = 100.0
SMALL = 1e-6


def typical(tensor: Input, shape: Shape, rng: np.random.Generator) -> np.ndarray:
    """Draw values as the job says that they come."""
    if tensor.ids is not None:
        values = rng.integers(0, _top(tensor, tensor.ids), shape, endpoint=True)
    elif not _is_float(tensor):
        low, high = _ends(tensor)
        values = rng.integers(int(low), int(high), shape, endpoint=True)
    elif tensor.range is None:
        return rng.standard_normal(shape).astype(tensor.dtype)
    else:
        return rng.uniform(*_ends(tensor), shape).astype(tensor.dtype)
    return values.astype(tensor.dtype)


def filled(
    filling: Filling, tensor: Input, shape: Shape, rng: np.random.Generator
) -> np.ndarray | None:
    """Fill an input, or return None where the filling is not for it."""
    if not (values := filling(tensor)):
        return None
    choice = rng.integers(len(values), size=shape)
    array = np.empty(shape, tensor.dtype)
    for number, value in enumerate(values):
        np.copyto(array, np.asarray(value).astype(tensor.dtype), where=choice == number)
    return array


def _of_ids(pick: Callable[[np.ndarray], tuple[Value, ...]]) -> Filling:
    return lambda tensor: () if tensor.ids is None else pick(_top(tensor, tensor.ids))


def _of_values(pick: Callable[[tuple[float, float]], tuple[Value, ...]]) -> Filling:
    return lambda tensor: () if _names_rows(tensor) else pick(_ends(tensor))


def _of_floats(pick: Callable[[float], tuple[float, ...]]) -> Filling:
    """Pick by the smallest normal float of the dtype, and keep what is in range."""

    def filling(tensor: Input) -> tuple[Value, ...]:
        if _names_rows(tensor) or not _is_float(tensor):
            return ()
        low, high = _ends(tensor)
        picked = pick(float(np.finfo(tensor.dtype).tiny))
        return tuple(value for value in picked if low <= value <= high)

    return filling


def _padding(tensor: Input) -> tuple[Value, ...]:
    return () if tensor.ids is None or tensor.ids.padding is None else (tensor.ids.padding,)


def _some_padding(tensor: Input) -> tuple[Value, ...]:
    if tensor.ids is None or not (padding := _padding(tensor)):
        return ()
    top = _top(tensor, tensor.ids)
    return (*padding, top // 3, top // 2, top)


def _some_missing(tensor: Input) -> tuple[Value, ...]:
    return (*_ends(tensor), np.nan) if tensor.missing and _is_float(tensor) else ()


def _all_missing(tensor: Input) -> tuple[Value, ...]:
    return (np.nan,) if tensor.missing and _is_float(tensor) else ()


#: Each is a case of its own, in which every input that it is for holds nothing else.
FILLINGS: Mapping[str, Filling] = MappingProxyType(
    {
        "ids: all 0": _of_ids(lambda top: (0 * top,)),
        "ids: all at their highest": _of_ids(lambda top: (top,)),
        "ids: two of them, repeated": _of_ids(lambda top: (top // 3, top)),
        "ids: all the same": _of_ids(lambda top: (top // 2,)),
        "ids: padding alone": _padding,
        "ids: padding here and there": _some_padding,
        "values: all at the low end": _of_values(lambda ends: ends[:1]),
        "values: all at the high end": _of_values(lambda ends: ends[1:]),
        "values: at either end": _of_values(lambda ends: ends),
        "floats: zero": _of_floats(lambda tiny: (0 * tiny,)),
        "floats: close to zero": _of_floats(lambda tiny: (-SMALL, 0 * tiny, SMALL)),
        "floats: some missing": _some_missing,
        "floats: all missing": _all_missing,
        "floats: denormal": _of_floats(lambda tiny: (-tiny / 2, tiny / 4, tiny / 2)),
    }
)

#: Ids beside the ends of what integers of 32 bits hold, and below 0.
ODD_IDS: Mapping[str, int] = MappingProxyType(
    {"-1": -1, "2^31-1": 2**31 - 1, "2^31": 2**31, "2^32": 2**32, "2^32+1": 2**32 + 1}
)


def holds(tensor: Input, value: int) -> bool:
    """Say whether the input's dtype can hold an integer exactly."""
    dtype = np.dtype(tensor.dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return bool(limits.min <= value <= limits.max)
    return dtype.itemsize > 2 and int(dtype.type(value)) == value


def _top(tensor: Input, ids: Ids) -> np.ndarray:
    """Return the highest id, one for each column if the job says so, that the dtype can hold."""
    counts = ids.cardinality if isinstance(ids.cardinality, tuple) else (ids.cardinality,)
    dtype = np.dtype(tensor.dtype)
    limit = int(np.iinfo(dtype).max) if dtype.kind in "iu" else 2 ** (np.finfo(dtype).nmant + 1)
    tops = np.array([min(count - 1, limit) for count in counts], np.int64)
    return tops if isinstance(ids.cardinality, tuple) else tops[0]


def _ends(tensor: Input) -> tuple[float, float]:
    """Return the lowest and highest value that the job has, or else usual ones, in the dtype."""
    free = (-LARGE, LARGE) if _is_float(tensor) else (0.0, 1.0)
    low, high = tensor.range or free
    low, high = low if isfinite(low) else free[0], high if isfinite(high) else free[1]
    dtype = np.dtype(tensor.dtype)
    if dtype.kind == "f":
        most = float(np.finfo(dtype).max)
        return max(low, -most), min(high, most)
    least, most = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return max(ceil(low), int(least)), min(floor(high), int(most))


def _is_float(tensor: Input) -> bool:
    return np.dtype(tensor.dtype).kind == "f"


def _names_rows(tensor: Input) -> bool:
    return tensor.ids is not None or tensor.cuts is not None
