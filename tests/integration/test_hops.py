"""A chain through integer tables: one run, to a version that predicts and serves alike."""

import shutil
from pathlib import Path

import numpy as np
import onnxruntime
import orjson
import pytest
import torch

from pipeline.cli import call
from registry.catalog import Catalog
from registry.store import open_store
from tests.integration.test_run_job import ROOT, last_record, pipeline
from tests.modules.odd_lookups import Hops
from tests.servers import as_json, running
from tests.tiny_chain import chain
from tests.tiny_onnx import write

JOB = """\
schema: 1
model: tiny
source: {source}
axes: {{batch: {{max: 64}}}}
inputs:
  - {{name: user, dtype: int64, shape: [batch], ids: {{cardinality: {users}}}}}
  - {other}
split: {{rows: [{{tables: [{history}], unknown: zero}}]}}
targets:
  - {{name: ov, runtime: openvino}}
  - {{name: ort, runtime: onnxruntime}}
parity:
  conversion: {{atol: 1.0e-5, rtol: 1.0e-5, because: one small layer in f32}}
push: {{store: store}}
"""
USERS = {"torch": 1100, "onnx": 1200}
HISTORY = {"torch": "history", "onnx": "past"}


def write_torch(folder: Path) -> str:
    """Write a module with its weights; give the job's text."""
    shutil.copy(ROOT / "tests" / "modules" / "odd_lookups.py", folder / "odd_lookups.py")
    torch.manual_seed(3)
    torch.save(Hops().state_dict(), folder / "weights.pt")
    return JOB.format(
        source="{kind: torch, factory: 'odd_lookups:Hops', weights: weights.pt}",
        users=USERS["torch"],
        other="{name: numbers, dtype: float32, shape: [batch, 4], range: [-3, 3]}",
        history=HISTORY["torch"],
    )


def write_onnx(folder: Path) -> str:
    """Write a file with its weights beside it; give the job's text."""
    write(chain(), folder, external=True)
    return JOB.format(
        source="{kind: onnx, file: model.onnx}",
        users=USERS["onnx"],
        other="{name: salt, dtype: int64, shape: [batch], range: [0, 1099511627776]}",
        history=HISTORY["onnx"],
    )


def requests(kind: str, batch: int) -> dict[str, np.ndarray]:
    """Draw what users ask."""
    drawn = np.random.default_rng(batch)
    user = drawn.integers(0, USERS[kind], batch)
    if kind == "torch":
        return {"user": user, "numbers": drawn.uniform(-3, 3, (batch, 4)).astype("f4")}
    return {"user": user, "salt": drawn.integers(0, 1 << 40, batch)}


def original(kind: str, folder: Path, given: dict[str, np.ndarray]) -> np.ndarray:
    """Answer with the model as it came."""
    if kind == "onnx":
        session = onnxruntime.InferenceSession(chain().SerializeToString())
        return session.run(None, given)[0]
    module = Hops()
    module.load_state_dict(torch.load(folder / "weights.pt"))
    with torch.no_grad():
        return module(*(torch.from_numpy(array) for array in given.values())).numpy()


@pytest.fixture(scope="module", params=["torch", "onnx"])
def made(request, tmp_path_factory):
    kind, folder = request.param, tmp_path_factory.mktemp(request.param)
    text = {"torch": write_torch, "onnx": write_onnx}[kind](folder)
    (folder / "job.yaml").write_text(text)
    done = pipeline(folder, "run", "job.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    return kind, folder


def test_every_hop_is_in_the_version_and_both_runtimes_answer_alike(made):
    _, folder = made
    record = last_record(folder)
    assert {one.target for one in record.validations} == {"ov", "ort"}
    assert all(one.parity[0].refused_alike > 0 for one in record.validations)
    version = Catalog(open_store(str(folder / "store"))).version("tiny", 1)
    assert len(version.hops) == 2
    assert version.ids is None
    assert {"int64", "int32", "float32"} <= {table.dtype for table in version.tables}
    assert {"ids_2/model.onnx", "ids_3/model.onnx"} <= set(version.files)


@pytest.mark.parametrize("target", ["ov", "ort"])
def test_predictions_are_those_of_the_original(made, target, tmp_path):
    kind, folder = made
    given = requests(kind, 100)  # more than a batch holds
    np.savez(tmp_path / "in.npz", **given)
    where = ["--store", str(folder / "store"), "--home", str(tmp_path / "cache")]
    asked = ["--input", str(tmp_path / "in.npz"), "--out", str(tmp_path / "out.npz")]
    assert call(["predict", "tiny", "--target", target, *asked, *where]) == 0
    (answer,) = np.load(tmp_path / "out.npz").values()
    assert np.ptp(answer) > 0.5
    np.testing.assert_allclose(answer, original(kind, folder, given), 1e-5, 1e-5)


def test_a_server_answers_alike_and_unknown_users_by_the_rule_of_the_first_table(made, tmp_path):
    kind, folder = made
    given = requests(kind, 5)
    with running(folder / "store", tmp_path, reference="tiny@candidate") as server:
        path = "/v2/models/tiny/infer"
        status, _, body = server.request("POST", path, as_json(given))
        assert status == 200, body
        (output,) = orjson.loads(body)["outputs"]
        answer = np.array(output["data"]).reshape(output["shape"])
        np.testing.assert_allclose(answer, original(kind, folder, given), 1e-5, 1e-5)
        given["user"][2] = 1 << 33
        status, _, body = server.request("POST", path, as_json(given))
        assert status == 200, body
        (output,) = orjson.loads(body)["outputs"]
        unknown = np.array(output["data"]).reshape(output["shape"])
        assert np.array_equal(np.delete(unknown, 2, 0), np.delete(answer, 2, 0))
        assert not np.array_equal(unknown[2], answer[2])
