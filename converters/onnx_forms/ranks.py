"""`atleast_1d` of tensors whose rank is known: the exporter's form branches on it in the graph."""

from collections.abc import Sequence
from typing import Any


def atleast_1d(self: Any) -> Any:  # noqa: ANN401 - values of a graph that is being written
    """Give a scalar an axis; others are what they are."""
    from onnxscript import opset18 as op

    if len(self.shape) > 0:
        return op.Identity(self)
    return op.Reshape(self, op.Constant(value_ints=[1]))


def each_atleast_1d(tensors: Sequence[Any]) -> list[Any]:
    """Do so for each of several tensors."""
    return [atleast_1d(tensor) for tensor in tensors]
