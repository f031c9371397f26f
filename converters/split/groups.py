"""Join lookups that are one and the same: the dense part takes each vector once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from converters.split.axes import AxisNames
from converters.split.forms.form import Read
from converters.split.matrices import Matrix
from converters.split.same import Keys
from registry.signature import Dim, Input

if TYPE_CHECKING:
    from torch.fx import Node


@dataclass(frozen=True)
class Group:
    """Lookups that read the same rows of the same table in the same way.

    Attributes:
        output: The dense part's input that takes the vectors.
    """

    output: str
    matrix: Matrix
    reads: tuple[Read, ...]

    @property
    def first(self) -> Read:
        """The one that stands for all."""
        return self.reads[0]

    def vectors(self, axes: AxisNames) -> Input:
        """Describe the vectors: of ids' shape, or one a bag, and the flat row."""
        rank = len(self.first.result.meta["val"].shape) - len(self.matrix.row)
        shape: tuple[Dim, ...] = axes.shape(self.first.result)[:rank]
        return Input(name=self.output, dtype=self.matrix.vectors, shape=(*shape, self.matrix.dim))


def group_lookups(cut: Sequence[tuple[Read, Matrix]], keys: Keys) -> tuple[Group, ...]:
    """Group by table, by the expressions of ids, offsets and weights, and by the way of reading."""
    found: dict[object, tuple[Matrix, list[Read]]] = {}
    for read, matrix in cut:
        found.setdefault(_identity(read, matrix, keys), (matrix, []))[1].append(read)
    counts: dict[str, int] = {}
    groups = []
    for matrix, reads in found.values():
        count = counts[matrix.name] = counts.get(matrix.name, -1) + 1
        output = f"emb__{matrix.name}__{count}"
        groups.append(Group(output=output, matrix=matrix, reads=tuple(reads)))
    return tuple(groups)


def _identity(read: Read, matrix: Matrix, keys: Keys) -> object:
    def number(node: "Node | None") -> int | None:
        return None if node is None else keys.of(node, ids=True)

    sources = (number(read.ids), number(read.offsets), number(read.weights))
    way = (read.kind, read.mode, read.includes_last, read.padding, read.wraps)
    return (matrix.name, sources, way)
