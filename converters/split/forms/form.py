"""What a form of lookup in a graph has to offer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from torch.fx import Node


@dataclass(frozen=True)
class Read:
    """One read of a tensor by ids, as it stands in a graph.

    Attributes:
        node: The operator.
        result: The node whose value is the vectors.
        wraps: Negative ids count from the end.
    """

    node: "Node"
    result: "Node"
    weight: "Node"
    ids: "Node"
    kind: Literal["embedding", "bag"] = "embedding"
    mode: Literal["sum", "mean", "max"] | None = None
    offsets: "Node | None" = None
    weights: "Node | None" = None
    includes_last: bool = False
    padding: int | None = None
    wraps: bool = False

    @property
    def sources(self) -> "tuple[Node, ...]":
        """Ids, offsets and weights, where there are such."""
        return tuple(node for node in (self.ids, self.offsets, self.weights) if node is not None)


@dataclass(frozen=True)
class Form:
    """A form of lookup: one file, one row in FORMS.

    Attributes:
        operators: Names of the operators that it may be.
        read: Read one of them; None where it is not a lookup after all.
    """

    operators: frozenset[str]
    read: "Callable[[Node], Read | None]"


def arguments(node: "Node") -> "dict[str, Node]":
    """Give an operator's arguments by name, defaults included; some are plain values."""
    schema = node.target._schema.arguments
    given = dict(zip((argument.name for argument in schema), node.args, strict=False))
    defaults = {
        argument.name: argument.default_value for argument in schema if argument.has_default_value()
    }
    return {**defaults, **given, **node.kwargs}
