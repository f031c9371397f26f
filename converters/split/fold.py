"""Work out, once and for all, what no input has a say in."""

from typing import TYPE_CHECKING

from converters.split.body import Body
from converters.split.extract import extract
from converters.split.matrices import express
from registry.errors import SplitError

if TYPE_CHECKING:
    import torch
    from torch.fx import Node


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
