"""Take lookups out of loops over bags: rows are looked up once, and the loop slices these.

The exporter that torch had before writes a bag as a loop, which slices ids and gathers their rows
bag by bag. A slice of gathered rows is the same as the rows of sliced ids, to the bit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from converters.onnx_models.piece import taken_by
from converters.onnx_models.shapes import infer_shapes
from converters.onnx_split.graph import read_graph
from converters.onnx_split.matrices import Matrices
from converters.split.choose import why_not
from converters.split.policy import SplitOptions

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True)
class _Lookup:
    """A gather in a body by ids that are sliced there; table and ids come from outside."""

    body: "onnx.GraphProto"
    gather: "onnx.NodeProto"
    cut: "onnx.NodeProto"


def hoist_lookups(model: "onnx.ModelProto", options: SplitOptions) -> "onnx.ModelProto":
    """Take out of loops, in place, what the job wants cut; the result has its shapes inferred."""
    graph = read_graph(model)
    matrices = Matrices(graph, options)
    found = []
    for place, node in enumerate(model.graph.node):
        for lookup in _lookups(node):
            source = matrices.behind(lookup.gather.input[0])
            wanted = source is not None and why_not(source.variable, options) is None
            if wanted and graph.rank(lookup.cut.input[0]) == 1:
                found.append((place, lookup))
    for place, lookup in reversed(found):
        model.graph.node.insert(place, _hoisted(lookup))
    return infer_shapes(model) if found else model


def _lookups(node: "onnx.NodeProto") -> Iterator[_Lookup]:
    if node.op_type != "Loop" or node.domain:
        return
    body = next(one.g for one in node.attribute if one.name == "body")
    made = {name: one for one in body.node for name in one.output}
    inside = {*made, *(value.name for value in body.input), *(t.name for t in body.initializer)}
    for gather in body.node:
        if gather.op_type != "Gather" or gather.domain or any(one.i for one in gather.attribute):
            continue
        cut = made.get(gather.input[1])
        outside = cut is not None and inside.isdisjoint((gather.input[0], cut.input[0]))
        if cut is not None and cut.op_type == "Slice" and outside:
            yield _Lookup(body, gather, cut)


def _hoisted(lookup: _Lookup) -> "onnx.NodeProto":
    """Slice rows in the body in the place of ids; return what gathers them outside."""
    from onnx.helper import make_node

    table, (ids, *bounds) = lookup.gather.input[0], lookup.cut.input
    (given,) = lookup.gather.output
    rows = f"{given}__rows"
    lookup.gather.CopyFrom(make_node("Slice", [rows, *bounds], [given], name=lookup.gather.name))
    taken = {name for node in lookup.body.node for name in taken_by(node)}
    taken |= {value.name for value in lookup.body.output}
    if lookup.cut.output[0] not in taken:
        lookup.body.node.remove(lookup.cut)
    return make_node("Gather", [table, ids], [rows], name=f"{given}__gather")
