"""Advanced indexing into the rows of a tensor: `weight[ids]`."""

from typing import TYPE_CHECKING

from converters.split.forms.form import Form, Read

if TYPE_CHECKING:
    from torch.fx import Node


def read(node: "Node") -> Read | None:
    """Read it where rows alone are picked, by integers; here negative ids count from the end."""
    weight, indices = node.args[:2]
    ids, *others = indices
    if ids is None or any(other is not None for other in others):
        return None
    if str(ids.meta["val"].dtype) in {"torch.bool", "torch.uint8"}:
        return None
    return Read(node=node, result=node, weight=weight, ids=ids, wraps=True)


FORM = Form(operators=frozenset({"aten.index.Tensor"}), read=read)
