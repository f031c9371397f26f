"""Work out, once and for all, what no input has a say in."""

from typing import TYPE_CHECKING

from converters.split.body import Body, is_tensor
from converters.split.extract import extract, needed
from converters.split.matrices import express
from registry.errors import SplitError

if TYPE_CHECKING:
    import torch
    from torch.fx import Node


def memory_of(node: "Node", body: Body) -> int:
    """Forecast the bytes that working out an expression takes; weights stay in their files.

    A value is held from when it is computed to its last use.
    """
    inside = needed([node])
    order = [one for one in body.graph.nodes if one in inside]
    last = {source: one for one in order for source in one.all_input_nodes}
    held = most = 0
    for one in order:
        held += _bytes(one)
        most = max(most, held)
        held -= sum(_bytes(source) for source in set(one.all_input_nodes) if last[source] is one)
    return most


def _bytes(node: "Node") -> int:
    made = node.op == "call_function" and is_tensor(node)
    return int(node.meta["val"].nbytes) if made else 0


def evaluate(node: "Node", body: Body) -> "torch.Tensor":
    """Compute an expression of weights and constants.

    Raises:
        SplitError: A weight has no values, or an operator fails on them.
    """
    import torch

    module, _ = extract(body, [node], own_weights=False)
    try:
        with torch.no_grad():
            (value,) = module()
    except Exception as error:
        raise SplitError(
            f"table {express(node, body)}: cannot be computed from the weights: {error}."
            " Give the job the checkpoint with the weights, or keep the table (split.keep)"
        ) from error
    if isinstance(value, torch._subclasses.FakeTensor):
        raise SplitError(
            f"table {express(node, body)}: the weights have no values. Give the job the"
            " checkpoint with the weights, or keep the table (split.keep)"
        )
    return value
