"""What tells the rows of a shard from others without the shard: eight bytes for each row.

A mark is the sum, modulo 2^64, of the row's pieces of eight bytes, each scrambled with its place
in the row by a function that is one to one. Rows that differ in one piece have other marks; of
others, one pair in 2^64 has the same. Whoever reads a shard compares its whole digest.

They are kept as SHA-256 of the rest, and a safetensors file with two tensors: `head` [n], uint8,
what stands before the rows; and `marks` [rows], uint64.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from registry.patching.rows import Bytes, read_rows, rows_in, start_of, write_rows

_AT_ONCE = 1 << 18

_STEP, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


@dataclass(frozen=True)
class Marks:
    """The marks of a shard.

    Attributes:
        head: Bytes before the rows.
        rows: A mark for each row, [rows] of uint64.
    """

    head: bytes
    rows: np.ndarray

    def laid_over(self, patch: bytes) -> "Marks":
        """Return the marks of what comes out when rows are laid over the shard."""
        at, rows = read_rows(patch)
        marks = self.rows.copy()
        marks[at] = _marks(rows)
        return Marks(self.head, marks)


def marks_of(shard: Bytes, width: int) -> Marks | None:
    """Mark the rows of a shard; None where it does not hold whole rows.

    Args:
        width: Bytes of a row.
    """
    start = start_of(shard)
    if (len(shard) - start) % width:
        return None
    return Marks(bytes(shard[:start]), _marks(rows_in(shard, start, width)))


def differing(marks: Marks, shard: Bytes, width: int) -> bytes | None:
    """Return the rows of a shard that are other than those that were marked, as a patch.

    Returns:
        None where they are not two shards of as many rows behind the same header, or no marks
        differ.
    """
    found = marks_of(shard, width)
    if found is None or found.head != marks.head or found.rows.shape != marks.rows.shape:
        return None
    at = np.flatnonzero(found.rows != marks.rows)
    return write_rows(at, rows_in(shard, len(found.head), width)) if at.size else None


def write_marks(marks: Marks) -> bytes:
    """Turn marks into bytes."""
    head = np.frombuffer(marks.head, np.uint8)
    data: bytes = save({"head": head, "marks": marks.rows.astype("<u8")})
    return hashlib.sha256(data).digest() + data


def read_marks(data: bytes) -> Marks | None:
    """Read what `write_marks` has written; None where it is not that."""
    digest, rest = data[:32], data[32:]
    if hashlib.sha256(rest).digest() != digest:
        return None
    try:
        tensors = load(rest)
        return Marks(tensors["head"].tobytes(), tensors["marks"])
    except (SafetensorError, KeyError):
        return None


def _marks(rows: np.ndarray) -> np.ndarray:
    """Mark rows of bytes, [rows, width] of uint8, some of them at a time."""
    step = max(1, _AT_ONCE // rows.shape[1])
    parts = [_scrambled(rows[begin : begin + step]) for begin in range(0, len(rows), step)]
    return np.concatenate(parts) if parts else np.zeros(0, np.uint64)


def _scrambled(rows: np.ndarray) -> np.ndarray:
    if missing := -rows.shape[1] % 8:
        rows = np.pad(rows, ((0, 0), (0, missing)))
    pieces = np.ascontiguousarray(rows).view("<u8")
    mixed = pieces ^ (np.arange(1, pieces.shape[1] + 1, dtype=np.uint64) * _STEP)
    mixed ^= mixed >> np.uint64(30)
    mixed *= _FIRST
    mixed ^= mixed >> np.uint64(27)
    mixed *= _SECOND
    mixed ^= mixed >> np.uint64(31)
    sums: np.ndarray = mixed.sum(1, dtype=np.uint64)
    return sums
