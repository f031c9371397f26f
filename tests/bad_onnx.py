"""Write small ONNX files, sound or with a fault, and say what a job says of them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from tests.bench import SOUND

FOREIGN = "com.example"

#: What a job says of each of these files.
JOB = {"source": {"kind": "onnx", "file": "model.onnx"}, "inputs": [SOUND["inputs"][1]]}


def write(
    folder: Path,
    nodes: Sequence[NodeProto],
    weights: dict[str, np.ndarray] | None = None,
    *,
    batch: int | str = "batch",
) -> dict[str, object]:
    """Write a model from `x` [batch, 4] to `y`, and return the job's blocks."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(FOREIGN, 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), folder / "model.onnx")
    return JOB


def sound(folder: Path) -> dict[str, object]:
    """Write a model that has nothing wrong."""
    return write(folder, [helper.make_node("Tanh", ["x"], ["y"], name="tanh")])
