"""A piece of a graph as a module of its own."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from converters.split.body import Body

if TYPE_CHECKING:
    import torch
    from torch.fx import Graph, GraphModule, Node


def needed(outputs: "Sequence[Node]", stops: "Collection[Node]" = ()) -> "set[Node]":
    """Give all nodes that the outputs are computed from, themselves included.

    Args:
        stops: Nodes of which it does not matter what they are computed from.
    """
    found: set[Node] = set()
    pending = list(outputs)
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += () if node in stops else node.all_input_nodes
    return found


def extract(
    body: Body,
    outputs: "Sequence[Node]",
    inputs: "Sequence[Node]" = (),
    *,
    own_weights: bool = True,
) -> "tuple[torch.nn.Module, tuple[Node, ...]]":
    """Make the smallest module that computes the outputs.

    Where nodes come from in the user's code is kept, through another export as well.

    Args:
        inputs: Placeholders that it may take, in the order wanted.
        own_weights: Copy the weights, out of the checkpoint's mapping.

    Returns:
        The module, and those of the inputs that it takes.
    """
    from torch.fx import Graph

    wanted = needed(outputs)
    taken = tuple(node for node in inputs if node in wanted)
    rest = [n for n in body.graph.nodes if n.op != "placeholder" and n in wanted]
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in (*taken, *rest):
        copies[node] = graph.node_copy(node, copies.__getitem__)
    graph.output(tuple(copies[node] for node in outputs))
    return _module(body, graph, own_weights=own_weights), taken


def _module(body: Body, graph: "Graph", *, own_weights: bool) -> "torch.nn.Module":
    import torch

    root: dict[str, object] = {}
    for node in graph.nodes:
        if node.op != "get_attr":
            continue
        if node.target in body.modules:
            root[node.target] = body.modules[node.target]
        else:
            tensor = body.weights[node.target].tensor.detach()
            root[node.target] = tensor.clone() if own_weights else tensor
    return _interpreted(torch.fx.GraphModule(root, graph))


def _interpreted(module: "GraphModule") -> "torch.nn.Module":
    """Run a graph node by node, for an export to see where each node comes from."""
    import torch

    class Part(torch.nn.Module):  # type: ignore[misc] # torch is not typed
        def __init__(self) -> None:
            super().__init__()
            self.part = module

        def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
            with torch.fx.traceback.preserve_node_meta():
                return torch.fx.Interpreter(self.part).run(*inputs)  # type: ignore[no-any-return] # a tuple, by the graph

    return Part().eval()
