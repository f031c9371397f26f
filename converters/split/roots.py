"""What a value of a graph depends on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from converters.split.passing import SHAPE_ONLY

if TYPE_CHECKING:
    from torch.fx import Node


@dataclass(frozen=True)
class Roots:
    """Where a value comes from.

    Attributes:
        inputs: User inputs whose values matter.
        shapes: User inputs of which a size matters.
        weights: Attributes of the tensors that matter.
        lookups: Lookups that were cut, whose vectors matter.
    """

    inputs: frozenset[str] = frozenset()
    shapes: frozenset[str] = frozenset()
    weights: frozenset[str] = frozenset()
    lookups: "frozenset[Node]" = frozenset()

    def __or__(self, other: "Roots") -> "Roots":
        return Roots(
            inputs=self.inputs | other.inputs,
            shapes=self.shapes | other.shapes,
            weights=self.weights | other.weights,
            lookups=self.lookups | other.lookups,
        )

    @property
    def constant(self) -> bool:
        """Say that no input decides the value, nor its shape."""
        return not (self.inputs or self.shapes or self.lookups)


def roots_of(node: "Node", known: "dict[Node, Roots]") -> Roots:
    """Work out a node's roots from those of the nodes that it reads."""
    if node.op == "placeholder":
        return Roots(inputs=frozenset({node.name}))
    if node.op == "get_attr":
        return Roots(weights=frozenset({node.target}))
    found = Roots()
    shaped = str(node.target).startswith(SHAPE_ONLY)
    for position, source in enumerate(node.all_input_nodes):
        part = known[source]
        found |= _only_shape(part) if shaped and position == 0 else part
    return found


def _only_shape(roots: Roots) -> Roots:
    return Roots(shapes=roots.inputs | roots.shapes)
