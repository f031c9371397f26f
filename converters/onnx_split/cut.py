"""Cut an ONNX graph into ids, lookups and the dense part."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.onnx_models.files import nodes, signature_of
from converters.onnx_models.piece import make_piece
from converters.onnx_split.fold import evaluate
from converters.onnx_split.graph import Graph, ancestors
from converters.onnx_split.hops import Joint, nodes_behind, write, write_hops
from converters.onnx_split.ids import number_values
from converters.onnx_split.joints import Wanted, describe
from converters.onnx_split.reads import Found, Read
from converters.onnx_split.rows import copy_weights, find_or_write, write_folded
from converters.split.float_ids import float_fault
from converters.split.looked_up import LookedUp
from converters.split.ranges import ranges_of
from converters.split.variable import Variable, kept_tables
from registry.composition import Lookup, Origin, Remark, Split
from registry.signature import Input

if TYPE_CHECKING:
    import onnx


def cut(graph: Graph, found: Found, brief: Brief, source: Path, out: Path) -> Split:
    """Write the parts, say where the rows of the tables lie, and what all that is.

    Args:
        source: The folder of the model's file.
    """
    numbers = number_values(graph)
    ids = LookedUp[Wanted]({(numbers[name], 0): name for name in graph.inputs}, graph.names())
    joints = tuple(Joint(read, _look_up(read, ids, numbers)) for read in found.cut)
    hops = write_hops(graph, joints, ids.computed, brief, out)
    dense = _dense(graph, joints, hops.vectors)
    copy_weights(dense, source, out / "dense")
    variables = {read.variable.name: read.variable for read in found.cut}.values()
    left = set(ancestors(graph, graph.outputs, [read.vectors for read in found.cut]))
    tables = tuple(one.table() for one in variables)
    lookups = tuple({joint.lookup.output: joint.lookup for joint in joints}.values())
    origins = tuple(_origin(graph, one, source, out) for one in variables)
    written = write(dense, hops.vectors, brief, out / "dense")
    ranges = ranges_of(lookups, written.signature, tables, origins, out)
    return Split(
        signature=signature_of(graph.model),
        ids=hops.programs.pop(0, None),
        hops=tuple(hops.programs.values()),
        dense=written.model_copy(update={"ranges": ranges}),
        tables=tables,
        lookups=lookups,
        kept=kept_tables(found.stuck, (one for one in variables if one.tensor in left)),
        origins=origins,
        nodes_before=_count(graph.model),
        nodes_after=_count(dense),
        remarks=tuple(dict.fromkeys((*_folded(variables), *_float_faults(graph, found.cut)))),
    )


def _look_up(read: Read, ids: LookedUp[Wanted], numbers: Mapping[str, int]) -> Lookup:
    wanted = Wanted(read.ids, read.variable.rows if read.wraps else 0)
    lookup = ids.lookup(read.variable, (numbers[read.ids], wanted.rows), wanted, bags=read.greatest)
    return lookup.model_copy(update={"mode": "max"}) if read.greatest else lookup


def _origin(graph: Graph, variable: Variable, source: Path, out: Path) -> Origin:
    if variable.fold is None:
        return find_or_write(variable, graph.stored[variable.tensor], source, out)
    return write_folded(variable, evaluate(graph, variable.tensor, source), out)


def _folded(variables: Iterable[Variable]) -> Iterator[Remark]:
    """Remark on tables that are expressions of the file's weights."""
    for one in variables:
        if one.fold is not None:
            text = (
                f"table {one.name} is {one.fold}: worked out once, here, in memory, and"
                f" {one.bytes} bytes on disk; new weights need it done again"
            )
            yield Remark(by="split", text=text)


def _dense(
    graph: Graph, joints: Sequence[Joint], vectors: Mapping[str, Input]
) -> "onnx.ModelProto":
    """Put together what is computed from vectors and other inputs."""
    kept = nodes_behind(graph, joints, graph.outputs)
    inputs = (*graph.inputs.values(), *map(describe, vectors.values()))
    return make_piece(graph.model, kept, inputs, graph.outputs.values())


def _count(model: "onnx.ModelProto") -> dict[str, int]:
    return dict(Counter(node.op_type for node in nodes(model.graph)))


def _float_faults(graph: Graph, reads: Iterable[Read]) -> Iterator[Remark]:
    """Remark on ids that come as floats too narrow for the rows of a table."""
    import onnx

    for read in reads:
        for name in ancestors(graph, [read.ids], by_value=True):
            if name not in graph.inputs:
                continue
            kind = onnx.helper.tensor_dtype_to_np_dtype(graph.kind(name)).name
            if fault := float_fault(read.variable.name, read.variable.rows, kind, name):
                yield Remark(by="split", text=fault)
