"""Why ids cannot be computed apart from the rest of an ONNX model: one function a reason."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from converters.onnx_models.faults import size_of
from converters.onnx_split.graph import Graph, ancestors
from converters.onnx_split.ids import UNREPEATABLE
from converters.split.policy import SplitOptions


@dataclass(frozen=True)
class _Ids:
    """Ids, and what they are computed from.

    Attributes:
        came: All values on the way, the ids first.
        valued: Those whose values, and not only shapes, matter.
        looked_up: What lookups before this one gave.
    """

    graph: Graph
    came: Sequence[str]
    valued: Sequence[str]
    looked_up: Collection[str]
    options: SplitOptions


def why_stuck(
    graph: Graph, ids: str, looked_up: Collection[str], options: SplitOptions
) -> str | None:
    """Say why ids have to be computed in the dense part, or None where they need not be."""
    came, valued = list(ancestors(graph, [ids])), list(ancestors(graph, [ids], by_value=True))
    asked = _Ids(graph, came, valued, looked_up, options)
    return next((why for reason in REASONS if (why := reason(asked))), None)


def _positional(ids: _Ids) -> str | None:
    if any(name in ids.graph.inputs or name in ids.looked_up for name in ids.valued):
        return None
    return "its ids are positions or constants: no input's value decides them"


def _chained(ids: _Ids) -> str | None:
    found = any(name in ids.looked_up for name in ids.came)
    return "its ids come from another lookup" if found else None


def _branching(ids: _Ids) -> str | None:
    for node in (ids.graph.made[name] for name in ids.came if name in ids.graph.made):
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
