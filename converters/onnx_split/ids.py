"""The ids of lookups: followed back, told apart, and whether they can be negative."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from converters.onnx_split.graph import Graph
from registry.signature import Input

if TYPE_CHECKING:
    import onnx

#: What hands on values of its first input, in another shape or fewer of them.
_SELECTING = frozenset(
    {
        "Cast", "Expand", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Split", "Squeeze",
        "Tile", "Transpose", "Unsqueeze",
    }
)  # fmt: skip

#: Two of these do not give the same, whatever they are given.
UNREPEATABLE = frozenset(
    {
        "Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
        "RandomUniformLike",
    }
)  # fmt: skip

#: Constants up to this size are told apart by what they hold, others by their names.
_SMALL = 1 << 10


def look_through(graph: Graph, name: str) -> str:
    """Follow ids back over what changes nothing: lookups take int32 as well as int64."""
    while (node := graph.made.get(name)) is not None and not node.domain:
        if node.op_type != "Identity" and not (node.op_type == "Cast" and _widens(graph, node)):
            break
        name = node.input[0]
    return name


def _widens(graph: Graph, cast: "onnx.NodeProto") -> bool:
    import onnx

    widths = {onnx.TensorProto.INT32: 0, onnx.TensorProto.INT64: 1}
    before, after = (widths.get(graph.kind(name)) for name in (cast.input[0], cast.output[0]))
    return before is not None and after is not None and before <= after


def may_be_negative(graph: Graph, name: str, inputs: Mapping[str, Input]) -> bool:
    """Say whether ids can count from the end: those that the job calls ids do not."""
    waiting, seen = [name], set()
    while waiting:
        now = waiting.pop()
        if now in seen:
            continue
        seen.add(now)
        if now in inputs:
            ids = inputs[now].ids
            if ids is None or (ids.padding or 0) < 0:
                return True
            continue
        node = graph.made.get(now)
        if node is None or node.domain:
            return True
        if node.op_type == "Concat":
            waiting += node.input
        elif node.op_type in _SELECTING:
            waiting.append(node.input[0])
        else:
            return True
    return False


def number_values(graph: Graph) -> dict[str, int]:
    """Number the values of a graph, alike where they are computed alike."""
    numbers: dict[object, int] = {}
    found: dict[str, int] = {}

    def number(reading: object) -> int:
        return numbers.setdefault(reading, len(numbers))

    for name in graph.inputs:
        found[name] = number(("input", name))
    for name, tensor in graph.stored.items():
        small = not tensor.external_data and tensor.ByteSize() <= _SMALL
        found[name] = number(_held(tensor) if small else ("stored", name))
    for node in graph.model.graph.node:
        nested = any(one.HasField("g") or one.graphs for one in node.attribute)
        alone = nested or node.op_type in UNREPEATABLE
        given = tuple(found.get(name, -1) for name in node.input)
        how = tuple(sorted(one.SerializeToString(deterministic=True) for one in node.attribute))
        for place, name in enumerate(node.output):
            if name and name not in graph.stored:
                whole = (node.domain, node.op_type, how, given, place)
                found[name] = number(("alone", name) if alone else whole)
    return found


def _held(tensor: "onnx.TensorProto") -> object:
    import onnx

    array = onnx.numpy_helper.to_array(tensor)
    return ("held", array.dtype.str, array.shape, array.tobytes())
