"""Cut a TensorFlow graph into ids, lookups and the dense part."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from converters.brief import Brief
from converters.split.choose import check_patterns, why_not
from converters.split.looked_up import LookedUp
from converters.split.policy import SplitOptions
from converters.split.variable import kept_tables
from converters.tensorflow_graphs.graph import Graph, ancestors, look_through
from converters.tensorflow_graphs.pieces import Given, taken, write_piece
from converters.tensorflow_graphs.reads import Read, find_reads
from converters.tensorflow_graphs.rows import write_variable
from registry.composition import Artifact, Kept, Lookup, Split
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
    ids = LookedUp[Any]({tensor.name: name for name, (tensor, _) in given.items()})
    lookups = tuple(_look_up(read, ids) for read in wanted)
    program = _write_ids(graph, given, ids.computed, brief, out)
    made = program.signature.outputs if program else ()
    vectors = _vectors(lookups, wanted, (*brief.inputs, *made))
    dense = _write_dense(graph, {**vectors, **given}, brief, out)
    tables = {read.variable.name: read.variable for read in wanted}
    return Split(
        signature=Signature(inputs=_plain(brief.inputs), outputs=dense.signature.outputs),
        ids=program,
        dense=dense,
        tables=tuple(one.table() for one in tables.values()),
        lookups=tuple({lookup.output: lookup for lookup in lookups}.values()),
        kept=_kept(graph, reads, wanted, options),
        origins=tuple(write_variable(graph, one, out) for one in tables.values()),
        nodes_before=_count(graph, ()),
        nodes_after=_count(graph, wanted),
    )


def _why(read: Read, options: SplitOptions) -> str | None:
    """Say why a lookup is not cut out."""
    return read.why or why_not(read.variable, options)


def _look_up(read: Read, ids: LookedUp[Any]) -> Lookup:
    tensor = look_through(read.ids)
    return ids.lookup(read.variable, tensor.name, tensor)


def _write_ids(
    graph: Graph, given: Given, computed: Mapping[str, Any], brief: Brief, out: Path
) -> Artifact | None:
    if not computed:
        return None
    return write_piece(graph, taken(given, computed), computed, brief, out / "ids")


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
    stuck = [(read.variable, why) for read in reads if (why := _why(read, options))]
    stops = [read.vectors.name for read in cut_out]
    left = {one.name for end in graph.outputs.values() for one in ancestors(end, stops)}
    return kept_tables(stuck, (one.variable for one in cut_out if one.variable.tensor in left))


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
