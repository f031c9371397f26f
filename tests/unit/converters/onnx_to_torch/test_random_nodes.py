"""Nodes drawn by a seed, as ONNX Runtime answers them: run, and traced at one size of an axis."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import helper, numpy_helper

from converters.onnx_to_torch import import_proto
from converters.onnx_to_torch.table import ROWS

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
SEEDS = range(8)
TRACED, OTHERS = 3, (1, 2, 5)


@dataclass
class Draw:
    """Draws the form of a node by its seed alone, and the numbers it takes by the free axis too."""

    seed: int
    free: int

    def __post_init__(self):
        self.form = np.random.default_rng(self.seed)
        self.numbers = np.random.default_rng([self.seed, self.free])

    def one(self, *choices):
        return choices[int(self.form.integers(len(choices)))]

    def axis(self, rank, least=0):
        return int(self.form.integers(least, rank)) - self.one(0, rank)

    def floats(self, *shape):
        return self.numbers.uniform(-3, 3, shape).astype(np.float32)

    def shape(self, *, most=4):
        return [self.free, *(int(self.form.integers(1, 5)) for _ in range(self.one(*range(most))))]


@dataclass(frozen=True)
class Node:
    """What is drawn: those of the inputs that are `stored` lie in the file."""

    operator: str
    inputs: list[np.ndarray | None]
    attributes: dict[str, object] = field(default_factory=dict)
    stored: tuple[int, ...] = ()


def binary(d: Draw) -> Node:
    shape = d.shape()
    tail = [d.one(1, size) for size in shape[1:]][d.one(0, 1, 2) :]
    operands = [d.floats(*shape), d.form.uniform(1, 3, tail).astype(np.float32)]
    turned = d.one(0, 1)
    operator = d.one("Add", "Sub", "Mul", "Div", "Max", "Min", "Equal", "Less", "Mean")
    return Node(operator, operands[::-1] if turned else operands, stored=(1 - turned,))


def reduction(d: Draw) -> Node:
    x = d.floats(*d.shape())
    axes = [int(axis) - d.one(0, x.ndim) for axis in d.form.permutation(x.ndim)]
    operator = d.one("ReduceMax", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare")
    chosen = np.array(axes[: 1 + d.one(*range(x.ndim))])
    return Node(operator, [x, chosen], {"keepdims": d.one(0, 1)}, stored=(1,))


def cut(d: Draw) -> Node:
    x = d.floats(*d.shape())
    ends = [np.array([d.one(-100, -2, -1, 0, 1, 2, 100)]) for _ in range(2)]
    axis, step = np.array([d.axis(x.ndim)]), np.array([d.one(1, 2, -1, -2)])
    return Node("Slice", [x, *ends, axis, step], stored=d.one((1, 2, 3, 4), (3,), (1, 3, 4)))


def gathered(d: Draw) -> Node:
    x = d.floats(*d.shape(), 4)
    places = d.form.integers(-4, 4, d.one((), (2,), (2, 3), (0,)))
    return Node("Gather", [x, places], {"axis": d.one(-1, x.ndim - 1)}, stored=d.one((), (1,)))


def reshaped(d: Draw) -> Node:
    to = d.one([-1], [0, -1], [0, 0, -1], [0, 3, 4], [-1, 6], [-1, 1, 12], [0, 2, -1, 2])
    return Node("Reshape", [d.floats(d.free, 2, 6), np.array(to)], stored=(1,))


def summed(d: Draw) -> Node:
    x = d.floats(*d.shape())
    how = {"exclusive": d.one(0, 1), "reverse": d.one(0, 1)}
    return Node("CumSum", [x, np.array(d.axis(x.ndim))], how, stored=(1,))


def pooled(d: Draw) -> Node:
    sides = {"pads": [d.one(0, 1) for _ in range(4)], "ceil_mode": d.one(0, 0, 1)}
    auto = {"auto_pad": d.one("SAME_UPPER", "SAME_LOWER", "VALID")}
    window = {"kernel_shape": [d.one(2, 3), 2], "strides": [d.one(1, 2), d.one(1, 2, 3)]}
    operator = d.one("MaxPool", "AveragePool")
    return Node(operator, [d.floats(d.free, 2, 6, 7)], {**window, **d.one(sides, auto)})


def convolved(d: Draw) -> Node:
    groups, kernel = d.one(1, 2, 4), [d.one(1, 2, 3), d.one(1, 3)]
    filters = d.form.uniform(-1, 1, [4, 4 // groups, *kernel]).astype(np.float32)
    how = {"group": groups, "strides": [1, d.one(1, 2)], "dilations": [d.one(1, 2), 1]}
    sides = {"pads": [d.one(0, 1, 2) for _ in range(4)]}
    x = d.floats(d.free, 4, 7, 8)
    return Node(d.one("Conv", "ConvTranspose"), [x, filters], {**how, **sides}, stored=(1,))


def recurrent(d: Draw) -> Node:
    operator, gates = d.one(("LSTM", 4), ("GRU", 3), ("RNN", 1))
    way, ways = d.one(("forward", 1), ("reverse", 1), ("bidirectional", 2))
    weights = [
        d.form.uniform(-1, 1, [ways, *size]).astype(np.float32)
        for size in ((gates * 2, 3), (gates * 2, 2), (gates * 4,))
    ]
    lengths = d.numbers.integers(1, 5, [d.free]).astype(np.int32)
    given = [d.floats(4, d.free, 3), *weights, d.one(None, lengths), d.floats(ways, d.free, 2)]
    how = {"hidden_size": 2, "direction": way, **d.one({}, {}, {"clip": 0.4})}
    return Node(operator, given, how, stored=(1, 2, 3))


KINDS = (binary, reduction, cut, gathered, reshaped, summed, pooled, convolved, recurrent)


def proto(node: Node, opset: int) -> onnx.ModelProto:
    names = [f"i{at}" if value is not None else "" for at, value in enumerate(node.inputs)]
    given, stored = [], []
    for at, (name, value) in enumerate(zip(names, node.inputs, strict=True)):
        if value is not None and at in node.stored:
            stored.append(numpy_helper.from_array(value, name))
        elif value is not None:
            kind = helper.np_dtype_to_tensor_dtype(value.dtype)
            axes = [f"{name}_{axis}" for axis in range(value.ndim)]
            given.append(helper.make_tensor_value_info(name, kind, axes))
    made = helper.make_node(node.operator, names, ["y"], **node.attributes)
    graph = helper.make_graph([made], "g", given, [onnx.ValueInfoProto(name="y")], stored)
    sets = [helper.make_opsetid("", opset)]
    return onnx.shape_inference.infer_shapes(
        helper.make_model(graph, opset_imports=sets, ir_version=10)
    )


def version(operator: str, seed: int) -> int:
    """Choose one of those that take their axes as inputs, where the operator has axes."""
    least = 18 if operator.startswith("Reduce") else 11
    found = [v for row in ROWS if row.operator == operator for v in row.since if least <= v <= 22]
    return found[seed % len(found)] if found else least


def given(node: Node) -> dict[str, np.ndarray]:
    kept = (at for at in range(len(node.inputs)) if at not in node.stored)
    return {f"i{at}": node.inputs[at] for at in kept if node.inputs[at] is not None}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_node_answers_as_the_runtime_does(kind: Callable[[Draw], Node], seed: int):
    first = kind(Draw(seed, TRACED))
    model = proto(first, version(first.operator, seed))
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    module = import_proto(model, Path())
    example = tuple(map(torch.from_numpy, given(first).values()))
    runs = (module, torch.jit.trace(module, example, check_trace=False))
    for size in (TRACED, *OTHERS):
        inputs = given(kind(Draw(seed, size)))
        (wanted,) = session.run(None, inputs)
        for run in runs:
            (got, *_) = run(*map(torch.from_numpy, inputs.values()))
            assert got.shape == wanted.shape
            np.testing.assert_allclose(got.numpy(), wanted, 1e-3, 1e-4, err_msg=str(first))
