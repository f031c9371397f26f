"""What is added to convolutions, where it may be a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators import arithmetic

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

_ADD = (arithmetic.add,)
_TORCH_ADD = ("aten.add.Tensor", "aten.add_.Tensor")

#: What may hand on memory of another tensor, by the names of ours and torch's functions.
_VIEWS = frozenset(
    (
        *("reshape", "flatten", "squeeze", "squeeze_1", "unsqueeze", "unsqueeze_1", "transpose"),
        *("expand", "identity", "item", "slice_", "slice_1", "gather", "getitem"),
        *("view", "_unsafe_view", "permute", "slice", "select", "unbind", "split", "chunk"),
        *("split_with_sizes", "narrow", "movedim", "swapaxes", "unflatten", "alias", "detach"),
    )
)


def lay_out_addends(module: GraphModule) -> None:
    """Have sums with what a convolution gives read contiguous tensors.

    IPEX adds into the memory of the other summand as the convolution writes. Of a view it
    believes the strides of axes of size 1, which torch leaves as they come, and writes beside it.
    """
    for node in list(module.graph.nodes):
        if node.op != "call_function" or not _is_sum(node) or not _has_convolution(module, node):
            continue
        node.args = tuple(_laid(module, node, read) for read in node.args)


def _is_sum(node: Node) -> bool:
    return node.target in _ADD or str(node.target) in _TORCH_ADD


def _has_convolution(module: GraphModule, node: Node) -> bool:
    layers = [one.target for one in node.all_input_nodes if one.op == "call_module"]
    kinds = [type(module.get_submodule(str(layer))).__name__ for layer in layers]
    return any(kind.startswith("Conv") for kind in kinds)


def _laid(module: GraphModule, node: Node, read: object) -> object:
    import torch

    if not isinstance(read, torch.fx.Node) or not _may_be_view(read):
        return read
    with module.graph.inserting_before(node):
        laid = module.graph.call_method("contiguous", (read,))
    laid.meta.update(read.meta)
    return laid


def _may_be_view(node: Node) -> bool:
    name = str(getattr(node.target, "__name__", "")).partition(".")[0]
    return node.op == "call_function" and name in _VIEWS
