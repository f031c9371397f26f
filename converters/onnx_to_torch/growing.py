"""Sequences of which no trace may fix the length.

A trace keeps a list as so many tensors. A sequence that a loop grows is therefore two tensors:
all elements in one row, and of each how many numbers it has and its shape. To insert copies what
is there: a loop of n turns copies n²/2 elements. Annotations of what TorchScript reads are not
quoted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from converters.onnx_to_torch.scripting import script
from converters.onnx_to_torch.sizes import known

if TYPE_CHECKING:
    from torch import Tensor, dtype


@dataclass(frozen=True)
class Growing:
    """A sequence of tensors of one type and rank.

    Attributes:
        shapes: A row for each element: how many numbers, then its sizes.
    """

    flat: "Tensor"
    shapes: "Tensor"

    @property
    def rank(self) -> int:
        """How many axes each element has."""
        return known(self.shapes)[1] - 1

    def insert(self, tensor: "Tensor") -> "Growing":
        """Append an element.

        Raises:
            TypeError: It has another rank or type.
        """
        import torch

        if (tensor.dim(), tensor.dtype) != (self.rank, self.flat.dtype):
            raise TypeError("a sequence of several ranks or types cannot be traced")
        sizes = torch._shape_as_tensor(tensor).reshape(-1)
        row = torch.cat([sizes.prod().reshape(1), sizes])
        return Growing(
            torch.cat([self.flat, tensor.reshape(-1)]), torch.cat([self.shapes, row[None]])
        )

    def at(self, position: "Tensor") -> "Tensor":
        """Take an element; from the end where the position is negative."""
        return _taken()(self.flat, self.shapes, position)

    def concat(self, axis: int, *, stacked: bool) -> "Tensor":
        """Join all elements along an axis, or along a new one."""
        return _joined()(self.flat, self.shapes, axis, stacked)


def empty_of(rank: int, kind: "dtype") -> Growing:
    """Give a sequence without elements."""
    import torch

    return Growing(torch.zeros([0], dtype=kind), torch.zeros([0, rank + 1], dtype=torch.int64))


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
        raise TypeError("a sequence cannot be traced whose first element no turn gives")
    made = empty_of(first.dim(), first.dtype)
    for tensor in tensors:
        made = made.insert(tensor)
    return made


def _taken() -> Callable[..., Any]:
    import torch

    def run(flat: torch.Tensor, shapes: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        place = int(position)
        place = place + shapes.size(0) if place < 0 else place
        sizes: list[int] = shapes[place].tolist()
        start = int(shapes[:place, 0].sum())
        return flat[start : start + sizes[0]].reshape(sizes[1:])

    return script(run)


def _joined() -> Callable[..., Any]:
    import torch

    def run(
        flat: torch.Tensor,
        shapes: torch.Tensor,
        axis: int,
        stacked: bool,  # noqa: FBT001 (TorchScript)
    ) -> torch.Tensor:
        pieces: list[torch.Tensor] = []
        rows: list[list[int]] = shapes.tolist()
        start = 0
        for sizes in rows:
            pieces.append(flat[start : start + sizes[0]].reshape(sizes[1:]))
            start += sizes[0]
        return torch.stack(pieces, axis) if stacked else torch.cat(pieces, axis)

    return script(run)
