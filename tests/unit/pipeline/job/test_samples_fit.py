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


def test_check_tells_of_samples_that_are_odd(write, tmp_path, capsys):
    write(top=9)
    narrow = {"user": np.array([0, 1, 9], np.int32), "starts": [0, 2], "y": [0, 1]}
    np.savez(tmp_path / "s.npz", **narrow)
    assert call(["check", "job.yaml"]) == 0
    (told,) = capsys.readouterr().out.splitlines()[2:]
    assert told.startswith("s.npz: `user` is int32 in the file and int64 in the job")
    assert call(["check", "--json", "job.yaml"]) == 0
    assert json.loads(capsys.readouterr().out)["odd"] == [told]


@pytest.mark.parametrize(
    ("said", "values", "place"),
    [
        ("range: [0, 1]", [0.5, np.nan], "x, "),
        ("missing: true", [0.5, np.inf], "x, "),
        ("range: [0, 1]", [0, 2], "[0, 1]"),
    ],
)
def test_values_that_the_job_does_not_let_come_are_shown_where_it_does_not(
    said, values, place, write, tmp_path, capsys
):
    write(top=9)
    dtype = np.asarray(values).dtype
    entry = f"  - {{name: x, dtype: {dtype}, shape: [batch], {said}}}\n"
    job = JOB.replace("axes:", f"{entry}axes:")
    (tmp_path / "job.yaml").write_text(job)
    np.savez(tmp_path / "s.npz", user=USER, starts=STARTS, y=Y, x=np.asarray(values))
    assert call(["check", "--json", "job.yaml"]) == 11
    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert job.splitlines()[fault["line"] - 1][fault["column"] - 1 :].startswith(place)
    assert "s.npz: `x`, row 1: " in fault["message"]


@pytest.mark.parametrize("command", ["check", "run"])
def test_samples_that_do_not_fit_are_shown_where_the_job_says_otherwise(write, command, capsys):
    home = write(top=10)
    assert call([command, "job.yaml"]) == 11
    err = capsys.readouterr().err
    assert "job.yaml:5:49: s.npz: `user`, row 2: 10 is no id" in err
    assert not home.exists()


def test_check_says_as_json_where_samples_do_not_fit(write, capsys):
    write(top=10)
    assert call(["check", "--json", "job.yaml"]) == 11
    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert (fault["line"], fault["column"]) == (5, 49)


def faults_of(folder, capsys, **arrays) -> list[tuple[int, str]]:
    np.savez(folder / "s.npz", **arrays)
    assert call(["check", "--json", "job.yaml"]) == 11
    found = json.loads(capsys.readouterr().out)["faults"]
    lines = JOB.splitlines()
    return [(fault["line"], lines[fault["line"] - 1][fault["column"] - 1 :]) for fault in found]


USER, STARTS, Y = np.array([0, 1, 2]), np.array([0, 2]), np.array([0, 1])


@pytest.mark.parametrize(
    ("arrays", "line", "text"),
    [
        ({"starts": STARTS, "y": Y}, 5, "user, "),
        ({"user": np.zeros((3, 2), int), "starts": STARTS, "y": Y}, 5, "[n]"),
        ({"user": USER + 0.5, "starts": STARTS, "y": Y}, 5, "int64"),
        ({"user": USER, "starts": STARTS}, 8, "y}"),
        ({"user": USER, "starts": STARTS, "y": Y[:1]}, 8, "y}"),
        ({"user": USER, "starts": STARTS[:0], "y": Y[:0]}, 8, "s.npz"),
    ],
)
def test_the_caret_points_at_what_the_job_says_of_it(write, arrays, line, text, tmp_path, capsys):
    write(top=9)
    ((found, rest),) = faults_of(tmp_path, capsys, **arrays)
    assert found == line
    assert rest.startswith(text)


def test_all_that_does_not_fit_is_told_at_once(write, tmp_path, capsys):
    write(top=9)
    found = faults_of(tmp_path, capsys, user=USER + 10, starts=STARTS + 0.5, y=Y * np.nan)
    assert [line for line, _ in found] == [5, 6, 8]


def test_columns_that_the_file_does_not_have_are_shown_where_they_are_named(
    write, tmp_path, capsys
):
    write(top=9)
    job = JOB.replace("file: s.npz, ", "file: s.csv, columns: {user: [person]}, ")
    (tmp_path / "job.yaml").write_text(job)
    (tmp_path / "s.csv").write_text("user,starts,y\n1,0,0\n2,1,1\n")
    assert call(["check", "--json", "job.yaml"]) == 11
    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert job.splitlines()[fault["line"] - 1][fault["column"] - 1 :].startswith("[person]")
