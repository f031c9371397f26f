"""How many lookups in a row a value of a graph waits for."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from converters.split.forms.form import Read

if TYPE_CHECKING:
    from torch.fx import Graph, Node


def program_name(hop: int) -> str:
    """Name the program that computes ids behind so many lookups, and its folder."""
    return f"ids_{hop + 1}" if hop else "ids"


def count_hops(graph: "Graph", cut: Iterable[Read]) -> "dict[Node, int]":
    """Count for each node the lookups that are cut on the longest way to it, shapes included."""
    lookups = {read.node for read in cut}
    hops: dict[Node, int] = {}
    for node in graph.nodes:
        before = max((hops[source] for source in node.all_input_nodes), default=0)
        hops[node] = before + (node in lookups)
    return hops
