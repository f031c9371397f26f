"""The operators of a part, counted in its file, without the framework that wrote it."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType

from registry.format import Format
from registry.graphs.protobuf import Bytes, fields

#: Fields of ONNX's protobuf: ModelProto.graph, GraphProto.node, and of a NodeProto its name in
#: the table of operators and the domain of that.
_GRAPH, _NODE, _OPERATOR, _DOMAIN = 7, 1, 4, 7

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
    for graph in fields(data, _GRAPH):
        for node in fields(graph, _NODE):
            name = b"".join(fields(node, _OPERATOR)).decode()
            domain = b"".join(fields(node, _DOMAIN)).decode()
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
