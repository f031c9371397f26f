"""Which operators hand on what they were given."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.fx import Node

#: Operators that change neither values nor shape; `to` and the like only where the dtype stays.
_PASSING = frozenset(
    {
        "aten.alias.default",
        "aten.clone.default",
        "aten.contiguous.default",
        "aten.detach.default",
        "aten.detach_.default",
        "aten.dropout.default",
        "aten.lift_fresh_copy.default",
    }
)
#: Operators that hand on what they were given where its shape stays, for these never reorder.
_SHAPING = ("aten.view.default", "aten.reshape.default", "aten.expand.default", "aten.slice.Tensor")
_CASTS = ("aten.to.", "aten._to_copy.", "aten.type_as.", "prims.convert_element_type.")
_WIDTHS = {"torch.int32": 0, "torch.int64": 1}

#: Operators that look at the shape of their first argument, never at its values.
SHAPE_ONLY = (
    "aten.sym_size.",
    "aten.sym_numel.",
    "aten.sym_stride.",
    "aten.sym_storage_offset.",
    "aten.ones_like.",
    "aten.zeros_like.",
    "aten.full_like.",
    "aten.empty_like.",
    "aten.rand_like.",
    "aten.new_",
)


def look_through(node: "Node") -> "Node":
    """Follow a value back to the node that made it."""
    while _passes(node, widening=False):
        node = node.args[0]
    return node


def look_through_ids(node: "Node") -> "Node":
    """Follow ids back; what looks rows up takes int32 as well as int64."""
    while _passes(node, widening=True):
        node = node.args[0]
    return node


def _passes(node: "Node", *, widening: bool) -> bool:
    name = str(node.target)
    if node.op != "call_function" or not node.args:
        return False
    if name == "aten.dropout.default":
        return node.args[2] is False
    if name in _PASSING:
        return True
    if name in _SHAPING:
        return _sizes(node) == _sizes(node.args[0])
    return name.startswith(_CASTS) and _keeps_values(node, widening=widening)


def _sizes(node: "Node") -> list[str]:
    return [str(size) for size in node.meta["val"].shape]


def _keeps_values(node: "Node", *, widening: bool) -> bool:
    before, after = (str(side.meta["val"].dtype) for side in (node.args[0], node))
    if before == after:
        return True
    widths = (_WIDTHS.get(before), _WIDTHS.get(after))
    return widening and None not in widths and widths[0] <= widths[1]  # type: ignore[operator]
