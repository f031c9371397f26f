"""A network with a middle of one's own, laid out as the stages before a validation leave it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, numpy_helper
from onnx.helper import make_graph, make_model, make_node, make_opsetid, make_tensor_value_info

from converters.onnx_models.files import signature_of
from converters.onnx_models.reference import open_session
from pipeline.stages.part import SPLIT
from pipeline.stages.tables import Tables
from registry.composition import Artifact, Split
from registry.format import Format
from registry.signature import Axis, Input
from targets.parity.cases import Case, write_cases
from tests.tiny_onnx import write

WIDTH = 16
INPUTS = (Input(name="x", dtype="float32", shape=("batch", WIDTH), range=(-1, 1)),)
AXES = {"batch": Axis(max=64)}

#: Nothing that a runtime gets wrong.
PLAIN = (make_node("Abs", ["t"], ["m"], name="size"),)

#: 0 to 200 as bytes, shifted by two bits: OpenVINO rounds where it has to drop bits.
SHIFT = (
    make_node("Abs", ["t"], ["size"], name="size"),
    make_node("Mul", ["size", "scale"], ["scaled"], name="scale"),
    make_node("Cast", ["scaled"], ["bytes"], name="cut", to=TensorProto.UINT8),
    make_node("BitShift", ["bytes", "two"], ["shifted"], name="shift", direction="RIGHT"),
    make_node("Cast", ["shifted"], ["back"], name="back", to=TensorProto.FLOAT),
    make_node("Mul", ["back", "small"], ["m"], name="unscale"),
)
SHIFT_WEIGHTS: Mapping[str, np.ndarray] = {
    "scale": np.array(200, "f4"),
    "two": np.array([2], "u1"),
    "small": np.array(0.02, "f4"),
}

#: A layer whose weights f16 rounds; it holds those of the other layers as they are.
ROUNDED = (make_node("MatMul", ["t", "rounded"], ["m"], name="rounded"),)

#: A layer whose f16 weights are right but for a part that only the difference shows.
CANCELLED = (
    make_node("MatMul", ["t", "high"], ["raised"], name="raise"),
    make_node("ReduceMean", ["raised"], ["mean"], name="mean", axes=[1]),
    make_node("Sub", ["raised", "mean"], ["m"], name="centre"),
)


def matrix(name: str, *shape: int) -> np.ndarray:
    """Draw weights that keep values of order one, always the same for a name."""
    random = np.random.default_rng(list(name.encode()))
    return (random.standard_normal(shape) / np.sqrt(shape[0])).astype("f4")


ROUNDED_WEIGHTS: Mapping[str, np.ndarray] = {"rounded": matrix("rounded", WIDTH, WIDTH)}
CANCELLED_WEIGHTS: Mapping[str, np.ndarray] = {
    "high": 1000 + matrix("high", WIDTH, WIDTH),
}


def network(middle: Sequence[NodeProto], weights: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """Put nodes that turn `t` [batch, 16] into `m` [batch, 16] between two layers."""
    nodes = [
        make_node("MatMul", ["x", "first_weight"], ["first"], name="first"),
        make_node("Tanh", ["first"], ["t"], name="tanh"),
        *middle,
        make_node("MatMul", ["m", "last_weight"], ["last"], name="last"),
        make_node("Add", ["last", "bias"], ["y"], name="bias"),
    ]
    kept = {
        "first_weight": _halved(matrix("first", WIDTH, WIDTH)),
        "last_weight": _halved(matrix("last", WIDTH, 4)),
        "bias": _halved(matrix("bias", 4)),
        **weights,
    }
    graph = make_graph(
        nodes,
        "network",
        [make_tensor_value_info("x", TensorProto.FLOAT, ["batch", WIDTH])],
        [make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 4])],
        [numpy_helper.from_array(array, name) for name, array in kept.items()],
    )
    model = make_model(graph, opset_imports=[make_opsetid("", 17)], ir_version=9)
    for node in model.graph.node:
        node.metadata_props.add(key="module", value=f"body.{node.name}")
    onnx.checker.check_model(model, full_check=True)
    return model


def _halved(array: np.ndarray) -> np.ndarray:
    """Round to what f16 holds."""
    return array.astype("f2").astype("f4")


def lay_out(folder: Path, model: onnx.ModelProto, *, external: bool = False) -> None:
    """Write the outputs of the split, the tables and the reference, answered by the model."""
    file = write(model, folder / "split" / "dense", external=external)
    signature = signature_of(model)
    split = Split(
        signature=signature,
        ids=None,
        dense=Artifact(
            part="dense", format=Format.ONNX, folder="dense", signature=signature, maker="by hand"
        ),
        tables=(),
        lookups=(),
        kept=(),
        origins=(),
        nodes_before={},
        nodes_after={},
    )
    (folder / "split" / SPLIT).write_text(split.model_dump_json())
    (folder / "tables").mkdir()
    (folder / "tables" / "tables.json").write_text(Tables(tables=()).model_dump_json())
    (folder / "reference").mkdir()
    session = open_session(file)
    cases = []
    for rows in (1, 7):
        x = np.random.default_rng(rows).uniform(-1, 1, (rows, WIDTH)).astype("f4")
        answer = {"y": session.run(["y"], {"x": x})[0]}
        cases.append(Case(f"batch of {rows}", "generated", {"x": x}, answer))
    write_cases(cases, folder / "reference")
