"""A layer that takes the place of a node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from torch import Tensor
    from torch.fx import Node
    from torch.nn import Module, Parameter

#: What a function is called with, by its parameters: a node where it is computed, else a value.
Arguments: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Layer:
    """A layer, and what it is called with.

    Attributes:
        room: How to pad its input before, as `with_room` is told it.
    """

    module: Module
    x: Node
    room: Mapping[str, Any] | None = None


def is_weight(value: Any, *ranks: int) -> bool:  # noqa: ANN401 - what a function is given
    """Tell whether a value is stored, and of a kind that kernels take as weights."""
    import torch

    if not isinstance(value, torch.Tensor) or value.dtype != torch.float32:
        return False
    return value.dim() in ranks and value.numel() > 0


def is_computed(value: object) -> bool:
    """Tell whether a value is known only when the module runs."""
    import torch

    return isinstance(value, torch.fx.Node)


def held(tensor: Tensor) -> Parameter:
    """Make a parameter that shares a tensor's bytes."""
    import torch

    return torch.nn.Parameter(tensor, requires_grad=False)
