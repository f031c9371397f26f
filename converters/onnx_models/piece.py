"""A piece of an ONNX model as a model of its own."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.onnx_models.axes import name_output_axes
from converters.onnx_models.files import nodes, signature_of
from converters.onnx_models.reference import answering
from converters.onnx_models.shapes import infer_shapes
from registry.composition import Artifact
from registry.format import ENTRY, Format

if TYPE_CHECKING:
    import onnx


def make_piece(
    model: "onnx.ModelProto",
    kept: "Iterable[onnx.NodeProto]",
    inputs: "Iterable[onnx.ValueInfoProto]",
    outputs: "Iterable[onnx.ValueInfoProto]",
) -> "onnx.ModelProto":
    """Put some nodes of a model together, with the weights that they take, where those lie.

    Args:
        inputs: Those that it may take; it has the ones that the nodes take.
    """
    import onnx

    made = onnx.ModelProto()
    made.ir_version = model.ir_version
    made.producer_name, made.producer_version = model.producer_name, model.producer_version
    made.opset_import.extend(model.opset_import)
    graph, weights = made.graph, model.graph
    graph.name = weights.name or "cut"
    graph.node.extend(kept)
    graph.output.extend(outputs)
    taken = {name for node in graph.node for name in taken_by(node)}
    graph.input.extend(value for value in inputs if value.name in taken)
    taken |= {value.name for value in graph.output}
    graph.initializer.extend(one for one in weights.initializer if one.name in taken)
    graph.sparse_initializer.extend(
        one for one in weights.sparse_initializer if one.values.name in taken
    )
    return made


def write_part(model: "onnx.ModelProto", own: Brief, folder: Path, maker: str) -> Artifact:
    """Write a piece as `model.onnx`, its outputs' axes named; the part is named as the folder.

    Args:
        own: What the job would say of the piece.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / ENTRY[Format.ONNX]
    model = infer_shapes(model)
    file.write_bytes(model.SerializeToString(deterministic=True))
    name_output_axes(model, own, lambda: answering(file, own))
    file.write_bytes(model.SerializeToString(deterministic=True))
    return Artifact(
        part=folder.name,
        format=Format.ONNX,
        folder=folder.name,
        signature=signature_of(model),
        maker=maker,
    )


def maker_of(model: "onnx.ModelProto") -> str:
    """Say what wrote a model, empty where it does not."""
    return " ".join(filter(None, (model.producer_name, model.producer_version)))


def taken_by(node: "onnx.NodeProto") -> Iterator[str]:
    """Give the names of what a node takes, also by the graphs inside it."""
    yield from filter(None, node.input)
    for attribute in node.attribute:
        inner = [*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])]
        for graph in inner:
            yield from (name for one in nodes(graph) for name in one.input if name)
            yield from (value.name for value in graph.output)
