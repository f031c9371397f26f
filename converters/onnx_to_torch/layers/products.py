"""Products by a stored matrix, as linear layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.layers.layer import Arguments, Layer, held, is_computed, is_weight

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Linear


def of_matrix_product(given: Arguments) -> Layer | None:
    """Take MatMul with a stored matrix on the right."""
    if not (is_computed(given["a"]) and is_weight(given["b"], 2)):
        return None
    return Layer(linear(given["b"].t(), None), given["a"])


def of_general_product(given: Arguments) -> Layer | None:
    """Take Gemm without factors, with a stored bias or none."""
    a, b, c = given["a"], given["b"], given["c"]
    if not (is_computed(a) and is_weight(b, 2)) or given["transA"] or given["alpha"] != 1:
        return None
    weight = b if given["transB"] else b.t()
    if c is None:
        return Layer(linear(weight, None), a)
    if given["beta"] != 1 or not is_weight(c, 0, 1, 2) or c.numel() != weight.shape[0]:
        return None
    if c.dim() == 2 and c.shape[0] != 1:
        return None
    return Layer(linear(weight, c.reshape(-1)), a)


def linear(weight: Tensor, bias: Tensor | None) -> Linear:
    """Make a layer of tensors that it shares."""
    import torch

    wide, deep = weight.shape
    layer = torch.nn.Linear(deep, wide, bias=bias is not None, device="meta")
    layer.weight = held(weight)
    if bias is not None:
        layer.bias = held(bias)
    return layer
