"""A job whose target gets one operator wrong, from the command line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import onnx
import pytest

from pipeline.job.load import load_job
from pipeline.planning.plan import plan
from pipeline.record import RunRecord
from pipeline.running.run import Wishes, execute
from pipeline.showing.watch import Unwatched
from registry.errors import ParityError
from registry.progress import Progress
from tests.bad_nodes import SHIFT, SHIFT_WEIGHTS, network

ROOT = Path(__file__).parents[2]
JOB = """\
schema: 1
model: shifty
source: {kind: onnx, file: model.onnx}
axes: {batch: {min: 1, max: 64}}
inputs:
  - {name: x, dtype: float32, shape: [batch, 16], range: [-1, 1]}
targets:
  - {name: ov, runtime: openvino}
  - {name: ort, runtime: onnxruntime}
parity:
  conversion: {atol: 1.0e-5, rtol: 1.0e-5, because: three layers in f32}
push: {store: store}
"""
LINE = "first bad node: 'shift' (BitShift, module 'body.shift'): value 'shifted' uint8["


def run(folder: Path) -> tuple[subprocess.CompletedProcess[str], RunRecord]:
    kept = {name: value for name, value in os.environ.items() if name != "PIPELINE_HOME"}
    said = subprocess.run(
        [sys.executable, "-m", "pipeline.cli", "run", "job.yaml"],
        cwd=folder,
        env=kept | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    newest = max(folder.glob(".pipeline/runs/*/*/run.json"), key=lambda p: p.stat().st_mtime_ns)
    return said, RunRecord.model_validate_json(newest.read_bytes())


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("shifty")
    onnx.save(network(SHIFT, SHIFT_WEIGHTS), place / "model.onnx")
    (place / "job.yaml").write_text(JOB)
    return place


@pytest.fixture(scope="module")
def first(folder) -> tuple[subprocess.CompletedProcess[str], RunRecord]:
    return run(folder)


def outcomes(record: RunRecord) -> dict[str, str]:
    return {stage.name: stage.outcome for stage in record.stages}


def test_the_error_the_record_and_the_report_name_the_first_bad_node(first, folder):
    said, record = first
    assert said.returncode == ParityError.exit_code
    assert "target ov does not answer like the original model" in said.stderr
    assert said.stderr.count(LINE) == 1
    (found,) = record.bisections
    assert (found.target, found.last.name, found.last.operator) == ("ov", "shift", "BitShift")
    assert LINE in record.error.message
    assert outcomes(record)["bisect ov"] == "done"
    assert "bisect ort" not in outcomes(record)
    (page,) = folder.glob(".pipeline/runs/shifty/*/report/index.html")
    assert "First bad node: &#39;shift&#39; (BitShift, module &#39;body.shift&#39;)" in (
        page.read_text()
    )
    assert not (folder / "store").exists()


def test_a_search_is_done_once_and_one_that_fails_does_not_hide_the_difference(first, folder):
    said, record = run(folder)
    assert LINE in said.stderr
    assert outcomes(record)["bisect ov"] == "cached"
    (stage,) = [stage for stage in record.stages if stage.name == "bisect ov"]
    file = stage.output / "bisect.json"
    was = file.stat()
    file.chmod(0o644)
    file.write_bytes(b"x" * was.st_size)
    # As if nothing had happened: the cache sees no change.
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    said, record = run(folder)
    assert said.returncode == ParityError.exit_code
    assert "target ov does not answer like the original model" in said.stderr
    assert "first bad node: the search for it failed" in said.stderr
    assert record.error.kind == "ParityError"


class CtrlC(Unwatched):
    """Is pressed as soon as the search begins."""

    def started(self, name: str, why: str) -> Progress:
        if name == "bisect ov":
            raise KeyboardInterrupt
        return super().started(name, why)


def test_a_search_that_is_interrupted_does_not_hide_the_difference(first, folder):
    shutil.rmtree(folder / ".pipeline" / "cache" / "bisect")
    planned = plan(load_job(folder / "job.yaml"), folder, folder / ".pipeline")
    result = execute(planned, Wishes(), CtrlC())
    assert isinstance(result.error, ParityError)
    assert "target ov does not answer like the original model" in str(result.error)
    assert "first bad node: the search for it was interrupted" in str(result.error)
