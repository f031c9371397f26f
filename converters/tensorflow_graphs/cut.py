"""Cut a TensorFlow graph into ids, lookups and the dense part."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from converters.brief import Brief
from converters.split.choose import check_patterns, why_not
from converters.split.policy import SplitOptions
from converters.tensorflow_graphs.graph import Graph, ancestors
from converters.tensorflow_graphs.ids import Ids
from converters.tensorflow_graphs.pieces import Given, taken, write_piece
from converters.tensorflow_graphs.reads import Read, Variable, find_reads
from converters.tensorflow_graphs.rows import write_rows
from registry.composition import Artifact, Kept, Lookup, Split, Table
from registry.signature import Input, Signature, Tensor


def cut(graph: Graph, given: Given, brief: Brief, options: SplitOptions, out: Path) -> Split:
    """Write the parts, and the rows of the tables that are cut, and say what they are.

    Args:
        given: What stands for each of the job's inputs.

    Raises:
        SplitError: The job names a table that there is not.
    """
    reads = find_reads(graph, {name: tensor for name, (tensor, _) in given.items()})
    check_patterns((read.variable for read in reads), options)
    wanted = tuple(read for read in reads if _why(read, options) is None)
    ids = Ids(given)
    lookups = tuple(map(ids.lookup, wanted))
    program = _write_ids(graph, given, ids, brief, out)
    made = program.signature.outputs if program else ()
    vectors = _vectors(lookups, wanted, (*brief.inputs, *made))
    dense = _write_dense(graph, {**vectors, **given}, brief, out)
    tables = {read.variable.name: read.variable for read in wanted}
    return Split(
        signature=Signature(inputs=_plain(brief.inputs), outputs=dense.signature.outputs),
        ids=program,
        dense=dense,
        tables=tuple(map(_table, tables.values())),
        lookups=tuple({lookup.output: lookup for lookup in lookups}.values()),
        kept=_kept(graph, reads, wanted, options),
        origins=tuple(write_rows(graph, one, out) for one in tables.values()),
        nodes_before=_count(graph, ()),
        nodes_after=_count(graph, wanted),
    )


def _why(read: Read, options: SplitOptions) -> str | None:
    """Say why a lookup is not cut out."""
    return read.why or why_not(read.variable, options)


def _write_ids(graph: Graph, given: Given, ids: Ids, brief: Brief, out: Path) -> Artifact | None:
    if not ids.computed:
        return None
    return write_piece(graph, taken(given, ids.computed), ids.computed, brief, out / "ids")


def _write_dense(graph: Graph, given: Given, brief: Brief, out: Path) -> Artifact:
    outputs = dict(zip(brief.outputs or graph.outputs, graph.outputs.values(), strict=True))
    return write_piece(graph, taken(given, outputs), outputs, brief, out / "dense")


def _vectors(lookups: Sequence[Lookup], reads: Sequence[Read], known: Iterable[Tensor]) -> Given:
    """Return what the dense part takes in the place of each lookup."""
    shapes = {tensor.name: tensor.shape for tensor in known}
    return {
        lookup.output: (
            read.vectors,
            Input(
                name=lookup.output,
                dtype=read.variable.dtype,
                shape=(*shapes[lookup.ids], read.variable.dim),
            ),
        )
        for lookup, read in zip(lookups, reads, strict=True)
    }


def _kept(
    graph: Graph, reads: Sequence[Read], cut_out: Sequence[Read], options: SplitOptions
) -> tuple[Kept, ...]:
    """Say of each table that stays in the dense part, whole or as a copy, why."""
    whys: dict[str, tuple[Variable, str]] = {}
    for read in reads:
        if why := _why(read, options):
            whys.setdefault(read.variable.name, (read.variable, why))
    stops = [read.vectors.name for read in cut_out]
    left = {one.name for end in graph.outputs.values() for one in ancestors(end, stops)}
    for read in cut_out:
        if read.variable.tensor in left:
            why = "cut for its lookups, and a copy stays: it is also used densely"
            whys.setdefault(read.variable.name, (read.variable, why))
    return tuple(
        Kept(table=one.name, rows=one.rows, dim=one.dim, bytes=one.bytes, why=why)
        for one, why in whys.values()
    )


def _table(variable: Variable) -> Table:
    return Table(
        name=variable.name,
        rows=variable.rows,
        dim=variable.dim,
        dtype=variable.dtype,
        keys=variable.keys,
    )


def _plain(inputs: Iterable[Input]) -> tuple[Tensor, ...]:
    return tuple(Tensor(name=one.name, dtype=one.dtype, shape=one.shape) for one in inputs)


def _count(graph: Graph, cut_out: Iterable[Read]) -> dict[str, int]:
    """Count the operations that the outputs are computed with."""
    stops = [read.vectors.name for read in cut_out]
    names = {
        one.op.name: one.op.type
        for end in graph.outputs.values()
        for one in ancestors(end, stops)
        if one.name not in stops
    }
    return dict(sorted(Counter(names.values()).items()))
