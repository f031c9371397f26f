"""A model in, parts and formats out."""

from collections import deque

from converters import (
    onnx_to_inductor,
    onnx_to_ipex_torchscript,
    onnx_to_openvino,
    onnx_to_torchscript,
    torch_graph_to_ipex_torchscript,
    torch_to_inductor,
    torch_to_onnx,
    torch_to_torch_graph,
    torch_to_torchscript,
)
from converters.converter import Converter
from registry.errors import ConversionError
from registry.format import Format
from registry.signature import Road

CONVERTERS: tuple[Converter, ...] = (
    onnx_to_inductor.CONVERTER,
    onnx_to_ipex_torchscript.CONVERTER,
    onnx_to_openvino.CONVERTER,
    onnx_to_torchscript.CONVERTER,
    torch_graph_to_ipex_torchscript.CONVERTER,
    torch_to_inductor.CONVERTER,
    torch_to_onnx.CONVERTER,
    torch_to_torch_graph.CONVERTER,
    torch_to_torchscript.CONVERTER,
)


def route(source: Format, result: Format, via: Road | None = None) -> tuple[Converter, ...]:
    """Find the shortest way from one format to another; empty where they are the same.

    Args:
        via: `onnx` goes by ONNX, `torch` goes round it; if not given, either will do.

    Raises:
        ConversionError: There is none.
    """
    if via == "onnx":
        return (*_shortest(source, Format.ONNX, CONVERTERS), *route(Format.ONNX, result))
    if via == "torch":
        rows = tuple(r for r in CONVERTERS if Format.ONNX not in (r.source, r.result))
        return _shortest(source, result, rows)
    return _shortest(source, result, CONVERTERS)


def _shortest(source: Format, result: Format, rows: tuple[Converter, ...]) -> tuple[Converter, ...]:
    waiting: deque[tuple[Converter, ...]] = deque([()])
    reached = {source}
    while waiting:
        steps = waiting.popleft()
        here = steps[-1].result if steps else source
        if here == result:
            return steps
        for converter in rows:
            if converter.source == here and converter.result not in reached:
                reached.add(converter.result)
                waiting.append((*steps, converter))
    raise ConversionError(f"nothing converts {source} to {result}")
