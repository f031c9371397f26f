"""Bags that stay in the dense part, in operators that every runtime has.

torch's exporter writes an EmbeddingBag as a loop over bags, which OpenVINO does not convert.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from converters.split.body import Body
from converters.split.forms import embedding_bag
from converters.split.forms.form import Read

if TYPE_CHECKING:
    from torch.fx import Node

_LOWEST = -math.inf


@dataclass(frozen=True)
class _Writer:
    """Writes nodes of a graph in the place of a bag's."""

    body: Body
    like: "Node"

    def __call__(self, operator: object, *args: object) -> "Node":
        node = self.body.graph.call_function(operator, args)
        node.meta = {key: value for key, value in self.like.meta.items() if key != "val"}
        values = [getattr(argument, "meta", {"val": argument})["val"] for argument in args]
        node.meta["val"] = operator(*values)  # type: ignore[operator] # an operator of torch's
        return node


def write_out(body: Body, cut: "Collection[Node]") -> None:
    """Read the rows of each bag that is not cut, and pool them by plain operators."""
    for node in list(body.graph.nodes):
        if str(node.target) not in embedding_bag.FORM.operators or node in cut:
            continue
        if (read := embedding_bag.read(node)) and read.result.users:
            with body.graph.inserting_before(read.result):
                pooled = _pooled(read, _Writer(body, node))
            read.result.replace_all_uses_with(pooled)


def _pooled(read: Read, write: _Writer) -> "Node":
    from torch.ops import aten

    rows = write(aten.embedding.default, read.weight, read.ids)
    if read.weights is not None:
        rows = write(aten.mul.Tensor, rows, write(aten.unsqueeze.default, read.weights, -1))
    counted = write(aten.ne.Scalar, read.ids, -1 if read.padding is None else read.padding)
    if read.padding is not None:
        left = write(aten.logical_not.default, write(aten.unsqueeze.default, counted, -1))
        neutral = _LOWEST if read.mode == "max" else 0.0
        rows = write(aten.masked_fill.Scalar, rows, left, neutral)
    pool = _by_row if read.offsets is None else _by_offsets
    pooled = pool(read, rows, write)
    if read.mode == "max":
        empty = write(aten.eq.Scalar, pooled, _LOWEST)
        return write(aten.masked_fill.Scalar, pooled, empty, 0.0)
    if read.mode != "mean":
        return pooled
    ones = write(aten.unsqueeze.default, counted, -1)
    ones = write(aten.to.dtype, ones, rows.meta["val"].dtype)
    counts = write(aten.clamp_min.default, pool(read, ones, write), 1.0)
    return write(aten.div.Tensor, pooled, counts)


def _by_row(read: Read, values: "Node", write: _Writer) -> "Node":
    """Pool [bags, n, dim] of 2-D ids; a lowest row more makes a bag of no ids well defined."""
    from torch.ops import aten

    if read.mode != "max":
        return write(aten.sum.dim_IntList, values, [1])
    longer = write(aten.constant_pad_nd.default, values, [0, 0, 1, 0], _LOWEST)
    return write(aten.amax.default, longer, [1])


def _by_offsets(read: Read, values: "Node", write: _Writer) -> "Node":
    """Pool [n, dim] of 1-D ids: a row belongs to the last bag that starts at it or before."""
    from torch.ops import aten

    starts = read.offsets
    if read.includes_last:
        starts = write(aten.slice.Tensor, starts, 0, 0, -1)
    # A bag may start behind the last id, so there is one place more.
    begun = write(aten.constant_pad_nd.default, write(aten.zeros_like.default, read.ids), [0, 1])
    ones = write(aten.to.dtype, write(aten.ones_like.default, starts), begun.meta["val"].dtype)
    begun = write(aten.scatter_reduce.two, begun, 0, starts, ones, "sum")
    begun = write(aten.slice.Tensor, begun, 0, 0, -1)
    bag = write(aten.sub.Tensor, write(aten.cumsum.default, begun, 0), 1)
    dim = values.meta["val"].shape[1]
    places = write(aten.expand.default, write(aten.unsqueeze.default, bag, 1), [-1, dim])
    none = write(aten.zeros_like.default, write(aten.unsqueeze.default, starts, 1))
    none = write(aten.to.dtype, none, values.meta["val"].dtype)
    none = write(aten.expand.default, none, [-1, dim])
    if read.mode != "max":
        return write(aten.scatter_reduce.two, none, 0, places, values, "sum")
    lowest = write(aten.full_like.default, none, _LOWEST)
    return write(aten.scatter_reduce.two, lowest, 0, places, values, "amax")
