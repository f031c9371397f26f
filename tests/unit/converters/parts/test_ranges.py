"""Integers that go from part to part: a runtime of 32 bits refuses what it would cut off."""

from pathlib import Path

import numpy as np
import pytest
import torch
from onnx import TensorProto, numpy_helper
from onnx.helper import make_node

from converters.brief import Brief, SourceOptions
from converters.parts.cut import cut_parts
from converters.programs.files import save_program
from converters.split.policy import PartRule
from pipeline.processes.task import Task
from pipeline.stages import convert
from pipeline.stages.part import PARTS, Parts
from registry.composition import Artifact
from registry.errors import ConversionError, SplitError
from registry.format import Format
from registry.progress import silent
from registry.signature import Axis, Input, Signature, Tensor
from tests.tiny_onnx import model, tensor, write

AXES = {"batch": Axis(min=1, max=64)}
IDS = Input(name="ids", dtype="int64", shape=("batch", 2), range=(0, 2**20))
ANSWER = Tensor(name="y", dtype="float32", shape=("batch", 2))
SIGNATURE = Signature(
    inputs=(Tensor(name="ids", dtype="int64", shape=("batch", 2)),), outputs=(ANSWER,)
)


class Hashed(torch.nn.Module):
    """Multiplies ids by a factor, and takes the remainder."""

    def __init__(self, factor: int) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return ((ids * self.factor) % 97).to(torch.float32)


def as_program(folder: Path, factor: int) -> Format:
    batch = torch.export.Dim("batch", min=1, max=64)
    ids = torch.zeros(3, 2, dtype=torch.int64)
    program = torch.export.export(Hashed(factor), (ids,), dynamic_shapes={"ids": {0: batch}})
    save_program(program, folder, SIGNATURE)
    return Format.EXPORTED_PROGRAM


def as_onnx(folder: Path, factor: int) -> Format:
    made = model(
        [
            make_node("Mul", ["ids", "factor"], ["mul"]),
            make_node("Mod", ["mul", "buckets"], ["bucket"]),
            make_node("Cast", ["bucket"], ["y"], to=TensorProto.FLOAT),
        ],
        [tensor("ids", TensorProto.INT64, "batch", 2)],
        [tensor("y", TensorProto.FLOAT, "batch", 2)],
        [
            numpy_helper.from_array(np.array(factor), "factor"),
            numpy_helper.from_array(np.array(97), "buckets"),
        ],
    )
    write(made, folder)
    return Format.ONNX


def cut(folder: Path, kind: Format, given: Input = IDS, until: str = "mul") -> tuple[Artifact, ...]:
    outputs = (ANSWER,)
    taken = Tensor(name=given.name, dtype=given.dtype, shape=given.shape)
    signature = Signature(inputs=(taken,), outputs=outputs)
    dense = Artifact(part="dense", format=kind, folder="dense", signature=signature, maker="tests")
    rules = [PartRule(name="first", until=(until,)), PartRule(name="rest")]
    brief = Brief(SourceOptions(), folder, (given,), AXES)
    parts = cut_parts(dense, folder, rules, brief, folder / "cut")
    (folder / "cut" / PARTS).write_text(Parts(parts=parts).model_dump_json())
    return parts


def to_openvino(folder: Path, rest: Artifact) -> None:
    """Do what the tasks that convert the last part to OpenVINO do."""
    steps = [Format.EXPORTED_PROGRAM, Format.ONNX, Format.OPENVINO_IR]
    place = folder / "cut"
    for source, result in zip(
        steps[steps.index(rest.format) :], steps[steps.index(rest.format) + 1 :], strict=False
    ):
        out = folder / result
        out.mkdir()
        options = convert.Options(
            part="rest", source=source, result=result, weights="f32", inputs=(IDS,), axes=AXES
        )
        task = Task(
            name="a task",
            stage="convert",
            inputs={"from": place},
            options=options.model_dump(mode="json"),
            folder=folder,
        )
        convert.run(task, out, silent)
        place = out


@pytest.mark.parametrize("written", [as_program, as_onnx])
def test_openvino_refuses_a_part_that_takes_more_than_32_bits_from_another(written, tmp_path):
    first, rest = cut(tmp_path, written(tmp_path / "dense", 2**20))
    assert first.ranges == {}
    assert rest.ranges == {"first__mul": (0, 2**40)}
    with pytest.raises(ConversionError, match=f"input 'first__mul' may hold {2**40}"):
        to_openvino(tmp_path, rest)


@pytest.mark.parametrize("written", [as_program, as_onnx])
def test_openvino_takes_integers_from_another_part_that_fit(written, tmp_path):
    _, rest = cut(tmp_path, written(tmp_path / "dense", 7))
    assert rest.ranges == {"first__mul": (0, 7 * 2**20)}
    to_openvino(tmp_path, rest)
    assert (tmp_path / "openvino_ir" / "part" / "model.xml").exists()


def test_bfloat16_is_not_handed_on(tmp_path):
    x = Input(name="x", dtype="float32", shape=("batch", 2), range=(-1, 1))
    narrow = model(
        [
            make_node("Cast", ["x"], ["narrow"], to=TensorProto.BFLOAT16),
            make_node("Cast", ["narrow"], ["y"], to=TensorProto.FLOAT),
        ],
        [tensor("x", TensorProto.FLOAT, "batch", 2)],
        [tensor("y", TensorProto.FLOAT, "batch", 2)],
    )
    write(narrow, tmp_path / "dense")
    with pytest.raises(SplitError, match="part 'first' would hand on 'first__narrow' as bfloat16"):
        cut(tmp_path, Format.ONNX, x, "narrow")
