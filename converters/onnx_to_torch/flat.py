"""Values of ONNX as a list of tensors, which is all that a body in a trace can take."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from converters.onnx_to_torch.growing import Growing

if TYPE_CHECKING:
    from torch import Tensor


def flatten(
    values: Sequence[Any],
) -> "tuple[list[Tensor], Callable[[Sequence[Tensor]], list[Any]]]":
    """Give all tensors of some values, and what makes such values of other tensors.

    A value is a tensor, a list of them, a growing sequence, or None.
    """
    parts = [_parts(value) for value in values]

    def rebuild(tensors: "Sequence[Tensor]") -> list[Any]:
        made, start = [], 0
        for value, own in zip(values, parts, strict=True):
            made.append(_like(value, tensors[start : start + len(own)]))
            start += len(own)
        return made

    return [tensor for own in parts for tensor in own], rebuild


def _parts(value: Any) -> "list[Tensor]":  # noqa: ANN401 - a value of ONNX
    if value is None:
        return []
    if isinstance(value, Growing):
        return value.tensors
    return list(value) if isinstance(value, list | tuple) else [value]


def _like(value: Any, tensors: "Sequence[Tensor]") -> Any:  # noqa: ANN401 - a value of ONNX
    if value is None:
        return None
    if isinstance(value, Growing):
        return Growing(*tensors)
    return list(tensors) if isinstance(value, list | tuple) else tensors[0]
