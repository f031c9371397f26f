"""Softmaxes of what IPEX may hand over as a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators import activation

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

_OURS = (activation.softmax, activation.softmax_1)
_TORCH = ("aten.softmax.int", "aten._softmax.default")

#: What gives a tensor of its own, by the names of ours and torch's functions. IPEX fuses these
#: with the softmax, where nothing is between.
_OWN = frozenset(
    (
        *("add", "subtract", "multiply", "divide", "where", "matrix_product"),
        *("sub", "mul", "div", "masked_fill", "matmul", "bmm", "baddbmm"),
    )
)


def lay_out_softmaxes(module: GraphModule) -> None:
    """Have softmaxes read contiguous tensors.

    IPEX makes one product of those that read the same, and hands out views of it. Its softmax
    takes none, and is chosen by what was seen before: a view of a single row is contiguous.
    """
    for node in list(module.graph.nodes):
        if node.op != "call_function" or not _is_softmax(node):
            continue
        (read, *others) = node.args
        if not _is_own(read):
            with module.graph.inserting_before(node):
                laid = module.graph.call_method("contiguous", (read,))
            laid.meta.update(node.meta)
            node.args = (laid, *others)


def _is_softmax(node: Node) -> bool:
    return node.target in _OURS or str(node.target) in _TORCH


def _is_own(node: Node) -> bool:
    name = str(getattr(node.target, "__name__", "")).partition(".")[0]
    return node.op == "call_function" and name in _OWN
