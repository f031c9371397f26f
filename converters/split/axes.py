"""Names for the symbolic sizes of a program."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from converters.split.place import place
from registry.errors import SplitError
from registry.signature import Axis, Dim, Tensor

if TYPE_CHECKING:
    from torch.fx import Graph, Node

#: Sizes tried in the place of symbols, to see whether two expressions are always one.
_TRIALS = ((11, 23, 37, 53, 71), (101, 13, 67, 29, 41), (7, 89, 19, 61, 31))
_WORDS = {"//": "_over_", "*": "_times_", "+": "_plus_", "-": "_minus_"}
_SHAPING = (
    "view",
    "reshape",
    "expand",
    "repeat",
    "arange",
    "zeros",
    "ones",
    "full",
    "tile",
    "new_",
)


@dataclass(frozen=True)
class AxisNames:
    """The job's names for sizes of its inputs."""

    known: tuple[tuple[object, str], ...]

    def of(self, size: object) -> Dim:
        """Name a size: a number, an axis of the job, or an expression of axes."""
        expression = _expression(size)
        if not getattr(expression, "free_symbols", None):
            return int(str(expression))
        for other, name in self.known:
            if _always_equal(expression, other):
                return name
        return self._spell(str(expression))

    def shape(self, node: "Node") -> tuple[Dim, ...]:
        """Name the sizes of a node's value."""
        return tuple(self.of(size) for size in node.meta["val"].shape)

    def _spell(self, text: str) -> str:
        names = {str(expression): name for expression, name in self.known}
        text = re.sub(r"[A-Za-z_]\w*", lambda word: names.get(word[0], word[0]), text)
        for sign, word in _WORDS.items():
            text = text.replace(sign, word)
        return re.sub(r"\W+", "", text)


def read_axes(nodes: "Sequence[Node]", inputs: Sequence[Tensor], graph: "Graph") -> AxisNames:
    """Take the names from what the job says of the inputs' shapes.

    Raises:
        SplitError: The program has a fixed size where the job has an axis, or another size or
            rank than the job says.
    """
    known: dict[object, str] = {}
    for node, tensor in zip(nodes, inputs, strict=True):
        shape = node.meta["val"].shape
        if len(shape) != len(tensor.shape):
            raise SplitError(
                f"input '{tensor.name}': the program takes {len(shape)} dimensions, the job says"
                f" {tensor}: correct the input's shape"
            )
        for position, (size, dim) in enumerate(zip(shape, tensor.shape, strict=True)):
            expression = _expression(size)
            if getattr(expression, "free_symbols", None):
                if isinstance(dim, str):
                    known.setdefault(expression, dim)
            elif dim != int(str(expression)):
                raise SplitError(_fixed(tensor, position, int(str(expression)), graph))
    whole = {**_shorter(known), **known}
    plain_first = sorted(whole.items(), key=lambda pair: len(str(pair[0])))
    return AxisNames(known=tuple(plain_first))


def _shorter(known: Mapping[object, str]) -> dict[object, str]:
    """Name the symbols that stand only in what is one longer, as in offsets' ends."""
    names = {expression - 1: f"{name}_minus_1" for expression, name in known.items()}  # type: ignore[operator] # sympy's
    return {one: name for one, name in names.items() if getattr(one, "is_symbol", False)}


def with_derived(axes: Mapping[str, Axis], tensors: Sequence[Tensor]) -> dict[str, Axis]:
    """Give a range to axes that the job does not have."""
    names = {dim for tensor in tensors for dim in tensor.shape if isinstance(dim, str)}
    return {**{name: Axis(min=1, max=1 << 40) for name in names - axes.keys()}, **axes}


def _expression(size: object) -> object:
    return size if isinstance(size, int) else size.node.expr  # type: ignore[attr-defined] # a SymInt


def _always_equal(one: object, other: object) -> bool:
    if one == other:
        return True
    symbols = sorted(one.free_symbols | other.free_symbols, key=str)  # type: ignore[attr-defined] # sympy's
    return all(_at(one, symbols, trial) == _at(other, symbols, trial) for trial in _TRIALS)


def _at(expression: object, symbols: Sequence[object], trial: Sequence[int]) -> object:
    sizes = {
        symbol: trial[index % len(trial)] + index // len(trial)
        for index, symbol in enumerate(symbols)
    }
    return expression.subs(sizes)  # type: ignore[attr-defined] # sympy's


def _fixed(tensor: Tensor, position: int, size: int, graph: "Graph") -> str:
    dim = tensor.shape[position]
    if isinstance(dim, int):
        return (
            f"input '{tensor.name}': the program takes {size} in dimension {position}, the job"
            f" says {dim}: correct the input's shape"
        )
    where = _where(size, graph)
    return (
        f"input '{tensor.name}': axis '{dim}' is baked into the program as {size}{where}."
        " Make the code take the size from its inputs and export again with dimension"
        f" {position} dynamic, or write {size} for '{dim}' in the job"
    )


def _where(size: int, graph: "Graph") -> str:
    """Point at the first operator that shapes something by that number."""
    for node in graph.nodes:
        shapes = any(word in str(node.target) for word in _SHAPING)
        if node.op == "call_function" and shapes and size in _numbers(node.args):
            return f" ({place(node)})"
    return ""


def _numbers(value: object) -> set[int]:
    if isinstance(value, int):
        return {value}
    if isinstance(value, list | tuple):
        return {number for item in value for number in _numbers(item)}
    return set()
