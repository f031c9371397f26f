"""Who takes a value of an ONNX graph, the graphs inside it included."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from converters.onnx_models.files import graphs

if TYPE_CHECKING:
    import onnx

Users = Mapping[str, list[tuple["onnx.NodeProto", int]]]

#: Hand integers on as they are.
CARRIERS = ("Identity", "Reshape", "Unsqueeze", "Squeeze", "Concat", "Cast")


def users_of(graph: "onnx.GraphProto") -> Users:
    """Map each value to the nodes that take it, with the place of the argument.

    Who reads an output, of the model or of a branch or a loop's body, counts as one.
    """
    import onnx

    users: dict[str, list[tuple[onnx.NodeProto, int]]] = {}
    for inner in graphs(graph):
        for node in inner.node:
            for place, name in enumerate(node.input):
                users.setdefault(name, []).append((node, place))
        for output in inner.output:
            users.setdefault(output.name, []).append((onnx.NodeProto(op_type="reader"), 0))
    return users


def only_cuts(name: str, users: Users) -> bool:
    """Tell whether a value does nothing but end a slice: exporters write "to the end" so."""
    taken = users.get(name, [])
    return all(
        (node.op_type == "Slice" and place in (1, 2))
        or (node.op_type in CARRIERS and only_cuts(node.output[0], users))
        for node, place in taken
    )
