"""Split an exported program into ids, lookups and the dense part."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.programs.signature import program_signature
from converters.split.axes import AxisNames, read_axes
from converters.split.body import Body, count_operators, unlift
from converters.split.carried import remark_floats
from converters.split.dense import cut_lookups, outputs_of, tidy_dense
from converters.split.find import Found, find_lookups
from converters.split.fixups import FIXUPS
from converters.split.groups import Group, group_lookups
from converters.split.hops import count_hops, program_name
from converters.split.ids import IdsPrograms
from converters.split.kept_bags import write_out
from converters.split.leftover import keep_tied, tables_left
from converters.split.matrices import Matrix
from converters.split.origins import find_or_write
from converters.split.part import Part, export_part, write_dense, write_ids
from converters.split.policy import SplitOptions
from converters.split.ranges import ranges_of
from registry.composition import Artifact, Lookup, Origin, Split, Table
from registry.errors import SplitError
from registry.signature import Input

if TYPE_CHECKING:
    from torch.export import ExportedProgram
    from torch.fx import Node


def split_program(
    program: "ExportedProgram",
    brief: Brief,
    options: SplitOptions,
    out: Path,
    find_origin: Callable[[str], Origin | None],
) -> Split:
    """Cut the lookups out of a program and write what remains of it to a folder.

    Writes `split.json`, `dense/model.pt2`, `ids/model.onnx` where ids are computed (`ids_2/…`
    where they are from rows of integer tables, and so on), and the tables that no checkpoint
    holds to `origins/`. Of other tables those of integers alone are read, for their range.

    Args:
        find_origin: Says where the checkpoint holds a key, if it does.

    Raises:
        SplitError: The program does not fit the job, or a table cannot be cut as it asks.
    """
    body = unlift(program)
    inputs, axes = _read_inputs(body, brief)
    for fix in FIXUPS:
        fix(body)
    found = find_lookups(body, options)
    keep_tied(outputs_of(body), found, options)
    write_out(body, {read.node for read, _ in found.cut})
    groups = group_lookups(found.cut, found.matrices.keys)
    lookups, ids = _look_up(groups, found, inputs)
    signature = program_signature(program, brief)
    cut = cut_lookups(body, groups, axes)
    known = {**inputs, **cut.vectors}
    wanted = ids.by_hop(cut.rows)
    computed = {hop: export_part(body, some, known, brief) for hop, some in wanted.items()}
    outputs = dict(zip((t.name for t in signature.outputs), tidy_dense(body, axes), strict=True))
    asked = [node for some in wanted.values() for node in some.values()]
    dense = export_part(body, outputs, known, brief)
    out.mkdir(parents=True, exist_ok=True)
    origins = tuple(find_or_write(m, body, out, find_origin) for m in _matrices(groups))
    programs = {hop: _write_ids(part, hop, body, out) for hop, part in computed.items()}
    tables = tuple(_table(matrix) for matrix in _matrices(groups))
    split = Split(
        signature=signature.model_copy(update={"outputs": dense.signature.outputs}),
        ids=programs.pop(0, None),
        hops=tuple(programs.values()),
        dense=write_dense(dense, ranges_of(lookups, dense.signature, tables, origins, out), out),
        tables=tables,
        lookups=lookups,
        kept=tables_left(tuple(outputs.values()), asked, found, options),
        origins=origins,
        nodes_before=count_operators(program.graph),
        nodes_after=count_operators(dense.program.graph),
        remarks=tuple(body.remarks),
    )
    (out / "split.json").write_text(split.model_dump_json(indent=2))
    return split


def _look_up(
    groups: Sequence[Group], found: Found, inputs: "Mapping[Node, Input]"
) -> tuple[tuple[Lookup, ...], IdsPrograms]:
    """Describe the lookups; the second result is what has to be computed for them."""
    matrices = found.matrices
    names = {node: tensor.name for node, tensor in inputs.items()}
    hops = count_hops(matrices.body.graph, (read for read, _ in found.cut))
    ids = IdsPrograms(body=matrices.body, inputs=names, keys=matrices.keys, hops=hops)
    for group in groups:
        remark_floats(group, names, matrices.body)
    return tuple(ids.lookup(group) for group in groups), ids


def _write_ids(part: Part, hop: int, body: Body, out: Path) -> Artifact:
    artifact, remarks = write_ids(part, program_name(hop), out)
    body.remarks += remarks
    return artifact


def _read_inputs(body: Body, brief: Brief) -> "tuple[dict[Node, Input], AxisNames]":
    if len(body.inputs) != len(brief.inputs):
        takes = ", ".join(node.name for node in body.inputs)
        says = ", ".join(given.name for given in brief.inputs)
        raise SplitError(
            f"the program takes {len(body.inputs)} inputs ({takes}), the job has"
            f" {len(brief.inputs)} ({says}): list the inputs in the program's order"
        )
    inputs = dict(zip(body.inputs, brief.inputs, strict=True))
    return inputs, read_axes(body.inputs, brief.inputs, body.graph)


def _matrices(groups: Sequence[Group]) -> tuple[Matrix, ...]:
    return tuple({group.matrix.name: group.matrix for group in groups}.values())


def _table(matrix: Matrix) -> Table:
    return Table(
        name=matrix.name,
        rows=matrix.rows,
        dim=matrix.dim,
        dtype=matrix.dtype,
        keys=matrix.keys,
        fold=matrix.fold,
    )
