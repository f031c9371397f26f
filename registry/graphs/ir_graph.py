"""The graph of an OpenVINO IR."""

import re
from collections.abc import Iterator
from html import unescape

from registry.graphs.graph import Graph, Node, module_of
from registry.graphs.protobuf import Bytes

#: The layers and the edges between them, and where the bodies of branches and loops begin and end.
_MARK = re.compile(
    rb"<(?P<body>/?(?:body|then_body|else_body))\b[^>]*>"
    rb'|<layer\s+id="(?P<id>\d+)"\s+name="(?P<name>[^"]*)"\s+type="(?P<type>[^"]*)"'
    rb'|<edge\s+from-layer="(?P<from>\d+)"\s+from-port="\d+"\s+to-layer="(?P<to>\d+)"'
)

_SINK = re.compile(r"/sink_port_\d+$")

_CONSTANT, _INPUT, _OUTPUT = "Const", "Parameter", "Result"


def read_ir(data: Bytes, most: int) -> Graph:
    """Read up to so many nodes.

    Raises:
        ValueError: It is no IR.
    """
    layers: dict[str, tuple[str, str]] = {}
    takes: dict[str, list[str]] = {}
    for match in _of_main(data):
        if match["id"] is not None:
            name, kind = (unescape(match[one].decode()) for one in ("name", "type"))
            layers[match["id"].decode()] = (name, kind)
        else:
            takes.setdefault(match["to"].decode(), []).append(match["from"].decode())
    if not layers:
        raise ValueError("no layer")
    computing = [
        Node(name, kind, module_of(name), tuple(takes.get(one, ())), (one,))
        for one, (name, kind) in layers.items()
        if kind not in (_CONSTANT, _INPUT, _OUTPUT)
    ]
    return _named(
        Graph(
            inputs=tuple(one for one, (_, kind) in layers.items() if kind == _INPUT),
            outputs={
                _SINK.sub("", name): takes[one][0]
                for one, (name, kind) in layers.items()
                if kind == _OUTPUT and one in takes
            },
            nodes=tuple(computing[:most]),
            more=max(0, len(computing) - most),
        ),
        {one: name for one, (name, kind) in layers.items() if kind == _INPUT},
    )


def _of_main(data: Bytes) -> Iterator[re.Match[bytes]]:
    """Pass bodies over."""
    depth = 0
    for match in _MARK.finditer(data):
        if match["body"] is not None:
            depth += -1 if match["body"].startswith(b"/") else 1
        elif depth == 0:
            yield match


def _named(graph: Graph, names: dict[str, str]) -> Graph:
    """Call the inputs by their names, where they are called by the numbers of their layers."""
    nodes = tuple(
        Node(
            one.name, one.operator, one.module, tuple(names.get(v, v) for v in one.takes), one.gives
        )
        for one in graph.nodes
    )
    outputs = {name: names.get(value, value) for name, value in graph.outputs.items()}
    return Graph(tuple(names[one] for one in graph.inputs), outputs, nodes, graph.more)
