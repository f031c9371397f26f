"""From rows as they are stored to rows to reckon with, where these are not the same."""

from collections.abc import Callable

import numpy as np

from registry.composition import SCALE_BYTES, Table
from registry.signature import DType

#: Writes stored rows [n, width] as float32 [n, dim], which is C-contiguous.
Widen = Callable[[np.ndarray, np.ndarray], None]


def widening(table: Table) -> Widen | None:
    """Return how stored rows become float32; None where they are read as they are stored."""
    if table.rows_as == "i8":
        return _from_bytes
    if table.rows_as == "f16":
        return _from_float16
    return _from_bfloat16 if table.dtype is DType.BFLOAT16 else None


def _from_float16(stored: np.ndarray, out: np.ndarray) -> None:
    out[...] = stored


def _from_bfloat16(stored: np.ndarray, out: np.ndarray) -> None:
    np.left_shift(stored, 16, out=out.view(np.uint32), dtype=np.uint32)


def _from_bytes(stored: np.ndarray, out: np.ndarray) -> None:
    """Undo FBGEMM's rowwise quantisation: q * scale + offset, in float32."""
    scales = np.ascontiguousarray(stored[:, -SCALE_BYTES:]).view("<f4")
    np.multiply(stored[:, :-SCALE_BYTES], scales[:, :1], out=out)
    out += scales[:, 1:]
