"""Element types: ours, numpy's and torch's."""

from typing import TYPE_CHECKING

import numpy as np

from registry.errors import SourceError
from registry.require import require
from registry.signature import DType

if TYPE_CHECKING:
    import torch


def numpy_dtype(dtype: DType) -> np.dtype:
    """Give numpy's type; bfloat16 comes from ml_dtypes."""
    if dtype is DType.BFLOAT16:
        kind: np.dtype = np.dtype(require("ml_dtypes", extra="convert").bfloat16)
        return kind
    return np.dtype(dtype.value)


def dtype_of_torch(dtype: "torch.dtype", of: str = "a tensor") -> DType:
    """Translate from torch.

    Args:
        of: What is of that type, for the error.

    Raises:
        SourceError: The platform has no such element type.
    """
    name = str(dtype).removeprefix("torch.")
    try:
        return DType(name)
    except ValueError as error:
        raise SourceError(
            f"{of} is of element type {name}, which no target takes: use one of {', '.join(DType)}"
        ) from error
