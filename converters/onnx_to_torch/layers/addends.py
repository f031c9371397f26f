"""What is added to convolutions, where its memory is not its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from converters.onnx_to_torch.layers.parting import name_of
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

#: How many functions may lie between a convolution and the sum: silu is two of ONNX.
_BETWEEN = 2


def copy_addends(module: GraphModule) -> None:
    """Have sums with what a convolution gives read tensors that nothing else reads.

    IPEX adds into the memory of the other summand while the convolution runs, also where it is
    what the convolution reads, or the caller's. Of a view it believes the strides of axes of size
    1, which torch leaves as they come, and writes beside it.
    """
    for node in list(module.graph.nodes):
        if node.op == "call_function" and _is_sum(node) and len(node.args) > 1:
            one, other, *rest = node.args
            behind = (_convolved(module, other), _convolved(module, one))
            pairs = zip((one, other), behind, strict=True)
            copied = [_copied(module, node, x) if _is_shared(x, by) else x for x, by in pairs]
            node.args = (*copied, *rest)


def _is_sum(node: Node) -> bool:
    return node.target in _ADD or str(node.target) in _TORCH_ADD


def _convolved(module: GraphModule, value: object, left: int = _BETWEEN) -> set[Node]:
    """Return where the memory comes from that the convolutions right behind a value read."""
    import torch

    if not isinstance(value, torch.fx.Node):
        return set()
    if value.op == "call_module":
        layer = type(module.get_submodule(str(value.target))).__name__
        return {_origin(one) for one in value.all_input_nodes} if "Conv" in layer else set()
    behind = value.all_input_nodes if left and value.op == "call_function" else ()
    return {one for node in behind for one in _convolved(module, node, left - 1)}


def _is_shared(value: object, convolved: set[Node]) -> bool:
    """Tell whether a summand beside a convolution is not, or may not be, memory of its own."""
    import torch

    if not isinstance(value, torch.fx.Node) or not convolved:
        return False
    origin = _origin(value)
    return value.op != "get_attr" and (
        origin is not value or origin.op == "placeholder" or origin in convolved
    )


def _origin(node: Node) -> Node:
    """Return the first of a chain of views."""
    *_, first = _chain(node)
    return first


def _chain(node: Node) -> Iterator[Node]:
    yield node
    while _may_be_view(node) and node.all_input_nodes:
        node = node.all_input_nodes[0]
        yield node


def _may_be_view(node: Node) -> bool:
    return name_of(node) in _VIEWS


def _copied(module: GraphModule, node: Node, value: Node) -> Node:
    import torch

    # A view's strides are not kept; others stay with their channels last.
    at = {"memory_format": torch.contiguous_format} if _may_be_view(value) else {}
    with module.graph.inserting_before(node):
        copy = module.graph.call_method("clone", (value,), at)
    copy.meta.update(value.meta)
    return copy
