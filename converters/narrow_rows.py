"""Rows of a table in fewer bytes than the model holds them in."""

import numpy as np

from registry.composition import SCALE_BYTES, RowFormat

#: FBGEMM's: keeps a row whose elements are all alike from a division by zero.
_EPSILON = np.float32(1e-8)
_STEPS = np.float32(255)


def narrow(rows: np.ndarray, rows_as: RowFormat) -> np.ndarray:
    """Return rows [n, dim] as they are stored: float16 [n, dim], or uint8 [n, dim + 8].

    What a format cannot hold becomes infinity, in i8 that of the row's scale.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if rows_as == "f16":
            return rows.astype(np.float16)
        return rows if rows_as == "f32" else _in_bytes(rows.astype(np.float32, copy=False))


def _in_bytes(rows: np.ndarray) -> np.ndarray:
    """Quantise each row by itself, as FBGEMM's rowwise-quantised 8-bit embeddings are.

    With `low` and `high` the least and the greatest element of a row, all in float32:

        offset = low;  scale = (high - low) / 255
        q = round((x - low) * (255 / (high - low + 1e-8)))      x ~ q * scale + offset

    where `round` takes ties to even. So an element is off by half a scale at most, and by the
    order of 1e-8 where the row spans no more than that. The bytes of a row are followed by scale
    and offset: `FloatOrHalfToFused8BitRowwiseQuantizedSBFloat` in FBGEMM's `QuantUtils`, which
    torch has as `quantized::embedding_bag_byte_prepack`.
    """
    low = rows.min(axis=1, keepdims=True)
    span = rows.max(axis=1, keepdims=True) - low
    packed = np.empty((len(rows), rows.shape[1] + SCALE_BYTES), np.uint8)
    steps = (rows - low) * (_STEPS / (span + _EPSILON))
    packed[:, :-SCALE_BYTES] = np.clip(np.rint(steps, out=steps), 0, _STEPS, out=steps)
    packed[:, -SCALE_BYTES:] = np.concatenate([span / _STEPS, low], axis=1).view(np.uint8)
    return packed


def first_unheld(stored: np.ndarray, rows_as: RowFormat) -> int | None:
    """Give the first of narrowed rows that the format cannot hold, if there is one."""
    numbers = stored
    if rows_as == "i8":
        numbers = np.ascontiguousarray(stored[:, -SCALE_BYTES:]).view(np.float32)
    bad = ~np.isfinite(numbers).all(axis=1)
    return int(bad.argmax()) if bad.any() else None
