"""An ONNX graph, asked for what its values are made of."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from converters.onnx_models.piece import taken_by

if TYPE_CHECKING:
    import onnx

#: What looks at the shape of its input, never at its values.
SHAPE_ONLY = ("Shape", "Size")


@dataclass(frozen=True)
class Graph:
    """The outer graph of a model.

    Attributes:
        inputs: The user's; initializers that are listed as inputs are none.
        outputs: In the model's order.
        stored: Initializers, and what constants hold.
        made: The node that makes a value.
        values: Descriptions, as far as types and shapes are known.
    """

    model: "onnx.ModelProto"
    inputs: "Mapping[str, onnx.ValueInfoProto]"
    outputs: "Mapping[str, onnx.ValueInfoProto]"
    stored: "Mapping[str, onnx.TensorProto]"
    made: "Mapping[str, onnx.NodeProto]"
    values: "Mapping[str, onnx.ValueInfoProto]"

    def kind(self, name: str) -> int:
        """Return the element type of a value, 0 where it is not known."""
        if name in self.stored:
            return int(self.stored[name].data_type)
        value = self.values.get(name)
        return int(value.type.tensor_type.elem_type) if value else 0

    def rank(self, name: str) -> int | None:
        """Return how many axes a value has, if that is known."""
        value = self.values.get(name)
        if value is None or not value.type.tensor_type.HasField("shape"):
            return None
        return len(value.type.tensor_type.shape.dim)

    def sources(self, name: str) -> Iterator[str]:
        """Give the values that a value is computed from in one step."""
        if name in self.made:
            yield from taken_by(self.made[name])

    def names(self) -> set[str]:
        """Return the names of all values."""
        return {*self.inputs, *self.outputs, *self.stored, *self.made}


def read_graph(model: "onnx.ModelProto") -> Graph:
    """Index a model whose shapes are inferred."""
    graph = model.graph
    stored = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            stored[node.output[0]] = node.attribute[0].t
    inputs = {value.name: value for value in graph.input if value.name not in stored}
    outputs = {value.name: value for value in graph.output}
    described = {value.name: value for value in graph.value_info}
    return Graph(
        model=model,
        inputs=inputs,
        outputs=outputs,
        stored=stored,
        made={name: node for node in graph.node for name in node.output if name},
        values={**described, **inputs, **outputs},
    )


def ancestors(
    graph: Graph, ends: Iterable[str], stops: Collection[str] = (), *, by_value: bool = False
) -> Iterator[str]:
    """Give values and all that they are computed from, no further than some.

    Args:
        by_value: Leave out what only the shape is taken of.
    """
    seen, waiting = set(), list(ends)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        yield name
        node = graph.made.get(name)
        if name not in stops and not (by_value and node and node.op_type in SHAPE_ONLY):
            waiting += graph.sources(name)


def nodes_between(
    graph: Graph, ends: Iterable[str], stops: Collection[str]
) -> "list[onnx.NodeProto]":
    """List the nodes that some values are computed with, in the order of the graph."""
    needed = set(ancestors(graph, ends, stops)) - set(stops)
    return [node for node in graph.model.graph.node if needed & set(node.output)]
