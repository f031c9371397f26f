"""Prefixes and single nodes of an ONNX model, as models of their own."""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.onnx_models.faults import external_files
from converters.onnx_models.files import open_model
from converters.onnx_models.piece import make_piece, taken_by
from registry.format import ENTRY, Format

if TYPE_CHECKING:
    import onnx

Arrays = Mapping[str, np.ndarray]

#: Element types that numpy or the runtimes lack, and one that holds their values.
_WIDER = {"UINT16": "INT32", "UINT32": "INT64", "UINT64": "INT64", "BFLOAT16": "FLOAT"}


@dataclass(frozen=True)
class Node:
    """A node in words: `module` is the path of the torch module it comes from, if it is known."""

    name: str
    operator: str
    module: str | None
    outputs: tuple[str, ...]


class Cuts:
    """Where an ONNX model can be cut: after each node that computes, in topological order.

    Attributes:
        inputs: Names of the model's inputs; initialisers that are listed as inputs do not count.
        outputs: Names of the model's outputs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model = _typed(open_model(folder / ENTRY[Format.ONNX]))
        graph = self._model.graph
        stored = set(_stored(graph))
        self._inputs = [value for value in graph.input if value.name not in stored]
        self.inputs = tuple(value.name for value in self._inputs)
        self.outputs = tuple(value.name for value in graph.output)
        self._values = {value.name: value for value in (*graph.value_info, *graph.output)}
        self._last_use = {
            name: place for place, node in enumerate(graph.node) for name in taken_by(node)
        } | dict.fromkeys(self.outputs, len(graph.node))
        self._places = [
            place for place, node in enumerate(graph.node) if node.op_type != "Constant"
        ]

    def __len__(self) -> int:
        """Count the nodes that compute."""
        return len(self._places)

    def node(self, number: int) -> Node:
        """Describe a node."""
        node = self._node(number)
        known = {entry.key: entry.value for entry in node.metadata_props}
        return Node(
            name=node.name or node.output[0],
            operator=f"{node.domain}.{node.op_type}" if node.domain else node.op_type,
            module=known.get("module"),
            outputs=tuple(filter(None, node.output)),
        )

    def frontier(self, number: int) -> tuple[str, ...]:
        """List what the nodes up to and with this one compute and others still take."""
        end = self._places[number]
        graph = self._model.graph
        return tuple(
            name
            for place in self._places[: number + 1]
            for name in graph.node[place].output
            if name and self._last_use.get(name, -1) > end
        )

    def write_prefix(self, number: int, out: Path) -> tuple[str, ...]:
        """Write the nodes up to and with this one as `model.onnx`; return the names of inputs.

        Its outputs are the frontier, by the same names.
        """
        kept = self._model.graph.node[: self._places[number] + 1]
        return self._write(kept, self._inputs, self.frontier(number), out)

    def write_alone(self, number: int, values: Arrays, out: Path) -> tuple[str, ...]:
        """Write one node as `model.onnx`; return the names of its inputs.

        Args:
            values: What the nodes before it compute; ranks and dtypes are theirs where the model
                does not say.
        """
        node = self._node(number)
        taken = set(taken_by(node))
        constants = [
            one
            for one in self._model.graph.node
            if one.op_type == "Constant" and taken & set(one.output)
        ]
        made = {name for one in constants for name in one.output}
        inputs = {
            name: self._values.get(name) or _described(name, array)
            for name, array in values.items()
            if name not in made
        } | {value.name: value for value in self._inputs}
        feeds = [value for name, value in inputs.items() if name in taken]
        return self._write([*constants, node], feeds, tuple(filter(None, node.output)), out)

    def _node(self, number: int) -> "onnx.NodeProto":
        return self._model.graph.node[self._places[number]]

    def _write(
        self,
        kept: "Iterable[onnx.NodeProto]",
        inputs: "Iterable[onnx.ValueInfoProto]",
        outputs: tuple[str, ...],
        out: Path,
    ) -> tuple[str, ...]:
        """Write a model of some nodes, which reads the same weights where they lie."""
        import onnx

        described = (
            self._values.get(name) or onnx.helper.make_empty_tensor_value_info(name)
            for name in outputs
        )
        made = make_piece(self._model, kept, inputs, described)
        _widen(made.graph)
        out.mkdir(parents=True, exist_ok=True)
        for file in external_files(made, self._folder):
            _link(file, out / file.relative_to(self._folder))
        onnx.save(made, out / ENTRY[Format.ONNX])
        return tuple(value.name for value in made.graph.input)


def _typed(model: "onnx.ModelProto") -> "onnx.ModelProto":
    """Fill in types of values as far as they can be told; weights stay where they are."""
    import onnx

    try:
        return onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception:  # noqa: BLE001 - its errors have no kind; runtimes infer types themselves
        return model


def _described(name: str, array: np.ndarray) -> "onnx.ValueInfoProto":
    import onnx

    kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    return onnx.helper.make_tensor_value_info(name, kind, [None] * array.ndim)


def _stored(graph: "onnx.GraphProto") -> Iterator[str]:
    yield from (tensor.name for tensor in graph.initializer)
    yield from (tensor.values.name for tensor in graph.sparse_initializer)


def _widen(graph: "onnx.GraphProto") -> None:
    """Cast outputs of types that the runtimes cannot hand out, under their own names."""
    import onnx

    for value in graph.output:
        kind = onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type)
        if kind not in _WIDER:
            continue
        wider, inside = onnx.TensorProto.DataType.Value(_WIDER[kind]), f"{value.name}__narrow"
        for node in graph.node:
            _rename(node.input, value.name, inside)
            _rename(node.output, value.name, inside)
        graph.node.append(onnx.helper.make_node("Cast", [inside], [value.name], to=wider))
        value.type.tensor_type.elem_type = wider


def _rename(names: "Iterable[str]", old: str, new: str) -> None:
    for place, name in enumerate(names):
        if name == old:
            names[place] = new  # type: ignore[index]  # protobuf's own kind of list


def _link(file: Path, place: Path) -> None:
    """Have a file of weights in a second place; a copy where the disk has no links."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(file, place)
    except OSError:
        shutil.copyfile(file, place)
