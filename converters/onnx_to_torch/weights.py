"""Tensors of an ONNX file as torch tensors that share its bytes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.onnx_models.faults import is_outside, outside_fault
from converters.onnx_to_torch.dtypes import torch_dtype
from registry.errors import SourceError

if TYPE_CHECKING:
    import onnx
    from torch import Tensor


def read_tensor(tensor: onnx.TensorProto, folder: Path) -> Tensor:
    """Give a stored tensor: a mapping of the file beside, or a view of the bytes in the message.

    Raises:
        SourceError: Its data lies outside and is missing, cut short or out of bounds.
        ConversionError: torch has no such type.
    """
    import torch

    kind, shape = torch_dtype(tensor.data_type), tuple(tensor.dims)
    if 0 in shape:
        return torch.empty(shape, dtype=kind)
    if is_outside(tensor):
        raw = _mapped(tensor, folder)
    elif tensor.HasField("raw_data"):
        raw = np.frombuffer(tensor.raw_data, np.uint8)
    else:
        return _listed(tensor)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given (buffer|NumPy array) is not writable")
        flat = torch.from_numpy(raw)
    if flat.data_ptr() % kind.itemsize:
        flat = flat.clone()
    return flat.view(kind).reshape(shape)


def _mapped(tensor: onnx.TensorProto, folder: Path) -> np.ndarray:
    if fault := outside_fault(tensor, folder):
        raise SourceError(f"{folder}: {fault}")
    said = {entry.key: entry.value for entry in tensor.external_data}
    offset, length = int(said.get("offset", "0")), int(said.get("length", "0"))
    length = length or int(np.prod(tensor.dims)) * torch_dtype(tensor.data_type).itemsize
    return np.memmap(folder / said["location"], np.uint8, "c", offset, (length,))


def _listed(tensor: onnx.TensorProto) -> Tensor:
    """Read numbers that are written out one by one: always few."""
    import onnx
    import torch

    values = onnx.numpy_helper.to_array(tensor)
    kind = torch_dtype(tensor.data_type)
    if values.dtype.name == "bfloat16":
        return torch.from_numpy(values.view(np.int16).copy()).view(kind)
    return torch.from_numpy(values.copy())
