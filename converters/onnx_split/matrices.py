"""The stored tensors whose rows are gathered."""

import math
from dataclasses import dataclass, field

from converters.onnx_split.fold import bytes_behind, express, shape_of, sources_of
from converters.onnx_split.graph import Graph
from converters.split.choose import is_wanted
from converters.split.policy import SplitOptions
from converters.split.table_names import free_name
from converters.split.variable import Variable
from registry.signature import DType

#: What rows are of: numbers, or what numbers are quantised to.
_STORED = ("float32", "float64", "float16", "bfloat16", "int8", "uint8")

#: Ids. Few of them are no table, but a part of how other ids are computed, unless the job names it.
_IDS = ("int64", "int32")


@dataclass(frozen=True)
class Source:
    """What a gather reads: a matrix, and the casts that its rows go through on the way.

    Attributes:
        row: Shape of one row; a table's rows are flat.
        casts: Element types of ONNX, in order.
    """

    variable: Variable
    row: tuple[int, ...]
    casts: tuple[int, ...]


@dataclass
class Matrices:
    """Finds the matrix behind a value, the same one for the same tensor."""

    graph: Graph
    options: SplitOptions
    found: dict[str, Variable] = field(default_factory=dict)

    def behind(self, name: str) -> Source | None:
        """Give the stored matrix that a value is, if it is one."""
        casts: list[int] = []
        while name in self.graph.made and name not in self.graph.stored:
            node = self.graph.made[name]
            if node.domain or node.op_type not in ("Identity", "Cast"):
                break
            if node.op_type == "Cast":
                casts.insert(0, next(one.i for one in node.attribute if one.name == "to"))
            name = node.input[0]
        variable = self._variable(name)
        if variable is None:
            return None
        return Source(variable, (shape_of(self.graph, name) or ())[1:], tuple(casts))

    def _variable(self, name: str) -> Variable | None:
        if name in self.found:
            return self.found[name]
        is_stored = name in self.graph.stored
        shape, kind = shape_of(self.graph, name), self._kind(name)
        if not shape or 0 in shape or kind not in (*_STORED, *(_IDS if is_stored else ())):
            return None
        keys = (name,) if is_stored else self._keys(name)
        if not keys:
            return None
        variable = Variable(
            name=free_name(keys, (variable.name for variable in self.found.values())),
            tensor=name,
            keys=keys,
            rows=shape[0],
            dim=math.prod(shape[1:]),
            dtype=DType(kind),
            fold=None if is_stored else express(self.graph, name),
        )
        if kind in _IDS and not is_wanted(variable, self.options):
            return None
        if not is_stored and variable.bytes > bytes_behind(self.graph, name):
            return None  # widened or repeated rows: the file's own form is the smaller one
        self.found[name] = variable
        return variable

    def _kind(self, name: str) -> str:
        import onnx

        kind = self.graph.kind(name)
        return onnx.helper.tensor_dtype_to_np_dtype(kind).name if kind else ""

    def _keys(self, name: str) -> tuple[str, ...]:
        """Name the stored matrices that alone make a value; none where it is no such expression."""
        return tuple(
            one for one in sources_of(self.graph, name) if len(self.graph.stored[one].dims) > 1
        )
