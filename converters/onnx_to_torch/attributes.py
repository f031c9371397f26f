"""Attributes of a node as plain values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from converters.onnx_to_torch.weights import read_tensor
from registry.errors import ConversionError

if TYPE_CHECKING:
    import onnx

_PLAIN = {1: "f", 2: "i"}
_LISTS = {6: "floats", 7: "ints"}


def read_attributes(node: onnx.NodeProto, folder: Path) -> dict[str, Any]:
    """Give numbers, strings, lists of them, torch tensors, and graphs as they are.

    Raises:
        ConversionError: An attribute is of another kind: a sparse tensor, a type.
    """
    return {
        attribute.name: _read(attribute, node, folder)
        for attribute in node.attribute
        if attribute.name not in _TYPES.get(node.op_type, ())
    }


#: Attributes that only repeat what shows elsewhere.
_TYPES = {"Optional": ("type",)}


def _read(attribute: onnx.AttributeProto, node: onnx.NodeProto, folder: Path) -> object:
    kind = attribute.type
    if kind in _PLAIN:
        return getattr(attribute, _PLAIN[kind])
    if kind in _LISTS:
        return list(getattr(attribute, _LISTS[kind]))
    if kind == attribute.STRING:
        return attribute.s.decode()
    if kind == attribute.STRINGS:
        return [text.decode() for text in attribute.strings]
    if kind == attribute.TENSOR:
        return read_tensor(attribute.t, folder)
    if kind == attribute.GRAPH:
        return attribute.g
    raise ConversionError(
        f"operator {node.op_type} (node {node.name or node.output[0]}): attribute"
        f" {attribute.name} is neither a number, a string, a dense tensor nor a graph"
    )
