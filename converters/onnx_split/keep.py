"""Why ids cannot be computed apart from the rest of an ONNX model: one function a reason."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from converters.onnx_models.faults import size_of
from converters.onnx_split.graph import Graph, ancestors
from converters.onnx_split.ids import UNREPEATABLE
from converters.split.policy import SplitOptions


@dataclass(frozen=True)
class Behind:
    """What lookups gave that stand before others in a graph.

    Attributes:
        hops: Rows of integer tables that are cut: others can be looked up by them.
        vectors: All other rows.
    """

    graph: Graph
    hops: set[str] = field(default_factory=set)
    vectors: set[str] = field(default_factory=set)

    def note(self, rows: str, *, ids: bool) -> None:
        """Note what a lookup gives, and whether it can be other lookups' ids."""
        (self.hops if ids else self.vectors).add(rows)


@dataclass(frozen=True)
class _Ids:
    """Ids, and what they are computed from.

    Attributes:
        came: All values on the way, the ids first.
        valued: Those whose values, and not only shapes, matter.
    """

    graph: Graph
    came: Sequence[str]
    valued: Sequence[str]
    behind: Behind
    options: SplitOptions


def why_stuck(ids: str, behind: Behind, options: SplitOptions) -> str | None:
    """Say why ids have to be computed in the dense part, or None where they need not be."""
    graph, ends = behind.graph, behind.hops
    came = list(ancestors(graph, [ids], ends))
    valued = list(ancestors(graph, [ids], ends, by_value=True))
    asked = _Ids(graph, came, valued, behind, options)
    return next((why for reason in REASONS if (why := reason(asked))), None)


def _positional(ids: _Ids) -> str | None:
    given = {*ids.graph.inputs, *ids.behind.hops, *ids.behind.vectors}
    if not given.isdisjoint(ids.valued):
        return None
    return "its ids are positions or constants: no input's value decides them"


def _chained(ids: _Ids) -> str | None:
    found = not ids.behind.vectors.isdisjoint(ids.came)
    return "its ids come from the vectors of another lookup" if found else None


def _branching(ids: _Ids) -> str | None:
    made = (name for name in ids.came if name not in ids.behind.hops)
    for node in (ids.graph.made[name] for name in made if name in ids.graph.made):
        if any(one.HasField("g") or one.graphs for one in node.attribute):
            return f"its ids come out of control flow ({node.op_type})"
        if node.op_type in UNREPEATABLE:
            return f"its ids are drawn at random ({node.op_type})"
    return None


def _learned(ids: _Ids) -> str | None:
    """Take matrices of floats for learned: thresholds and factors of ids have one axis at most."""
    import onnx

    for name in ids.came:
        tensor = ids.graph.stored.get(name)
        if tensor is None:
            continue
        floats = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).kind == "f"
        if floats and len(tensor.dims) > 1:
            return f"its ids are computed from the weight {name}"
        if size_of(tensor) >= ids.options.min_bytes:
            return f"its ids come from {name}, {size_of(tensor)} bytes in size"
    return None


def _shapeless(ids: _Ids) -> str | None:
    """Refuse ids of an unknown rank: nothing says how many axes the vectors have."""
    return (
        "how many axes its ids have is not known" if ids.graph.rank(ids.came[0]) is None else None
    )


#: In the order in which they are told.
REASONS: tuple[Callable[[_Ids], str | None], ...] = (
    _positional,
    _chained,
    _branching,
    _learned,
    _shapeless,
)
