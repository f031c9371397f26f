"""ONNX forms of torch operators, where the exporter's answers otherwise or branches needlessly."""

from collections.abc import Callable
from typing import Any

from converters.onnx_forms import attention, ranks


def forms() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Return the function that writes each operator, as `torch.onnx.export` takes them."""
    from torch.ops import aten

    return {
        aten.scaled_dot_product_attention.default: attention.scaled_dot_product_attention,
        aten.atleast_1d.default: ranks.atleast_1d,
        aten.atleast_1d.Sequence: ranks.each_atleast_1d,
    }
