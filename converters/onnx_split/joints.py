"""The nodes on both sides of a cut: that work ids out, and that hand vectors on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from converters.onnx_split.graph import Graph
from converters.onnx_split.reads import Read
from registry.signature import ANY, Input

if TYPE_CHECKING:
    import onnx


class Wanted(NamedTuple):
    """Ids that have to be worked out.

    Attributes:
        rows: Of the table, where negative ids count from its end; else 0.
    """

    ids: str
    rows: int


def work_out(graph: Graph, name: str, wanted: Wanted) -> "Iterator[onnx.NodeProto]":
    """Give ids a name; ids out of range stay so."""
    from onnx.helper import make_node, make_tensor

    ids, rows = wanted
    if not rows:
        yield make_node("Identity", [ids], [name])
        return
    zero, size, negative, counted = (f"{name}__{what}" for what in ("0", "rows", "low", "end"))
    for constant, value in ((zero, 0), (size, rows)):
        tensor = make_tensor(constant, graph.kind(ids), [], [value])
        yield make_node("Constant", [], [constant], value=tensor)
    yield make_node("Less", [ids, zero], [negative])
    yield make_node("Add", [ids, size], [counted])
    yield make_node("Where", [negative, counted, ids], [name])


def hand_on(graph: Graph, output: str, read: Read) -> "Iterator[onnx.NodeProto]":
    """Make of looked up vectors what the gather gave: its shape, and the casts of its matrix."""
    from onnx.helper import make_node, make_tensor

    steps: list[tuple[str, list[str], dict[str, int]]] = []
    row = read.source.row
    if len(row) != 1:
        shape = [*[0] * (graph.rank(read.ids) or 0), *row]
        name = f"{read.vectors}__shape"
        tensor = make_tensor(name, 7, [len(shape)], shape)
        yield make_node("Constant", [], [name], value=tensor)
        steps.append(("Reshape", [name], {}))
    steps += [("Cast", [], {"to": kind}) for kind in read.source.casts]
    steps = steps or [("Identity", [], {})]
    value = output
    for number, (operator, more, attributes) in enumerate(steps, 1):
        result = read.vectors if number == len(steps) else f"{read.vectors}__{number}"
        yield make_node(operator, [value, *more], [result], **attributes)
        value = result


def describe(one: Input) -> "onnx.ValueInfoProto":
    """Describe an input of a part to ONNX."""
    import onnx

    kind = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(one.dtype.value))
    shape = [None if dim == ANY else dim for dim in one.shape]
    return onnx.helper.make_tensor_value_info(one.name, kind, shape)
