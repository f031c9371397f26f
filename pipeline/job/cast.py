"""Sample values as an input takes them: nothing is lost on the way, or it is an error."""

import numpy as np

from pipeline.job.misfits import MisfitError
from pipeline.job.refusal import Rule, refuse
from registry.errors import SourceError
from registry.signature import DType, Input


def cast(where: str, array: np.ndarray, tensor: Input) -> np.ndarray:
    """Convert to the input's dtype and hold the values against what the job says of them.

    Args:
        where: File and column, for messages.

    Raises:
        SourceError: A value would be changed by it, or is not one that the job allows.
    """
    numbers = numeric(where, array)
    if tensor.dtype is DType.BFLOAT16:
        raise MisfitError(f"{where}: numpy has no bfloat16. Declare the input as float32", "dtype")
    result = exact(where, numbers, np.dtype(tensor.dtype.value))
    _hold(where, result, tensor)
    return np.ascontiguousarray(result)


def numeric(where: str, array: np.ndarray) -> np.ndarray:
    """Take numbers and booleans only."""
    if array.dtype.kind in "OSUT":
        if not array.size:
            raise SourceError(f"{where} holds no rows. Save one row at least")
        example = next((value for value in array.flat if isinstance(value, str | bytes)), None)
        found = "lists or other objects" if example is None else f"text ({str(example)[:20]!r})"
        raise SourceError(
            f"{where} holds {found}, and a model takes numbers. "
            "Encode it as the training did, into ids or numbers, and save that"
        )
    if array.dtype.kind not in "biuf":
        raise SourceError(f"{where} holds {array.dtype}. Save it as numbers")
    return array


def exact(where: str, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Convert numbers, none of which is changed by it.

    Raises:
        SourceError: One would be.
    """
    if array.dtype.kind == "f" and dtype.kind in "iub":
        refuse(
            where, array, ~np.isfinite(array), Rule(f"is not a number, and {dtype} has none such")
        )
        refuse(
            where, array, array != np.floor(array), Rule(f"is a fraction, and the input is {dtype}")
        )
    with np.errstate(over="ignore", invalid="ignore"):
        result = array.astype(dtype)
    if array.dtype.kind == "f" and dtype.kind == "f":
        lost = np.isinf(result) & ~np.isinf(array)
    elif array.dtype.kind == "f":
        lost = result.astype(np.float64) != array.astype(np.float64)
    else:
        lost = _differs(result, array)
    refuse(where, array, lost, Rule(f"does not fit into {dtype}"))
    return result


def _differs(result: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Compare with whole numbers, by way of integers: floats would hide the difference."""
    with np.errstate(invalid="ignore"):
        lost: np.ndarray = result.astype(whole.dtype) != whole
    if result.dtype.kind in "iu" and whole.dtype.kind in "iu":
        lost |= (result < 0) != (whole < 0)
    return lost


def _hold(where: str, array: np.ndarray, tensor: Input) -> None:
    """Refuse what is no id, no start and no length."""
    if tensor.offsets is not None and array.ndim == 1:
        rule = Rule("starts no bag: starts rise from 0", "offsets")
        refuse(where, array, _no_starts(array), rule)
    if tensor.lengths is not None:
        refuse(where, array, array < 0, Rule("is no length of a bag", "lengths"))
    if tensor.ids is None:
        return
    most = np.asarray(tensor.ids.cardinality)
    limits = np.unique(most)
    top = f"{limits[0] - 1}" if limits.size == 1 else "its column's cardinality - 1"
    beyond = (array < 0) | (array >= most)
    refuse(where, array, beyond, Rule(f"is no id: `{tensor.name}` has 0 to {top}", "ids"))


def _no_starts(array: np.ndarray) -> np.ndarray:
    """Mark a first start that is not 0, and those before the one in front of them."""
    before = np.concatenate([np.minimum(array[:1], 0), array[:-1]])
    bad: np.ndarray = array < before
    bad[:1] |= array[:1] != 0
    return bad
