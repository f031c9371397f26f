"""The workflow that people copy: linted, and its shell steps run as they stand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
import yaml
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "workflows" / "github" / "convert-models.yml"
WORKFLOW = yaml.safe_load(FILE.read_text())
HELD = {  # the conditions that the file uses, and when they hold
    None: {"pull_request", "push"},
    "github.event_name == 'pull_request'": {"pull_request"},
    "github.event_name != 'pull_request'": {"push"},
    "always()": {"pull_request", "push"},
}
JOB = """
schema: 1
model: tiny
source: {kind: onnx, file: ../models/tiny.onnx}
axes: {batch: {min: 1, max: 64}}
inputs:
  - {name: x, dtype: float32, shape: [batch, 4], range: [-1, 1]}
targets:
  - {name: onnxruntime-f32, runtime: onnxruntime}
parity:
  conversion: {atol: 1.0e-6, rtol: 1.0e-5, because: one small product in f32}
push: {store: "${MODEL_STORE}", channel: production}
"""


def steps(job: str, event: str) -> list[dict]:
    return [step for step in WORKFLOW["jobs"][job]["steps"] if event in HELD[step.get("if")]]


def write_model(path: Path) -> None:
    weight = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "tiny",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 3])],
        [numpy_helper.from_array(weight, "w")],
    )
    opsets = [helper.make_opsetid("", 20)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "-w", out, ROOT], check=True, capture_output=True)
    return next(out.glob("*.whl"))


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A user's repository with one job."""
    for folder in ("jobs", "models", "store"):
        (tmp_path / "repo" / folder).mkdir(parents=True)
    write_model(tmp_path / "repo" / "models" / "tiny.onnx")
    (tmp_path / "repo" / "jobs" / "tiny.yaml").write_text(JOB)
    return tmp_path / "repo"


def run_steps(job: str, event: str, checkout: Path, variables: dict[str, str]) -> None:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": programs, "CI": "true", **variables}
    for step in steps(job, event):
        if "run" in step:
            # As GitHub runs it.
            shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(
                shell,
                check=False,
                cwd=checkout,
                env=environment,
                capture_output=True,
                text=True,
                timeout=240,
            )
            assert done.returncode == 0, f"{step['name']}: {done.stdout}\n{done.stderr}"


def test_the_file_is_a_valid_workflow():
    lint = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    subprocess.run([*lint, "vendor.github-workflows", FILE], check=True, capture_output=True)


def test_every_condition_is_one_that_this_test_knows():
    for job in WORKFLOW["jobs"].values():
        assert {step.get("if") for step in job["steps"]} <= set(HELD)


def test_a_pull_request_gets_no_credentials_and_publishes_nothing():
    used = [step.get("uses", "") for step in steps("convert", "pull_request")]
    assert not any("credentials" in action for action in used)
    runs = [step["run"] for step in steps("convert", "pull_request") if "run" in step]
    assert all("--no-push" in text for text in runs if "pipeline run" in text)


@pytest.mark.parametrize(("event", "published"), [("pull_request", False), ("push", True)])
def test_the_shell_steps_convert_and_publish_on_merge_alone(
    checkout, wheel, tmp_path, event, published
):
    found = tmp_path / "output"
    run_steps("find", event, checkout, {"GITHUB_OUTPUT": str(found)})
    jobs = json.loads(found.read_text().removeprefix("jobs="))
    assert jobs == ["jobs/tiny.yaml"]
    variables = {
        "JOB": jobs[0],
        "MODEL_STORE": str(checkout / "store"),
        "PIPELINE_PACKAGE": str(wheel),
        # The wheel is installed for real, beside the environment that runs the tests.
        "PIP_NO_DEPS": "1",
        "PIP_TARGET": str(tmp_path / "installed"),
        "PYTHONPATH": str(tmp_path / "installed"),
    }
    run_steps("convert", event, checkout, variables)
    assert (tmp_path / "installed" / "pipeline" / "cli.py").is_file()
    assert list(checkout.glob(".pipeline/runs/**/index.html"))
    assert bool(list(checkout.glob("store/models/tiny/versions/*.json"))) == published
