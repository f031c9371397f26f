"""Samples are held against the job before anything is run."""

import json
from pathlib import Path

import numpy as np
import pytest

from pipeline.cli import call

JOB = """\
schema: 1
model: clicks
source: {kind: onnx, file: model.onnx}
inputs:
  - {name: user, dtype: int64, shape: [n], ids: {cardinality: 10}}
  - {name: starts, dtype: int64, shape: [batch], offsets: user}
axes: {batch: {max: 64}, n: {min: 0, max: 4096}}
samples: {file: s.npz, labels: y}
targets: [{name: ort, runtime: onnxruntime}]
parity:
  conversion: {atol: 1e-5, rtol: .001, because: f32 sums in another order}
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIPELINE_HOME", str(tmp_path / "home"))
    (tmp_path / "model.onnx").touch()

    def write(top: int) -> Path:
        np.savez(tmp_path / "s.npz", user=[0, 1, top], starts=[0, 2], y=[0, 1])
        (tmp_path / "job.yaml").write_text(JOB)
        return tmp_path / "home"

    return write


def test_check_counts_the_rows_that_fit(write, capsys):
    write(top=9)
    assert call(["check", "job.yaml"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "samples: 2 rows fit"
    assert call(["check", "--json", "job.yaml"]) == 0
    assert json.loads(capsys.readouterr().out)["samples"] == 2


@pytest.mark.parametrize("command", ["check", "run"])
def test_samples_that_do_not_fit_are_shown_where_the_job_names_them(write, command, capsys):
    home = write(top=10)
    assert call([command, "job.yaml"]) == 11
    err = capsys.readouterr().err
    assert "job.yaml:8:17: s.npz: `user`, row 2: 10 is no id" in err
    assert not home.exists()


def test_check_says_as_json_where_samples_do_not_fit(write, capsys):
    write(top=10)
    assert call(["check", "--json", "job.yaml"]) == 11
    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert (fault["line"], fault["column"]) == (8, 17)
