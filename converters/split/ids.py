"""The ids programs: from the user's inputs, and rows of integer tables, to what lookups take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from converters.split.body import Body
from converters.split.groups import Group
from converters.split.passing import look_through_ids
from converters.split.same import Keys
from registry.composition import Lookup

if TYPE_CHECKING:
    from torch.fx import Node


@dataclass
class IdsPrograms:
    """What the lookups take.

    Attributes:
        inputs: The job's names of the user's inputs.
        hops: How many lookups in a row come before a node.
        outputs: What has to be computed, by name. Empty where the inputs are the ids.
    """

    body: Body
    inputs: "Mapping[Node, str]"
    keys: Keys
    hops: "Mapping[Node, int]"
    outputs: "dict[str, Node]" = field(default_factory=dict)
    _names: dict[tuple[int, int], str] = field(default_factory=dict)
    _given: "dict[Node, str]" = field(default_factory=dict)
    _waits: dict[str, int] = field(default_factory=dict)

    def lookup(self, group: Group) -> Lookup:
        """Describe a lookup, and note what has to be computed for it."""
        read, matrix = group.first, group.matrix
        wraps = matrix.rows if read.wraps else 0
        if matrix.holds_ids:
            self._given |= {one.result: group.output for one in group.reads}
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

    def by_hop(self, rows: "Mapping[Node, Node]") -> "dict[int, dict[str, Node]]":
        """Give what has to be computed, by the number of lookups in a row that come before it.

        Args:
            rows: What stands for the results of lookups after the cut.
        """
        names = sorted(self.outputs, key=self._waits.__getitem__)
        return {
            hop: {name: rows.get(self.outputs[name], self.outputs[name]) for name in some}
            for hop, some in groupby(names, key=self._waits.__getitem__)
        }

    def _name(self, node: "Node", what: str, *, wraps: int = 0) -> str:
        node = look_through_ids(node)
        known = {**self.inputs, **self._given}
        if node in known and not wraps:
            return known[node]
        key = (self.keys.of(node, ids=True), wraps)
        if key not in self._names:
            name = self._free(what)
            self._names[key] = name
            self._waits[name] = self.hops[node]
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
