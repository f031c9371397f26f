"""Hold users' inputs against what a version says of them."""

from collections.abc import Iterator, Mapping

import numpy as np

from registry.errors import InputError
from registry.signature import ANY, Axis, Input
from targets.embedding.offsets import Cut, offset_fault
from targets.feeds import feed_faults
from targets.target import Arrays


def check_inputs(arrays: Arrays, inputs: tuple[Input, ...], axes: Mapping[str, Axis]) -> None:
    """Refuse inputs that the model was not converted and validated for.

    The range of floats is not held: new data may go beyond what was seen before. That of
    integers is, as conversions rely on it. Ids are held against the tables that they name.

    Raises:
        InputError: With every fault: missing and unknown names, dtypes, shapes, axes that
            differ between inputs or lie outside their range, integers outside theirs, lengths
            that do not add up to what they cut, offsets that do not cut it.
    """
    known = [tensor.name for tensor in inputs]
    faults = [
        f"{name}: the model has no such input; it has {', '.join(known)}"
        for name in arrays
        if name not in known
    ]
    faults += [f"{name}: is missing" for name in known if name not in arrays]
    sound = []
    for tensor in inputs:
        if tensor.name in arrays:
            wrong = feed_faults(tensor, arrays[tensor.name])
            faults += wrong
            sound += [] if wrong else [tensor]
    faults += _axis_faults(arrays, sound, axes)
    faults += [fault for tensor in sound for fault in _range_faults(tensor, arrays[tensor.name])]
    faults += _length_faults(arrays, sound)
    faults += _offset_faults(arrays, sound)
    if faults:
        raise InputError("; ".join(faults))


def check_kept_ids(arrays: Arrays, inputs: tuple[Input, ...]) -> None:
    """Refuse ids outside of their cardinality, where the dense part reads them itself.

    No lookup holds these against a table, and where the original raises, a runtime may answer
    with whatever lies behind the last row.

    Raises:
        InputError: With every fault.
    """
    if faults := [fault for one in inputs for fault in _cardinality_faults(one, arrays[one.name])]:
        raise InputError("; ".join(faults))


def _cardinality_faults(tensor: Input, array: np.ndarray) -> Iterator[str]:
    if tensor.ids is None or array.size == 0:
        return
    wrong = (array < 0) | (array >= np.asarray(tensor.ids.cardinality))
    if wrong.any():
        where = tuple(map(int, np.unravel_index(int(wrong.argmax()), array.shape)))
        highest = int(np.broadcast_to(tensor.ids.cardinality, array.shape)[where]) - 1
        place = list(where) if where else ""
        yield f"{tensor.name}{place}: id {array[where]} is outside of 0 to {highest}"


def _axis_faults(arrays: Arrays, inputs: list[Input], axes: Mapping[str, Axis]) -> Iterator[str]:
    """Compare the sizes of each named axis with one another and with its range."""
    first: dict[str, tuple[int, str]] = {}
    for tensor in inputs:
        for dim, size in zip(tensor.shape, arrays[tensor.name].shape, strict=True):
            if isinstance(dim, int) or dim == ANY:
                continue
            seen, where = first.setdefault(dim, (size, tensor.name))
            if seen != size:
                yield f"{tensor.name}: axis {dim} is {size}, but {seen} in {where}"
    for dim, (size, where) in first.items():
        axis = axes.get(dim)
        if axis and not axis.min <= size <= axis.max:
            yield f"{where}: axis {dim} is {size}, outside of {axis}"
        elif axis and not axis.holds(size):
            yield f"{where}: axis {dim} is {size}, not a multiple of {axis.multiple_of}"


def _range_faults(tensor: Input, array: np.ndarray) -> Iterator[str]:
    if tensor.range is None or array.dtype.kind not in "iu" or array.size == 0:
        return
    low, high = tensor.range
    wrong = (array < low) | (array > high)
    if wrong.any():
        where = list(map(int, np.unravel_index(int(wrong.argmax()), array.shape)))
        value = int(array[tuple(where)])
        yield f"{tensor.name}{where or ''}: is {value}, outside of {low:g} to {high:g}"


def _length_faults(arrays: Arrays, inputs: list[Input]) -> Iterator[str]:
    """Hold lengths of bags against the number of ids that they cut into bags."""
    sound = {tensor.name for tensor in inputs}
    for tensor in inputs:
        if tensor.lengths is None or tensor.lengths not in sound:
            continue
        lengths, total = arrays[tensor.name], len(arrays[tensor.lengths])
        if (lengths < 0).any():
            at = int((lengths < 0).argmax())
            yield f"{tensor.name}[{at}]: is {int(lengths[at])}; no bag is shorter than 0"
        elif (together := int(lengths.sum(dtype=np.int64))) != total:
            yield f"{tensor.name}: adds up to {together}, but {tensor.lengths} has {total} ids"


def _offset_faults(arrays: Arrays, inputs: list[Input]) -> Iterator[str]:
    """Hold starts of bags against the ids that they cut; where bags stay, no lookup does."""
    sound = {tensor.name for tensor in inputs}
    for tensor in inputs:
        if tensor.offsets is None or tensor.offsets not in sound:
            continue
        total = len(arrays[tensor.offsets])
        cut = Cut(tensor.name, tensor.offsets, total, includes_last=tensor.includes_last)
        if fault := offset_fault(cut, arrays[tensor.name]):
            yield fault
