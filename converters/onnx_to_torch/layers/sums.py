"""What is added to products of two computed tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.layers.parting import laid_out, name_of

if TYPE_CHECKING:
    from torch.fx import GraphModule

#: By the names of ours and torch's functions.
_PRODUCTS = frozenset(("einsum", "bmm"))
_SUMS = frozenset(("add", "add_"))


def part_sums(module: GraphModule) -> None:
    """Keep a product apart from what is added to it.

    IPEX makes one function of both, which reads a summand that repeats (a bias, a number) as if it
    had the shape of the sum, beyond its memory; and fails where einsum has an axis less.
    """
    for node in list(module.graph.nodes):
        if name_of(node) in _SUMS:
            for product in node.all_input_nodes:
                if name_of(product) in _PRODUCTS:
                    node.replace_input_with(product, laid_out(module, node, product))
