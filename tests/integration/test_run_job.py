"""`pipeline plan` and `pipeline run` on a real job: an ONNX file for two runtimes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from pipeline.record import RunRecord
from registry.errors import JobError, ParityError

ROOT = Path(__file__).parents[2]
JOB = """\
schema: 1
model: tiny
source: {kind: onnx, file: model.onnx}
axes: {batch: {min: 1, max: 64}}
inputs:
  - {name: x, dtype: float32, shape: [batch, 4], range: [-1, 1]}
samples: {file: samples.npz}
targets:
  - {name: ov, runtime: openvino}
  - {name: ort, runtime: onnxruntime}
parity:
  conversion: {atol: 1.0e-5, rtol: 1.0e-5, because: two small layers in f32}
push: {store: store}
"""


def pipeline(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        call(*arguments), cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )


def call(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pipeline.cli", *arguments]


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PIPELINE_HOME"}
    return {**kept, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder with a small model, samples and a job."""
    place = tmp_path_factory.mktemp("job")
    random = np.random.default_rng(7)
    weights = numpy_helper.from_array(random.standard_normal((4, 3)).astype("f4"), "weights")
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "weights"], ["product"]),
            helper.make_node("Tanh", ["product"], ["y"]),
        ],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 3])],
        [weights],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, place / "model.onnx")
    np.savez(place / "samples.npz", x=random.uniform(-1, 1, (8, 4)).astype("f4"))
    (place / "job.yaml").write_text(JOB)
    return place


@pytest.fixture(scope="module")
def first(folder) -> subprocess.CompletedProcess[str]:
    """Run the job for the first time, after a plan that must leave no trace."""
    before = sorted(folder.rglob("*"))
    planned = pipeline(folder, "plan", "job.yaml")
    assert planned.returncode == 0, planned.stderr
    assert "0 of 8 stages are cached" in planned.stdout
    assert sorted(folder.rglob("*")) == before
    return pipeline(folder, "run", "job.yaml")


def last_record(folder: Path) -> RunRecord:
    newest = max(folder.glob(".pipeline/runs/tiny/*/run.json"), key=lambda p: p.stat().st_mtime_ns)
    return RunRecord.model_validate_json(newest.read_bytes())


def test_a_job_becomes_a_version(first, folder):
    assert first.returncode == 0, first.stderr
    assert f"tiny@1 in {folder / 'store'}, channel candidate" in first.stdout
    assert "pipeline rollout tiny@1 --store" in first.stdout
    record = last_record(folder)
    assert record.outcome == "published"
    assert {validation.target for validation in record.validations} == {"ov", "ort"}
    assert all(stage.usage.peak > 20 << 20 for stage in record.stages)


def test_the_same_job_again_does_nothing_and_makes_no_version(first, folder):
    again = pipeline(folder, "run", "job.yaml", "--json")
    assert again.returncode == 0, again.stderr
    events = [json.loads(line) for line in again.stdout.splitlines()]
    result = events[-1]
    assert result["event"] == "result"
    assert result["version"] == 1
    assert result["already"]
    assert {name: how for name, how in result["stages"].items() if how != "cached"} == {
        "push": "done"
    }
    assert Path(result["report"]).is_file()


def test_a_plan_says_what_is_cached_and_what_changed(first, folder):
    (folder / "job.yaml").write_text(JOB.replace("small layers", "thin layers"))
    planned = pipeline(folder, "plan", "job.yaml", "--json")
    (folder / "job.yaml").write_text(JOB)
    stages = {stage["name"]: stage for stage in json.loads(planned.stdout)["stages"]}
    assert stages["split"]["why"] == "cached"
    assert "because" in stages["validate ov"]["why"]
    assert stages["validate ov"]["measured"]


def test_a_plan_has_a_row_for_the_push_where_all_else_is_cached(first, folder):
    shown = pipeline(folder, "plan", "job.yaml").stdout.splitlines()
    (row,) = [line for line in shown if line.startswith("push ")]
    assert "never cached: the store is asked each time" in row


def test_answers_that_are_off_stop_the_push_and_leave_the_report(first, folder):
    strict = JOB.replace("1.0e-5, rtol: 1.0e-5", "0, rtol: 0").replace(
        "model: tiny", "model: strict"
    )
    (folder / "strict.yaml").write_text(strict)
    run = pipeline(folder, "run", "strict.yaml")
    assert run.returncode == ParityError.exit_code, run.stderr
    assert "report:  " in run.stdout
    (file,) = folder.glob(".pipeline/runs/strict/*/run.json")
    record = RunRecord.model_validate_json(file.read_bytes())
    outcomes = {stage.name: stage.outcome for stage in record.stages}
    assert outcomes["assemble"] == outcomes["push"] == "skipped"
    off = [each.target for each in record.validations if not each.passed]
    assert len(record.validations) == 2
    assert off
    assert all(f"target {name} does not answer like the original" in run.stderr for name in off)
    assert not list(folder.glob("store/models/strict/**/*.json"))


def test_a_script_reproduces_a_stage(first, folder, tmp_path):
    stage = next(s for s in last_record(folder).stages if s.name.startswith("convert"))
    again = subprocess.run(
        [*stage.reproduce.split(), str(tmp_path / "again")],
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"]},
        check=False,
    )
    assert again.returncode == 0, again.stderr
    made = {path.name: path.read_bytes() for path in (tmp_path / "again/part").iterdir()}
    kept = {path.name: path.read_bytes() for path in (stage.output / "part").iterdir()}
    assert made.keys() == kept.keys()
    assert {name for name in made if name.endswith(".bin") and made[name] != kept[name]} == set()


def test_a_stage_that_is_not_there_is_answered_with_those_that_are(first, folder):
    run = pipeline(folder, "run", "job.yaml", "--until", "conversion")
    assert run.returncode == JobError.exit_code
    assert "validate ov" in run.stderr


def test_machines_are_told_of_a_job_that_cannot_start(folder):
    run = pipeline(folder, "run", "nothing.yaml", "--json")
    result = json.loads(run.stdout)
    assert run.returncode == JobError.exit_code
    assert (result["event"], result["outcome"]) == ("result", "failed")
    assert result["error"]["exit_code"] == JobError.exit_code


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_is_clean_and_says_how_to_go_on(first, folder, number):
    run = subprocess.Popen(
        call("run", "job.yaml", "--force"),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in run.stderr:
        if "started" in line:
            break
    run.send_signal(number)
    _, said = run.communicate(timeout=30)
    assert run.returncode == 130
    assert "the same command goes on from there" in said
    assert "Traceback" not in said
    assert last_record(folder).outcome == "interrupted"
