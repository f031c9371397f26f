"""A bag whose weights the network computes cannot be pooled outside, but its rows can be read."""

from typing import TYPE_CHECKING

from converters.split.body import Body
from converters.split.forms import embedding_bag
from converters.split.forms.form import Read
from converters.split.roots import Roots, roots_of

if TYPE_CHECKING:
    from torch.fx import Node


def fix(body: Body) -> None:
    """Read the rows one by one, and weigh and add them in the dense part, where ids are 2-D."""
    roots: dict[Node, Roots] = {}
    for node in body.graph.nodes:
        roots[node] = roots_of(node, roots)
    for node in list(roots):
        if str(node.target) not in embedding_bag.FORM.operators:
            continue
        read = embedding_bag.read(node)
        if read and read.weights and not read.offsets and _learned(roots[read.weights], body):
            _unpool(read, body)


def _learned(roots: Roots, body: Body) -> bool:
    return any(name in body.weights and body.weights[name].learned for name in roots.weights)


def _unpool(read: Read, body: Body) -> None:
    from torch.ops import aten

    def call(operator: object, *args: object) -> "Node":
        node = body.graph.call_function(operator, args)
        node.meta = {key: value for key, value in read.node.meta.items() if key != "val"}
        values = [getattr(argument, "meta", {"val": argument})["val"] for argument in args]
        node.meta["val"] = operator(*values)  # type: ignore[operator] # an operator of torch's
        return node

    with body.graph.inserting_before(read.result):
        rows = call(aten.embedding.default, read.weight, read.ids)
        weights = read.weights
        if read.padding is not None:
            counts = call(aten.ne.Scalar, read.ids, read.padding)
            weights = call(aten.mul.Tensor, weights, counts)
        weighed = call(aten.mul.Tensor, rows, call(aten.unsqueeze.default, weights, -1))
        pooled = call(aten.sum.dim_IntList, weighed, [1])
    read.result.replace_all_uses_with(pooled)
