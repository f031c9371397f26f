"""Small ONNX models from their text."""

from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
import torch

from converters.onnx_to_torch import import_model


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., torch.fx.GraphModule]:
    """Write the text of a graph as a file, and import that."""

    def load(graph: str, opset: int = 21) -> torch.fx.GraphModule:
        head = f'<ir_version: 9, opset_import: ["" : {opset}, "com.acme" : 1]>\n'
        onnx.save(onnx.parser.parse_model(head + graph), tmp_path / "model.onnx")
        return import_model(tmp_path / "model.onnx")

    return load
