"""Find the lookups of a graph and tell those that can be cut from those that stay."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from converters.split.body import Body, is_tensor
from converters.split.choose import check_patterns, why_not
from converters.split.forms import FORMS
from converters.split.forms.form import Read
from converters.split.keep import sources_of, why_stuck
from converters.split.matrices import Matrices, Matrix
from converters.split.nested import nested_tables
from converters.split.place import operator
from converters.split.policy import SplitOptions
from converters.split.roots import Roots, roots_of

if TYPE_CHECKING:
    from torch.fx import Node

#: Operators that pick from their first argument by ids.
PICKING = frozenset(name for form in FORMS for name in form.operators) | {
    "aten._unsafe_index.Tensor",
    "aten.gather.default",
    "aten.take.default",
    "aten.take_along_dim.default",
}
_FORMS = {name: form for form in FORMS for name in form.operators}
_INTEGERS = ("torch.int32", "torch.int64")


@dataclass
class Found:
    """The lookups of a graph.

    Attributes:
        cut: In the order of the graph, identical ones not yet joined.
        kept: Tables that stay, with the reasons.
        unknown: Matrices that are read by operators that are no form of lookup.
        roots: Of every node; behind a lookup that is cut, it alone counts.
    """

    matrices: Matrices
    cut: list[tuple[Read, Matrix]] = field(default_factory=list)
    kept: list[tuple[Matrix, str]] = field(default_factory=list)
    unknown: "list[tuple[Node, Matrix]]" = field(default_factory=list)
    roots: "dict[Node, Roots]" = field(default_factory=dict)


def find_lookups(body: Body, options: SplitOptions) -> Found:
    """Walk the graph once, from inputs to outputs.

    Raises:
        SplitError: A name pattern of the job matches no table.
    """
    found = Found(matrices=Matrices(body))
    for node in body.graph.nodes:
        found.roots[node] = roots_of(node, found.roots)
        if read := _read(node):
            _decide(read, found, options)
        elif str(node.target) in PICKING and node.users:
            _note(node, found, options)
        for table in nested_tables(node, body):
            _keep_nested(table, node, found)
    check_patterns(found.matrices, options)
    return found


def _read(node: "Node") -> Read | None:
    form = _FORMS.get(str(node.target)) if node.op == "call_function" else None
    read = form.read(node) if form else None
    if read is None or not read.result.users:
        return None
    integer = all(
        is_tensor(ids) and str(ids.meta["val"].dtype) in _INTEGERS
        for ids in (read.ids, read.offsets)
        if ids is not None
    )
    return read if integer and is_tensor(read.weight) else None


def _decide(read: Read, found: Found, options: SplitOptions) -> None:
    body = found.matrices.body
    matrix = found.matrices.behind(read.weight, found.roots[read.weight])
    if matrix is None:
        return
    sources = sources_of(read, found.roots)
    bags = read.kind == "bag"
    why = why_not(matrix, options, bags=bags) or why_stuck(read, sources, body, options)
    if why:
        found.kept.append((matrix, why))
        return
    found.cut.append((read, matrix))
    found.roots[read.node] = Roots(lookups=frozenset({read.node}))


def _note(node: "Node", found: Found, options: SplitOptions) -> None:
    """Note a table that is read in another way; it stays, but not unseen if it is learned."""
    source, *rest = node.all_input_nodes
    if source is not node.args[0] or not is_tensor(source) or source.meta["val"].dim() < 2:
        return
    matrix = found.matrices.behind(source, found.roots[source])
    if matrix is None:
        return
    learned = any(found.matrices.body.weights[name].learned for name in matrix.weights)
    if learned and any(found.roots[index].inputs for index in rest):
        found.unknown.append((node, matrix))
    elif why_not(matrix, options) is None:
        why = f"read by {operator(node)}, which is no lookup of an input's ids"
        found.kept.append((matrix, why))


def _keep_nested(table: "Node", node: "Node", found: Found) -> None:
    if is_tensor(table) and (matrix := found.matrices.behind(table, found.roots[table])):
        found.kept.append((matrix, f"its lookup is inside control flow ({operator(node)})"))
