"""A node where it stands: what is known of the values that go in and come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from converters.onnx_legal.known import known
from registry.errors import ConversionError

if TYPE_CHECKING:
    import onnx

#: The size of an axis, where it is known.
Size = int | None


@dataclass(frozen=True)
class Facts:
    """What is known of a graph's values.

    Attributes:
        kinds: Element types, by value.
        shapes: Sizes of the axes, by value; values of unknown rank are not listed.
        constants: Stored tensors that lie in the file, by value.
        makers: The nodes that values come from.
        readers: The operators that take a value.
        given: What goes in with each run, and what loops and branches are handed.
        opset: The version of the standard operators.
        turn: How often the graph was gone through: part of the names that are made.
    """

    kinds: Mapping[str, int]
    shapes: Mapping[str, tuple[Size, ...]]
    constants: Mapping[str, onnx.TensorProto]
    makers: Mapping[str, onnx.NodeProto]
    readers: Mapping[str, tuple[str, ...]]
    given: frozenset[str]
    opset: int
    turn: int = 0


@dataclass(frozen=True)
class Place:
    """A node and the facts of its graph."""

    node: onnx.NodeProto
    facts: Facts

    def attribute(self, name: str, default: Any = None) -> Any:  # noqa: ANN401 - of any kind
        """Return an attribute's value; text as text."""
        import onnx

        for one in self.node.attribute:
            if one.name == name:
                value = onnx.helper.get_attribute_value(one)
                return value.decode() if isinstance(value, bytes) else value
        return default

    def has(self, number: int) -> bool:
        """Tell whether an input is given."""
        return number < len(self.node.input) and bool(self.node.input[number])

    def kind(self, number: int) -> int:
        """Return an input's element type; 0 where it is unknown."""
        return self.facts.kinds.get(self.node.input[number], 0) if self.has(number) else 0

    def shape(self, number: int) -> tuple[Size, ...] | None:
        """Return an input's sizes, if its rank is known."""
        return self.facts.shapes.get(self.node.input[number]) if self.has(number) else None

    def rank(self, number: int = 0) -> int:
        """Return an input's rank.

        Raises:
            ConversionError: It is not known.
        """
        shape = self.shape(number)
        if shape is None:
            raise self.refusal(f"the rank of its input '{self.node.input[number]}' is not known")
        return len(shape)

    def size(self, axis: int, number: int = 0) -> int:
        """Return the size of an axis of an input.

        Raises:
            ConversionError: It is not known.
        """
        self.rank(number)
        found = (self.shape(number) or ())[axis]
        if found is None:
            raise self.refusal(
                f"axis {axis} of its input '{self.node.input[number]}' has no fixed size"
            )
        return found

    def constant(self, number: int) -> np.ndarray | None:
        """Return what an input always holds, if it is small and follows from the file."""
        return known(self.node.input[number], self.facts) if self.has(number) else None

    def refusal(self, why: str) -> ConversionError:
        """Make the error that this node cannot be converted."""
        return ConversionError(f"{self}: {why}")

    def __str__(self) -> str:
        """Name the operator, the node and the module that it came from."""
        node = self.node
        module = next((one.value for one in node.metadata_props if one.key == "module"), "")
        operator = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
        name = node.name or next(filter(None, node.output), "")
        inside = f" of module '{module}'" if module else ""
        return f"{operator} (node '{name}'{inside})"
