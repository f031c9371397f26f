"""Products that are scaled by more than one number."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        if _name(node) not in _SCALES or len(node.args) < 2:
            continue
        product, scale, *rest = node.args
        if _name(product) in _PRODUCTS and not _is_single(module, scale):
            with module.graph.inserting_before(node):
                apart = module.graph.call_method("contiguous", (product,))
            apart.meta.update(product.meta)
            node.args = (apart, scale, *rest)


def _name(node: object) -> str:
    """Return the name of the function that a node calls; empty for all else."""
    if getattr(node, "op", None) != "call_function":
        return ""
    target = node.target  # type: ignore[attr-defined]
    return str(getattr(target, "__name__", "")).partition(".")[0]


def _is_single(module: GraphModule, scale: Node | float) -> bool:
    """Tell whether a value is one number for certain."""
    if isinstance(scale, int | float):
        return True
    return scale.op == "get_attr" and bool(getattr(module, str(scale.target)).numel() == 1)
