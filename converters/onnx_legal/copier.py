"""Copies of nodes, for bodies and branches that are put in the place of a node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from converters.onnx_legal.body import Body

if TYPE_CHECKING:
    import onnx


class Copier:
    """Copies nodes under names of their own, into a body."""

    def __init__(
        self,
        body: Body,
        names: dict[str, str],
        attributes: Mapping[str, onnx.AttributeProto] = MappingProxyType({}),
    ) -> None:
        self._body = body
        self.names = {**names, "": ""}
        self._attributes = attributes

    def add(self, nodes: Iterable[onnx.NodeProto], made: list[onnx.NodeProto]) -> None:
        """Copy nodes with names of their own, and the values of attributes that they refer to."""
        for node in nodes:
            copy = type(node).FromString(node.SerializeToString())
            copy.name = self._body.fresh(node.op_type)
            copy.metadata_props.extend(self._body.place.node.metadata_props)
            self._rename(copy)
            self._bind(copy)
            made.append(copy)

    def _rename(self, node: onnx.NodeProto) -> None:
        node.input[:] = [self.names.get(name, name) for name in node.input]
        for at, name in enumerate(node.output):
            node.output[at] = self.names.setdefault(name, self._body.fresh(name))

    def _bind(self, node: onnx.NodeProto) -> None:
        kept = []
        for one in node.attribute:
            if one.ref_attr_name:
                if (value := self._attributes.get(one.ref_attr_name)) is None:
                    continue
                name = one.name
                one.CopyFrom(value)
                one.name = name
            if one.HasField("g"):
                self._inner(one.g)
            kept.append(type(one).FromString(one.SerializeToString()))
        del node.attribute[:]
        node.attribute.extend(kept)

    def _inner(self, graph: onnx.GraphProto) -> None:
        for value in [*graph.input, *graph.initializer]:
            value.name = self.names.setdefault(value.name, self._body.fresh(value.name))
        made: list[onnx.NodeProto] = []
        self.add(list(graph.node), made)
        del graph.node[:]
        graph.node.extend(made)
        for value in graph.output:
            value.name = self.names.get(value.name, value.name)
