"""The nodes that take the place of one node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from converters.onnx_legal.place import Place

if TYPE_CHECKING:
    import onnx

#: A value by its name, or what a constant holds.
Operand = str | np.ndarray
Attributes = Mapping[str, object]

#: Ends the name of a node that is not to be rewritten again.
AGAIN = "/again"

_NONE: Attributes = MappingProxyType({})

#: The opsets from which on axes are an input, and not an attribute.
_AXES_INPUT = MappingProxyType({"ReduceSum": 13, "Squeeze": 13, "Unsqueeze": 13})
_AXES_INPUT_SINCE = 18


def ints(*values: int) -> np.ndarray:
    """Make a vector of int64."""
    return np.array(values, np.int64)


def floats(*values: float) -> np.ndarray:
    """Make a vector of float32."""
    return np.array(values, np.float32)


def scalar(value: float, kind: int) -> np.ndarray:
    """Make a constant of one value of an element type."""
    import onnx

    return np.array(value).astype(onnx.helper.tensor_dtype_to_np_dtype(kind))


class Body:
    """Nodes that follow each other; each call adds one and returns the name of its value."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.nodes: list[onnx.NodeProto] = []
        self._count = 0
        self._prefix = next(filter(None, place.node.output))

    def __call__(self, operator: str, *operands: Operand, at: Attributes = _NONE) -> str:
        """Add a node of one output."""
        return self.several(operator, operands, 1, at)[0]

    def several(
        self, operator: str, operands: Sequence[Operand], count: int, at: Attributes = _NONE
    ) -> list[str]:
        """Add a node of so many outputs."""
        names = [self.fresh(operator) for _ in range(count)]
        self._add(operator, operands, names, at)
        return names

    def give(self, value: Operand, output: int = 0) -> None:
        """Let a value be an output of the node that is replaced; that of an unused one is lost."""
        if output < len(self.place.node.output) and self.place.node.output[output]:
            self._add("Identity", [value], [self.place.node.output[output]], _NONE)

    def again(
        self, operands: Sequence[Operand], at: Attributes, outputs: Sequence[str] | None = None
    ) -> None:
        """Add the replaced node once more, with other inputs and other values of attributes."""
        import onnx

        node = self.place.node
        kept = {
            one.name: onnx.helper.get_attribute_value(one)
            for one in node.attribute
            if one.name not in at
        }
        wanted = {**kept, **{name: value for name, value in at.items() if value is not None}}
        self._add(node.op_type, operands, node.output if outputs is None else outputs, wanted)
        self.nodes[-1].name += AGAIN

    def fresh(self, word: str) -> str:
        """Make a name that the model does not have."""
        self._count += 1
        return f"{self._prefix}/legal{self.place.facts.turn}/{word}_{self._count}"

    def cast(self, value: Operand, kind: int) -> str:
        """Add a Cast."""
        return self("Cast", value, at={"to": kind})

    def reduce(self, operator: str, value: Operand, *axes: int, keep: bool = False) -> str:
        """Add a reduction over axes."""
        return self._with_axes(operator, value, axes, {"keepdims": int(keep)})

    def unsqueeze(self, value: Operand, *axes: int) -> str:
        """Add an Unsqueeze."""
        return self._with_axes("Unsqueeze", value, axes, _NONE)

    def squeeze(self, value: Operand, *axes: int) -> str:
        """Add a Squeeze."""
        return self._with_axes("Squeeze", value, axes, _NONE)

    def sizes(self, value: Operand, *axes: int) -> str:
        """Add what reads the sizes of some axes, as a vector."""
        return self("Gather", self("Shape", value), ints(*axes))

    def join(self, *parts: Operand, axis: int = 0) -> str:
        """Add a Concat."""
        return self("Concat", *parts, at={"axis": axis})

    def permute(self, value: Operand, order: Sequence[int]) -> str:
        """Add a Transpose."""
        return self("Transpose", value, at={"perm": list(order)})

    def count(self, limit: Operand) -> str:
        """Add 0, 1, 2 … below a limit, a vector of one int64."""
        return self("Range", np.array(0, np.int64), self.squeeze(limit, 0), np.array(1, np.int64))

    def _with_axes(self, operator: str, value: Operand, axes: Sequence[int], at: Attributes) -> str:
        since = _AXES_INPUT.get(operator, _AXES_INPUT_SINCE)
        if self.place.facts.opset >= since:
            return self(operator, value, ints(*axes), at=at)
        return self(operator, value, at={**at, "axes": list(axes)})

    def _add(
        self, operator: str, operands: Sequence[Operand], outputs: Sequence[str], at: Attributes
    ) -> None:
        import onnx

        names = [one if isinstance(one, str) else self._constant(one) for one in operands]
        node = onnx.helper.make_node(operator, names, outputs, name=self.fresh(operator), **at)
        node.metadata_props.extend(self.place.node.metadata_props)
        self.nodes.append(node)

    def _constant(self, array: np.ndarray) -> str:
        import onnx

        return self.stored(onnx.numpy_helper.from_array(np.asarray(array)))

    def stored(self, tensor: onnx.TensorProto) -> str:
        """Add a Constant."""
        import onnx

        name = self.fresh("Constant")
        self.nodes.append(onnx.helper.make_node("Constant", [], [name], name=name, value=tensor))
        return name
