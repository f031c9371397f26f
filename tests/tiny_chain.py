"""An ONNX model of lookups in a row, through integer tables."""

import numpy as np
import onnx
from onnx.helper import make_node

from tests.tiny_onnx import model, tensor, values
from tests.tiny_recommenders import FLOAT, INT32, INT64, constant


def chain() -> onnx.ModelProto:
    """From a user to items, of which -1 is the last, to their shops to their towns."""
    drawn = np.random.default_rng(5)
    nodes = [
        make_node("Gather", ["past", "user"], ["items"]),
        make_node("Gather", ["vectors", "items"], ["seen"]),
        make_node("Cast", ["items"], ["items32"], to=INT32),
        make_node("Gather", ["shop", "items32"], ["shops"]),
        make_node("Cast", ["shops"], ["shops64"], to=INT64),
        make_node("Unsqueeze", ["salt", "one"], ["salts"]),
        make_node("Add", ["shops64", "salts"], ["salted"]),
        make_node("Mod", ["salted", "rows"], ["towns"]),
        make_node("Gather", ["places", "towns"], ["near"]),
        make_node("Greater", ["items", "none"], ["known"]),
        make_node("Cast", ["known"], ["mask"], to=FLOAT),
        make_node("Unsqueeze", ["mask", "two"], ["mask1"]),
        make_node("Mul", ["seen", "mask1"], ["masked"]),
        make_node("Concat", ["masked", "near"], ["all"], axis=2),
        make_node("ReduceMean", ["all"], ["y"], axes=[1], keepdims=0),
    ]
    weights = [
        constant("past", drawn.integers(-1, 1100, (1200, 3))),
        constant("shop", drawn.integers(0, 1000, 1100), "int32"),
        values("vectors", 1100, 4),
        values("places", 1000, 2),
        constant("one", [1]),
        constant("two", [2]),
        constant("rows", 1000),
        constant("none", -1),
    ]
    given = [tensor("user", INT64, "batch"), tensor("salt", INT64, "batch")]
    return model(nodes, given, [tensor("y", FLOAT, "batch", 6)], weights)
