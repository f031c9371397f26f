"""Ids that are no rows of their table: refused, or answered as the table says."""

import numpy as np

from registry.errors import InputError
from targets.embedding.tables import MappedTable

UNSIGNED = {np.dtype(np.int64): np.uint64, np.dtype(np.int32): np.uint32}


def rows_of(name: str, ids: np.ndarray, table: MappedTable) -> tuple[np.ndarray, MappedTable]:
    """Turn ids into rows, every one of them within the table that comes with them.

    A bag counts an unknown id like any other: a row of zeros is in its mean and its maximum. It
    is the row that an id stands for that is compared with the padding.

    Args:
        name: Of the ids, for the error.

    Returns:
        int64 [n], and the table, with a row of zeros more where an id needs it.

    Raises:
        InputError: Ids of another dtype, or outside of a table that answers only its own; names
            the input, the position, the id and the allowed range. numpy would wrap or clip them.
    """
    unsigned = UNSIGNED.get(ids.dtype)
    if unsigned is None:
        raise InputError(f"{name}: ids have to be int32 or int64, not {ids.dtype}")
    flat = np.ascontiguousarray(ids, dtype=np.int64).reshape(-1)
    # Negative ids turn into huge ones, so that one pass finds both kinds.
    if ids.size == 0 or int(ids.view(unsigned).max()) < table.rows:
        return flat, table
    if table.unknown == "error":
        raise InputError(_refusal(name, ids, table))
    if table.unknown == "modulo":
        return flat % table.rows, table
    wrong = (flat < 0) | (flat >= table.rows)
    if table.unknown == "zero":
        return np.where(wrong, table.rows, flat), table.with_zeros()
    return np.where(wrong, table.default_row, flat), table


def _refusal(name: str, ids: np.ndarray, table: MappedTable) -> str:
    wrong = (ids < 0) | (ids >= table.rows)
    where = tuple(map(int, np.unravel_index(int(wrong.argmax()), ids.shape)))
    return (
        f"{name}{list(where) if where else ''}: id {int(ids[where])} is not in table {table.name}, "
        f"whose ids run from 0 to {table.rows - 1} ({int(wrong.sum())} of {ids.size} ids are "
        f"outside)"
    )
