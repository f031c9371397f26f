"""Cut a TensorFlow graph into ids, lookups and the dense part."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from converters.brief import Brief
from converters.split.looked_up import LookedUp
from converters.split.policy import SplitOptions
from converters.split.ranges import ranges_of
from converters.split.variable import kept_tables
from converters.tensorflow_graphs.dense_use import left_of, without_tied
from converters.tensorflow_graphs.graph import Graph, ancestors, look_through
from converters.tensorflow_graphs.hops import Joint, write_hops
from converters.tensorflow_graphs.pieces import Given, taken, write_piece
from converters.tensorflow_graphs.reads import Read, find_reads
from converters.tensorflow_graphs.rows import write_variable
from registry.composition import Artifact, Lookup, Split
from registry.signature import Input, Signature, Tensor


def cut(graph: Graph, given: Given, brief: Brief, options: SplitOptions, out: Path) -> Split:
    """Write the parts, and the rows of the tables that are cut, and say what they are.

    Args:
        given: What stands for each of the job's inputs.

    Raises:
        SplitError: The job names a table that there is not, or forbids one that there is.
    """
    reads = find_reads(graph, {name: tensor for name, (tensor, _) in given.items()}, options)
    found = without_tied(graph, reads, options)
    ids = LookedUp[Any]({tensor.name: name for name, (tensor, _) in given.items()})
    joints = tuple(Joint(read, _look_up(read, ids)) for read in found.cut)
    hops = write_hops(graph, joints, ids.computed, given, (brief, out))
    dense = _write_dense(graph, {**hops.vectors, **given}, brief, out)
    variables = {read.variable.name: read.variable for read in found.cut}.values()
    tables = tuple(one.table() for one in variables)
    lookups = tuple({joint.lookup.output: joint.lookup for joint in joints}.values())
    origins = tuple(write_variable(graph, one, out) for one in variables)
    ranges = ranges_of(lookups, dense.signature, tables, origins, out)
    left = left_of(graph, found.cut)
    return Split(
        signature=Signature(inputs=_plain(brief.inputs), outputs=dense.signature.outputs),
        ids=hops.programs.pop(0, None),
        hops=tuple(hops.programs.values()),
        dense=dense.model_copy(update={"ranges": ranges}),
        tables=tables,
        lookups=lookups,
        kept=kept_tables(found.stuck, (one for one in variables if one.tensor in left)),
        origins=origins,
        nodes_before=_count(graph, ()),
        nodes_after=_count(graph, found.cut),
    )


def _look_up(read: Read, ids: LookedUp[Any]) -> Lookup:
    tensor = look_through(read.ids)
    lookup = ids.lookup(read.variable, tensor.name, tensor)
    if read.variable.holds_ids:
        ids.hand_on(read.vectors.name, lookup.output)
    return lookup


def _write_dense(graph: Graph, given: Given, brief: Brief, out: Path) -> Artifact:
    outputs = dict(zip(brief.outputs or graph.outputs, graph.outputs.values(), strict=True))
    return write_piece(graph, taken(given, outputs), outputs, brief, out / "dense")


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
