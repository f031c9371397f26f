"""Read a part's graph from its file, by the table of the formats that show one."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from registry.format import Format
from registry.graphs.graph import Graph
from registry.graphs.ir_graph import read_ir
from registry.graphs.onnx_graph import read_onnx
from registry.graphs.protobuf import Bytes

#: Nodes of a graph that are read; larger ones are cut there.
MOST = 20_000

READERS: Mapping[Format, Callable[[Bytes, int], Graph]] = MappingProxyType(
    {Format.ONNX: read_onnx, Format.OPENVINO_IR: read_ir}
)


def read_graph(data: Bytes, format: Format, most: int = MOST) -> Graph | None:  # noqa: A002
    """Read a graph; None where the file is not of the format.

    Raises:
        KeyError: The format is none of those that show their graph.
    """
    try:
        return READERS[format](data, most)
    except (ValueError, IndexError):
        return None
