"""The search for the first bad node, on real runtimes, with faults that they really have."""

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper

from converters import onnx_to_openvino
from converters.converter import ConvertOptions, convert
from converters.onnx_models.cuts import Cuts
from converters.programs.files import save_program
from pipeline.job.job import ParityOptions
from pipeline.processes.task import Task
from pipeline.stages import bisect, validate
from pipeline.stages.bisection import Bisection, Suspect
from pipeline.stages.hearing import limit_of
from pipeline.stages.part import ARTIFACT, SPLIT, read_part, read_split
from pipeline.stages.placed import WHOLE
from pipeline.stages.probe import Probe, Setup
from registry.errors import ContractError, IntegrityError
from registry.format import Format
from registry.progress import silent
from targets.parity.cases import Case, write_cases
from tests import pieces
from tests.bad_nodes import (
    AXES,
    CANCELLED,
    CANCELLED_WEIGHTS,
    INPUTS,
    PLAIN,
    ROUNDED,
    ROUNDED_WEIGHTS,
    SHIFT,
    SHIFT_WEIGHTS,
    lay_out,
    network,
)

OPENVINO = {"name": "ov", "runtime": "openvino", "threads": 1}
ONNXRUNTIME = {"name": "ort", "runtime": "onnxruntime", "threads": 1}
TIGHT = {"atol": 1e-5, "rtol": 1e-5, "because": "three layers in f32"}
HALF = {"atol": 1e-2, "rtol": 1e-2, "because": "weights of three layers in f16"}


def converted(folder: Path, weights: str) -> Path:
    """Do what the task that converts to OpenVINO does."""
    split = folder / "split"
    out = folder / f"ir {weights}"
    made = convert(
        onnx_to_openvino.CONVERTER,
        read_part(split, WHOLE),
        split,
        out / "part",
        ConvertOptions(weights=weights),
    )
    (out / ARTIFACT).write_text(made.model_copy(update={"folder": "part"}).model_dump_json())
    return out


def searched(folder: Path, target: dict, parts: dict[str, Path], **said: object) -> Bisection:
    """Validate a part that is off, and search it."""
    tight = said.pop("conversion", TIGHT)
    options = {
        "build": {"name": target["name"], "parts": [{"part": WHOLE, "target": target}]},
        "parity": {"conversion": tight, "precision": said.pop("precision", tight)},
        "inputs": [one.model_dump(mode="json") for one in said.pop("inputs", INPUTS)],
        "axes": {name: axis.model_dump() for name, axis in said.pop("axes", AXES).items()},
    }
    reads = {name: folder / name for name in ("split", "tables", "reference")}
    outs = folder / "validation", folder / "bisection"
    for stage, out, inputs, more in (
        (
            validate,
            outs[0],
            reads | {f"{k}:{WHOLE}": v for k, v in parts.items() if k != "onnx"},
            {},
        ),
        (bisect, outs[1], reads | {f"onnx:{WHOLE}": parts["onnx"], "validation": outs[0]}, said),
    ):
        out.mkdir()
        task = Task(
            name=out.name, stage=out.name, inputs=inputs, options=options | more, folder=folder
        )
        stage.run(task, out, silent)
    assert [path.name for path in outs[1].iterdir()] == ["bisect.json"]
    return Bisection.model_validate_json((outs[1] / "bisect.json").read_bytes())


@pytest.mark.parametrize("external", [False, True])
def test_an_operator_that_openvino_gets_wrong_is_named_with_its_module(tmp_path, external):
    lay_out(tmp_path, network(SHIFT, SHIFT_WEIGHTS), external=external)
    parts = {"onnx": tmp_path / "split", "part": converted(tmp_path, "f32")}
    found = searched(tmp_path, OPENVINO, parts)
    assert (found.outcome, found.kind, found.output) == ("node", "conversion", "y")
    assert (found.last.name, found.last.operator) == ("shift", "BitShift")
    assert found.last.module == "body.shift"
    assert (found.after.output, found.after.dtype) == ("shifted", "uint8")
    assert found.after.max_abs == 1
    assert found.before.worst < 0.1
    assert found.alone.worst > 1
    assert found.cuts <= 5
    assert found.sentence.startswith(
        "first bad node: 'shift' (BitShift, module 'body.shift'): value 'shifted' uint8["
    )
    assert "by itself it is wrong too: write it with other operators" in found.sentence


