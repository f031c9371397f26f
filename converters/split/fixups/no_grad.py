"""`torch.no_grad()` in a forward hides what is within it in a graph of its own."""

from typing import TYPE_CHECKING

from converters.split.body import Body

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node


def fix(body: Body) -> None:
    """Put the inner graph in the outer one's place: no part computes gradients."""
    for node in [n for n in body.graph.nodes if str(n.target) == "wrap_with_set_grad_enabled"]:
        inner = body.modules[node.args[1].target]
        if not any(part.op == "get_attr" for part in inner.graph.nodes):
            _inline(node, inner, body)


def _inline(node: "Node", inner: "GraphModule", body: Body) -> None:
    places = [part for part in inner.graph.nodes if part.op == "placeholder"]
    copies = dict(zip(places, node.args[2:], strict=True))
    with body.graph.inserting_before(node):
        results = body.graph.graph_copy(inner.graph, copies)
    for user in list(node.users):
        user.replace_all_uses_with(results[user.args[1]])
        body.graph.erase_node(user)
    body.graph.erase_node(node)
