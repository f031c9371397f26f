"""Sequences of which no trace may fix the length.

A trace keeps a list as so many tensors. A sequence that a loop grows, or of which the input says
how long it is, is therefore a few tensors: all elements in one row, and where each one lies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from converters.onnx_to_torch.growing_steps import erasing, inserting, joining, splitting, taking
from converters.onnx_to_torch.sizes import known, literal

if TYPE_CHECKING:
    from torch import Tensor, dtype


@dataclass(frozen=True)
class Growing:
    """A sequence of tensors of one type and rank.

    To append is to write behind what is there, so that a loop of n turns copies about 2n
    elements. Sequences that began as one share their room; who is the first to append keeps it,
    and all others take room of their own.

    Attributes:
        flat: The numbers of all elements, one after the other, and room for more.
        rows: Of each element where it starts, how many numbers it has, and its sizes; and room.
        used: How many numbers, and how many rows, are of this sequence.
        filled: How many are of any that shares the room; changes in place.
    """

    flat: "Tensor"
    rows: "Tensor"
    used: "Tensor"
    filled: "Tensor"

    @property
    def rank(self) -> int:
        """How many axes each element has."""
        return known(self.rows)[1] - 2

    @property
    def tensors(self) -> "list[Tensor]":
        """All that it consists of."""
        return [self.flat, self.rows, self.used, self.filled]

    @property
    def length(self) -> "Tensor":
        """How many elements there are."""
        return self.used[1]

    def insert(self, tensor: "Tensor", position: "Tensor | None" = None) -> "Growing":
        """Put an element before a position, which may count from the end, or append it.

        Raises:
            TypeError: It has another rank or type.
        """
        if (tensor.dim(), tensor.dtype) != (self.rank, self.flat.dtype):
            raise TypeError("a sequence of several ranks or types cannot be traced")
        place = self.length if position is None else position
        return Growing(*inserting()(self.tensors, tensor, place))

    def erase(self, position: "Tensor | None" = None) -> "Growing":
        """Leave an element out; the last one unless a position is given."""
        place = literal(-1) if position is None else position
        return Growing(*erasing()(self.tensors, place))

    def at(self, position: "Tensor") -> "Tensor":
        """Take an element; from the end where the position is negative."""
        taken: Tensor = taking()(self.tensors, position)
        return taken

    def concat(self, axis: int, *, stacked: bool) -> "Tensor":
        """Join all elements along an axis, or along a new one."""
        joined: Tensor = joining()(self.tensors, axis, stacked)
        return joined


def empty_of(rank: int, kind: "dtype") -> Growing:
    """Give a sequence without elements."""
    import torch

    rows = torch.zeros([0, rank + 2], dtype=torch.int64)
    used, filled = (torch.zeros([2], dtype=torch.int64) for _ in range(2))
    return Growing(torch.zeros([0], dtype=kind), rows, used, filled)


def growing(tensors: "Growing | Sequence[Tensor]", like: "Tensor | None" = None) -> Growing:
    """Give a sequence in this form.

    Args:
        like: Has the type and the rank of elements to come, where there is none yet.

    Raises:
        TypeError: Elements differ in type or rank, or there are none to tell it by.
    """
    if isinstance(tensors, Growing):
        return tensors
    first = next(iter(tensors), like)
    if first is None:
        raise TypeError(
            "a sequence cannot be traced whose first element no turn gives: start it with one, by"
            " SequenceConstruct"
        )
    made = empty_of(first.dim(), first.dtype)
    for tensor in tensors:
        made = made.insert(tensor)
    return made


def split(x: "Tensor", sizes: "Tensor", axis: int, *, keepdims: bool) -> Growing:
    """Cut a tensor along an axis, into as many parts as the sizes say in each call.

    Args:
        sizes: A scalar is the size of all parts but the last.
    """
    axis = axis % x.dim()
    empty = empty_of(x.dim() if keepdims else x.dim() - 1, x.dtype)
    return Growing(*splitting()(empty.tensors, x, sizes, axis, keepdims))
