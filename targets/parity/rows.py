"""Cut recorded inputs into batches, bags and all."""

from collections.abc import Iterator, Mapping

import numpy as np

from registry.signature import Axis, Dim, Input
from targets.parity.extents import Layout
from targets.target import Arrays


def row_count(inputs: tuple[Input, ...], arrays: Arrays) -> int:
    """Return how many rows, or bags, the arrays hold."""
    for tensor in inputs:
        if tensor.cuts is not None:
            return len(arrays[tensor.name]) - tensor.includes_last
    batch = _batch(inputs)
    of_rows = (tensor.name for tensor in inputs if tensor.shape and tensor.shape[0] == batch)
    return next((len(arrays[name]) for name in of_rows), 1)


def take_rows(
    inputs: tuple[Input, ...], arrays: Arrays, start: int, stop: int
) -> dict[str, np.ndarray]:
    """Take the rows from `start` up to `stop`; what has no rows is taken whole.

    Offsets are counted from the first bag that is taken. Where inputs do not all have as many
    rows, all of them are taken whole.
    """
    if not _are_alike(inputs, arrays):
        return dict(arrays)
    spans = _spans(inputs, arrays, start, stop)
    batch = _batch(inputs)
    taken = {}
    for tensor in inputs:
        array = arrays[tensor.name]
        dim = tensor.shape[0] if tensor.shape else None
        if tensor.offsets is not None:
            base = array[start : start + 1]
            taken[tensor.name] = array[start : stop + tensor.includes_last] - base
        elif tensor.lengths is not None:
            taken[tensor.name] = array[start:stop]
        elif dim in spans:
            taken[tensor.name] = array[slice(*spans[dim])]
        else:
            taken[tensor.name] = array[start:stop] if dim == batch else array
    return taken


def batches_of(
    inputs: tuple[Input, ...], axes: Mapping[str, Axis], arrays: Arrays, most: int
) -> Iterator[tuple[int, int, dict[str, np.ndarray]]]:
    """Yield first row, end and arrays of one batch after another, of up to `most` rows.

    Rows at the end that are too few for the batch axis are left out. Inputs that do not have
    as many rows as the others make one batch.
    """
    layout = Layout(inputs, axes)
    (size, *_) = layout.batches((most,))
    (least, *_) = layout.batches((1,))
    rows = row_count(inputs, arrays)
    if not _are_alike(inputs, arrays):
        yield 0, rows, dict(arrays)
        return
    for start in range(0, rows, size):
        stop = min(start + size, rows)
        if stop - start >= least:
            yield start, stop, take_rows(inputs, arrays, start, stop)


def _are_alike(inputs: tuple[Input, ...], arrays: Arrays) -> bool:
    """Tell whether all bags, and all else that has rows, are as many."""
    batch = _batch(inputs)
    bags = {len(arrays[one.name]) - one.includes_last for one in inputs if one.cuts is not None}
    of_rows = (one.name for one in inputs if one.cuts is None and one.shape[:1] == (batch,))
    cut = {one.cuts for one in inputs}
    return len(bags | {len(arrays[name]) for name in of_rows if name not in cut}) <= 1


def _batch(inputs: tuple[Input, ...]) -> Dim | None:
    named = Layout(inputs, {}).batch
    if named is not None:
        return named
    return inputs[0].shape[0] if inputs[0].shape else None


def _spans(
    inputs: tuple[Input, ...], arrays: Arrays, start: int, stop: int
) -> dict[Dim | None, tuple[int, int]]:
    """Return where the ids of the bags begin and end, by the axis that bags cut."""
    by_name = {tensor.name: tensor for tensor in inputs}
    spans: dict[Dim | None, tuple[int, int]] = {}
    for tensor in inputs:
        if tensor.offsets is not None:
            offsets, flat = arrays[tensor.name], len(arrays[tensor.offsets])
            ends = [*offsets.tolist(), *([] if tensor.includes_last else [flat])]
            spans[by_name[tensor.offsets].shape[0]] = (ends[start], ends[stop])
        elif tensor.lengths is not None:
            ends = [0, *arrays[tensor.name].cumsum().tolist()]
            spans[by_name[tensor.lengths].shape[0]] = (ends[start], ends[stop])
    return spans
