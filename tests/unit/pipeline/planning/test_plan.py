"""From a job to its tasks."""

import os
import time

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from pipeline.job.job import Job
from pipeline.planning.plan import plan
from registry.errors import SourceError

TOLERANCE = {"atol": 1e-5, "rtol": 1e-5, "because": "two layers of f32 products"}
X = {"name": "x", "dtype": "float32", "shape": ["batch", 4]}


def targets(*described: tuple[str, str]) -> list[dict[str, str]]:
    return [
        {"name": f"{runtime}-{weights}", "runtime": runtime, "weights": weights}
        for runtime, weights in described
    ]


@pytest.fixture
def folder(tmp_path):
    """Return a job's folder with an ONNX file, a torch factory and samples, all of long ago."""
    place = tmp_path / "job"
    place.mkdir()
    shape = ["batch", 4]
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
    )
    onnx.save(helper.make_model(graph), place / "model.onnx")
    (place / "factory.py").write_text("import torch\n\ndef build():\n    return torch.nn.ReLU()\n")
    np.savez(place / "samples.npz", x=np.ones((3, 4), np.float32))
    for file in place.iterdir():
        os.utime(file, (time.time() - 100, time.time() - 100))
    return place


@pytest.fixture
def draw(folder, tmp_path):
    """Return what plans a job; fields replace those of the job."""

    def make(**fields: object):
        job = {
            "schema": 1,
            "model": "model",
            "source": {"kind": "torch", "factory": "factory:build"},
            "inputs": [X],
            "samples": {"file": "samples.npz"},
            "targets": targets(("openvino", "f32"), ("onnxruntime", "f32")),
            "parity": {"conversion": TOLERANCE},
            "push": {"store": "store"},
        }
        return plan(Job.model_validate(job | fields), folder, tmp_path / "home")

    return make


def names(plan) -> list[str]:
    return [step.task.name for step in plan.steps]


def needs(plan, name: str) -> set[str]:
    return next(set(step.needs) for step in plan.steps if step.task.name == name)


def roles(plan, name: str) -> dict[str, str]:
    """Return the tasks that a task reads, by the role that they play."""
    places = {step.folder / "output": step.task.name for step in plan.steps}
    task = next(step.task for step in plan.steps if step.task.name == name)
    return {role: places[place] for role, place in task.inputs.items()}


def test_two_targets_share_the_step_that_both_need(draw):
    made = draw()
    assert names(made) == [
        "split",
        "reference",
        "tables",
        "convert onnx f32",
        "convert openvino_ir f32",
        "validate openvino-f32",
        "validate onnxruntime-f32",
        "assemble",
        "push",
    ]
    assert roles(made, "convert openvino_ir f32") == {"from": "convert onnx f32"}
    assert roles(made, "validate onnxruntime-f32")["part:dense"] == "convert onnx f32"


def test_narrow_weights_are_held_against_exact_ones(draw):
    made = draw(targets=targets(("openvino", "f16")))
    assert [name for name in names(made) if name.startswith("convert")] == [
        "convert onnx f32",
        "convert openvino_ir f32",
        "convert openvino_ir f16",
    ]
    read = roles(made, "validate openvino-f16")
    assert read["part:dense"] == "convert openvino_ir f16"
    assert read["exact:dense"] == "convert openvino_ir f32"
    assert roles(made, "assemble")["part:openvino-f16:dense"] == "convert openvino_ir f16"


INT8 = {"name": "int8", "runtime": "ipex", "precision": "i8"}


def test_int8_is_calibrated_before_it_is_converted(draw):
    made = draw(targets=[{**INT8, "calibration": {"samples": 2}}, {**INT8, "name": "dynamic"}])
    assert [name for name in names(made) if name.startswith(("convert", "calibrate"))] == [
        "convert onnx f32",
        "convert ipex_torchscript f32 in ipex",
        "calibrate on 2 samples",
        "convert ipex_torchscript i8 calibrated on 2 samples at 7 bits in ipex",
        "convert ipex_torchscript i8 in ipex",
    ]
    read = roles(made, "convert ipex_torchscript i8 calibrated on 2 samples at 7 bits in ipex")
    assert read == {"from": "convert onnx f32", "feeds": "calibrate on 2 samples"}
    read = roles(made, "calibrate on 2 samples")
    assert read == {name: name for name in ("split", "tables", "reference")}
    assert roles(made, "convert ipex_torchscript f32 in ipex") == {"from": "convert onnx f32"}


def test_each_part_is_calibrated_with_what_it_is_fed(draw):
    calibrated = {**INT8, "calibration": {"samples": 2}, "via": "torch"}
    made = draw(split={"parts": PARTS}, targets=[calibrated])
    for part in ("encoder", "head"):
        read = roles(made, f"calibrate {part} on 2 samples")
        assert read == {name: name for name in ("split", "tables", "reference", "cut")}


def test_narrow_rows_are_held_against_exact_ones(draw):
    made = draw(split={"rows": [{"format": "i8"}]})
    assert [name for name in names(made) if name.startswith("tables")] == ["tables", "tables f32"]
    read = roles(made, "validate openvino-f32")
    assert (read["tables"], read["exact_tables"]) == ("tables", "tables f32")
    assert roles(made, "assemble")["tables"] == "tables"


