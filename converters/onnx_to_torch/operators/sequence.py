"""Sequences, which are lists of tensors, and optional values, which may be None."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from converters.onnx_to_torch.growing import Growing, growing
from converters.onnx_to_torch.growing import split as split_growing
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
    if isinstance(sequence, Growing) or _is_computed(position):
        return growing(sequence).at(literal(position[0]))
    return sequence[int(position[0])]


def length(sequence: Tensors) -> Number:
    """SequenceLength-11."""
    return sequence.length if isinstance(sequence, Growing) else len(sequence)


def insert(sequence: Tensors, tensor: Tensor, position: Numbers | None = None) -> Tensors:
    """SequenceInsert-11; at the end unless a place is named."""
    if isinstance(sequence, Growing) or _is_computed(position):
        return growing(sequence, tensor).insert(tensor, _place(position))
    place = len(sequence) if position is None else int(position[0])
    if not -len(sequence) <= place <= len(sequence):
        raise IndexError("SequenceInsert: there is no such place")
    place = place + len(sequence) if place < 0 else place
    return [*sequence[:place], tensor, *sequence[place:]]


def erase(sequence: Tensors, position: Numbers | None = None) -> Tensors:
    """SequenceErase-11; the last one unless a place is named."""
    if isinstance(sequence, Growing) or _is_computed(position):
        return growing(sequence).erase(_place(position))
    kept = [*sequence]
    kept.pop(-1 if position is None else int(position[0]))
    return kept


def _is_computed(position: Numbers | None) -> bool:
    """Tell whether a trace may not keep which element is meant."""
    import torch

    return position is not None and isinstance(position[0], torch.Tensor)


def _place(position: Numbers | None) -> Tensor | None:
    return None if position is None else literal(position[0])


def concat(sequence: Tensors, *, axis: int, new_axis: int = 0) -> Tensor:
    """ConcatFromSequence-11."""
    import torch

    if isinstance(sequence, Growing):
        return sequence.concat(axis, stacked=bool(new_axis))
    return torch.stack(sequence, axis) if new_axis else torch.cat(sequence, axis)


def split(x: Tensor, split: Tensor | None = None, *, axis: int = 0, keepdims: int = 1) -> Tensors:
    """SplitToSequence-11 and 24; a scalar is the size of all parts but the last."""
    import torch

    keep = split is not None or bool(keepdims)
    if torch.jit.is_tracing():
        return split_growing(x, literal(1) if split is None else split, axis, keepdims=keep)
    parts = x.split(1 if split is None else split.tolist(), axis)
    return list(parts) if keep else [part.squeeze(axis) for part in parts]


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
