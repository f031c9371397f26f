"""Lookups inside branches and loops, which cannot be cut."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from converters.split.body import Body
from converters.split.forms import FORMS

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

OPERATORS = frozenset(name for form in FORMS for name in form.operators)


def nested_tables(node: "Node", body: Body) -> "Iterator[Node]":
    """Give what an operator hands to its branches for them to look up rows in."""
    names = [source.target for source in node.all_input_nodes if source.op == "get_attr"]
    branches = [body.modules[name] for name in names if name in body.modules]
    operands = [
        source
        for source in _flat(node.args)
        if not (source.op == "get_attr" and source.target in body.modules)
    ]
    for branch in branches:
        places = [inner for inner in branch.graph.nodes if inner.op == "placeholder"]
        handed = dict(zip(reversed(places), reversed(operands), strict=False))
        yield from (handed[place] for place in _tables(branch) if place in handed)


def _tables(branch: "GraphModule") -> "Iterator[Node]":
    """Give the placeholders of a branch that its lookups read rows of."""
    for inner in branch.graph.nodes:
        if str(inner.target) not in OPERATORS:
            continue
        source = inner.args[0]
        while source.op == "call_function" and source.all_input_nodes:
            source = source.all_input_nodes[0]
        if source.op == "placeholder":
            yield source


def _flat(value: object) -> "list[Node]":
    from torch.fx import Node

    if isinstance(value, Node):
        return [value]
    if isinstance(value, list | tuple):
        return [node for item in value for node in _flat(item)]
    return []
