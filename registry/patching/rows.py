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
    start = _start(before)
    if len(before) != len(after) or start != _start(after) or (len(before) - start) % width:
        return None
    if before[:start] != after[:start]:
        return None
    left, right = _rows(before, start, width), _rows(after, start, width)
    step = max(1, _AT_ONCE // width)
    found = [
        begin + np.flatnonzero((left[begin : begin + step] != right[begin : begin + step]).any(1))
        for begin in range(0, len(left), step)
    ]
    at = np.concatenate(found) if found else np.zeros(0, np.int64)
    narrow = np.uint16 if len(left) <= 1 << 16 else np.uint32
    patch: bytes = save({"at": at.astype(narrow), "rows": right[at]})
    return patch


def lay(patch: bytes, shard: mmap.mmap, name: str) -> None:
    """Lay rows over a shard, in place.

    Raises:
        IntegrityError: They are no rows of this shard.
    """
    try:
        tensors = load(patch)
        at, rows = tensors["at"], tensors["rows"]
        start = _start(shard)
        if rows.dtype != np.uint8 or not rows.size or (len(shard) - start) % rows.shape[1]:
            raise ValueError(f"rows {rows.shape} of {rows.dtype}")
        _rows(shard, start, rows.shape[1])[at] = rows
    except (SafetensorError, KeyError, IndexError, ValueError) as error:
        raise IntegrityError(
            f"{name}: rows that were published for it do not fit it ({error}). Publish the model "
            "again"
        ) from error


def _start(shard: Bytes) -> int:
    """Return where the rows of a shard begin, or its end where that cannot be."""
    return min(len(shard), 8 + int.from_bytes(shard[:8], "little"))


def _rows(shard: Bytes, start: int, width: int) -> np.ndarray:
    return np.frombuffer(shard, np.uint8, offset=start).reshape(-1, width)
