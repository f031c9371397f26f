"""Scan whose body reads values from around it: a Loop, where OpenVINO counts inputs rightly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from converters.onnx_legal.body import Body, Operand
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite

if TYPE_CHECKING:
    import onnx


def applies(place: Place) -> bool:
    """Tell whether the body takes values from outside."""
    return bool(_free(place.attribute("body")))


def apply(body: Body) -> None:
    """Take each step's slices by its number.

    Raises:
        ConversionError: It runs backwards, or stacks what it makes on another axis.
    """
    import onnx

    place = body.place
    inner = onnx.GraphProto.FromString(place.attribute("body").SerializeToString())
    scanned = place.attribute("num_scan_inputs")
    states = len(place.node.input) - scanned
    axes = place.attribute("scan_input_axes") or [0] * scanned
    for name in ("scan_input_directions", "scan_output_directions", "scan_output_axes"):
        if any(place.attribute(name) or []):
            raise place.refusal(f"attribute '{name}' is {place.attribute(name)}")
    sources = place.node.input[states:]
    number, going = body.fresh("number"), body.fresh("going")
    cuts = [
        onnx.helper.make_node("Gather", [source, number], [slot.name], name=slot.name, axis=axis)
        for source, slot, axis in zip(sources, inner.input[states:], axes, strict=True)
    ]
    last = body.fresh("last")
    again = onnx.helper.make_node("Identity", [going], [last], name=last)
    loop = onnx.helper.make_graph(
        [*cuts, *inner.node, again],
        inner.name or "loop",
        [
            onnx.helper.make_tensor_value_info(number, onnx.TensorProto.INT64, []),
            onnx.helper.make_tensor_value_info(going, onnx.TensorProto.BOOL, []),
            *inner.input[:states],
        ],
        [onnx.helper.make_tensor_value_info(last, onnx.TensorProto.BOOL, []), *inner.output],
        initializer=inner.initializer,
        value_info=inner.value_info,
    )
    steps = body.squeeze(body.sizes(sources[0], axes[0]), 0)
    operands: list[Operand] = [steps, np.ones((), bool), *place.node.input[:states]]
    made = body.several("Loop", operands, len(place.node.output), {"body": loop})
    for output, name in enumerate(made):
        body.give(name, output)


def _free(graph: onnx.GraphProto) -> set[str]:
    """List the names that a graph takes from around it."""
    known = {one.name for one in graph.input} | {one.name for one in graph.initializer}
    free: set[str] = set()
    for node in graph.node:
        free |= set(node.input) - known
        for attribute in node.attribute:
            if attribute.HasField("g"):
                free |= _free(attribute.g) - known
        known |= set(node.output)
    return (free | {one.name for one in graph.output} - known) - {""}


REWRITE = Rewrite(
    operator="Scan",
    fault="counts what the body reads from around it among its inputs",
    cases=("linear_attention_*_expanded",),
    apply=apply,
    applies=applies,
)
