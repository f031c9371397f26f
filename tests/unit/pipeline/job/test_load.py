"""What a job file says, once it is right."""

import json
from pathlib import Path

import pytest

from converters.sources.torch_factory import TorchOptions
from pipeline.cli import call
from pipeline.job.environment import ALLOWED
from pipeline.job.job import Push
from pipeline.job.load import load_job
from registry.errors import JobError

JOB = """\
schema: 1
model: clicks
source: {kind: onnx, file: model.onnx}
inputs:
  - {name: user, dtype: int64, shape: [batch], ids: {cardinality: 1000}}
  - {name: dense, dtype: float32, shape: [batch, 13]}
axes:
  batch: {min: 1, max: 0x200}
outputs: [score]
targets: [{name: ov, runtime: openvino}]
parity:
  conversion: {atol: 1e-5, rtol: .001, because: f32 sums in another order}
"""


@pytest.fixture
def write(tmp_path):
    (tmp_path / "model.onnx").touch()

    def write(text: str) -> Path:
        path = tmp_path / "job.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_right_job_loads_with_its_numbers_as_written(write):
    job = load_job(write(JOB))
    assert job.model == "clicks"
    assert job.axes["batch"].max == 512
    assert (job.parity.conversion.atol, job.parity.conversion.rtol) == (1e-5, 1e-3)
    assert job.inputs[1].shape == ("batch", 13)


def test_a_byte_order_mark_is_no_fault(write):
    assert load_job(write("\ufeff" + JOB)).model == "clicks"


def test_an_alias_stands_for_what_it_names(write):
    again = "  precision: *exact\n"
    text = JOB.replace("conversion: {", "conversion: &exact {") + again
    job = load_job(write(text))
    assert job.parity.precision == job.parity.conversion


def test_quoted_words_and_dates_are_text(write):
    job = load_job(write(JOB.replace("[score]", '["no", 2026-01-01, y]')))
    assert job.outputs == ("no", "2026-01-01", "y")


def test_arguments_of_a_factory_keep_their_kinds(write):
    torch = "{kind: torch, factory: m:f, args: {a: 1, b: 1.5, c: [x, null], d: {e: true}}}"
    job = load_job(write(JOB.replace("{kind: onnx, file: model.onnx}", torch)))
    assert job.source.args == {"a": 1, "b": 1.5, "c": ["x", None], "d": {"e": True}}


def test_variables_are_filled_in_where_they_are_allowed(write, monkeypatch):
    monkeypatch.setenv("BUCKET", "models")
    monkeypatch.setenv("PORT", "8333")
    push = 'push: {store: "s3://${BUCKET}/a", endpoint: "http://127.0.0.1:${PORT}"}\n'
    job = load_job(write(JOB + push))
    assert (job.push.store, job.push.endpoint) == ("s3://models/a", "http://127.0.0.1:8333")


def test_a_filled_in_variable_is_checked_like_any_text(write, monkeypatch):
    monkeypatch.setenv("STORE", "s5://bucket")
    with pytest.raises(JobError, match="no store is called `s5`"):
        load_job(write(JOB + 'push: {store: "${STORE}"}\n'))


def test_the_places_that_take_variables_are_fields():
    records = {"push": Push, "source": TorchOptions}
    assert {block for block, _ in ALLOWED} == set(records)
    assert all(key in records[block].model_fields for block, key in ALLOWED)


def test_files_are_looked_for_beside_the_job(write, monkeypatch, tmp_path_factory):
    path = write(JOB)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert load_job(path).source.file == "model.onnx"


@pytest.mark.parametrize(
    ("path", "message"),
    [("nothing.yaml", "no such file"), (".", "a folder"), ("a\0b", "cannot be read")],
)
def test_what_cannot_be_read_is_a_job_error(path, message, tmp_path):
    with pytest.raises(JobError, match=message):
        load_job(tmp_path / path)


def test_no_more_than_fifty_faults_are_shown(write):
    extra = "".join(f"zz{number}: 1\n" for number in range(60))
    with pytest.raises(JobError) as caught:
        load_job(write(JOB + extra))
    assert str(caught.value).count("unknown key") == 50
    assert str(caught.value).endswith("… and 10 more")


def test_check_prints_one_line_and_leaves_with_0(write, capsys):
    path = write(JOB)
    assert call(["check", str(path)]) == 0
    assert capsys.readouterr() == (f"{path}: clicks for ov: no faults\n", "")


def test_check_prints_faults_to_stderr_and_leaves_with_10(write, capsys):
    path = write(JOB.replace("model:", "modle:"))
    assert call(["check", str(path)]) == 10
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{path}:2:1: unknown key `modle`; did you mean `model`?" in err


def test_check_prints_faults_as_json(write, capsys):
    path = write(JOB.replace("model:", "modle:"))
    assert call(["check", "--json", str(path)]) == 10
    message = "unknown key `modle`; did you mean `model`?"
    assert json.loads(capsys.readouterr().out) == {
        "job": str(path),
        "valid": False,
        "faults": [{"file": str(path), "line": 2, "column": 1, "message": message}],
    }


def test_check_says_as_json_what_cannot_be_read(tmp_path, capsys):
    assert call(["check", "--json", str(tmp_path)]) == 10
    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert "a folder" in fault["message"]


def test_check_says_as_json_that_there_are_no_faults(write, capsys):
    assert call(["check", "--json", str(write(JOB))]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["valid"], record["model"], record["targets"]) == (True, "clicks", ["ov"])


def test_check_of_a_job_that_is_not_there_says_how_to_write_it(tmp_path, capsys):
    path = tmp_path / "nope.yaml"
    assert call(["check", str(path)]) == 10
    assert f"pipeline init --onnx MODEL.onnx --out {path}" in capsys.readouterr().err
