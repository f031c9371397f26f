"""Tiny ONNX models, with what each takes: every runtime and converter has to take them all."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.helper import (
    make_graph,
    make_model,
    make_node,
    make_opsetid,
    make_tensor,
    make_tensor_value_info,
)

OPSET = 17


def values(name: str, *shape: int) -> onnx.TensorProto:
    """Make an initializer with values of order one, always the same for a name."""
    rng = np.random.default_rng(list(name.encode()))
    array = rng.standard_normal(shape).astype(np.float32)
    return numpy_helper.from_array(array, name)


def tensor(name: str, kind: int, *shape: int | str) -> onnx.ValueInfoProto:
    """Describe an input or output."""
    return make_tensor_value_info(name, kind, shape)


def model(
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    outputs: list[onnx.ValueInfoProto],
    weights: list[onnx.TensorProto] | None = None,
) -> onnx.ModelProto:
    """Put a model together, and have it checked."""
    graph = make_graph(nodes, "tiny", inputs, outputs, weights or [])
    made = make_model(graph, opset_imports=[make_opsetid("", OPSET)], ir_version=8)
    onnx.checker.check_model(made, full_check=True)
    return made


def mlp() -> onnx.ModelProto:
    """Two layers and a score."""
    return model(
        [
            make_node("Gemm", ["x", "w1", "b1"], ["h"], name="first"),
            make_node("Relu", ["h"], ["r"], name="relu"),
            make_node("MatMul", ["r", "w2"], ["m"], name="second"),
            make_node("Sigmoid", ["m"], ["score"], name="sigmoid"),
        ],
        [tensor("x", TensorProto.FLOAT, "batch", 6)],
        [tensor("score", TensorProto.FLOAT, "batch", 2)],
        [values("w1", 6, 8), values("b1", 8), values("w2", 8, 2)],
    )


def convolution() -> onnx.ModelProto:
    """An image model with a free batch and free sides."""
    return model(
        [
            make_node("Conv", ["image", "k", "b"], ["c"], name="conv", pads=[1, 1, 1, 1]),
            make_node("Relu", ["c"], ["r"], name="relu"),
            make_node("GlobalAveragePool", ["r"], ["p"], name="pool"),
            make_node("Flatten", ["p"], ["features"], name="flatten"),
        ],
        [tensor("image", TensorProto.FLOAT, "batch", 3, "height", "width")],
        [tensor("features", TensorProto.FLOAT, "batch", 4)],
        [values("k", 4, 3, 3, 3), values("b", 4)],
    )


def integers() -> onnx.ModelProto:
    """An int64 input that is used by value, and a mask of it as second output."""
    padding = numpy_helper.from_array(np.array(0, np.int64), "padding")
    return model(
        [
            make_node("Equal", ["ids", "padding"], ["empty"], name="equal"),
            make_node("Not", ["empty"], ["mask"], name="not"),
            make_node("Cast", ["mask"], ["kept"], name="cast", to=TensorProto.FLOAT),
            make_node("Unsqueeze", ["kept", "last"], ["wide"], name="unsqueeze"),
            make_node("Mul", ["vectors", "wide"], ["product"], name="mul"),
            make_node("ReduceSum", ["product", "second"], ["pooled"], name="sum", keepdims=0),
        ],
        [
            tensor("ids", TensorProto.INT64, "batch", "length"),
            tensor("vectors", TensorProto.FLOAT, "batch", "length", 4),
        ],
        [
            tensor("pooled", TensorProto.FLOAT, "batch", 4),
            tensor("mask", TensorProto.BOOL, "batch", "length"),
        ],
        [
            padding,
            make_tensor("last", TensorProto.INT64, [1], [-1]),
            make_tensor("second", TensorProto.INT64, [1], [1]),
        ],
    )


def slices() -> onnx.ModelProto:
    """A slice "to the end", which exporters write as the largest int64."""
    return model(
        [make_node("Slice", ["x", "from", "to", "axis"], ["tail"], name="slice")],
        [tensor("x", TensorProto.FLOAT, "batch", 6)],
        [tensor("tail", TensorProto.FLOAT, "batch", 4)],
        [
            make_tensor("from", TensorProto.INT64, [1], [2]),
            make_tensor("to", TensorProto.INT64, [1], [2**63 - 1]),
            make_tensor("axis", TensorProto.INT64, [1], [1]),
        ],
    )


def gates() -> onnx.ModelProto:
    """Two products of the same input, which IPEX computes as one, and a softmax of each."""
    return model(
        [
            make_node("Gemm", ["x", "w1", "b1"], ["h1"], name="first"),
            make_node("Gemm", ["x", "w2", "b2"], ["h2"], name="second"),
            make_node("Softmax", ["h1"], ["gate"], name="gate"),
            make_node("Softmax", ["h2"], ["other"], name="other"),
        ],
        [tensor("x", TensorProto.FLOAT, "batch", 6)],
        [
            tensor("gate", TensorProto.FLOAT, "batch", 3),
            tensor("other", TensorProto.FLOAT, "batch", 3),
        ],
        [values("w1", 6, 3), values("b1", 3), values("w2", 6, 3), values("b2", 3)],
    )


def heads() -> onnx.ModelProto:
    """Scores of attention, scaled by a number for each head: times it, and by it."""
    scaled = {"times": "Mul", "by": "Div"}
    return model(
        [
            node
            for name, kind in scaled.items()
            for node in (
                make_node("MatMul", ["q", f"k_{name}"], [f"{name}_p"], name=f"{name}_product"),
                make_node(kind, [f"{name}_p", "scale"], [f"{name}_m"], name=f"{name}_scale"),
                make_node("Add", [f"{name}_m", "bias"], [f"{name}_a"], name=f"{name}_bias"),
                make_node("Softmax", [f"{name}_a"], [name], name=f"{name}_softmax"),
            )
        ],
        [
            tensor("q", TensorProto.FLOAT, "batch", 3, 5, 4),
            *(tensor(f"k_{name}", TensorProto.FLOAT, "batch", 3, 4, 6) for name in scaled),
        ],
        [tensor(name, TensorProto.FLOAT, "batch", 3, 5, 6) for name in scaled],
        [values("scale", 3, 1, 1), values("bias", 1, 3, 5, 6)],
    )


def sums() -> onnx.ModelProto:
    """Products by Einsum: of matrices and a bias, of a matrix and a vector and a number."""
    return model(
        [
            make_node("Einsum", ["a", "b"], ["p"], name="scores", equation="bmd,bed->bme"),
            make_node("Add", ["p", "bias"], ["biased"], name="bias_added"),
            make_node("Einsum", ["a", "c"], ["q"], name="vector", equation="bmd,bd->bm"),
            make_node("Add", ["q", "number"], ["raised"], name="number_added"),
        ],
        [
            tensor("a", TensorProto.FLOAT, "batch", 6, 5),
            tensor("b", TensorProto.FLOAT, "batch", 3, 5),
            tensor("c", TensorProto.FLOAT, "batch", 5),
        ],
        [
            tensor("biased", TensorProto.FLOAT, "batch", 6, 3),
            tensor("raised", TensorProto.FLOAT, "batch", 6),
        ],
        [values("bias", 3), values("number")],
    )


MODELS: Mapping[str, Callable[[], onnx.ModelProto]] = MappingProxyType(
    {"mlp": mlp, "convolution": convolution, "integers": integers, "slices": slices}
)


def write(made: onnx.ModelProto, folder: Path, *, external: bool = False) -> Path:
    """Save as `model.onnx`, with the weights beside it where they are to be external."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "model.onnx"
    if external:
        outside = onnx.ModelProto()
        outside.CopyFrom(made)
        options = {"save_as_external_data": True, "location": "model.onnx.data"}
        onnx.save(outside, path, size_threshold=16, **options)
    else:
        onnx.save(made, path)
    return path


def feeds(made: onnx.ModelProto, batch: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Draw inputs; free axes other than the batch have 5 elements."""
    rng = np.random.default_rng(seed)
    arrays = {}
    for entry in made.graph.input:
        kind = entry.type.tensor_type
        shape = [
            (batch if dim.dim_param == "batch" else 5) if dim.dim_param else dim.dim_value
            for dim in kind.shape.dim
        ]
        if kind.elem_type == TensorProto.INT64:
            arrays[entry.name] = rng.integers(0, 3, shape)
        else:
            arrays[entry.name] = rng.standard_normal(shape).astype(np.float32)
    return arrays
