"""The stored tensors whose rows are gathered."""

import math
from dataclasses import dataclass, field

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
                return None
            if node.op_type == "Cast":
                casts.insert(0, next(one.i for one in node.attribute if one.name == "to"))
            name = node.input[0]
        variable = self._variable(name)
        if variable is None:
            return None
        return Source(variable, tuple(self.graph.stored[name].dims[1:]), tuple(casts))

    def _variable(self, name: str) -> Variable | None:
        import onnx

        tensor = self.graph.stored.get(name)
        if tensor is None or not tensor.dims or 0 in tensor.dims:
            return None
        kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).name
        if name in self.found or kind not in (*_STORED, *_IDS):
            return self.found.get(name)
        variable = Variable(
            name=free_name([name], (variable.name for variable in self.found.values())),
            tensor=name,
            keys=(name,),
            rows=tensor.dims[0],
            dim=math.prod(tensor.dims[1:]),
            dtype=DType(kind),
        )
        if kind in _IDS and not is_wanted(variable, self.options):
            return None
        self.found[name] = variable
        return variable
