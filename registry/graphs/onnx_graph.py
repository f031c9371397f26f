"""The graph of an ONNX file."""

from collections.abc import Iterator
from itertools import islice

from registry.graphs.graph import Graph, Node, module_of
from registry.graphs.protobuf import Bytes, all_fields, fields

#: Fields of ONNX's protobuf: ModelProto.graph; GraphProto's nodes, initializers, inputs and
#: outputs; NodeProto's; AttributeProto's bodies; what has a name or is a pair.
_GRAPH = 7
_NODE, _INITIALIZER, _INPUT, _OUTPUT = 1, 5, 11, 12
_TAKES, _GIVES, _NAME, _OPERATOR, _ATTRIBUTE, _DOMAIN, _NOTE = 1, 2, 3, 4, 5, 7, 9
_BODY, _BODIES = 6, 11
_VALUE_NAME, _TENSOR_NAME, _KEY, _TEXT = 1, 8, 1, 2

#: The note in which the platform's exports say of which module a node is.
_MODULE = "module"


def read_onnx(data: Bytes, most: int) -> Graph:
    """Read up to so many nodes.

    Raises:
        ValueError, IndexError: It is no ONNX file.
    """
    (graph,) = fields(data, _GRAPH)
    constants = {_text(fields(one, _TENSOR_NAME)) for one in fields(graph, _INITIALIZER)}
    nodes = fields(graph, _NODE)
    read = tuple(map(_node, islice(nodes, most)))
    return Graph(
        inputs=tuple(name for name in _names(graph, _INPUT) if name not in constants),
        outputs={name: name for name in _names(graph, _OUTPUT)},
        nodes=read,
        more=sum(1 for _ in nodes),
    )


def _names(graph: Bytes, kind: int) -> Iterator[str]:
    return (_text(fields(value, _VALUE_NAME)) for value in fields(graph, kind))


def _node(data: Bytes) -> Node:
    found: dict[int, list[Bytes]] = {}
    for number, field in all_fields(data):
        found.setdefault(number, []).append(field)
    name, operator, domain = (_text(found.get(one, ())) for one in (_NAME, _OPERATOR, _DOMAIN))
    notes = dict(map(_pair, found.get(_NOTE, ())))
    captured = (taken for one in found.get(_ATTRIBUTE, ()) for taken in _captured(one))
    return Node(
        name=name,
        operator=f"{domain}.{operator}" if domain else operator,
        module=tuple(notes[_MODULE].split(".")) if notes.get(_MODULE) else module_of(name),
        takes=tuple(filter(None, (*map(_decoded, found.get(_TAKES, ())), *captured))),
        gives=tuple(filter(None, map(_decoded, found.get(_GIVES, ())))),
    )


def _captured(attribute: Bytes) -> Iterator[str]:
    """Name the values that a branch's or a loop's body takes, those of its own among them."""
    for number, body in all_fields(attribute):
        if number in (_BODY, _BODIES):
            for node in fields(body, _NODE):
                yield from map(_decoded, fields(node, _TAKES))
                for inner in fields(node, _ATTRIBUTE):
                    yield from _captured(inner)


def _pair(entry: Bytes) -> tuple[str, str]:
    return _text(fields(entry, _KEY)), _text(fields(entry, _TEXT))


def _text(found: Iterator[Bytes] | list[Bytes] | tuple[Bytes, ...]) -> str:
    return b"".join(found).decode()


def _decoded(field: Bytes) -> str:
    return bytes(field).decode()
