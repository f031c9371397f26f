"""`max_norm`: the model shortens the rows that it looks up, in its own table, as it answers."""

from typing import TYPE_CHECKING

from converters.split.body import Body
from converters.split.passing import look_through

if TYPE_CHECKING:
    from torch.fx import Node

_IN_PLACE = "aten.embedding_renorm_.default"
_FUNCTIONAL = "aten.embedding_renorm.default"


def fix(body: Body) -> None:
    """Let lookups read a table whose rows are all shortened: an expression that can be folded."""
    for node in [n for n in body.graph.nodes if str(n.target) in {_IN_PLACE, _FUNCTIONAL}]:
        table = look_through(node.args[0])
        if table.op != "get_attr":
            continue
        shortened = _shortened(table, node, body)
        node.replace_all_uses_with(shortened)
        if str(node.target) == _IN_PLACE:
            _hand_to_lookups(table, shortened, node)
        body.graph.erase_node(node)


def _shortened(table: "Node", node: "Node", body: Body) -> "Node":
    from torch.ops import aten

    rows = int(table.meta["val"].shape[0])
    with body.graph.inserting_after(table):
        every = body.graph.call_function(aten.arange.default, (rows,))
    with body.graph.inserting_after(every):
        limits = node.args[2:]
        shortened = body.graph.call_function(aten.embedding_renorm.default, (table, every, *limits))
    every.meta = {"val": node.args[1].meta["val"].new_zeros((rows,))}
    shortened.meta = dict(table.meta)
    return shortened


def _hand_to_lookups(table: "Node", shortened: "Node", renorm: "Node") -> None:
    """Replace the table in the lookup that the change was made for: the one of the same ids."""
    ids = renorm.args[1]
    for user in list(table.users):
        if (
            str(user.target).startswith("aten.embedding")
            and user is not shortened
            and ids in user.args
        ):
            user.replace_input_with(table, shortened)
