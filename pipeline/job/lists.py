"""Columns whose cells are lists, as arrays."""

import numpy as np

from registry.errors import SourceError


def as_rows(where: str, column: np.ndarray) -> np.ndarray:
    """Turn a column of lists, or of lists of lists, into an array of their numbers.

    Args:
        where: File and column, for messages.

    Returns:
        [rows, length, …] of the lists' dtype; a column of anything else as it is.

    Raises:
        SourceError: The lists have different lengths, or a row has none.
    """
    lists = [isinstance(cell, list | tuple | np.ndarray) for cell in column]
    if column.dtype != object or not any(lists):
        return column
    if not all(lists):
        raise SourceError(f"{where}, row {lists.index(False)}: is no list, as others are. Fill it")
    rows = [as_rows(where, _array(cell)) for cell in column]
    first = rows[0].shape
    for number, row in enumerate(rows):
        if row.shape != first:
            raise SourceError(
                f"{where} holds lists of different lengths: {_length(first)} in row 0, "
                f"{_length(row.shape)} in row {number}. Pad them to one length, or use an npz: "
                "bags are one flat array of ids and one of offsets"
            )
    return np.stack(rows)


def _array(cell: "list[object] | tuple[object, ...] | np.ndarray") -> np.ndarray:
    """Keep inner lists as cells: numpy refuses to make an array of uneven ones."""
    if isinstance(cell, np.ndarray) or not any(isinstance(one, list | tuple) for one in cell):
        return np.asarray(cell)
    array = np.empty(len(cell), object)
    array[:] = cell
    return array


def _length(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
