"""A model in, parts and formats out."""

from collections import deque

from converters import onnx_to_ipex_torchscript, onnx_to_openvino, torch_to_onnx
from converters.converter import Converter
from registry.errors import ConversionError
from registry.format import Format

CONVERTERS: tuple[Converter, ...] = (
    onnx_to_ipex_torchscript.CONVERTER,
    onnx_to_openvino.CONVERTER,
    torch_to_onnx.CONVERTER,
)


def route(source: Format, result: Format) -> tuple[Converter, ...]:
    """Find the shortest way from one format to another; empty where they are the same.

    Raises:
        ConversionError: There is none.
    """
    waiting: deque[tuple[Converter, ...]] = deque([()])
    reached = {source}
    while waiting:
        steps = waiting.popleft()
        here = steps[-1].result if steps else source
        if here == result:
            return steps
        for converter in CONVERTERS:
            if converter.source == here and converter.result not in reached:
                reached.add(converter.result)
                waiting.append((*steps, converter))
    raise ConversionError(f"nothing converts {source} to {result}")
