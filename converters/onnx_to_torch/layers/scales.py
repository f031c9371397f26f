"""Products that are scaled by more than one number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.layers.parting import laid_out, name_of

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

#: By the names of ours and torch's functions.
_PRODUCTS = frozenset(("matrix_product", "matmul", "bmm"))
_SCALES = frozenset(("multiply", "divide", "mul", "div"))


def part_scales(module: GraphModule) -> None:
    """Keep a product apart from its scale, where that differs by head, row or column.

    IPEX makes one function of attention's product, scale, mask and softmax, which takes the scale
    for a single number, and fails on others (heads of Swin Transformer V2 have one each).
    """
    for node in list(module.graph.nodes):
        if name_of(node) not in _SCALES or len(node.args) < 2:
            continue
        product, scale, *rest = node.args
        if name_of(product) in _PRODUCTS and not _is_single(module, scale):
            node.args = (laid_out(module, node, product), scale, *rest)


def _is_single(module: GraphModule, scale: Node | float) -> bool:
    """Tell whether a value is one number for certain."""
    if isinstance(scale, int | float):
        return True
    return scale.op == "get_attr" and bool(getattr(module, str(scale.target)).numel() == 1)
