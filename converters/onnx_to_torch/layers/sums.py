"""What is added to products of two computed tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

#: By the names of ours and torch's functions.
_PRODUCTS = frozenset(("einsum", "bmm"))
_SUMS = frozenset(("add", "add_"))


def part_sums(module: GraphModule) -> None:
    """Keep a product apart from what is added to it.

    IPEX makes one function of both, which reads a summand that repeats (a bias, a number) as if it
    had the shape of the sum, beyond its memory; and fails where einsum has an axis less.
    """
    for node in list(module.graph.nodes):
        if _name(node) in _SUMS:
            for product in node.all_input_nodes:
                if _name(product) in _PRODUCTS:
                    with module.graph.inserting_before(node):
                        apart = module.graph.call_method("contiguous", (product,))
                    apart.meta.update(product.meta)
                    node.replace_input_with(product, apart)


def _name(node: Node) -> str:
    """Return the name of the function that a node calls; empty for all else."""
    called = str(getattr(node.target, "__name__", "")) if node.op == "call_function" else ""
    return called.partition(".")[0]
