"""A piece of a TensorFlow graph as an ONNX model, with the job's names for everything."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from converters.brief import Brief
from converters.onnx_models.faults import inspect
from converters.onnx_models.match import take_names
from converters.onnx_models.piece import write_part
from converters.tensorflow_graphs.graph import Graph, ancestors
from registry.composition import Artifact
from registry.errors import ConversionError
from registry.signature import Input

_OPSET = 18

#: A tensor of the graph, and what the piece's caller is told of it.
Given = Mapping[str, tuple[Any, Input]]


def taken(given: Given, fetches: Mapping[str, Any]) -> Given:
    """Return those of the given tensors that are read on the way to others."""
    stops = {tensor.name for tensor, _ in given.values()}
    read = {one.name for fetch in fetches.values() for one in ancestors(fetch, stops)}
    return {name: pair for name, pair in given.items() if pair[0].name in read}


def write_piece(
    graph: Graph, given: Given, fetches: Mapping[str, Any], brief: Brief, folder: Path
) -> Artifact:
    """Write the way from some tensors to others as `model.onnx`; the part is named as the folder.

    Args:
        brief: Of the whole model.

    Raises:
        ConversionError: tf2onnx cannot write it.
    """
    model = _convert(graph, given, fetches)
    inputs = tuple(entry for _, entry in given.values())
    own = replace(brief, inputs=inputs, outputs=tuple(fetches))
    take_names(model, inputs, ())
    written = write_part(model, own, folder, _maker())
    if wrong := inspect(folder):
        raise ConversionError(f"{folder.name}: tf2onnx wrote a faulty file: {'; '.join(wrong)}")
    return written


def _convert(graph: Graph, given: Given, fetches: Mapping[str, Any]) -> Any:  # noqa: ANN401 - untyped
    import tensorflow as tf
    import tf2onnx

    part = graph.part((tensor for tensor, _ in given.values()), fetches.values())
    wanted = [
        tf.TensorSpec([dim if isinstance(dim, int) else None for dim in entry.shape], t.dtype, name)
        for name, (t, entry) in given.items()
    ]

    def call(*feeds: Any) -> dict[str, Any]:  # noqa: ANN401 - untyped
        for variable in graph.variables.values():  # those that are read become constants
            tf.compat.v1.get_default_graph().watch_variable(variable)
        return dict(zip(fetches, part(*feeds), strict=True))

    function = tf.function(call, input_signature=wanted)
    try:
        model, _ = tf2onnx.convert.from_function(function, input_signature=wanted, opset=_OPSET)
    except Exception as error:
        said = str(error).strip().splitlines()
        raise ConversionError(
            f"tf2onnx cannot write the model as ONNX: {said[-1] if said else error}"
        ) from error
    return model


def _maker() -> str:
    import tensorflow as tf
    import tf2onnx

    return f"tf2onnx {tf2onnx.__version__} of tensorflow {tf.__version__}"
