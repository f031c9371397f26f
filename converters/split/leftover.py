"""What is left of tables in the dense part, and that nothing is left there unseen."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from converters.split.choose import why_not
from converters.split.extract import needed
from converters.split.find import PICKING, Found
from converters.split.matrices import Matrix
from converters.split.passing import look_through
from converters.split.place import operator, place
from converters.split.policy import SplitOptions
from converters.split.tied import why_tied
from registry.composition import Kept
from registry.errors import SplitError

if TYPE_CHECKING:
    from torch.fx import Node


def tables_left(
    outputs: "Sequence[Node]", ids: "Sequence[Node]", found: Found, options: SplitOptions
) -> tuple[Kept, ...]:
    """Tell which tables are no shards: those that the dense part or an ids program holds, and why.

    Args:
        ids: What the ids programs compute.

    Raises:
        SplitError: It holds one that the job wants cut, in a way that the split does not know.
    """
    alive = needed(outputs)
    held = {node.target: node for node in alive if node.op == "get_attr"}
    reasons: dict[str, tuple[Matrix, list[str]]] = {}
    computing = {node.target for node in needed(ids) if node.op == "get_attr"}
    folded = {name for _, one in found.cut if one.fold for name in one.weights}
    for matrix, why in found.kept:
        if folded.issuperset(matrix.weights) and held.keys().isdisjoint(matrix.weights):
            continue  # it was read to work out a table
        inside = computing.intersection(matrix.weights) and not held.keys() & matrix.weights
        said = f"{why}; an ids program holds it" if inside else why
        reasons.setdefault(matrix.name, (matrix, []))[1].append(said)
    for _, matrix in found.cut:
        for node in (held[name] for name in matrix.weights if name in held):
            if use := _used_densely(node, alive):
                dense = f"cut for its lookups, and a copy stays: also used densely {use}"
                reasons.setdefault(matrix.name, (matrix, []))[1].append(dense)
    _refuse_unknown(alive, found, options, reasons)
    return tuple(_kept(matrix, whys) for matrix, whys in reasons.values())


def keep_tied(outputs: "Sequence[Node]", found: Found, options: SplitOptions) -> None:
    """Leave tables whole that are used densely as well, where the job wants it so.

    Raises:
        SplitError: The job forbids such tables.
    """
    alive = needed(outputs, {read.node for read, _ in found.cut})
    tied: dict[str, str] = {}
    for _, matrix in found.cut:
        held = (node for node in alive if node.op == "get_attr" and node.target in matrix.weights)
        uses = [use for node in held if (use := _used_densely(node, alive))]
        if uses and not matrix.holds_ids and (why := why_tied(matrix, uses[0], options)):
            tied[matrix.name] = why
    found.kept += [(matrix, tied[matrix.name]) for _, matrix in found.cut if matrix.name in tied]
    found.cut = [(read, matrix) for read, matrix in found.cut if matrix.name not in tied]


def _kept(matrix: Matrix, whys: list[str]) -> Kept:
    return Kept(
        table=matrix.name,
        rows=matrix.rows,
        dim=matrix.dim,
        bytes=matrix.bytes,
        why="; ".join(dict.fromkeys(whys)),
    )


def _used_densely(weight: "Node", alive: "set[Node]") -> str | None:
    users = [user for user in _users(weight, alive) if str(user.target) not in PICKING]
    if not users:
        return None
    return f"by {operator(users[0])} ({place(users[0])})"


def _users(node: "Node", alive: "set[Node]") -> "list[Node]":
    """List what uses a value, behind operators that only hand it on."""
    found: list[Node] = []
    for user in node.users:
        if user in alive:
            found += [user] if look_through(user) is user else _users(user, alive)
    return found


def _refuse_unknown(
    alive: "set[Node]",
    found: Found,
    options: SplitOptions,
    reasons: dict[str, tuple[Matrix, list[str]]],
) -> None:
    """Look at the tables that are read in a way that no form of lookup knows."""
    for node, matrix in found.unknown:
        if node not in alive or matrix.name in reasons:
            continue
        why = why_not(matrix, options)
        if why is None:
            raise SplitError(
                f"table {matrix.keys[0]} ({matrix.bytes} bytes) is read by {node.target} at"
                f" {place(node)}, which cannot be cut: name it in split.keep to leave it in the"
                " dense part"
            )
        reasons[matrix.name] = (matrix, [why])
