"""Put the body that ONNX itself defines an operator by in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_legal.body import Body
from converters.onnx_legal.copier import Copier
from converters.onnx_legal.place import Place

if TYPE_CHECKING:
    import onnx


def expand(body: Body) -> None:
    """Add the nodes of the operator's body.

    Raises:
        ConversionError: ONNX has no body for it in the model's opset, or the opset does not fit.
    """
    place = body.place
    function = _body_of(place)
    if function is None:
        raise place.refusal("ONNX has no body for it")
    names = dict(zip(function.input, place.node.input, strict=False))
    names |= dict.fromkeys(function.input[len(place.node.input) :], "")
    given = list(place.node.output) + [""] * (len(function.output) - len(place.node.output))
    names |= {
        name: wanted or body.fresh(name)
        for name, wanted in zip(function.output, given, strict=True)
    }
    attributes = {one.name: one for one in function.attribute_proto}
    attributes |= {one.name: one for one in place.node.attribute}
    Copier(body, names, attributes).add(function.node, body.nodes)


def _body_of(place: Place) -> onnx.FunctionProto | None:
    import onnx

    node, opset = place.node, place.facts.opset
    schema = onnx.defs.get_schema(node.op_type, opset)
    if schema.has_function:
        versions = [one for one in schema.function_opset_versions if one <= opset]
        text = schema.get_function_with_opset_version(max(versions)) if versions else b""
    else:
        versions = [one for one in schema.context_dependent_function_opset_versions if one <= opset]
        kinds = [_kind(place, number) for number in range(len(node.input))]
        text = (
            schema.get_context_dependent_function_with_opset_version(
                max(versions), node.SerializeToString(), kinds
            )
            if versions
            else b""
        )
    return onnx.FunctionProto.FromString(text) if text else None


def _kind(place: Place, number: int) -> bytes:
    import onnx

    if not place.has(number):
        return b""
    kind, shape = place.kind(number), place.shape(number)
    made: bytes = onnx.helper.make_tensor_type_proto(kind, shape).SerializeToString()
    return made
