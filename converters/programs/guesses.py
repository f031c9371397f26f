"""What a saved program tells of its inputs and tables, for a first job."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from converters.brief import Arrays, Inspection
from converters.dtypes import dtype_of_torch
from converters.programs.signature import input_values, named_shape, output_names, output_tree
from converters.sample_values import guess_range
from registry.signature import Axis, Ids, Input

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram
    from torch.fx import Node

#: Operators that pass an input's values on as they are.
_SAME = ("to", "_to_copy", "clone", "contiguous", "alias", "view", "reshape", "unsqueeze")


@dataclass(frozen=True)
class _Reads:
    """Which placeholders are looked up where, by their names in the graph.

    Attributes:
        tables: Ids → the table that they name rows of.
        bags: Offsets → the ids that they cut into bags.
    """

    tables: dict[str, str]
    bags: dict[str, str]


def guess_program(program: "ExportedProgram", samples: Arrays) -> Inspection:
    """Read the inputs of a program; its symbols become axes, the first one the batch."""
    axes = _axes(program)
    reads = _reads(program)
    tables = _tables(program, reads)
    inputs = []
    for name, value in zip(program.graph_signature.user_inputs, input_values(program), strict=True):
        given = Input(
            name=str(name),
            dtype=dtype_of_torch(value.dtype),
            shape=named_shape(value.shape, axes),
        )
        rows = tables.get(reads.tables.get(str(name), ""))
        told, said = _told(given, value, rows[0] if rows else None, samples)
        if of := reads.bags.get(str(name)):
            told, said = {"offsets": of}, f"starts the bags of {of}"
        inputs.append((given.model_copy(update=told), said))
    return Inspection(
        inputs=tuple(inputs),
        outputs=output_names(output_tree(program), ()),
        axes={name: _range(program, symbol) for symbol, name in axes.items()},
        tables=tuple(
            (re.sub(r"\W+", "_", name.removesuffix(".weight")), rows, dim)
            for name, (rows, dim) in tables.items()
        ),
    )


def _told(
    given: Input, value: "torch.Tensor", rows: int | None, samples: Arrays
) -> tuple[dict[str, object], str]:
    """Say which values an input may hold."""
    if value.dtype.is_floating_point or given.dtype.value == "bool":
        return {}, "as the program says"
    if rows is not None:
        return {"ids": Ids(cardinality=rows)}, "cardinality of its table"
    values, said = guess_range(samples.get(given.name))
    return {"range": values}, said


def _reads(program: "ExportedProgram") -> _Reads:
    weights = {
        spec.arg.name: str(spec.target)
        for spec in program.graph_signature.input_specs
        if spec.target is not None
    }
    reads = _Reads({}, {})
    for node in program.graph.nodes:
        table, ids, offsets = _lookup(node)
        if table is None or ids is None or table.name not in weights:
            continue
        reads.tables.setdefault(_first(ids), weights[table.name])
        if offsets is not None:
            reads.bags[_first(offsets)] = _first(ids)
    return reads


def _lookup(node: "Node") -> "tuple[Node | None, Node | None, Node | None]":
    """Take a lookup apart: table, ids and, of bags, offsets."""
    name = getattr(getattr(node.target, "overloadpacket", None), "__name__", "")
    arguments = (*node.args, None, None, None)
    table, second, third = arguments[:3]
    if name in ("embedding", "embedding_bag", "_embedding_bag", "_embedding_bag_forward_only"):
        ids, offsets = second, third if "bag" in name else None
    elif name == "index_select" and second == 0:
        ids, offsets = third, None
    elif name == "index" and isinstance(second, list | tuple) and len(second) == 1:
        ids, offsets = second[0], None
    else:
        return None, None, None
    return _node(table), _node(ids), _node(offsets)


def _node(given: object) -> "Node | None":
    import torch

    return given if isinstance(given, torch.fx.Node) else None


def _first(node: "Node") -> str:
    """Follow values back to where they come from unchanged."""
    while getattr(getattr(node.target, "overloadpacket", None), "__name__", "") in _SAME:
        before = _node(node.args[0])
        if before is None:
            break
        node = before
    return str(node.name)


def _tables(program: "ExportedProgram", reads: _Reads) -> dict[str, tuple[int, int]]:
    """Give the matrices that are read: name → (rows, dim)."""
    stored = {**program.state_dict, **program.constants}
    shapes = {
        name: tuple(stored[name].shape)
        for name in dict.fromkeys(reads.tables.values())
        if name in stored
    }
    return {name: (shape[0], shape[1]) for name, shape in shapes.items() if len(shape) == 2}


def _axes(program: "ExportedProgram") -> dict[str, str]:
    """Name the symbols: the first of an input's leading axis is the batch."""
    symbols = dict.fromkeys(
        str(size)
        for value in input_values(program)
        for size in value.shape
        if not str(size).isdecimal()
    )
    return {symbol: "batch" if at == 0 else f"axis_{at}" for at, symbol in enumerate(symbols)}


def _range(program: "ExportedProgram", symbol: str) -> Axis:
    for known, limits in program.range_constraints.items():
        if str(known) == symbol:
            high = int(limits.upper) if str(limits.upper).isdecimal() else Axis().max
            return Axis(min=max(0, int(limits.lower)), max=max(1, high))
    return Axis()
