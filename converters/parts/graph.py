"""Cut an ONNX graph into named parts, each a model of its own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.onnx_models.files import open_model
from converters.onnx_models.match import rename_values
from converters.onnx_models.piece import make_piece, maker_of, taken_by, write_part
from converters.onnx_models.shapes import infer_shapes
from converters.onnx_split.graph import SHAPE_ONLY, Graph, ancestors, read_graph
from converters.onnx_split.joints import describe
from converters.onnx_split.rows import copy_weights
from converters.parts.divide import Division, divide
from converters.parts.flow import Flow, Point, flow_of, scopes
from converters.split.policy import PartRule
from registry.composition import Artifact
from registry.errors import SplitError
from registry.format import ENTRY, Format
from registry.signature import Input

if TYPE_CHECKING:
    import onnx


def cut_graph(source: Path, rules: Sequence[PartRule], brief: Brief, out: Path) -> list[Artifact]:
    """Write each part to a folder of its name, and return them in their order.

    Args:
        source: The folder of the dense part.
        brief: What the job would say of the dense part.

    Raises:
        SplitError: The nodes that the job names do not cut the graph.
    """
    graph = read_graph(infer_shapes(open_model(source / ENTRY[Format.ONNX])))
    inputs = {one.name: one for one in brief.inputs}
    divisions = divide(_flow(graph), rules, {name: name for name in graph.outputs})
    known: dict[str, str] = {}
    parts = []
    for division in divisions:
        piece = _piece(graph, division, known, inputs)
        copy_weights(piece, source, out / division.name)
        given = tuple(inputs[value.name] for value in piece.graph.input)
        own = replace(brief, inputs=given, outputs=tuple(division.gives))
        made = write_part(piece, own, out / division.name, maker_of(graph.model))
        parts.append(made)
        known |= {value: name for name, value in division.gives.items()}
        inputs |= {tensor.name: Input(**tensor.model_dump()) for tensor in made.signature.outputs}
    return parts


def _piece(
    graph: Graph, division: Division, known: Mapping[str, str], inputs: Mapping[str, Input]
) -> "onnx.ModelProto":
    """Put a part together, values that go from part to part under the names that parts know."""
    needed = set(ancestors(graph, division.gives.values(), known))
    nodes = [node for node in graph.model.graph.node if needed & (set(node.output) - known.keys())]
    told = {name: value for value, name in known.items()}
    handed = [_renamed(describe(inputs[name]), value) for name, value in told.items()]
    outputs = [_described(graph, value) for value in division.gives.values()]
    made = make_piece(graph.model, nodes, (*graph.inputs.values(), *handed), outputs)
    renamed = {**known, **{value: name for name, value in division.gives.items()}}
    rename_values(made.graph, {old: new for old, new in renamed.items() if old != new})
    return made


def _renamed(value: "onnx.ValueInfoProto", name: str) -> "onnx.ValueInfoProto":
    value.name = name
    return value


def _described(graph: Graph, name: str) -> "onnx.ValueInfoProto":
    value = graph.values.get(name)
    if value is not None and value.type.WhichOneof("value") not in ("tensor_type", None):
        raise SplitError(
            f"the value '{name}' cannot go from part to part: it is no tensor. End the part at "
            "another node"
        )
    if value is None or not value.type.tensor_type.HasField("shape"):
        raise SplitError(
            f"the value '{name}' cannot go from part to part: its rank is not known. End the part "
            "at another node"
        )
    return value


def _flow(graph: Graph) -> Flow:
    """Describe the nodes that depend on a user's values."""
    depends = set(graph.inputs)
    points = []
    for node in graph.model.graph.node:
        takes = tuple(name for name in dict.fromkeys(taken_by(node)) if name in depends)
        sized = node.op_type in SHAPE_ONLY and set(takes) <= graph.inputs.keys()
        if takes and not sized:
            depends |= set(filter(None, node.output))
            points.append(_point(node, takes))
    return flow_of(points, graph.outputs)


def _point(node: "onnx.NodeProto", takes: tuple[str, ...]) -> Point:
    gives = tuple(filter(None, node.output))
    module = next((one.value for one in node.metadata_props if one.key == "module"), "")
    name = node.name or gives[0]
    where = f", module '{module}'" if module else ""
    return Point(
        name=gives[0],
        takes=takes,
        gives=gives,
        called=frozenset(_called(node, module)),
        place=f"'{name}' ({node.op_type}{where})",
    )


def _called(node: "onnx.NodeProto", module: str) -> Iterator[str]:
    """Give a node's name, those of its values, and the scopes that exporters write into them."""
    yield from scopes(module, ".")
    for name in filter(None, (node.name, *node.output)):
        yield from scopes(name, "/")
        yield from scopes(name.removeprefix("/"), "/")
