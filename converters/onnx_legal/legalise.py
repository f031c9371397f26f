"""Put what OpenVINO computes rightly in the place of what it does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from converters.onnx_legal.body import AGAIN, Body
from converters.onnx_legal.facts import facts_of
from converters.onnx_legal.place import Facts, Place
from converters.onnx_legal.rewrite import Rewrite
from converters.onnx_models.faults import inline_functions
from converters.onnx_models.files import nodes
from registry.errors import ConversionError

if TYPE_CHECKING:
    import onnx

#: Bodies hold operators that are rewritten in turn; none does so this deep.
_ROUNDS = 12


def legalise(model: onnx.ModelProto, rewrites: Sequence[Rewrite]) -> onnx.ModelProto:
    """Rewrite what the rows are for; the model itself comes back where nothing is.

    Raises:
        ConversionError: Names each node that OpenVINO would refuse or compute wrongly.
    """
    rows = {row.operator for row in rewrites}
    for turn in range(_ROUNDS):
        if not model.functions and rows.isdisjoint(node.op_type for node in nodes(model.graph)):
            return model
        inferred = _inferred(inline_functions(model))
        if not _rewritten(inferred, rewrites, turn):
            return model
        model = inferred
    raise ConversionError("the ONNX model's operators expand without end")


def _inferred(model: onnx.ModelProto) -> onnx.ModelProto:
    import onnx

    try:
        return onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception as error:
        raise ConversionError(f"the ONNX model contradicts itself: {error}") from error


def _rewritten(model: onnx.ModelProto, rewrites: Sequence[Rewrite], turn: int) -> bool:
    opset = next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), 0)
    faults: list[str] = []
    whole = facts_of(model.graph, opset, turn=turn)
    changed = [_in_graph(*each, rewrites, faults) for each in _graphs(model.graph, whole)]
    if faults and not any(changed):  # what stands in the way may be gone after the next round
        raise ConversionError(f"OpenVINO cannot compute {'; '.join(dict.fromkeys(faults))}")
    return any(changed)


def _graphs(graph: onnx.GraphProto, facts: Facts) -> Iterator[tuple[onnx.GraphProto, Facts]]:
    """Give the graphs inside a graph and then itself, each with its facts."""
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                inner = facts_of(attribute.g, facts.opset, facts, facts.turn)
                yield from _graphs(attribute.g, inner)
    yield graph, facts


def _in_graph(
    graph: onnx.GraphProto, facts: Facts, rewrites: Sequence[Rewrite], faults: list[str]
) -> bool:
    made: list[onnx.NodeProto] = []
    changed = False
    for node in graph.node:
        place = Place(node, facts)
        row = _row(place, rewrites)
        if row is None:
            made.append(node)
            continue
        body = Body(place)
        try:
            row.apply(body)
        except ConversionError as error:
            faults.append(str(error))
            made.append(node)
            continue
        made += body.nodes
        changed = True
    if changed:
        kept = [type(node).FromString(node.SerializeToString()) for node in made]
        del graph.node[:]
        graph.node.extend(kept)
    return changed


def _row(place: Place, rewrites: Sequence[Rewrite]) -> Rewrite | None:
    node = place.node
    if node.domain not in ("", "ai.onnx") or node.name.endswith(AGAIN):
        return None
    rows = (one for one in rewrites if one.operator == node.op_type)
    return next((one for one in rows if one.applies(place)), None)
