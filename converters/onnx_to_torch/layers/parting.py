"""What keeps IPEX from making one function of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node


def name_of(node: object) -> str:
    """Name the function that a node calls, ours or torch's; empty for all else."""
    if getattr(node, "op", None) != "call_function":
        return ""
    target = node.target  # type: ignore[attr-defined]
    return str(getattr(target, "__name__", "")).partition(".")[0]


def laid_out(module: GraphModule, node: Node, value: Node) -> Node:
    """Return a value as a contiguous tensor, which it mostly is, for a node that reads it."""
    with module.graph.inserting_before(node):
        laid = module.graph.call_method("contiguous", (value,))
    laid.meta.update(value.meta)
    return laid
