"""ONNX forms of torch operators whose own form, the exporter's, answers otherwise than torch."""

from collections.abc import Callable
from typing import Any

from converters.onnx_forms import attention


def forms() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Return the function that writes each operator, as `torch.onnx.export` takes them."""
    from torch.ops import aten

    return {aten.scaled_dot_product_attention.default: attention.scaled_dot_product_attention}
