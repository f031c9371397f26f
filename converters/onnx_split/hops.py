"""The ids programs of an ONNX graph: one for each number of lookups in a row that come before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.onnx_models.piece import make_piece, maker_of, taken_by, write_part
from converters.onnx_split.graph import Graph, ancestors, nodes_between
from converters.onnx_split.joints import Wanted, describe, hand_on, work_out
from converters.onnx_split.reads import Read
from converters.split.hops import program_name
from registry.composition import Artifact, Lookup
from registry.signature import Dim, Input

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True)
class Joint:
    """A lookup that is cut: as it stood in the graph, and as it is now."""

    read: Read
    lookup: Lookup

    def vectors(self, ids: Sequence[Dim]) -> Input:
        """Describe what is given in its place for ids of a shape."""
        shape = (*(ids[:-1] if self.read.greatest else ids), self.read.variable.dim)
        return Input(name=self.lookup.output, dtype=self.lookup.dtype, shape=shape)


@dataclass(frozen=True)
class Hops:
    """The ids programs, and what lookups give.

    Attributes:
        programs: By the number of lookups before them.
        vectors: By their names.
    """

    programs: dict[int, Artifact]
    vectors: dict[str, Input]


def write_hops(
    graph: Graph, joints: Sequence[Joint], computed: Mapping[str, Wanted], brief: Brief, out: Path
) -> Hops:
    """Write each program once what it takes is known.

    Args:
        computed: What the programs have to compute.
    """
    made = Hops(programs={}, vectors={})
    shapes = {one.name: one.shape for one in brief.inputs}
    hops = _count(graph, joints)
    for hop in sorted({hops[joint.read.ids] for joint in joints}):
        asked = {name: one for name, one in computed.items() if hops[one.ids] == hop}
        if asked:
            piece = _program(graph, joints, asked, made.vectors)
            program = write(piece, made.vectors, brief, out / program_name(hop))
            made.programs[hop] = program
            shapes |= {one.name: one.shape for one in program.signature.outputs}
        for joint in joints:
            if hops[joint.read.ids] == hop:
                given = joint.vectors(shapes[joint.lookup.ids])
                made.vectors[given.name], shapes[given.name] = given, given.shape
    return made


def nodes_behind(
    graph: Graph, joints: Sequence[Joint], ends: Iterable[str]
) -> "list[onnx.NodeProto]":
    """List what values are computed with from vectors and inputs, in order."""
    stops = {joint.read.vectors: joint for joint in joints}
    wanted = list(ends)
    used = set(ancestors(graph, wanted, stops)) & set(stops)
    handed = [
        node
        for name, joint in stops.items()
        if name in used
        for node in hand_on(graph, joint.lookup.output, joint.read)
    ]
    return handed + nodes_between(graph, wanted, stops)


def write(
    piece: "onnx.ModelProto", vectors: Mapping[str, Input], brief: Brief, folder: Path
) -> Artifact:
    """Write a part that takes vectors and inputs of the job."""
    inputs = {**{one.name: one for one in brief.inputs}, **vectors}
    given = tuple(inputs[value.name] for value in piece.graph.input)
    outputs = tuple(value.name for value in piece.graph.output)
    own = replace(brief, inputs=given, outputs=outputs)
    return write_part(piece, own, folder, maker_of(piece))


def _program(
    graph: Graph,
    joints: Sequence[Joint],
    asked: Mapping[str, Wanted],
    vectors: Mapping[str, Input],
) -> "onnx.ModelProto":
    kept = nodes_behind(graph, joints, (ids for ids, _ in asked.values()))
    for name, wanted in asked.items():
        kept += work_out(graph, name, wanted)
    inputs = (*graph.inputs.values(), *map(describe, vectors.values()))
    outputs = (_renamed(graph.values[ids], name) for name, (ids, _) in asked.items())
    return make_piece(graph.model, kept, inputs, outputs)


def _count(graph: Graph, joints: Iterable[Joint]) -> dict[str, int]:
    """Count for each value the lookups that are cut on the longest way to it."""
    rows = {joint.read.vectors for joint in joints}
    hops = dict.fromkeys((*graph.inputs, *graph.stored), 0)
    for node in graph.model.graph.node:
        before = max((hops.get(name, 0) for name in taken_by(node)), default=0)
        for name in node.output:
            hops[name] = before + (name in rows)
    return hops


def _renamed(value: "onnx.ValueInfoProto", name: str) -> "onnx.ValueInfoProto":
    import onnx

    made = onnx.ValueInfoProto()
    made.CopyFrom(value)
    made.name = name
    return made
