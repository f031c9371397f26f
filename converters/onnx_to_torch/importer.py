"""An ONNX graph to a torch.fx GraphModule."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from converters.onnx_to_torch.attributes import read_attributes
from converters.onnx_to_torch.bind import Form, fault, form_of
from converters.onnx_to_torch.fold import READERS, fold, kind_of
from converters.onnx_to_torch.free_names import free_names
from converters.onnx_to_torch.naming import check_type, domain_of, identifier, title
from converters.onnx_to_torch.refuse import TITLE, imported_type, refusal
from converters.onnx_to_torch.row import Row, find
from converters.onnx_to_torch.size_table import SIZE_ROWS
from converters.onnx_to_torch.sizes import as_tensor, listed
from converters.onnx_to_torch.table import ROWS
from converters.onnx_to_torch.values import Computed, Constant, Value, item, sizes_in
from converters.onnx_to_torch.weights import read_tensor
from registry.errors import ConversionError

if TYPE_CHECKING:
    import onnx
    from torch import Tensor
    from torch.fx import GraphModule, Node


#: What a node of torch.fx may be given: another node, a literal, or a list of them.
Argument: TypeAlias = Any


class GraphImporter:
    """Import one graph, node by node; graphs inside it get an importer of their own."""

    def __init__(self, opsets: Mapping[str, int], folder: Path) -> None:
        import torch

        self.opsets = opsets
        self.folder = folder
        self.root = torch.nn.Module()
        self.graph = torch.fx.Graph()
        self.values: dict[str, Value] = {}
        self.taken = {"self"}
        self.held: dict[int, tuple[Tensor, Node]] = {}

    def import_graph(self, graph: onnx.GraphProto, outer: Mapping[str, Value]) -> GraphModule:
        """Give a module that takes the graph's inputs, then what it needs of the outer graph.

        It returns a tuple of the graph's outputs.
        """
        stored = {tensor.name: tensor for tensor in graph.initializer}
        for value in graph.input:
            if value.name not in stored:
                check_type(value)
                self._take(value.name)
        for name, value in outer.items():
            if isinstance(value, Constant):
                self.values[name] = value
            else:
                self._take(name)
        for name, tensor in stored.items():
            self.values[name] = Constant(read_tensor(tensor, self.folder))
        for node in graph.node:
            self._import_node(node)
        self.graph.output(tuple(self._output(self._value(o.name)) for o in graph.output))
        return imported_type()(self.root, self.graph)

    def _output(self, value: Value) -> Argument:
        """Give a copy of a constant, so that the caller may change it and a trace can see it."""
        import torch

        if isinstance(value, Constant) and isinstance(value.value, torch.Tensor):
            return self.graph.call_function(torch.clone, (self._tensor(value),))
        return self._tensor(value)

    def _take(self, name: str) -> None:
        legal = identifier(name)
        while legal in self.taken:
            legal += "_"
        self.taken.add(legal)
        self.values[name] = Computed(self.graph.placeholder(legal), "tensor")

    def _value(self, name: str) -> Value:
        value = self.values.get(name)
        if value is None:
            raise ConversionError(f"'{name}' is used before anything gives it")
        return value

    def _import_node(self, node: onnx.NodeProto) -> None:
        attributes = read_attributes(node, self.folder)
        row, form = self._row(node, attributes)
        before = len(self.graph.nodes)
        results = self._apply(node, row.function, form, attributes)
        for made in islice(reversed(self.graph.nodes), len(self.graph.nodes) - before):
            made.meta[TITLE] = title(node, self._version(node))
        for name, value in zip(node.output, results, strict=False):
            if name:
                self.values[name] = value

    def _row(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> tuple[Row, Form]:
        """Find the row that a node fits; that of shape arithmetic goes first.

        Raises:
            ConversionError: There is none; says what does not fit.
        """
        version = self._version(node)
        domain = domain_of(node.domain)
        row = find(ROWS, domain, node.op_type, version)
        if row is None:
            raise ConversionError(f"{title(node, version)} is not supported")
        count = len(node.output)
        inputs = [bool(name) for name in node.input]
        short = find(SIZE_ROWS, domain, node.op_type, version)
        if (
            short
            and self._is_about_sizes(node)
            and not fault(form_of(short.function), inputs, attributes)
        ):
            return short, form_of(short.function)
        form = form_of(row.function)
        problem = fault(form, inputs, attributes)
        if form.outputs is not None and count > len(form.outputs):
            problem = problem or f"output {node.output[len(form.outputs)]} is not supported"
        if problem:
            raise ConversionError(f"{title(node, version)}: {problem}")
        return row, form

    def _version(self, node: onnx.NodeProto) -> int:
        import onnx

        domain = domain_of(node.domain)
        opset = self.opsets.get(domain)
        try:
            schema = onnx.defs.get_schema(node.op_type, opset or 0, domain)
        except onnx.defs.SchemaError as error:
            raise ConversionError(f"{title(node, opset)} is no operator of ONNX") from error
        return int(schema.since_version)

    def _is_about_sizes(self, node: onnx.NodeProto) -> bool:
        values = [self._value(name) for name in node.input if name]
        computed = any(isinstance(value, Computed) for value in values)
        return computed and all(sizes_in(value) is not None for value in values)

    def _apply(
        self,
        node: onnx.NodeProto,
        function: Callable[..., Any],
        form: Form,
        attributes: dict[str, Any],
    ) -> list[Value]:
        values = [self._value(name) if name else None for name in node.input]
        if "outputs" in form.attributes:
            attributes["outputs"] = len(node.output)
        if not any(isinstance(value, Computed) for value in values) and not _has_graphs(node):
            try:
                folded = fold(function, form, values, attributes)
            except Exception as error:
                operands = [value.value for value in values if isinstance(value, Constant)]
                raise refusal(title(node, self._version(node)), operands, error) from error
            if folded is not None:
                return folded
        arguments = self._arguments(form, values)
        keywords = self._keywords(attributes)
        captured = self._graphs(attributes, keywords)
        if "captures" in form.attributes:
            keywords["captures"] = len(captured)
        result = self.graph.call_function(function, (*arguments, *captured), keywords)
        if form.outputs is not None and len(form.outputs) == 1:
            return [Computed(result, kind_of(form.outputs[0]))]
        kinds = form.outputs or ("Tensor",) * len(node.output)
        return [
            Computed(self.graph.call_function(item, (result, at)), kind_of(kinds[at]))
            for at in range(len(node.output))
        ]

    def _arguments(self, form: Form, values: list[Value | None]) -> list[Any]:
        wanted = [*form.inputs, *[form.variadic or ""] * (len(values) - len(form.inputs))]
        return [
            None if value is None else self._as(annotation, value)
            for annotation, value in zip(wanted, values, strict=False)
        ]

    def _as(self, annotation: str, value: Value) -> Argument:
        if annotation.startswith("Sizes"):
            return sizes_in(value)
        reader = READERS.get(annotation.partition(" ")[0])
        return self._tensor(value) if reader is None else self._numbers(value, reader)

    def _numbers(self, value: Value, reader: Callable[..., Any]) -> Argument:
        if isinstance(value, Constant):
            return value.value.reshape(-1).tolist()
        by = listed if value.kind == "sizes" else reader
        return self.graph.call_function(by, (value.node,))

    def _tensor(self, value: Value) -> Argument:
        if isinstance(value, Constant):
            return self._hold(value.value)
        if value.kind == "sizes":
            return self.graph.call_function(as_tensor, (value.node,))
        return value.node

    def _hold(self, value: Argument) -> Argument:
        """Make a constant a buffer of the module, once."""
        if value is None or isinstance(value, list):
            return None if value is None else [self._hold(tensor) for tensor in value]
        if id(value) not in self.held:
            name = f"constant_{len(self.held)}"
            self.root.register_buffer(name, value)
            self.held[id(value)] = (value, self.graph.get_attr(name))
        return self.held[id(value)][1]

    def _keywords(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        import onnx
        import torch

        return {
            f"{name}_" if keyword.iskeyword(name) else name: (
                self._hold(value) if isinstance(value, torch.Tensor) else value
            )
            for name, value in attributes.items()
            if not isinstance(value, onnx.GraphProto)
        }

    def _graphs(self, attributes: Mapping[str, Any], keywords: dict[str, Any]) -> list[Any]:
        """Import the graphs inside a node; give what they need of this one, the same for all."""
        import onnx

        inner = {n: v for n, v in attributes.items() if isinstance(v, onnx.GraphProto)}
        names = {name for graph in inner.values() for name in free_names(graph)}
        needed = {name: self._value(name) for name in sorted(names)}
        for name, graph in inner.items():
            module = GraphImporter(self.opsets, self.folder).import_graph(graph, needed)
            path = f"{name}_{len(list(self.root.children()))}"
            self.root.add_module(path, module)
            keywords[name] = self.graph.get_attr(path)
        return [self._tensor(v) for v in needed.values() if isinstance(v, Computed)]


def _has_graphs(node: onnx.NodeProto) -> bool:
    return any(attribute.HasField("g") for attribute in node.attribute)
