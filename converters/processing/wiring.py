"""Wires around an estimator's graph: tensors to columns, and its answers to tensors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from converters.processing.sklearn_onnx import MATRIX, Kind
from converters.processing.text import Words, no_word
from registry.signature import DType, Tensor

if TYPE_CHECKING:
    import onnx

_ML = "ai.onnx.ml"
#: Stands before all names of the estimator's own graph.
_OWN = "estimator/"
_DTYPES: Mapping[Kind, str] = {"float": "float32", "double": "float64", "integer": "int64"}


@dataclass(frozen=True)
class Given:
    """A tensor that is made of an answer.

    Attributes:
        answer: The output of the estimator's graph.
        width: How many columns that has; [rows] counts as one.
        columns: Those that are taken.
    """

    tensor: Tensor
    answer: str
    width: int
    columns: range


@dataclass(frozen=True)
class Taken:
    """What an estimator takes.

    Attributes:
        tensors: Of one or two axes; side by side they are its columns.
        names: Of the columns, where each is an input of its own; else one matrix is.
        kinds: Of the columns.
        words: Of those that are text, by their place: tensors hold numbers of words.
    """

    tensors: tuple[Tensor, ...]
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    words: Words


def wired(
    own: "onnx.ModelProto", taken: Taken, given: Sequence[Given], part: str
) -> "onnx.ModelProto":
    """Put wires around an estimator's graph."""
    import onnx

    inner = onnx.compose.add_prefix(own, _OWN)
    wires = _Wires()
    _take(wires, taken)
    wires.nodes += inner.graph.node
    for one in given:
        _give(wires, one)
    graph = onnx.helper.make_graph(
        wires.nodes,
        part,
        [_described(tensor) for tensor in taken.tensors],
        [_described(one.tensor) for one in given],
        [*inner.graph.initializer, *wires.weights],
    )
    opsets = {one.domain: one.version for one in own.opset_import} | {_ML: 3}
    imports = [onnx.helper.make_opsetid(domain, version) for domain, version in opsets.items()]
    model = onnx.helper.make_model(graph, opset_imports=imports, ir_version=own.ir_version)
    model.producer_name, model.producer_version = own.producer_name, own.producer_version
    return model


class _Wires:
    """Nodes, and what they take that never changes."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def node(
        self, operator: str, inputs: Sequence[str], name: str = "", **attributes: object
    ) -> str:
        """Add a node, and name its value."""
        import onnx

        name = name or f"wire_{len(self.nodes)}"
        domain = _ML if operator == "LabelEncoder" else ""
        made = onnx.helper.make_node(operator, inputs, [name], name, domain=domain, **attributes)
        self.nodes.append(made)
        return name

    def whole(self, values: Sequence[int]) -> str:
        """Add whole numbers."""
        import onnx

        name = f"wire_numbers_{len(self.weights)}"
        self.weights.append(onnx.numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def cast(self, value: str, dtype: str) -> str:
        """Add a cast."""
        import onnx

        return self.node("Cast", [value], to=onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


def _take(wires: _Wires, taken: Taken) -> None:
    if not (taken.names or taken.words):
        whole = [wires.cast(_matrix(wires, one), _DTYPES[taken.kinds[0]]) for one in taken.tensors]
        wires.node("Concat", whole, _OWN + MATRIX, axis=1)
        return
    columns = [
        _column(wires, value, taken, place) for place, value in enumerate(_columns(wires, taken))
    ]
    if taken.names:
        for name, column in zip(taken.names, columns, strict=True):
            wires.node("Identity", [column], _OWN + name)
    else:
        wires.node("Concat", columns, _OWN + MATRIX, axis=1)


def _matrix(wires: _Wires, tensor: Tensor) -> str:
    """Give a tensor two axes."""
    if len(tensor.shape) == 2:
        return tensor.name
    return wires.node("Reshape", [tensor.name, wires.whole([-1, 1])])


def _columns(wires: _Wires, taken: Taken) -> list[str]:
    found = []
    for tensor in taken.tensors:
        value, count = _matrix(wires, tensor), width_of(tensor)
        if count == 1:
            found.append(value)
        else:
            found += [
                wires.node("Gather", [value, wires.whole([place])], axis=1)
                for place in range(count)
            ]
    return found


def _column(wires: _Wires, value: str, taken: Taken, place: int) -> str:
    """Give a column as the estimator takes it: words for their numbers."""
    if place not in taken.words:
        return wires.cast(value, _DTYPES[taken.kinds[place]])
    words = taken.words[place]
    return wires.node(
        "LabelEncoder",
        [wires.cast(value, "int64")],
        keys_int64s=list(range(len(words))),
        values_strings=list(words),
        default_string=no_word(words),
    )


def _give(wires: _Wires, one: Given) -> None:
    value = wires.node("Reshape", [_OWN + one.answer, wires.whole([-1, one.width])])
    if one.columns != range(one.width):
        value = wires.node("Gather", [value, wires.whole(one.columns)], axis=1)
    if len(one.tensor.shape) == 1:
        value = wires.node("Reshape", [value, wires.whole([-1])])
    wires.node("Identity", [wires.cast(value, one.tensor.dtype)], one.tensor.name)


def width_of(tensor: Tensor) -> int:
    """Return how many columns a tensor has that says so; [rows] is one."""
    return int(tensor.shape[1]) if len(tensor.shape) == 2 else 1


def _described(tensor: Tensor) -> "onnx.ValueInfoProto":
    import onnx

    element = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(tensor.dtype.value))
    return onnx.helper.make_tensor_value_info(tensor.name, element, tensor.shape)


def kind_of(tensor: Tensor) -> Kind:
    """Say what a tensor holds, as skl2onnx is told it."""
    if tensor.dtype is DType.FLOAT64:
        return "double"
    return "float" if "float" in tensor.dtype else "integer"
