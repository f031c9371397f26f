"""The schema that editors see is the one that the models hold."""

import json
from pathlib import Path

import jsonschema
import pytest

from pipeline.cli import call
from pipeline.job.compose import compose
from pipeline.job.schema import job_schema, keys_at, schema_text
from pipeline.job.text import read_text

ROOT = Path(__file__).parents[4]
COMMITTED = ROOT / "workflows" / "job.schema.json"
JOBS = sorted((ROOT / "workflows" / "jobs").glob("*.yaml"))
JOB = {
    "schema": 1,
    "model": "clicks",
    "source": {"kind": "onnx", "file": "model.onnx"},
    "inputs": [{"name": "x", "dtype": "float32", "shape": ["batch", 4], "range": [0, 1]}],
    "axes": {"batch": {"max": 64}},
    "targets": [{"name": "ov", "runtime": "openvino"}],
    "parity": {"conversion": {"atol": 1e-5, "rtol": 0, "because": "f32 sums in order"}},
}


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(COMMITTED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_committed_schema_is_not_stale():
    command = "pipeline schema > workflows/job.schema.json"
    assert COMMITTED.read_text(encoding="utf-8") == schema_text(), f"run: {command}"


def test_the_command_prints_the_schema(capsys):
    assert call(["schema"]) == 0
    assert capsys.readouterr().out == schema_text()


@pytest.mark.parametrize("job", JOBS, ids=[job.stem for job in JOBS])
def test_the_schema_accepts_every_example(job, validator):
    validator.validate(compose(read_text(job))[0].plain())


def test_the_schema_accepts_a_small_job(validator):
    validator.validate(JOB)


@pytest.mark.parametrize(
    ("block", "change"),
    [
        ("unknown", 1),
        ("source", {"kind": "onnx", "file": "m.onnx", "weights": "w"}),
        ("source", {"file": "m.onnx"}),
        ("targets", [{"name": "ov", "runtime": "openvino", "thread": 1}]),
        ("targets", [{"name": "ov"}]),
        ("inputs", [{"name": "x", "dtype": "float33", "shape": []}]),
        ("axes", {"batch": {"most": 3}}),
        ("schema", 2),
    ],
)
def test_the_schema_refuses_what_the_models_refuse(block, change, validator):
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({**JOB, block: change})


def test_every_attribute_that_a_docstring_explains_is_described():
    definitions = job_schema()["$defs"]
    assert "cardinality - 1" in definitions["Ids"]["properties"]["cardinality"]["description"]
    assert "CPU flags" in definitions["OpenvinoOptions"]["properties"]["isa"]["description"]
    assert "reaches either" in definitions["SplitOptions"]["properties"]["min_rows"]["description"]
    assert all("Attributes:" not in one.get("description", "") for one in definitions.values())


@pytest.mark.parametrize(
    ("loc", "key"),
    [
        ((), "model"),
        (("source", "torch"), "factory"),
        (("targets", 0, "openvino"), "isa"),
        (("inputs", 3, "ids"), "padding"),
        (("axes", "batch"), "min"),
        (("parity", "outputs", "score"), "because"),
        (("parity", "metrics", 0), "max_drop"),
        (("samples",), "labels"),
    ],
)
def test_the_keys_of_every_level_are_known(loc, key):
    assert key in keys_at(loc)
