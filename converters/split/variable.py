"""A matrix of a TensorFlow or ONNX graph whose rows are looked up."""

from collections.abc import Iterable
from dataclasses import dataclass

from registry.composition import Kept, Table
from registry.signature import DType

_COPY = "cut for its lookups, and a copy stays: it is also used densely"


@dataclass(frozen=True)
class Variable:
    """A matrix whose rows are looked up.

    Attributes:
        name: Unique, and fit for a file's name.
        tensor: Name of the tensor that stands for it in the graph.
        keys: Its name in the checkpoint.
        fold: The expression of stored tensors that it is, where it is none of them.
    """

    name: str
    tensor: str
    keys: tuple[str, ...]
    rows: int
    dim: int
    dtype: DType
    fold: str | None = None

    @property
    def bytes(self) -> int:
        """Size of all rows."""
        return self.rows * self.dim * self.dtype.bytes

    @property
    def holds_ids(self) -> bool:
        """Say whether its rows are ids of other lookups."""
        return self.dtype in (DType.INT64, DType.INT32)

    def table(self) -> Table:
        """Describe it as a table whose rows are not written yet."""
        return Table(
            name=self.name,
            rows=self.rows,
            dim=self.dim,
            dtype=self.dtype,
            keys=self.keys,
            fold=self.fold,
        )


def kept_tables(
    stuck: Iterable[tuple[Variable, str]], copied: Iterable[Variable]
) -> tuple[Kept, ...]:
    """Say of each table that stays in the dense part, whole or as a copy, why.

    Args:
        stuck: With the reasons; the first one of a table counts.
        copied: Those that were cut out and are left all the same.
    """
    whys: dict[str, tuple[Variable, str]] = {}
    for one, why in (*stuck, *((one, _COPY) for one in copied)):
        whys.setdefault(one.name, (one, why))
    return tuple(
        Kept(table=one.name, rows=one.rows, dim=one.dim, bytes=one.bytes, why=why)
        for one, why in whys.values()
    )
