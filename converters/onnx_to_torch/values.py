"""What a name of an ONNX graph stands for while the graph is imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from converters.onnx_to_torch.sizes import Sizes

if TYPE_CHECKING:
    from torch import Tensor
    from torch.fx import Node


@dataclass(frozen=True)
class Constant:
    """A tensor, or a list of tensors, that is known now."""

    value: Any


@dataclass(frozen=True)
class Computed:
    """A value that the module computes.

    Attributes:
        kind: "sizes" is a number or a list of numbers; "tensor" is anything else of ONNX's:
            a tensor, a sequence of them, or none at all.
    """

    node: Node
    kind: Literal["tensor", "sizes"]


Value: TypeAlias = Constant | Computed


def item(results: tuple[Any, ...], at: int) -> Any:  # noqa: ANN401 - what an operator gives
    """Take one of several results."""
    return results[at]


#: Most numbers that a constant of a shape may hold.
_LONGEST = 64


def sizes_in(value: Value) -> Sizes:
    """Give a value for arithmetic of sizes: a node, a number or a list; None if it is not that."""
    import torch

    if isinstance(value, Computed):
        return value.node if value.kind == "sizes" else None
    tensor = value.value
    if not isinstance(tensor, torch.Tensor) or tensor.dtype not in (torch.int64, torch.bool):
        return None
    return tensor.tolist() if tensor.dim() < 2 and tensor.numel() <= _LONGEST else None


def is_cheap(results: tuple[Tensor, ...], operands: tuple[Tensor, ...]) -> bool:
    """Tell whether to keep what constants gave, rather than to compute it on every call.

    Dequantized weights, for one, would take four times their room.
    """
    room = sum(tensor.untyped_storage().nbytes() for tensor in operands) + (1 << 20)
    return bool(sum(tensor.untyped_storage().nbytes() for tensor in results) <= room)
