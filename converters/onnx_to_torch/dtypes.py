"""ONNX's element types as torch's."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from registry.errors import ConversionError

if TYPE_CHECKING:
    from torch import Tensor, dtype

#: Number in ONNX's TensorProto.DataType to name in torch.
NAMES = MappingProxyType(
    {
        1: "float32",
        2: "uint8",
        3: "int8",
        4: "uint16",
        5: "int16",
        6: "int32",
        7: "int64",
        9: "bool",
        10: "float16",
        11: "float64",
        12: "uint32",
        13: "uint64",
        14: "complex64",
        15: "complex128",
        16: "bfloat16",
    }
)
#: An attribute that is the number of a type.
ElementType: TypeAlias = int


def torch_dtype(number: int) -> dtype:
    """Give torch's type for ONNX's number.

    Raises:
        ConversionError: torch has no such type, or this importer does not support it.
    """
    import torch

    if number not in NAMES:
        raise ConversionError(
            f"tensors of ONNX type {type_name(number)} are not supported: use one of"
            f" {', '.join(NAMES.values())}"
        )
    found: dtype = getattr(torch, NAMES[number])
    return found


def type_name(number: int) -> str:
    """Name an element type as ONNX does, in lower case."""
    import onnx

    try:
        return str(onnx.TensorProto.DataType.Name(number)).lower()
    except ValueError:
        return f"number {number}"


def working(x: Tensor) -> Tensor:
    """Widen half precision to float32, which is what ONNX's stash_type 1 asks for."""
    import torch

    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
