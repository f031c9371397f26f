"""The operators of a part, counted in its file, without the framework that wrote it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from registry.format import Format

Bytes = memoryview

#: Fields of ONNX's protobuf: ModelProto.graph, GraphProto.node, and of a NodeProto its name in
#: the table of operators and the domain of that.
_GRAPH, _NODE, _OPERATOR, _DOMAIN = 7, 1, 4, 7

_VARINT, _EIGHT, _LENGTH, _FOUR = 0, 1, 2, 5

_LAYER = re.compile(rb'<layer\b[^>]*?\btype="([^"]{1,200})"')


def count_operators(data: Bytes, format: Format) -> Counter[str] | None:  # noqa: A002
    """Count operators; None where the format does not show them, or the file is not of it."""
    count = _COUNTERS.get(format)
    if count is None:
        return None
    try:
        return count(data)
    except (ValueError, IndexError):
        return None


def _of_onnx(data: Bytes) -> Counter[str]:
    """Count the nodes of the main graph."""
    found: Counter[str] = Counter()
    for graph in _fields(data, _GRAPH):
        for node in _fields(graph, _NODE):
            name = b"".join(_fields(node, _OPERATOR)).decode()
            domain = b"".join(_fields(node, _DOMAIN)).decode()
            found[f"{domain}.{name}" if domain else name] += 1
    return found


def _of_ir(data: Bytes) -> Counter[str]:
    """Count the layers that compute."""
    found = Counter(match[1].decode() for match in _LAYER.finditer(data))
    for name in ("Const", "Parameter", "Result"):
        found.pop(name, None)
    return found


_COUNTERS: Mapping[Format, Callable[[Bytes], Counter[str]]] = MappingProxyType(
    {Format.ONNX: _of_onnx, Format.OPENVINO_IR: _of_ir}
)


def _fields(data: Bytes, wanted: int) -> Iterator[Bytes]:
    """Give the length-delimited fields of a protobuf message that have a number."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == _LENGTH:
            size, at = _varint(data, at)
            if at + size > len(data):
                raise ValueError("a field leads out of its message")
            if number == wanted:
                yield data[at : at + size]
            at += size
        elif kind == _VARINT:
            _, at = _varint(data, at)
        elif kind in (_EIGHT, _FOUR):
            at += 8 if kind == _EIGHT else 4
        else:
            raise ValueError("not a field of protobuf")


def _varint(data: Bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("not a number of protobuf")
