"""`x[mask] = value`: ONNX would look for the positions first, and name their axes wrongly."""

from typing import TYPE_CHECKING

from converters.split.body import Body, is_tensor

if TYPE_CHECKING:
    from torch.fx import Node


def fix(body: Body) -> None:
    """Choose between the value and what was there, element by element."""
    from torch.ops import aten

    for node in [n for n in body.graph.nodes if str(n.target) == "aten.index_put.default"]:
        if not _chooses(node):
            continue
        kept, (mask,), value = node.args[:3]
        node.target = aten.where.self
        node.args, node.kwargs = (mask, value, kept), {}


def _chooses(node: "Node") -> bool:
    kept, indices, value, *accumulate = node.args
    if len(indices) != 1 or any(accumulate) or node.kwargs or not is_tensor(value):
        return False
    mask = indices[0].meta["val"]
    return (
        str(mask.dtype) == "torch.bool"
        and mask.dim() == kept.meta["val"].dim()
        and value.meta["val"].dim() == 0
        and value.meta["val"].dtype == kept.meta["val"].dtype
    )
