"""Rounding to bfloat16, which numpy has not, as torch rounds what it adds up in float32."""

import numpy as np

_HALF, _SHIFT = np.uint32(0x8000), np.uint32(16)


def round_to_even(values: np.ndarray) -> np.ndarray:
    """Round float32 to the nearest that bfloat16 has, ties to the even one, as torch does."""
    bits = values.view(np.uint32)
    last = (bits >> _SHIFT) & np.uint32(1)
    return _cut(bits + (_HALF - np.uint32(1)) + last)


def round_away(values: np.ndarray) -> np.ndarray:
    """Round to the nearest, ties away from zero, as FBGEMM does, which adds bags up for torch."""
    return _cut(values.view(np.uint32) + _HALF)


def _cut(bits: np.ndarray) -> np.ndarray:
    return ((bits >> _SHIFT) << _SHIFT).view(np.float32)
