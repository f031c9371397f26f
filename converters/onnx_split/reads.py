"""The lookups of an ONNX graph: rows that are gathered from a stored matrix."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from converters.onnx_models.files import graphs
from converters.onnx_models.piece import taken_by
from converters.onnx_split.graph import Graph, ancestors, nodes_between
from converters.onnx_split.ids import look_through, may_be_negative
from converters.onnx_split.keep import Behind, why_stuck
from converters.onnx_split.matrices import Matrices, Source
from converters.onnx_split.pooled import IsNeverEmpty, greatest_of
from converters.split.choose import check_patterns, why_not
from converters.split.policy import SplitOptions
from converters.split.tied import why_tied
from converters.split.variable import Variable
from registry.signature import DType, Input

if TYPE_CHECKING:
    import onnx

#: What picks from its first input by ids.
_PICKING = ("Gather", "GatherElements", "GatherND")


@dataclass(frozen=True)
class Read:
    """One read of one matrix: `ids` in, `vectors` out.

    Attributes:
        wraps: Negative ids count from the end.
        greatest: The vectors are the greatest of each bag's rows, element by element.
    """

    source: Source
    ids: str
    vectors: str
    wraps: bool
    greatest: bool = False

    @property
    def variable(self) -> Variable:
        """The matrix that is read."""
        return self.source.variable


@dataclass(frozen=True)
class Found:
    """The lookups of a graph.

    Attributes:
        cut: In the order of the graph, identical ones not yet joined.
        stuck: Tables that stay, with the reasons.
    """

    cut: tuple[Read, ...]
    stuck: tuple[tuple[Variable, str], ...]


def find_reads(
    graph: Graph,
    inputs: Mapping[str, Input],
    options: SplitOptions,
    is_never_empty: IsNeverEmpty = lambda _: False,
) -> Found:
    """Find the lookups, and say of those that stay why.

    Args:
        is_never_empty: Says of an axis' size or name whether it always has an entry.

    Raises:
        SplitError: A name pattern of the job matches no table.
    """
    matrices = Matrices(graph, options)
    cut: list[Read] = []
    stuck: list[tuple[Variable, str]] = []
    behind = Behind(graph)
    for node in nodes_between(graph, graph.outputs, ()):
        stuck += _nested(node, matrices)
        source = _source(node, matrices)
        if source is None:
            continue
        why = _why(node, source, behind, options)
        behind.note(node.output[0], ids=why is None and source.variable.holds_ids)
        if why:
            stuck.append((source.variable, why))
            continue
        ids = look_through(graph, node.input[1])
        read = Read(source, ids, node.output[0], may_be_negative(graph, ids, inputs))
        cut.append(_pooled(graph, read, is_never_empty))
    check_patterns(matrices.found.values(), options)
    return _without_tied(graph, Found(tuple(cut), tuple(stuck)), options)


def _pooled(graph: Graph, read: Read, is_never_empty: IsNeverEmpty) -> Read:
    """Take what reduces the rows of a bag into the lookup, where that gives the same."""
    source = read.source
    if len(source.row) != 1 or source.casts or read.variable.dtype is not DType.FLOAT32:
        return read
    vectors = greatest_of(graph, read.vectors, read.ids, is_never_empty)
    return read if vectors is None else replace(read, vectors=vectors, greatest=True)


def _without_tied(graph: Graph, found: Found, options: SplitOptions) -> Found:
    """Leave tables whole that are used densely as well, where the job wants it so."""
    left = set(ancestors(graph, graph.outputs, [read.vectors for read in found.cut]))
    tied: dict[str, str] = {}
    for one in (read.variable for read in found.cut):
        if one.tensor in left and not one.holds_ids:
            why = why_tied(one, _use(graph, one.tensor, left), options)
            tied |= {one.name: why} if why else {}
    stays = ((read.variable, tied[read.variable.name]) for read in found.cut if _of(read, tied))
    return Found(
        cut=tuple(read for read in found.cut if not _of(read, tied)),
        stuck=(*found.stuck, *stays),
    )


def _of(read: Read, tables: Collection[str]) -> bool:
    return read.variable.name in tables


def _use(graph: Graph, tensor: str, left: set[str]) -> str:
    """Name the first node that takes a tensor other than to look rows of it up."""
    takers = (one for one in graph.model.graph.node if tensor in taken_by(one))
    dense = [one for one in takers if one.op_type not in _PICKING and left & set(one.output)]
    return f"by {dense[0].op_type} (node '{dense[0].name or dense[0].output[0]}')" if dense else ""


def _source(node: "onnx.NodeProto", matrices: Matrices) -> Source | None:
    return matrices.behind(node.input[0]) if not node.domain and node.op_type in _PICKING else None


def _why(
    node: "onnx.NodeProto", source: Source, behind: Behind, options: SplitOptions
) -> str | None:
    """Say why a lookup is not cut out."""
    if why := why_not(source.variable, options):
        return why
    axis = next((one.i for one in node.attribute if one.name == "axis"), 0)
    if node.op_type != "Gather" or axis % (1 + len(source.row)):
        along = f" along axis {axis}" if axis else ""
        return f"read by {node.op_type}{along}, which is no lookup of rows by ids"
    if source.variable.dtype is DType.BFLOAT16:
        return "its rows are bfloat16, which no lookup hands to an ONNX model"
    return why_stuck(node.input[1], behind, options)


def _nested(node: "onnx.NodeProto", matrices: Matrices) -> Iterator[tuple[Variable, str]]:
    """Give the tables that are looked up inside control flow, and say so."""
    for attribute in node.attribute:
        for inner in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
            for graph in graphs(inner):
                for one in graph.node:
                    if source := _source(one, matrices):
                        yield source.variable, f"its lookup is inside control flow ({node.op_type})"
