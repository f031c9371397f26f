"""Tiny ONNX recommenders, which look rows up in every way that ONNX files have."""

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.helper import make_node

from registry.signature import Axis, DType, Ids, Input
from tests.tiny_onnx import model, tensor, values

INT32, INT64, FLOAT, FLOAT16 = (
    TensorProto.INT32,
    TensorProto.INT64,
    TensorProto.FLOAT,
    TensorProto.FLOAT16,
)
AXES = {"batch": Axis(max=64), "length": Axis(max=16)}
INPUTS = (
    Input(name="user", dtype=DType.INT64, shape=("batch",), ids=Ids(cardinality=1200)),
    Input(name="past", dtype=DType.INT32, shape=("batch", "length"), ids=Ids(cardinality=1200)),
    Input(name="fields", dtype=DType.INT64, shape=("batch", 2), ids=Ids(cardinality=(1100, 1300))),
    Input(name="raw", dtype=DType.INT64, shape=("batch",), range=(-(2**40), 2**40)),
    Input(name="price", dtype=DType.FLOAT32, shape=("batch", 3)),
)


def constant(name: str, value: object, kind: str = "int64") -> onnx.TensorProto:
    """Make an initializer."""
    return numpy_helper.from_array(np.array(value, kind), name)


def recommender() -> onnx.ModelProto:
    """Look up a user, a history in the same table, columns of a matrix, and hashed ids.

    The tables have one, two and three axes, one is cast, and one lookup is there twice.
    """
    nodes = [
        make_node("Gather", ["users.weight", "user"], ["u"]),
        make_node("Cast", ["past"], ["past64"], to=INT64),
        make_node("Gather", ["users.weight", "past64"], ["p"]),
        make_node("ReduceMean", ["p"], ["pm"], axes=[1], keepdims=0),
        make_node("Gather", ["fields", "c0"], ["f0"], axis=1),
        make_node("Identity", ["shops.weight"], ["shops"]),
        make_node("Gather", ["shops", "f0"], ["s"]),
        make_node("Reshape", ["s", "six"], ["s6"]),
        make_node("Gather", ["fields", "c0_again"], ["f0b"], axis=1),
        make_node("Gather", ["bias", "f0b"], ["b"]),
        make_node("Unsqueeze", ["b", "one"], ["b1"]),
        make_node("Gather", ["fields", "c1"], ["f1"], axis=1),
        make_node("Cast", ["half"], ["half32"], to=FLOAT),
        make_node("Gather", ["half32", "f1"], ["h"]),
        make_node("Mod", ["raw", "buckets"], ["hashed"], fmod=1),
        make_node("Gather", ["hashes", "hashed"], ["x"]),
        make_node("Mod", ["raw", "buckets"], ["hashed_again"], fmod=1),
        make_node("Gather", ["hashes", "hashed_again"], ["x_again"]),
        make_node("Concat", ["u", "pm", "s6", "b1", "h", "x", "x_again", "price"], ["all"], axis=1),
        make_node("MatMul", ["all", "w"], ["score"]),
    ]
    weights = [
        values("users.weight", 1200, 4),
        values("shops.weight", 1100, 2, 3),
        values("bias", 1100),
        constant("half", np.random.default_rng(1).standard_normal((1300, 5)), "float16"),
        values("hashes", 1000, 3),
        values("w", 4 + 4 + 6 + 1 + 5 + 3 + 3 + 3, 2),
        constant("c0", 0),
        constant("c0_again", 0),
        constant("c1", 1),
        constant("one", [1]),
        constant("six", [-1, 6]),
        constant("buckets", 1000),
    ]
    return model(
        nodes,
        [
            tensor("user", INT64, "batch"),
            tensor("past", INT32, "batch", "length"),
            tensor("fields", INT64, "batch", 2),
            tensor("raw", INT64, "batch"),
            tensor("price", FLOAT, "batch", 3),
        ],
        [tensor("score", FLOAT, "batch", 2)],
        weights,
    )


def arrays(batch: int, length: int = 5) -> dict[str, np.ndarray]:
    """Draw inputs, the first and the last id of each field among them."""
    rng = np.random.default_rng(batch)
    drawn = {
        "user": rng.integers(0, 1200, batch),
        "past": rng.integers(0, 1200, (batch, length)).astype(np.int32),
        "fields": np.stack([rng.integers(0, 1100, batch), rng.integers(0, 1300, batch)], 1),
        "raw": rng.integers(-(2**40), 2**40, batch),
        "price": rng.standard_normal((batch, 3)).astype(np.float32),
    }
    if batch > 2:
        drawn["user"][:2] = 0, 1199
        drawn["fields"][:2] = (0, 0), (1099, 1299)
        drawn["raw"][:3] = -1, -(2**31) - 7, 2**31
    return drawn
