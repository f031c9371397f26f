"""Ids of a program that come as floats, which cannot count far."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from converters.split.body import Body
from converters.split.extract import needed
from converters.split.float_ids import float_fault
from converters.split.groups import Group

if TYPE_CHECKING:
    from torch.fx import Node


def remark_floats(group: Group, inputs: "Mapping[Node, str]", body: Body) -> None:
    """Remark on ids that are cast from floats too narrow for the table's rows."""
    matrix = group.matrix
    for node in needed([group.first.ids]):
        if node not in inputs or "val" not in node.meta:
            continue
        dtype = str(node.meta["val"].dtype).removeprefix("torch.")
        if fault := float_fault(matrix.name, matrix.rows, dtype, inputs[node]):
            body.remark(fault)
