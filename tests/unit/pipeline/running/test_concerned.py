"""What a conversion says is told with the targets that it was for."""

import json

import onnx
import pytest
from onnx import TensorProto, helper

from pipeline.job.job import Job
from pipeline.planning.plan import JobFile, plan
from pipeline.running.concerned import concerned
from registry.errors import ConversionError, WorkerError

SAID = ConversionError("model.ts: nothing in it would be computed in i8")
OV = {"name": "ov", "runtime": "openvino"}
HALF = {"name": "half", "runtime": "openvino", "weights": "f16"}
SMALL = {"name": "small", "runtime": "ipex", "precision": "i8"}
PARITY = {"conversion": {"atol": 1e-5, "rtol": 1e-5, "because": "it is only a test"}}


@pytest.fixture
def draw(tmp_path):
    """Return what plans a job of an ONNX file for targets, each on a line of its own."""

    def make(*targets: dict[str, str]):
        shape = ["batch", 4]
        ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy"]
        relu = helper.make_node("Relu", ["x"], ["y"])
        graph = helper.make_graph([relu], "graph", ends[:1], ends[1:])
        onnx.save(helper.make_model(graph), tmp_path / "model.onnx")
        job = {
            "schema": 1,
            "model": "m",
            "source": {"kind": "onnx", "file": "model.onnx"},
            "inputs": [{"name": "x", "dtype": "float32", "shape": shape}],
            "targets": targets,
            "parity": PARITY,
        }
        text = json.dumps(job).replace('{"name"', '\n{"name"')
        file = JobFile("job.yaml", text)
        return plan(Job.model_validate(job), tmp_path, tmp_path / "home", file=file)

    return make


def told(made, task: str, error=SAID) -> str:
    (step,) = [step for step in made.steps if step.task.name.startswith(task)]
    return str(concerned(error, step, made))


def test_the_target_of_a_conversion_is_named_where_the_job_has_it(draw):
    found = told(draw(OV, SMALL), "convert ipex_torchscript i8")
    assert found.startswith(f"job.yaml:4:10: target `small`: {SAID}\n")
    assert found.splitlines()[-1].strip(" |") == "^" * len('"small"')


def test_the_one_target_of_a_job_is_named(draw):
    assert "target `small`: " in told(draw(SMALL), "convert ipex_torchscript i8")


def test_targets_that_share_a_conversion_are_all_named(draw):
    found = told(draw(OV, HALF, SMALL), "convert openvino_ir f32")
    assert found.startswith("job.yaml:3:10: targets `ov`, `half`: ")


def test_what_all_targets_share_and_what_is_no_conversion_stays(draw):
    made = draw(OV, HALF)
    assert told(made, "convert openvino_ir f32") == str(SAID)
    assert told(made, "validate ov") == str(SAID)
    died = WorkerError("its process was killed")
    assert told(draw(OV, SMALL), "convert ipex_torchscript i8", died) == str(died)
