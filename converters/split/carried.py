"""Ids that come as floats, which cannot count far."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from converters.split.body import Body
from converters.split.extract import needed
from converters.split.groups import Group

if TYPE_CHECKING:
    from torch.fx import Node

#: Up to here a float of the kind counts without gaps.
_EXACT = {"torch.float32": 1 << 24, "torch.float16": 1 << 11, "torch.bfloat16": 1 << 8}


def remark_floats(group: Group, inputs: "Mapping[Node, str]", body: Body) -> None:
    """Remark on ids that are cast from floats too narrow for the table's rows."""
    for node in needed([group.first.ids]):
        limit = _EXACT.get(_dtype(node), 0) if node in inputs else 0
        if limit and group.matrix.rows > limit:
            body.remark(
                f"ids of table {group.matrix.name} ({group.matrix.rows} rows) come in as"
                f" {_dtype(node)} by the input {inputs[node]}, which tells ids apart up to {limit}"
                " alone, in the original as here: take them as int64"
            )


def _dtype(node: "Node") -> str:
    return str(node.meta["val"].dtype) if "val" in node.meta else ""
