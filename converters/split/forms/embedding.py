"""`torch.nn.Embedding` and `torch.nn.functional.embedding`."""

from typing import TYPE_CHECKING

from converters.split.forms.form import Form, Read

if TYPE_CHECKING:
    from torch.fx import Node


def read(node: "Node") -> Read:
    """Read it; `padding_idx` matters to training alone."""
    weight, ids = node.args[:2]
    return Read(node=node, result=node, weight=weight, ids=ids)


FORM = Form(operators=frozenset({"aten.embedding.default"}), read=read)
