"""The tensors whose rows are looked up: by name, and as what becomes a table."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from converters.dtypes import dtype_of_torch
from converters.split.body import Body
from converters.split.passing import look_through
from converters.split.place import operator
from converters.split.roots import Roots
from converters.split.same import Keys
from converters.split.table_names import free_name
from registry.signature import DType

if TYPE_CHECKING:
    from torch.fx import Node


#: What tables can hold; booleans and complex numbers, say, stay where they are.
_STORED = frozenset(DType) - {DType.BOOL}

#: Operators in a row that are written of an expression: what each layer of a graph network takes
#: twice would double the text with each layer.
_DEPTH = 6


@dataclass(frozen=True)
class Matrix:
    """A tensor that lookups read rows of: one that the program holds, or an expression of such.

    Attributes:
        name: Unique, and fit for a file's name.
        keys: Names in the checkpoint of the tensor, or of those in the expression.
        weights: The attributes that hold them.
        row: Shape of one row; a table's rows are flat.
        fold: The expression, where it is not a tensor of the checkpoint as it stands.
    """

    name: str
    node: "Node"
    keys: tuple[str, ...]
    weights: tuple[str, ...]
    rows: int
    row: tuple[int, ...]
    dtype: DType
    fold: str | None

    @property
    def dim(self) -> int:
        """Numbers in a row."""
        return math.prod(self.row)

    @property
    def vectors(self) -> DType:
        """Element type of what lookups give: numpy has no bfloat16, and float32 holds all of it."""
        return DType.FLOAT32 if self.dtype is DType.BFLOAT16 else self.dtype

    @property
    def holds_ids(self) -> bool:
        """Say whether its rows can be looked up as they are."""
        return len(self.row) == 1 and self.dtype in (DType.INT64, DType.INT32)

    @property
    def bytes(self) -> int:
        """Size of all rows."""
        return int(self.rows * self.dim * self.node.meta["val"].element_size())


@dataclass
class Matrices:
    """Finds the matrix behind a node, the same one for equal expressions."""

    body: Body
    keys: Keys = field(default_factory=Keys)
    _found: dict[int, Matrix] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Matrix]:
        return iter(self._found.values())

    def behind(self, node: "Node", roots: Roots) -> Matrix | None:
        """Give the matrix that a node is, if no input has a say in it and it has rows."""
        node = look_through(node)
        weights = tuple(sorted(name for name in roots.weights if name in self.body.weights))
        shape = tuple(node.meta["val"].shape)
        if not weights or not roots.constant or not shape or 0 in shape:
            return None
        if str(node.meta["val"].dtype).removeprefix("torch.") not in _STORED:
            return None
        number = self.keys.of(node)
        if number not in self._found:
            self._found[number] = self._make(node, weights)
        return self._found[number]

    def _make(self, node: "Node", weights: tuple[str, ...]) -> Matrix:
        held = [self.body.weights[name] for name in weights]
        keys = tuple(key for weight in held for key in weight.keys)
        shape = tuple(int(size) for size in node.meta["val"].shape)
        fold = None if node.op == "get_attr" else express(node, self.body)
        if fold and len(shape) != 2:
            fold = f"reshape({fold}, [{shape[0]}, {math.prod(shape[1:])}])"
        return Matrix(
            name=free_name(
                [w.keys[0] for w in held if w.learned] or [keys[0]],
                (matrix.name for matrix in self),
            ),
            node=node,
            keys=keys,
            weights=weights,
            rows=shape[0],
            row=shape[1:],
            dtype=dtype_of_torch(node.meta["val"].dtype),
            fold=fold,
        )


def express(node: "Node", body: Body, depth: int = _DEPTH) -> str:
    """Write an expression of weights as text: 'add(mul(w, 0.5), 1)'."""
    if node.op == "get_attr":
        return body.weights[node.target].keys[0]
    if not depth:
        return "…"
    arguments = [_text(argument, body, depth - 1) for argument in node.args]
    return f"{operator(node)}({', '.join(arguments)})"


def _text(argument: object, body: Body, depth: int) -> str:
    from torch.fx import Node

    if isinstance(argument, Node):
        return express(look_through(argument), body, depth)
    if isinstance(argument, list | tuple):
        return f"[{', '.join(_text(item, body, depth) for item in argument)}]"
    return str(argument)
