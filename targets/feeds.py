"""Hold what a runner is fed against its signature."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from registry.errors import InputError
from registry.signature import DType, Signature, Tensor
from targets.target import Arrays

#: Looked up on every request: making a dtype from its name takes longer.
NUMPY: Mapping[DType, np.dtype] = MappingProxyType(
    {dtype: np.dtype(dtype.value) for dtype in DType if dtype is not DType.BFLOAT16}
)


def check_feeds(inputs: Arrays, signature: Signature) -> None:
    """Refuse missing or unknown names, other dtypes and other ranks or fixed sizes.

    Raises:
        InputError: With every fault.
    """
    known = {tensor.name for tensor in signature.inputs}
    faults = [f"{name}: the model has no such input" for name in inputs if name not in known]
    for tensor in signature.inputs:
        if tensor.name not in inputs:
            faults.append(f"{tensor.name}: is missing")
        else:
            faults += feed_faults(tensor, inputs[tensor.name])
    if faults:
        raise InputError("; ".join(faults))


def feed_faults(tensor: Tensor, array: np.ndarray) -> list[str]:
    """Compare dtype, rank and fixed sizes; one sentence a fault."""
    faults = []
    if not same_dtype(array, tensor.dtype):
        faults.append(f"{tensor.name}: is {array.dtype}, not {tensor.dtype}")
    fits = len(array.shape) == len(tensor.shape) and all(
        isinstance(wanted, str) or wanted == size
        for wanted, size in zip(tensor.shape, array.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join(map(str, tensor.shape))
        faults.append(f"{tensor.name}: has shape {list(array.shape)}, not [{wanted}]")
    return faults


def same_dtype(array: np.ndarray, dtype: DType) -> bool:
    """Compare dtypes; foreign byte orders are others."""
    if dtype is DType.BFLOAT16:  # which numpy has not of its own, and knows by name alone
        return array.dtype.name == dtype.value
    return array.dtype == NUMPY[dtype]
