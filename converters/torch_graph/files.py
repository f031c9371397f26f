"""Write a graph and its weights, and read them with another version of torch."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from converters.converter import ConvertOptions
from converters.torch_graph.functions import function_of, name_of
from converters.torch_graph.values import read_value, write_value
from converters.torchscript.examples import Examples, examples_of
from registry.errors import ConversionError
from registry.format import ENTRY, Format
from registry.signature import Signature

if TYPE_CHECKING:
    from torch import Tensor
    from torch.fx import Graph, GraphModule, Node
    from torch.nn import Module

WEIGHTS = "weights.safetensors"


def save_graph(
    module: "GraphModule", folder: Path, signature: Signature, options: ConvertOptions
) -> None:
    """Write a module of functions alone, as `converters.torchscript.of_program` gives it.

    Raises:
        ConversionError: Names the node that has no form which another torch reads.
    """
    from safetensors.torch import save_file  # noqa: PLC0415  imports torch

    weights: dict[str, Tensor] = {}
    names: dict[tuple[object, ...], str] = {}
    written = _write(module, weights, names)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(weights, folder / WEIGHTS)
    known = options.model_dump(mode="json", include={"axes", "inputs"})
    told = {"signature": signature.model_dump(mode="json"), "options": known, "graph": written}
    (folder / ENTRY[Format.TORCH_GRAPH]).write_text(json.dumps(told))


def load_graph(folder: Path) -> "tuple[GraphModule, Examples]":
    """Read what `save_graph` wrote; weights are buffers of the outermost module.

    Raises:
        ConversionError: It cannot be read, or this torch lacks what a node calls.
    """
    from safetensors.torch import load_file  # noqa: PLC0415  imports torch

    file = folder / ENTRY[Format.TORCH_GRAPH]
    try:
        told = json.loads(file.read_text())
        weights = load_file(folder / WEIGHTS)
        signature = Signature.model_validate(told["signature"])
        options = ConvertOptions.model_validate(told["options"])
        return _read(told["graph"], weights), examples_of(signature, options)
    except ConversionError as error:
        raise ConversionError(f"{file}: {error}") from error
    except Exception as error:
        raise ConversionError(f"{file}: cannot be read back: {error}") from error


def _write(
    module: "GraphModule", weights: "dict[str, Tensor]", names: dict[tuple[object, ...], str]
) -> dict[str, Any]:
    import torch

    nodes, graphs = [], {}
    for node in module.graph.nodes:
        written = {"name": node.name, "op": node.op}
        if node.op == "get_attr":
            held = _held(module, str(node.target))
            if isinstance(held, torch.fx.GraphModule):
                graphs[node.name] = _write(held, weights, names)
            else:
                written["weight"] = _keep(held, weights, names)
        elif node.op not in ("placeholder", "output"):
            written |= _call(node)
        if node.op == "output":
            written["args"] = [write_value(each) for each in node.args]
        nodes.append(written)
    return {"nodes": nodes, "graphs": graphs}


def _call(node: "Node") -> dict[str, Any]:
    if node.op != "call_function":
        raise ConversionError(f"node {node.name} is a {node.op}: take `via: onnx`")
    try:
        return {
            "target": name_of(node.target),
            "args": [write_value(each) for each in node.args],
            "kwargs": {name: write_value(each) for name, each in node.kwargs.items()},
        }
    except ConversionError as error:
        raise ConversionError(f"node {node.name} {error}: take `via: onnx`") from error


def _held(module: "Module", name: str) -> Any:  # noqa: ANN401 - a graph or a tensor
    held: Any = module
    for part in name.split("."):
        held = getattr(held, part)
    return held


def _keep(
    tensor: "Tensor", weights: "dict[str, Tensor]", names: dict[tuple[object, ...], str]
) -> str:
    """Keep a tensor once, however many names it has."""
    key = (tensor.data_ptr(), tensor.dtype, tuple(tensor.shape), tensor.stride())
    if key not in names or not tensor.numel():
        names[key] = f"weight_{len(weights)}"
        weights[names[key]] = tensor.detach().clone().contiguous()
    return names[key]


def _read(written: Mapping[str, Any], weights: "Mapping[str, Tensor]") -> "GraphModule":
    import torch

    root, graph = torch.nn.Module(), torch.fx.Graph()
    nodes: dict[str, Node] = {}
    for one in written["nodes"]:
        nodes[one["name"]] = _node(graph, one, nodes)
    for name, inner in written["graphs"].items():
        root.add_module(name, _read(inner, weights))
    for name in dict.fromkeys(_read_weights(written)):
        root.register_buffer(name, weights[name])
    return torch.fx.GraphModule(root, graph)


def _read_weights(written: Mapping[str, Any]) -> Iterator[str]:
    return (one["weight"] for one in written["nodes"] if "weight" in one)


def _node(graph: "Graph", one: Mapping[str, Any], nodes: "Mapping[str, Node]") -> "Node":
    args = tuple(read_value(each, nodes) for each in one.get("args", ()))
    if one["op"] == "placeholder":
        return graph.placeholder(one["name"])
    if one["op"] == "output":
        return graph.output(args[0])
    if one["op"] == "get_attr":
        # What is held is put there once all nodes are read.
        return graph.create_node("get_attr", one.get("weight", one["name"]))
    kwargs = {name: read_value(each, nodes) for name, each in one["kwargs"].items()}
    return graph.call_function(function_of(one["target"]), args, kwargs)
