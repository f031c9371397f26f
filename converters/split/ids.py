"""The ids program: from the user's inputs to ids, offsets and weights."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from converters.split.body import Body
from converters.split.groups import Group
from converters.split.passing import look_through_ids
from converters.split.same import Keys
from registry.composition import Lookup

if TYPE_CHECKING:
    from torch.fx import Node


@dataclass
class IdsProgram:
    """What the lookups take.

    Attributes:
        inputs: The job's names of the user's inputs.
        outputs: What has to be computed, by name. Empty where the inputs are the ids.
    """

    body: Body
    inputs: "Mapping[Node, str]"
    keys: Keys
    outputs: "dict[str, Node]" = field(default_factory=dict)
    _names: dict[tuple[int, int], str] = field(default_factory=dict)

    def lookup(self, group: Group) -> Lookup:
        """Describe a lookup, and note what has to be computed for it."""
        read, matrix = group.first, group.matrix
        wraps = matrix.rows if read.wraps else 0
        return Lookup(
            output=group.output,
            table=matrix.name,
            kind=read.kind,
            mode=read.mode,
            ids=self._name(read.ids, "ids", wraps=wraps),
            offsets=None if read.offsets is None else self._name(read.offsets, "offsets"),
            includes_last=read.includes_last,
            weights=None if read.weights is None else self._name(read.weights, "weights"),
            padding=read.padding,
            dtype=matrix.vectors,
        )

    def _name(self, node: "Node", what: str, *, wraps: int = 0) -> str:
        node = look_through_ids(node)
        if node in self.inputs and not wraps:
            return self.inputs[node]
        key = (self.keys.of(node, ids=True), wraps)
        if key not in self._names:
            name = self._free(what)
            self._names[key] = name
            self.outputs[name] = _wrapped(node, wraps, self.body) if wraps else node
        return self._names[key]

    def _free(self, what: str) -> str:
        taken = {*self.inputs.values(), *self.outputs}
        count = 0
        while f"{what}__{count}" in taken:
            count += 1
        return f"{what}__{count}"


def _wrapped(ids: "Node", rows: int, body: Body) -> "Node":
    """Count negative ids from the end, as indexing does. Ids out of range stay so."""
    from torch.ops import aten

    graph = body.graph
    with graph.inserting_after(ids):
        negative = graph.call_function(aten.lt.Scalar, (ids, 0))
    with graph.inserting_after(negative):
        counted = graph.call_function(aten.add.Tensor, (ids, rows))
    with graph.inserting_after(counted):
        chosen = graph.call_function(aten.where.self, (negative, counted, ids))
    for node in (counted, chosen):
        node.meta = dict(ids.meta)
    return chosen
