"""When two expressions of a graph are one: they read alike, whatever no-ops are between."""

from typing import TYPE_CHECKING

from converters.split.passing import look_through, look_through_ids

if TYPE_CHECKING:
    from torch.fx import Node

_UNREPEATABLE = ("rand", "dropout", "bernoulli", "multinomial", "normal")


class Keys:
    """Number the expressions of a graph, equal ones alike. Valid until the graph changes."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._nodes: dict[Node, int] = {}

    def of(self, node: "Node", *, ids: bool = False) -> int:
        """Give the number of an expression."""
        node = look_through_ids(node) if ids else look_through(node)
        pending = [node]
        while pending:
            node_now = pending[-1]
            if node_now in self._nodes:
                pending.pop()
                continue
            sources = [look_through(source) for source in node_now.all_input_nodes]
            missing = [source for source in sources if source not in self._nodes]
            if missing:
                pending += missing
                continue
            pending.pop()
            self._nodes[node_now] = self._number(node_now)
        return self._nodes[node]

    def _number(self, node: "Node") -> int:
        return self._numbers.setdefault(self._reading(node), len(self._numbers))

    def _reading(self, node: "Node") -> object:
        unrepeatable = any(word in str(node.target) for word in _UNREPEATABLE)
        if node.op == "placeholder" or unrepeatable:
            return node.name
        if node.op == "get_attr":
            return ("get_attr", node.target)
        arguments = repr((self._plain(node.args), self._plain(node.kwargs)))
        return (str(node.target), arguments)

    def _plain(self, value: object) -> object:
        """Put numbers in the place of nodes."""
        from torch.fx import Node

        if isinstance(value, Node):
            return ("node", self._nodes[look_through(value)])
        if isinstance(value, list | tuple):
            return tuple(self._plain(item) for item in value)
        if isinstance(value, dict):
            return tuple((key, self._plain(value[key])) for key in sorted(value))
        return value