def halved(folder: Path, precision: dict[str, object]) -> Bisection:
    """Search what is off once weights are stored as f16."""
    parts = {
        "onnx": folder / "split",
        "part": converted(folder, "f16"),
        "exact": converted(folder, "f32"),
    }
    return searched(folder, OPENVINO | {"weights": "f16"}, parts, precision=precision)


def test_the_layer_whose_weights_f16_cannot_hold_is_named(tmp_path):
    lay_out(tmp_path, network(ROUNDED, ROUNDED_WEIGHTS))
    found = halved(tmp_path, TIGHT)
    assert (found.outcome, found.kind) == ("node", "precision")
    assert (found.last.name, found.last.operator) == ("rounded", "MatMul")
    assert found.alone.worst > 1
    assert found.sentence.endswith("by itself it is off too: it needs a higher precision")


def test_a_node_that_only_brings_out_an_error_is_not_called_wrong(tmp_path):
    lay_out(tmp_path, network(CANCELLED, CANCELLED_WEIGHTS))
    found = halved(tmp_path, HALF)
    assert (found.outcome, found.last.name) == ("node", "centre")
    assert found.before.output in {"raised", "mean"}
    assert found.alone.worst <= 1 < found.carried.worst
    assert found.sentence.endswith(
        "by itself it is right: it brings out what the nodes before it are off by"
    )


def test_files_that_are_not_those_of_the_graph_are_not_blamed_on_a_node(tmp_path):
    lay_out(tmp_path, network(PLAIN, {}))
    other = tmp_path / "other"
    shutil.copytree(tmp_path / "split", other)
    spoil(other / "dense" / "model.onnx", "last_weight")
    found = searched(tmp_path, ONNXRUNTIME, {"onnx": tmp_path / "split", "part": other})
    assert found.outcome == "nowhere"
    assert "none: the graph, converted again, is within tolerance" in found.sentence


def spoil(file: Path, name: str) -> None:
    """Change one weight of an ONNX file."""
    model = onnx.load(file)
    (weight,) = [one for one in model.graph.initializer if one.name == name]
    array = numpy_helper.to_array(weight).copy()
    array.flat[0] += 0.5
    weight.CopyFrom(numpy_helper.from_array(array, name))
    onnx.save(model, file)


def test_a_table_that_is_wrong_is_blamed_on_the_split(tmp_path):
    pieces.write_split(tmp_path / "split")
    pieces.write_reference(tmp_path / "reference")
    tags = pieces.TAG_ROWS.copy()
    tags[3, 0] += 0.5
    pieces.write_tables(tmp_path / "tables", pieces.TRUE._replace(tags=tags))
    parts = {"onnx": tmp_path / "split", "part": tmp_path / "split"}
    found = searched(tmp_path, ONNXRUNTIME, parts, inputs=pieces.INPUTS, axes=pieces.AXES)
    assert (found.outcome, found.output) == ("split", "score")
    assert "the split is at fault" in found.sentence


def test_an_export_that_is_wrong_is_blamed_on_the_export(tmp_path):
    """The ONNX file says something else than the program that it was made from."""
    model = network(PLAIN, {})
    lay_out(tmp_path, model)
    answer_in_torch(tmp_path, model)
    onnx_part = tmp_path / "onnx"
    shutil.copytree(tmp_path / "split" / "dense", onnx_part / "part")
    artifact = read_split(tmp_path / "split").dense.model_copy(
        update={"folder": "part", "format": Format.ONNX}
    )
    (onnx_part / ARTIFACT).write_text(artifact.model_dump_json())
    spoil(onnx_part / "part" / "model.onnx", "last_weight")
    found = searched(tmp_path, ONNXRUNTIME, {"onnx": onnx_part, "part": onnx_part})
    assert found.outcome == "export"
    assert "the export to ONNX is at fault" in found.sentence
    assert "at output 'y' in case 'batch of" in found.sentence


