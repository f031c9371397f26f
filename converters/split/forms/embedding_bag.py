"""`torch.nn.EmbeddingBag` and `torch.nn.functional.embedding_bag`: pooled vectors."""

from typing import TYPE_CHECKING, Literal

from converters.split.forms.form import Form, Read, arguments

if TYPE_CHECKING:
    from torch.fx import Node

_MODES: tuple[Literal["sum", "mean", "max"], ...] = ("sum", "mean", "max")
_FLATTENING = ("aten.reshape.default", "aten.view.default")


def read(node: "Node") -> Read | None:
    """Read it; torch makes offsets of 2-D ids, which are taken back here."""
    given = arguments(node)
    result = _pooled(node)
    if result is None:
        return None
    weight, ids, offsets = node.args[:3]
    weights = given["per_sample_weights"]
    includes_last = bool(given["include_last_offset"])
    table = _two_dimensional(ids, offsets)
    if table is not None and not includes_last and (weights is None or _flattened(weights)):
        ids, offsets = table, None
        weights = weights and _flattened(weights)
    return Read(
        node=node,
        result=result,
        weight=weight,
        ids=ids,
        kind="bag",
        mode=_MODES[int(given["mode"])],
        offsets=offsets,
        weights=weights,
        includes_last=includes_last,
        padding=_padding(given.get("padding_idx"), node),
    )


def _pooled(node: "Node") -> "Node | None":
    """Find the first of the operator's results, the vectors."""
    return next((user for user in node.users if user.args[1:] == (0,)), None)


def _padding(value: object, node: "Node") -> int | None:
    """Count a negative padding index from the end; the inner operators mean 'none' by it."""
    if not isinstance(value, int):
        return None
    if value >= 0:
        return value
    if str(node.target) != "aten.embedding_bag.padding_idx":
        return None
    return value + int(node.args[0].meta["val"].shape[0])


def _two_dimensional(ids: "Node", offsets: "Node") -> "Node | None":
    """Find the 2-D ids behind flattened ids with offsets 0, n, 2n, …"""
    table = _flattened(ids)
    if table is None or str(offsets.target) != "aten.arange.start_step":
        return None
    value = table.meta["val"]
    start, end, step = (_value(bound) for bound in offsets.args[:3])
    wanted = ("0", str(value.numel()), str(value.shape[1]))
    return table if (start, end, step) == wanted else None


def _flattened(node: object) -> "Node | None":
    """Give the 2-D tensor that a node flattens."""
    if str(getattr(node, "target", "")) not in _FLATTENING:
        return None
    source, shape = node.args[:2]  # type: ignore[attr-defined] # a node, which has a target
    return source if list(shape) == [-1] and source.meta["val"].dim() == 2 else None


def _value(bound: object) -> str:
    meta = getattr(bound, "meta", None)
    return str(bound if meta is None else meta["val"])


FORM = Form(
    operators=frozenset(
        {
            "aten.embedding_bag.default",
            "aten.embedding_bag.padding_idx",
            "aten._embedding_bag.default",
            "aten._embedding_bag_forward_only.default",
        }
    ),
    read=read,
)
