"""Take sizes from tensors that the dense part has anyway, not from ids that it does not need."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from converters.split.axes import AxisNames
from converters.split.body import Body
from converters.split.extract import needed
from registry.signature import Dim

if TYPE_CHECKING:
    from torch.fx import Node

_SIZE = "aten.sym_size.int"


def rehome_sizes(body: Body, outputs: "Sequence[Node]", axes: AxisNames) -> None:
    """Read each size that is asked of a dead tensor from a live one with the same axis."""
    from torch.ops import aten

    live = {node for node in _by_value(outputs) if node.op == "placeholder"}
    homes = _homes(live, body, axes)
    for node in list(body.graph.nodes):
        if str(node.target) != _SIZE or not node.users:
            continue
        inputs = {source for source in needed([node]) if source.op == "placeholder"}
        home = homes.get(axes.of(node.meta["val"]))
        if inputs <= live or home is None:
            continue
        with body.graph.inserting_before(node):
            size = body.graph.call_function(aten.sym_size.int, home)
        size.meta = dict(node.meta)
        node.replace_all_uses_with(size)


def _by_value(outputs: "Sequence[Node]") -> "set[Node]":
    """Give the nodes whose values matter to the outputs."""
    found: set[Node] = set()
    pending = list(outputs)
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += [] if str(node.target) == _SIZE else node.all_input_nodes
    return found


def _homes(live: "set[Node]", body: Body, axes: AxisNames) -> "dict[Dim, tuple[Node, int]]":
    homes: dict[Dim, tuple[Node, int]] = {}
    for node in body.graph.nodes:
        if node in live:
            for position, dim in enumerate(axes.shape(node)):
                homes.setdefault(dim, (node, position))
    return homes
