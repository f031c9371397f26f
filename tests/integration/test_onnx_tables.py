"""`pipeline run` cuts the tables out of an ONNX file and publishes what answers alike."""

import json

import pytest

from tests.integration.test_run_job import last_record, pipeline
from tests.tiny_onnx import write
from tests.tiny_recommenders import recommender

JOB = """\
schema: 1
model: tiny
source: {kind: onnx, file: model.onnx}
axes: {batch: {max: 64}, length: {max: 16}}
inputs:
  - {name: user, dtype: int64, shape: [batch], ids: {cardinality: 1200}}
  - {name: past, dtype: int32, shape: [batch, length], ids: {cardinality: 1200}}
  - {name: fields, dtype: int64, shape: [batch, 2], ids: {cardinality: [1100, 1300]}}
  - {name: raw, dtype: int64, shape: [batch], range: [-1099511627776, 1099511627776]}
  - {name: price, dtype: float32, shape: [batch, 3], range: [-3, 3]}
targets:
  - {name: ov, runtime: openvino}
  - {name: ort, runtime: onnxruntime}
parity:
  conversion: {atol: 1.0e-5, rtol: 1.0e-5, because: one small layer in f32}
push: {store: store}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("job")
    write(recommender(), place, external=True)
    (place / "job.yaml").write_text(JOB)
    return place


def test_a_file_with_its_tables_beside_it_becomes_a_version_that_answers_alike(folder):
    done = pipeline(folder, "run", "job.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    record = last_record(folder)
    assert {one.name for one in record.split.tables} == {
        "users", "shops", "bias", "half", "hashes"
    }  # fmt: skip
    of_ort = next(one for one in record.validations if one.target == "ort")
    assert [parity.outputs[0].max_abs for parity in of_ort.parity] == [0, 0]
    assert of_ort.parity[0].refused_alike > 0
    version = json.loads(next((folder / "store").rglob("versions/*.json")).read_bytes())
    shards = [name for name in version["files"] if name.startswith("tables/users/")]
    assert shards
