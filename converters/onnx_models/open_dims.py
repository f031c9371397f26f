"""Sizes that an ONNX file leaves open without a name: names for them, or the samples' sizes."""

import numpy as np

from registry.signature import ANY, Dim, Tensor


def name_dims(tensor: Tensor, batch: str, array: np.ndarray | None) -> tuple[tuple[Dim, ...], str]:
    """Close an input's open sizes, and say which and why.

    A file that gives an axis no name was hardly meant to vary in it, and many models run on
    sizes that no target takes: rows apart, all samples have one size, which is then the size.
    """
    shape = [batch if not at and dim == ANY else dim for at, dim in enumerate(tensor.shape)]
    still_open = [at for at, dim in enumerate(shape) if dim == ANY]
    if not still_open:
        return tuple(shape), ""
    if array is not None and array.ndim == len(shape):
        for at in still_open:
            shape[at] = array.shape[at] or f"{tensor.name}_{at}"
        sizes = ", ".join(str(array.shape[at]) for at in still_open)
        return tuple(
            shape
        ), f"{sizes}: open in the file, of one size in all samples; a name lets it vary"
    for at in still_open:
        shape[at] = f"{tensor.name}_{at}"
    names = ", ".join(str(shape[at]) for at in still_open)
    return tuple(shape), f"{names}: open in the file; write a number where only one size is sent"
