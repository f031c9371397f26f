"""A tensor where it lies in a file, read by mapping or piece by piece, never as a whole."""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from converters.dtypes import numpy_dtype
from registry.signature import DType

#: Bytes that are read at once.
CHUNK = 8 << 20


@dataclass(frozen=True)
class Stored:
    """A tensor, uncompressed, in native (little-endian) order.

    Attributes:
        offset: Of its first element in the file, in bytes.
        strides: In elements; None where the elements lie in row-major order.
    """

    file: Path
    offset: int
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None

    @property
    def nbytes(self) -> int:
        """Size of the elements alone."""
        return math.prod(self.shape) * numpy_dtype(self.dtype).itemsize

    @property
    def span(self) -> int:
        """Bytes from the first element to the end of the last one in the file."""
        if self.strides is None or not self.nbytes:
            return self.nbytes
        last = sum((size - 1) * step for size, step in zip(self.shape, self.strides, strict=True))
        return (last + 1) * numpy_dtype(self.dtype).itemsize


def mapped(stored: Stored, *, writable: bool = False) -> np.ndarray:
    """Map a tensor: its pages are read when they are used.

    Args:
        writable: What is written stays in memory; the file never changes.
    """
    dtype = numpy_dtype(stored.dtype)
    if not stored.nbytes:
        return np.zeros(stored.shape, dtype)
    flat = np.memmap(
        stored.file, np.uint8, "c" if writable else "r", stored.offset, (stored.span,)
    ).view(dtype)
    if stored.strides is None:
        return flat.reshape(stored.shape)
    steps = tuple(step * dtype.itemsize for step in stored.strides)
    return np.lib.stride_tricks.as_strided(flat, stored.shape, steps, writeable=writable)


def chunks(stored: Stored, whole: int = 1) -> Iterator[np.ndarray]:
    """Read what spans a tensor piece by piece, into one buffer: use each piece before the next.

    Args:
        whole: Every piece has a multiple of this many bytes, as long as the span has.
    """
    dtype = numpy_dtype(stored.dtype)
    buffer = bytearray(min(max(whole, CHUNK - CHUNK % whole), stored.span))
    left = stored.span
    with stored.file.open("rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), stored.offset, stored.span, os.POSIX_FADV_SEQUENTIAL)
        file.seek(stored.offset)
        while left:
            view = memoryview(buffer)[: min(left, len(buffer))]
            filled = 0
            while filled < len(view):
                got = file.readinto(view[filled:])
                if not got:
                    raise EOFError(f"{stored.file} ends before its tensor does")
                filled += got
            left -= len(view)
            yield np.frombuffer(view, dtype)


def first_bad(values: np.ndarray) -> int | None:
    """Give the flat index of the first value that is NaN or infinite, if there is one."""
    if values.dtype.kind in "iub":
        return None
    bits = values.view(np.uint16) if values.dtype.itemsize == 2 else None
    if bits is not None and values.dtype.name == "bfloat16":
        bad = (bits & 0x7F80) == 0x7F80
    else:
        with np.errstate(all="ignore"):
            if np.isfinite(values.sum()):
                return None
        bad = ~np.isfinite(values)
    return int(bad.argmax()) if bad.any() else None
