"""Rows of a shard that are other than in the shard before, and laying them over that.

They are kept as a safetensors file with two tensors: `at` [n], uint16 or uint32, the numbers of the
rows in their shard; and `rows` [n, bytes of a row], uint8.
"""

import mmap

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from registry.errors import IntegrityError

#: Bytes that are compared at a time: little enough to stay in the CPU's cache.
_AT_ONCE = 1 << 18

Bytes = bytes | memoryview | mmap.mmap


def changed_rows(before: Bytes, after: Bytes, width: int) -> bytes | None:
    """Return the rows of a shard that differ from those of the one before.

    Args:
        width: Bytes of a row.

    Returns:
        None where they are not two shards of as many rows behind the same header.
    """
    start = start_of(before)
    if len(before) != len(after) or start != start_of(after) or (len(before) - start) % width:
        return None
    if before[:start] != after[:start]:
        return None
    left, right = rows_in(before, start, width), rows_in(after, start, width)
    step = max(1, _AT_ONCE // width)
    found = [
        begin + np.flatnonzero((left[begin : begin + step] != right[begin : begin + step]).any(1))
        for begin in range(0, len(left), step)
    ]
    return write_rows(np.concatenate(found) if found else np.zeros(0, np.int64), right)


def write_rows(at: np.ndarray, rows: np.ndarray) -> bytes:
    """Turn some rows of a shard into bytes.

    Args:
        at: Their numbers.
        rows: All of the shard's, [rows, bytes of a row].
    """
    narrow = np.uint16 if len(rows) <= 1 << 16 else np.uint32
    patch: bytes = save({"at": at.astype(narrow), "rows": rows[at]})
    return patch


def read_rows(patch: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of rows, and the rows.

    Raises:
        ValueError: They are not what `write_rows` has written.
    """
    try:
        tensors = load(patch)
        at, rows = tensors["at"], tensors["rows"]
    except (SafetensorError, KeyError) as error:
        raise ValueError(f"no rows: {error}") from error
    if rows.dtype != np.uint8 or rows.ndim != 2 or not rows.size or len(at) != len(rows):
        raise ValueError(f"rows {rows.shape} of {rows.dtype}")
    return at, rows


def lay(patch: bytes, shard: mmap.mmap, name: str) -> None:
    """Lay rows over a shard, in place.

    Raises:
        IntegrityError: They are no rows of this shard.
    """
    try:
        at, rows = read_rows(patch)
        start = start_of(shard)
        if (len(shard) - start) % rows.shape[1]:
            raise ValueError(f"rows {rows.shape} of {rows.dtype}")
        rows_in(shard, start, rows.shape[1])[at] = rows
    except (IndexError, ValueError) as error:
        raise IntegrityError(
            f"{name}: rows that were published for it do not fit it ({error}). Publish the model "
            "again"
        ) from error


def start_of(shard: Bytes) -> int:
    """Return where the rows of a shard begin, or its end where that cannot be."""
    return min(len(shard), 8 + int.from_bytes(shard[:8], "little"))


def rows_in(shard: Bytes, start: int, width: int) -> np.ndarray:
    """Return the rows of a shard, [rows, bytes of a row] of uint8."""
    return np.frombuffer(shard, np.uint8, offset=start).reshape(-1, width)
