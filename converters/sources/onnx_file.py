"""An ONNX file, its weights inside or beside it."""

from typing import Literal

from converters.sources.source import SourceOptions


class OnnxOptions(SourceOptions):
    """An `.onnx` file; external data is found beside it."""

    kind: Literal["onnx"] = "onnx"
    file: str
