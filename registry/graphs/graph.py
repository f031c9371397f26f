"""A part's graph as it can be drawn: what computes, and which value goes where."""

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Node:
    """What computes something.

    Attributes:
        module: Where it stands in the model, from the outside in; empty where nothing tells.
        takes, gives: Names of values.
    """

    name: str
    operator: str
    module: tuple[str, ...]
    takes: tuple[str, ...]
    gives: tuple[str, ...]


@dataclass(frozen=True)
class Graph:
    """The main graph of a part; bodies of branches and loops are inside of their nodes.

    Attributes:
        inputs: Values by their names.
        outputs: The value behind each name.
        nodes: In the file's order: what makes a value mostly stands before what takes it.
        more: Nodes that were not read, since there are too many.
    """

    inputs: tuple[str, ...]
    outputs: Mapping[str, str]
    nodes: tuple[Node, ...]
    more: int = 0


def module_of(name: str) -> tuple[str, ...]:
    """Take a node's name apart as modules are named: 'encoder/layer.0/MatMul'."""
    return tuple(filter(None, name.replace("/", ".").split(".")))[:-1]


def without_constants(graph: Graph) -> Graph:
    """Leave out constants, and what is computed from these alone."""
    known, kept = set(graph.inputs), []
    for node in graph.nodes:
        taken = tuple(value for value in node.takes if value in known)
        if taken or not graph.inputs:
            known.update(node.gives)
            kept.append(replace(node, takes=taken))
    return replace(graph, nodes=tuple(kept))
