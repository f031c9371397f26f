"""Inputs that OpenVINO drops, or that it takes for outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from registry.require import require

if TYPE_CHECKING:
    import onnx


def with_all_inputs(model: Any, graph: onnx.GraphProto) -> Any:  # noqa: ANN401 - untyped
    """Give a converted model the inputs that the ONNX graph has, in their order.

    OpenVINO drops those of no elements, and those that only a type is read of.
    """
    openvino = require("openvino", extra="convert")
    given = _given(graph)
    if len(given) == len(model.inputs):
        return model
    parameters = [_known(model, value.name) or _made(openvino, value) for value in given]
    return openvino.Model(model.get_results(), model.get_sinks(), parameters, model.friendly_name)


def keep_apart(model: Any, graph: onnx.GraphProto) -> None:  # noqa: ANN401 - untyped
    """Put a node between an input and the output that it is: else both have the output's name."""
    openvino = require("openvino", extra="convert")
    given = _given(graph)
    for result in model.get_results():
        source = result.input_value(0)
        if source.get_node().get_type_name() != "Parameter" or len(given) != len(model.inputs):
            continue
        at = model.get_parameter_index(source.get_node())
        between = openvino.opset16.identity(source)
        result.input(0).replace_source_output(between.output(0))
        between.output(0).set_names(set(source.get_names()) - {given[at].name})
        source.set_names({given[at].name})


def _given(graph: onnx.GraphProto) -> list[onnx.ValueInfoProto]:
    stored = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in stored]


def _known(model: Any, name: str) -> Any:  # noqa: ANN401 - untyped
    return next((one for one in model.get_parameters() if name in one.output(0).names), None)


def _made(openvino: Any, value: onnx.ValueInfoProto) -> Any:  # noqa: ANN401 - untyped
    import onnx

    said = value.type.tensor_type
    sizes = [dim.dim_value if dim.HasField("dim_value") else -1 for dim in said.shape.dim]
    name = onnx.helper.tensor_dtype_to_np_dtype(said.elem_type).name
    kind = openvino.Type.bf16 if name == "bfloat16" else openvino.Type(np.dtype(name))
    made = openvino.opset1.parameter(openvino.PartialShape(sizes), kind, value.name)
    made.output(0).set_names({value.name})
    return made
