"""Sequences, which are lists of tensors, and optional values, which may be None."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from converters.onnx_to_torch.growing import Growing, growing
from converters.onnx_to_torch.operators.control import Value
from converters.onnx_to_torch.sizes import Number, Numbers, literal

if TYPE_CHECKING:
    from torch import Tensor

#: A list where its length is the same in every call, or where there is no trace.
Tensors: TypeAlias = "list[Tensor] | Growing"


def construct(*inputs: Tensor) -> list[Tensor]:
    """SequenceConstruct-11."""
    return list(inputs)


def empty(*, dtype: int = 1) -> list[Tensor]:
    """SequenceEmpty-11."""
    return []


def at(sequence: Tensors, position: Numbers) -> Tensor:
    """SequenceAt-11."""
    import torch

    place = position[0]
    if isinstance(sequence, Growing) or isinstance(place, torch.Tensor):
        return growing(sequence).at(literal(place))
    return sequence[int(place)]


def length(sequence: Tensors) -> Number:
    """SequenceLength-11."""
    return sequence.shapes.size(0) if isinstance(sequence, Growing) else len(sequence)


def insert(sequence: Tensors, tensor: Tensor, position: Numbers | None = None) -> Tensors:
    """SequenceInsert-11; at the end unless a place is named."""
    if isinstance(sequence, Growing):
        if position is not None:
            raise TypeError("SequenceInsert at a place cannot be traced in a loop, only at the end")
        return sequence.insert(tensor)
    place = len(sequence) if position is None else _place(position)
    place = place + len(sequence) if place < 0 else place
    return [*sequence[:place], tensor, *sequence[place:]]


def erase(sequence: Tensors, position: Numbers | None = None) -> list[Tensor]:
    """SequenceErase-11; the last one unless a place is named."""
    if isinstance(sequence, Growing):
        raise TypeError("SequenceErase cannot be traced in a loop")
    place = (-1 if position is None else _place(position)) % len(sequence)
    return [*sequence[:place], *sequence[place + 1 :]]


def _place(position: Numbers) -> int:
    import torch

    if isinstance(position[0], torch.Tensor):
        raise TypeError("a place in a sequence that is computed cannot be traced")
    return int(position[0])


def concat(sequence: Tensors, *, axis: int, new_axis: int = 0) -> Tensor:
    """ConcatFromSequence-11."""
    import torch

    if isinstance(sequence, Growing):
        return sequence.concat(axis, stacked=bool(new_axis))
    return torch.stack(sequence, axis) if new_axis else torch.cat(sequence, axis)


def split(
    x: Tensor, split: Tensor | None = None, *, axis: int = 0, keepdims: int = 1
) -> list[Tensor]:
    """SplitToSequence-11 and 24; a scalar is the size of all parts but the last."""
    import torch

    if split is None:
        parts = x.split(1, axis)
        return list(parts) if keepdims else [part.squeeze(axis) for part in parts]
    if torch.jit.is_tracing():
        raise TypeError("SplitToSequence cannot be traced: how many parts there are would stay")
    return list(x.split(split.tolist(), axis))


def optional(x: Value = None) -> Value:
    """Optional-15 and 28."""
    return x


def has_element(x: Value = None) -> Tensor:
    """OptionalHasElement-15, 18 and 28."""
    import torch

    return torch.tensor(x is not None)


def get_element(x: Value) -> Value:
    """OptionalGetElement-15, 18 and 28."""
    if x is None:
        raise ValueError("OptionalGetElement: there is no element")
    return x
