"""Cut an ONNX graph into ids, lookups and the dense part."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.onnx_models.files import nodes, signature_of
from converters.onnx_models.piece import make_piece, maker_of, write_part
from converters.onnx_split.graph import Graph, ancestors, nodes_between
from converters.onnx_split.ids import number_values
from converters.onnx_split.joints import Wanted, describe, hand_on, work_out
from converters.onnx_split.reads import Found, Read
from converters.onnx_split.rows import copy_weights, find_or_write
from converters.split.float_ids import float_fault
from converters.split.looked_up import LookedUp
from converters.split.variable import kept_tables
from registry.composition import Artifact, Lookup, Remark, Split
from registry.signature import Dim, Input

if TYPE_CHECKING:
    import onnx


def cut(graph: Graph, found: Found, brief: Brief, source: Path, out: Path) -> Split:
    """Write the parts, say where the rows of the tables lie, and what all that is.

    Args:
        source: The folder of the model's file.
    """
    numbers = number_values(graph)
    ids = LookedUp[Wanted]({(numbers[name], 0): name for name in graph.inputs}, graph.names())
    lookups = tuple(_look_up(read, ids, numbers) for read in found.cut)
    program = _write_ids(graph, ids.computed, brief, out)
    known = (*brief.inputs, *(program.signature.outputs if program else ()))
    vectors = _vectors(lookups, found.cut, {one.name: one.shape for one in known})
    dense = _dense(graph, found.cut, lookups, vectors)
    copy_weights(dense, source, out / "dense")
    tables = {read.variable.name: read.variable for read in found.cut}.values()
    left = set(ancestors(graph, graph.outputs, [read.vectors for read in found.cut]))
    return Split(
        signature=signature_of(graph.model),
        ids=program,
        dense=_write(
            dense, {**{one.name: one for one in brief.inputs}, **vectors}, brief, out / "dense"
        ),
        tables=tuple(one.table() for one in tables),
        lookups=tuple({lookup.output: lookup for lookup in lookups}.values()),
        kept=kept_tables(found.stuck, (one for one in tables if one.tensor in left)),
        origins=tuple(find_or_write(one, graph.stored[one.tensor], source, out) for one in tables),
        nodes_before=_count(graph.model),
        nodes_after=_count(dense),
        remarks=tuple(dict.fromkeys(_float_faults(graph, found.cut))),
    )


def _look_up(read: Read, ids: LookedUp[Wanted], numbers: Mapping[str, int]) -> Lookup:
    wanted = Wanted(read.ids, read.variable.rows if read.wraps else 0)
    return ids.lookup(read.variable, (numbers[read.ids], wanted.rows), wanted)


def _vectors(
    lookups: Sequence[Lookup], reads: Sequence[Read], shapes: Mapping[str, tuple[Dim, ...]]
) -> dict[str, Input]:
    """Describe what the dense part takes in the place of the lookups."""
    return {
        lookup.output: Input(
            name=lookup.output,
            dtype=lookup.dtype,
            shape=(*shapes[lookup.ids], read.variable.dim),
        )
        for lookup, read in zip(lookups, reads, strict=True)
    }


def _write_ids(
    graph: Graph, computed: Mapping[str, Wanted], brief: Brief, out: Path
) -> Artifact | None:
    if not computed:
        return None
    kept = nodes_between(graph, (ids for ids, _ in computed.values()), graph.inputs)
    for name, wanted in computed.items():
        kept += work_out(graph, name, wanted)
    outputs = (_renamed(graph.values[ids], name) for name, (ids, _) in computed.items())
    piece = make_piece(graph.model, kept, graph.inputs.values(), outputs)
    return _write(piece, {one.name: one for one in brief.inputs}, brief, out / "ids")


def _dense(
    graph: Graph, reads: Sequence[Read], lookups: Sequence[Lookup], vectors: Mapping[str, Input]
) -> "onnx.ModelProto":
    """Put together what is computed from vectors and other inputs."""
    stops = {read.vectors: (read, lookup) for read, lookup in zip(reads, lookups, strict=True)}
    used = set(ancestors(graph, graph.outputs, stops)) & set(stops)
    kept = [
        node
        for name in stops
        if name in used
        for node in hand_on(graph, stops[name][1].output, stops[name][0])
    ]
    kept += nodes_between(graph, graph.outputs, stops)
    inputs = (*graph.inputs.values(), *map(describe, vectors.values()))
    return make_piece(graph.model, kept, inputs, graph.outputs.values())


def _write(
    piece: "onnx.ModelProto", inputs: Mapping[str, Input], brief: Brief, folder: Path
) -> Artifact:
    given = tuple(inputs[value.name] for value in piece.graph.input)
    outputs = tuple(value.name for value in piece.graph.output)
    own = replace(brief, inputs=given, outputs=outputs)
    return write_part(piece, own, folder, maker_of(piece))


def _renamed(value: "onnx.ValueInfoProto", name: str) -> "onnx.ValueInfoProto":
    import onnx

    made = onnx.ValueInfoProto()
    made.CopyFrom(value)
    made.name = name
    return made


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