def answer_in_torch(folder: Path, model: onnx.ModelProto) -> None:
    """Make the split's dense part a program, and have it answer the cases."""
    weights = {
        one.name: torch.from_numpy(numpy_helper.to_array(one).copy())
        for one in model.graph.initializer
    }

    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            size = torch.tanh(x @ weights["first_weight"]).abs()
            return size @ weights["last_weight"] + weights["bias"]

    module = Module()
    shapes = {"x": {0: torch.export.Dim("batch", max=64)}}
    program = torch.export.export(module, (torch.zeros(2, 16),), dynamic_shapes=shapes)
    split = read_split(folder / "split")
    dense = split.dense.model_copy(update={"format": Format.EXPORTED_PROGRAM, "folder": "program"})
    save_program(program, folder / "split" / "program", dense.signature)
    (folder / "split" / SPLIT).write_text(
        split.model_copy(update={"dense": dense}).model_dump_json()
    )
    x = np.random.default_rng(0).uniform(-1, 1, (5, 16)).astype("f4")
    answer = {"y": module(torch.from_numpy(x)).numpy()}
    write_cases([Case("batch of 5", "generated", {"x": x}, answer)], folder / "reference")


def test_a_tolerance_tighter_than_f32_is_not_blamed_on_anything(tmp_path):
    """The original answers in float64."""
    pieces.write_split(tmp_path / "split")
    pieces.write_tables(tmp_path / "tables")
    pieces.write_reference(tmp_path / "reference")
    parts = {"onnx": tmp_path / "split", "part": tmp_path / "split"}
    exact = {"atol": 0, "rtol": 1e-9, "because": "nobody said that f32 rounds"}
    shown = {"inputs": pieces.INPUTS, "axes": pieces.AXES}
    found = searched(tmp_path, ONNXRUNTIME, parts, conversion=exact, **shown)
    assert found.outcome == "rounding"
    assert "the tolerance is tighter than f32 rounds" in found.sentence


def test_a_search_without_time_names_the_range(tmp_path):
    lay_out(tmp_path, network(SHIFT, SHIFT_WEIGHTS))
    parts = {"onnx": tmp_path / "split", "part": converted(tmp_path, "f32")}
    found = searched(tmp_path, OPENVINO, parts, seconds=1e-9)
    assert (found.outcome, found.suspects, found.cuts) == ("range", 10, 1)
    assert (found.first.name, found.last.name) == ("first", "bias")
    assert "one of 10 from 'first' (MatMul, module 'body.first') to 'bias' (Add" in found.sentence


def test_a_validation_without_wrong_numbers_is_refused(tmp_path):
    lay_out(tmp_path, network(PLAIN, {}))
    parts = {"onnx": tmp_path / "split", "part": tmp_path / "split"}
    with pytest.raises(IntegrityError, match="no numbers are off"):
        searched(tmp_path, ONNXRUNTIME, parts)


def test_why_a_node_could_not_be_run_by_itself_is_said(tmp_path):
    model = network(PLAIN, {})
    lay_out(tmp_path, model)
    setup = Setup("torchscript", "bf16", "f32", 1)
    x = np.zeros((2, 16), np.float32)
    cuts = Cuts(tmp_path / "split" / "dense")
    limit = limit_of(ParityOptions.model_validate({"conversion": TIGHT}), "conversion")("y")
    probe = Probe(cuts, setup, {"x": x}, limit, 1.0, tmp_path / "cut")
    with pytest.raises(ContractError) as refused:
        probe.alone(0)
    suspect = Suspect(name="first", operator="MatMul", module=None, outputs=("a",))
    found = Bisection(
        target="ts",
        kind="precision",
        output="y",
        case="a batch",
        outcome="node",
        last=suspect,
        fault=probe.told(refused.value),
    )
    said = "it could not be run by itself: TorchScript computes in f32 here, not in bf16"
    assert found.sentence.endswith(said)
