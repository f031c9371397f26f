"""The ids programs of a TensorFlow graph: one for each number of lookups in a row before them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from converters.brief import Brief
from converters.split.hops import program_name
from converters.tensorflow_graphs.graph import Graph
from converters.tensorflow_graphs.pieces import Given, taken, write_piece
from converters.tensorflow_graphs.reads import Read
from registry.composition import Artifact, Lookup
from registry.signature import Dim, Input


@dataclass(frozen=True)
class Joint:
    """A lookup that is cut: as it stood in the graph, and as it is now."""

    read: Read
    lookup: Lookup

    def vectors(self, ids: Sequence[Dim]) -> tuple[Any, Input]:
        """Return what stands in its place for ids of a shape."""
        shape = (*ids, self.read.variable.dim)
        return self.read.vectors, Input(
            name=self.lookup.output, dtype=self.lookup.dtype, shape=shape
        )


@dataclass(frozen=True)
class Hops:
    """The ids programs, and what lookups give.

    Attributes:
        programs: By the number of lookups before them.
        vectors: By their names.
    """

    programs: dict[int, Artifact] = field(default_factory=dict)
    vectors: dict[str, tuple[Any, Input]] = field(default_factory=dict)


def write_hops(
    graph: Graph,
    joints: Sequence[Joint],
    computed: Mapping[str, Any],
    given: Given,
    model: tuple[Brief, Path],
) -> Hops:
    """Write each program once what it takes is known.

    Args:
        computed: What the programs have to compute.
        given: What stands for each of the job's inputs.
        model: What the job says of it, and where the programs go.
    """
    (brief, out), made = model, Hops()
    shapes: dict[str, tuple[Dim, ...]] = {one.name: one.shape for one in brief.inputs}
    hops = _count(graph, joints)
    for hop in sorted({hops[joint.read.ids.name] for joint in joints}):
        asked = {name: one for name, one in computed.items() if hops[one.name] == hop}
        if asked:
            known = taken({**made.vectors, **given}, asked)
            program = write_piece(graph, known, asked, brief, out / program_name(hop))
            made.programs[hop] = program
            shapes |= {one.name: one.shape for one in program.signature.outputs}
        for joint in joints:
            if hops[joint.read.ids.name] == hop:
                tensor, described = joint.vectors(shapes[joint.lookup.ids])
                made.vectors[described.name] = (tensor, described)
                shapes[described.name] = described.shape
    return made


def _count(graph: Graph, joints: Sequence[Joint]) -> dict[str, int]:
    """Count for each tensor the lookups that are cut on the longest way to it."""
    rows = {joint.read.vectors.name for joint in joints}
    hops: dict[str, int] = {}
    for operation in graph.function.graph.get_operations():
        before = max((hops.get(one.name, 0) for one in operation.inputs), default=0)
        for one in operation.outputs:
            hops[one.name] = before + (one.name in rows)
    return hops