def test_rules_for_rows_change_the_tables_and_not_the_cut(draw):
    before, after = draw(), draw(split={"rows": [{"unknown": "zero"}]})
    assert names(before) == names(after)
    changed = {
        one.task.name
        for one, other in zip(before.steps, after.steps, strict=True)
        if one.folder != other.folder
    }
    assert "tables" in changed
    assert not {"split", "reference", "convert onnx f32"} & changed


def test_a_part_that_is_in_the_targets_format_already_is_not_converted(draw):
    made = draw(
        source={"kind": "onnx", "file": "model.onnx"}, targets=targets(("onnxruntime", "f32"))
    )
    assert not [name for name in names(made) if name.startswith("convert")]
    assert roles(made, "validate onnxruntime-f32")["part:dense"] == "split"


PARTS = [{"name": "encoder", "until": ["encoder"]}, {"name": "head"}]


def test_each_part_goes_its_own_way_to_each_target(draw):
    made = draw(split={"parts": PARTS})
    assert [name for name in names(made) if name.startswith(("cut", "convert"))] == [
        "cut",
        "convert encoder to onnx f32",
        "convert encoder to openvino_ir f32",
        "convert head to onnx f32",
        "convert head to openvino_ir f32",
    ]
    assert roles(made, "cut") == {"split": "split"}
    assert roles(made, "convert head to onnx f32") == {"from": "cut"}
    read = roles(made, "validate onnxruntime-f32")
    assert read["part:encoder"] == "convert encoder to onnx f32"
    assert read["part:head"] == "convert head to onnx f32"


def test_placements_are_the_builds_and_convert_no_more_than_they_need(draw):
    mixed = {"name": "mixed", "parts": {"head": "onnxruntime-f32", "encoder": "openvino-f32"}}
    made = draw(split={"parts": PARTS}, placements=[mixed])
    assert [name for name in names(made) if name.startswith(("convert", "validate"))] == [
        "convert encoder to onnx f32",
        "convert encoder to openvino_ir f32",
        "convert head to onnx f32",
        "validate mixed",
    ]
    read = roles(made, "assemble")
    assert read["part:mixed:encoder"] == "convert encoder to openvino_ir f32"
    assert read["part:mixed:head"] == "convert head to onnx f32"


def test_naming_parts_changes_nothing_about_the_split_at_lookups(draw):
    before, after = draw(), draw(split={"parts": PARTS})
    folders = [{one.task.name: one.folder for one in made.steps} for made in (before, after)]
    assert folders[0]["split"] == folders[1]["split"]
    assert folders[0]["reference"] == folders[1]["reference"]


def test_a_job_that_publishes_nothing_is_assembled_all_the_same(draw):
    assert names(draw(push=None))[-1] == "assemble"


def test_each_task_comes_after_those_that_it_needs(draw):
    made = draw()
    seen: set[str] = set()
    for step in made.steps:
        assert set(step.needs) <= seen
        seen.add(step.task.name)


def test_planning_writes_nothing(draw, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    draw()
    assert sorted(tmp_path.rglob("*")) == before


def test_a_first_plan_says_so_and_has_upper_bounds(draw):
    made = draw()
    assert {step.why for step in made.steps[:-1]} == {"first run"}
    assert all(step.entry is None and not step.forecast.measured for step in made.steps)
    assert all(step.forecast.memory > 100 << 20 for step in made.steps)


def keys(plan) -> dict[str, str]:
    return {step.task.name: step.material.key() for step in plan.steps}


def changed(one, other) -> set[str]:
    return {name for name, key in keys(one).items() if keys(other)[name] != key}


def test_the_same_job_has_the_same_keys(draw):
    assert changed(draw(), draw()) == set()


def test_a_seed_changes_the_reference_and_what_is_held_against_it(draw):
    parity = {"conversion": TOLERANCE, "seed": 1}
    assert changed(draw(), draw(parity=parity)) == {
        "reference",
        "validate openvino-f32",
        "validate onnxruntime-f32",
        "assemble",
        "push",
    }


def test_other_samples_change_the_reference_and_not_the_split(draw, folder):
    before = draw()
    np.savez(folder / "samples.npz", x=np.zeros((3, 4), np.float32))
    found = changed(before, draw())
    assert "reference" in found
    assert not {"split", "tables", "convert onnx f32"} & found


def test_another_model_changes_everything(draw, folder):
    before = draw()
    (folder / "factory.py").write_text("import torch\n\ndef build():\n    return torch.nn.GELU()\n")
    assert changed(before, draw()) == set(names(before))


def test_a_tolerance_changes_no_part(draw):
    parity = {"conversion": TOLERANCE | {"atol": 1e-6}}
    found = changed(draw(), draw(parity=parity))
    assert not {"split", "reference", "tables", "convert onnx f32"} & found


def test_a_missing_file_is_named(draw, folder):
    (folder / "samples.npz").unlink()
    with pytest.raises(SourceError, match=r"samples\.npz: cannot be read"):
        draw()


def test_the_source_is_described_for_people(draw):
    assert draw().source == "torch factory:build"
    assert draw(source={"kind": "onnx", "file": "model.onnx"}).source == "onnx model.onnx"
