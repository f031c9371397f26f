"""A model in named parts, from the command line: on two runtimes, shown, laid out, refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from pipeline.cli import call
from pipeline.record import RunRecord
from registry import Catalog
from registry.errors import ParityError, SplitError, StoreError
from registry.store import open_store
from targets.predictor import open_predictor
from tests.bad_nodes import SHIFT, SHIFT_WEIGHTS, network
from tests.cutting import onnx_answers

ROOT = Path(__file__).parents[2]

#: OpenVINO gets the shift in the middle wrong; the other parts it gets right.
JOB = """\
schema: 1
model: shifty
source: {kind: onnx, file: model.onnx}
axes: {batch: {min: 1, max: 64}}
inputs:
  - {name: x, dtype: float32, shape: [batch, 16], range: [-1, 1]}
split:
  parts:
    - {name: start, until: [body.cut]}
    - {name: middle, until: [body.shift]}
    - {name: end}
targets:
  - {name: ov, runtime: openvino}
  - {name: ort, runtime: onnxruntime}
placements:
  - {name: mixed, parts: {start: ov, middle: ort, end: ov}}
parity:
  conversion: {atol: 1.0e-5, rtol: 1.0e-5, because: three layers in f32}
push: {store: store}
"""
ALL_OV = "  - {name: all-ov, parts: {start: ov, middle: ov, end: ov}}\n"


def pipeline(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "PIPELINE_HOME"}
    return subprocess.run(
        [sys.executable, "-m", "pipeline.cli", *arguments],
        cwd=folder,
        env=kept | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("shifty")
    onnx.save(network(SHIFT, SHIFT_WEIGHTS), place / "model.onnx")
    (place / "job.yaml").write_text(JOB)
    return place


@pytest.fixture(scope="module")
def published(folder) -> Catalog:
    said = pipeline(folder, "run", "job.yaml")
    assert said.returncode == 0, said.stderr
    return Catalog(open_store(str(folder / "store")))


def test_parts_on_two_runtimes_answer_like_the_model(published, folder, tmp_path):
    version = published.resolve("shifty@1")
    (build,) = version.builds
    assert build.runtime == "openvino + onnxruntime"
    assert [(part.name, part.target) for part in build.parts] == [
        ("start", "ov"),
        ("middle", "ort"),
        ("end", "ov"),
    ]
    assert all(part.contract.memory > 0 for part in build.parts)
    place = published.pull(version, tmp_path)
    predictor = open_predictor(place, version, "mixed")
    x = np.random.default_rng(1).uniform(-1, 1, (7, 16)).astype(np.float32)
    right = onnx_answers(folder / "model.onnx", {"x": x})
    np.testing.assert_allclose(predictor.predict({"x": x})["y"], right["y"], atol=1e-5)
    in_force = predictor.in_force()
    predictor.close()
    assert "middle: onnxruntime" in in_force["runtime"]
    assert in_force["precision"] == "f32"


def test_what_is_shown_names_the_parts(published, folder, capsys):
    store = ("--store", str(folder / "store"))
    assert call(["registry", "show", "shifty@1", *store]) == 0
    said = capsys.readouterr().out
    assert "mixed: parts start, middle, end; conversion error" in said
    assert "mixed, middle: as for ort, f32, onnxruntime" in said
    page = next(folder.glob(".pipeline/runs/shifty/*/report/index.html"))
    assert "mixed: onnxruntime f32, by itself off by 0 at <code>middle__shifted" in page.read_text()


def test_layouts_take_parts_or_say_why_not(published, tmp_path, capsys):
    store = ("--store", published.store.url, "--out", str(tmp_path))
    assert call(["registry", "export", "shifty@1", "--layout", "plain", *store]) == 0
    about = json.loads((tmp_path / "shifty/1/about.json").read_text())
    assert [part["folder"] for part in about["parts"]] == ["start", "middle", "end"]
    assert (tmp_path / "shifty/1/end/model.xml").is_file()
    for layout, tool in (("ovms", "OpenVINO Model Server"), ("torchserve", "TorchServe")):
        code = call(["registry", "export", "shifty@1", "--layout", layout, *store])
        assert code == StoreError.exit_code
        said = capsys.readouterr().err
        assert f"mixed: is cut into parts (start, middle, end), which {tool} does not chain" in said
        assert "--layout kserve" in said


def test_versions_in_parts_are_compared_go_live_and_back(published, folder):
    (folder / "turned.yaml").write_text(JOB.replace("end: ov}", "end: ort}"))
    store = ("--store", "store")
    for asked in (
        ("run", "turned.yaml"),
        ("rollout", "shifty@1", *store),
        ("rollout", "shifty@2", *store),
        ("rollback", "shifty", "--why", "slower", *store),
    ):
        said = pipeline(folder, *asked)
        assert said.returncode == 0, said.stdout + said.stderr
    assert "shifty@production is version 1" in said.stdout
    assert "start: openvino" in said.stdout
    moves = published.history("shifty", "production")
    assert [move.version for move in moves] == [1, 2, 1]
    told = pipeline(folder, "registry", "diff", "shifty@1", "shifty@2", *store).stdout
    assert "builds/mixed/end/model.onnx" in told
    assert "builds/mixed/end/model.xml" in told


def test_the_part_that_is_off_is_named_with_its_first_bad_node(published, folder):
    (folder / "all.yaml").write_text(JOB.replace("parity:\n", f"{ALL_OV}parity:\n"))
    said = pipeline(folder, "run", "all.yaml", "--no-push")
    assert said.returncode == ParityError.exit_code
    assert "target all-ov does not answer like the original model" in said.stderr
    assert "part 'middle' is off by itself; first bad node: 'shift' (BitShift" in said.stderr
    newest = max(folder.glob(".pipeline/runs/*/*/run.json"), key=lambda p: p.stat().st_mtime_ns)
    record = RunRecord.model_validate_json(newest.read_bytes())
    by_part = {
        one.target: {found.part: found.worst.worst > 1 for found in one.by_part}
        for one in record.validations
    }
    right = {"start": False, "middle": False, "end": False}
    assert by_part == {"mixed": right, "all-ov": right | {"middle": True}}
    (found,) = record.bisections
    assert (found.target, found.part, found.outcome) == ("all-ov", "middle", "node")


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("body.shft", "job.yaml:10:30: no node or module of the dense part"),
        ("y", "job.yaml:10:29: nothing is left for part 'end'"),
        ("body.first", "job.yaml:10:29: all that it names lies in parts before 'middle' already"),
    ],
)
def test_names_that_cut_nothing_are_pointed_out_in_the_job(folder, until, said):
    place = folder / until
    place.mkdir()
    onnx.save(network(SHIFT, SHIFT_WEIGHTS), place / "model.onnx")
    (place / "job.yaml").write_text(JOB.replace("body.shift", until))
    ran = pipeline(place, "run", "job.yaml", "--until", "cut")
    assert ran.returncode == SplitError.exit_code
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr
