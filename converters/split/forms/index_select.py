"""`torch.index_select` along the rows."""

from typing import TYPE_CHECKING

from converters.split.forms.form import Form, Read, arguments

if TYPE_CHECKING:
    from torch.fx import Node


def read(node: "Node") -> Read | None:
    """Read it where it picks rows."""
    given = arguments(node)
    weight, ids = node.args[0], given["index"]
    along = given["dim"]
    if along not in (0, -weight.meta["val"].dim()) or ids.meta["val"].dim() != 1:
        return None
    return Read(node=node, result=node, weight=weight, ids=ids)


FORM = Form(operators=frozenset({"aten.index_select.default"}), read=read)
