"""`masked_select` by a constant mask: ONNX has no such operator."""

from typing import TYPE_CHECKING

from converters.split.body import Body
from converters.split.fold import evaluate
from converters.split.roots import Roots, roots_of

if TYPE_CHECKING:
    import torch
    from torch.fx import Node

_OPERATOR = "aten.masked_select.default"


def fix(body: Body) -> None:
    """Select by the positions of what the mask lets through."""
    roots: dict[Node, Roots] = {}
    for node in body.graph.nodes:
        roots[node] = roots_of(node, roots)
    for node in list(roots):
        if str(node.target) == _OPERATOR and roots[node.args[1]].constant:
            mask = evaluate(node.args[1], body)
            if _covers_last_axes(mask, node.args[0].meta["val"].shape):
                _select(node, mask, body)


def _covers_last_axes(mask: "torch.Tensor", shape: "torch.Size") -> bool:
    """Say whether the mask is the same for each row of the leading axes."""
    own = _inner_shape(mask)
    last = [str(size) for size in shape[len(shape) - len(own) :]]
    return len(own) <= len(shape) and last == [str(size) for size in own]


def _inner_shape(mask: "torch.Tensor") -> tuple[int, ...]:
    shape = tuple(mask.shape)
    while shape and shape[0] == 1:
        shape = shape[1:]
    return shape


def _select(node: "Node", mask: "torch.Tensor", body: Body) -> None:
    from torch.ops import aten

    positions = mask.reshape(-1).nonzero().reshape(-1)
    name = body.add_constant(f"{node.name}_positions", positions)
    graph, source = body.graph, node.args[0]
    with graph.inserting_before(node):
        flat = graph.call_function(aten.reshape.default, (source, [-1, mask.numel()]))
        chosen = graph.create_node("get_attr", name)
        picked = graph.call_function(aten.index_select.default, (flat, 1, chosen))
        result = graph.call_function(aten.reshape.default, (picked, [-1]))
    chosen.meta = {"val": positions}
    for made in (flat, picked, result):
        made.meta = {key: value for key, value in node.meta.items() if key != "val"}
    result.meta = dict(node.meta)
    flat.meta["val"] = source.meta["val"].reshape(-1, mask.numel())
    picked.meta["val"] = flat.meta["val"][:, : len(positions)]
    node.replace_all_uses_with(result)
    graph.erase_node(node)
