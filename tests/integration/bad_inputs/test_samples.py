"""Samples that are not what the job says."""

import numpy as np
import pytest

from registry.errors import InputError, JobError, ParityError, SourceError
from tests.bad_onnx import sound

X = np.linspace(-1, 1, 24, dtype="f4").reshape(6, 4)


def with_nan() -> np.ndarray:
    damaged = X.copy()
    damaged[2, 1] = np.nan
    return damaged


METRIC = {
    "metrics": [
        {"name": "auc", "output": "y", "max_drop": 0, "because": "it is only a test"},
    ]
}

SAMPLES = {
    "with other names": ({"z": X}, ("nothing in it is called `x`",)),
    "with names that are nearly right": ({"X": X}, ("did you mean",)),
    "with other columns": ({"x": X[:, :3]}, ("shape (6, 3)", "[batch, 4]")),
    "of text": ({"x": np.full((6, 4), "a")}, ("`x`",)),
    "of objects": ({"x": np.array([[{}] * 4] * 6, dtype=object)}, ("`x`", "Python objects")),
    "without rows": ({"x": X[:0]}, ("no rows",)),
    "with NaN that the job does not tell of": ({"x": with_nan()}, ("row 2: nan", "missing: true")),
    "in doubles that floats cannot hold": ({"x": X.astype("f8") * 1e300}, ("`x`",)),
}


@pytest.mark.parametrize("fault", SAMPLES)
def test_samples(bench, fault):
    arrays, words = SAMPLES[fault]
    np.savez(bench.folder / "samples.npz", **arrays)
    job = sound(bench.folder) | {"samples": {"file": "samples.npz"}}
    bench.refuses_job(SourceError, "samples.npz", *words, **job)


def test_samples_with_nan_are_found_where_the_original_answers_nan(bench):
    """NaN stands for "not known" in some models, which answer it with a number."""
    np.savez(bench.folder / "samples.npz", x=with_nan())
    job = sound(bench.folder) | {"samples": {"file": "samples.npz"}}
    job["inputs"] = [entry | {"missing": True} for entry in job["inputs"]]
    words = (
        "output 'y'",
        "'samples 0 to 5' at [2, 1]",
        "nan in the original",
        "the original itself",
    )
    said = bench.refuses_job(ParityError, *words, **job)
    assert "tolerance under" not in said.err, "no tolerance mends it"


LABELS = {
    "that are fewer than the rows": (np.arange(4) % 2, ("4 labels for 6 rows",)),
    "that are more than the rows": (np.arange(8) % 2, ("8 labels for 6 rows",)),
    "with NaN": (np.array([0, 1, np.nan, 1, 0, 1]), ("NaN in row 2",)),
    "of two columns": (np.zeros((6, 2)), ("one number a row",)),
    "of one class alone": (np.ones(6), ("label",)),
    "of three classes for a measure of two": (np.arange(6) % 3, ("label",)),
}


@pytest.mark.parametrize("fault", LABELS)
def test_labels(bench, fault):
    labels, words = LABELS[fault]
    np.savez(bench.folder / "samples.npz", x=X, label=labels)
    job = sound(bench.folder) | {"samples": {"file": "samples.npz", "labels": "label"}}
    parity = {"conversion": {"atol": 1e-5, "rtol": 1e-5, "because": "one layer in f32"}}
    bench.refuses_job(SourceError, *words, parity=parity | METRIC, **job)


def test_samples_that_are_not_there_are_found_by_the_check_already(bench):
    job = sound(bench.folder) | {"samples": {"file": "smaples.npz"}}
    (bench.folder / "samples.npz").touch()
    bench.write(**job)
    words = ("job.yaml:", "smaples.npz", "did you mean `samples.npz`", "^")
    bench.refuses(JobError, *words, command=("check", "job.yaml"))


@pytest.mark.parametrize("name", ["samples.npz", "samples.parquet"])
def test_samples_of_another_kind_of_file(bench, name):
    (bench.folder / name).write_bytes(b"PAR1 and nothing more")
    columns = {} if name.endswith("npz") else {"columns": {"x": ["a", "b", "c", "d"]}}
    job = sound(bench.folder) | {"samples": {"file": name} | columns}
    bench.refuses_job(SourceError, name, "not a", **job)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"dense": np.zeros((2, 3), "f4")}, ("ids: is missing",)),
        ({"dense": np.zeros((2, 3), "f4"), "ids": np.array([[0, 50], [0, 0]])}, ("ids", "50")),
        ({"dense": np.zeros((2, 3), "f4"), "ids": np.array([[0, -1], [0, 0]])}, ("ids", "-1")),
        ({"dense": np.zeros((3, 3), "f4"), "ids": np.zeros((2, 2), int)}, ("batch", "3", "2")),
        ({"dense": np.zeros((2, 3), "c8"), "ids": np.zeros((2, 2), int)}, ("dense", "complex64")),
    ],
)
def test_inputs_of_a_prediction(bench, arrays, words):
    np.savez(bench.folder / "asked.npz", **arrays)
    command = ("predict", "ranker", "--input", "asked.npz", "--store", "store")
    bench.refuses(InputError, "asked.npz", *words, command=command)
