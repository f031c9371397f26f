"""Softmaxes of what IPEX may hand over as a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.layers.parting import laid_out, name_of
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
            node.args = (laid_out(module, node, read), *others)


def _is_softmax(node: Node) -> bool:
    return node.target in _OURS or str(node.target) in _TORCH


def _is_own(node: Node) -> bool:
    return name_of(node) in _OWN
