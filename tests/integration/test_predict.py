import json

import numpy as np
import pandas as pd
import pytest

from pipeline.cli import call
from registry.catalog import Catalog
from registry.layout import blob_key
from registry.store import open_store
from tests.versions import publish, right_answer, some_requests


@pytest.fixture
def catalog(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    publish(catalog, tmp_path, 1)
    return catalog


@pytest.fixture
def predict(catalog, tmp_path):
    """Run the command on some inputs."""

    def run(inputs, *options, reference="ranker"):
        path = tmp_path / "samples.npz"
        np.savez(path, **inputs)
        where = ["--store", str(tmp_path / "store"), "--home", str(tmp_path / "cache")]
        return call(["predict", reference, "--input", str(path), *where, *options])

    return run


@pytest.mark.parametrize("target", ["onnxruntime", "openvino"])
def test_answers_with_the_composed_parts(predict, tmp_path, target, capsys):
    inputs = some_requests(7)
    answers = tmp_path / "answers.npz"
    assert predict(inputs, "--target", target, "--out", str(answers)) == 0
    np.testing.assert_allclose(np.load(answers)["score"], right_answer(1, inputs), 1e-5, 1e-5)
    said = capsys.readouterr().out
    assert f"ranker 1 on {target}" in said
    assert "score: float32[7, 1]" in said


def test_more_rows_than_a_batch_has_are_answered_in_batches(predict, tmp_path):
    inputs = some_requests(200)
    answers = tmp_path / "answers.npz"
    assert predict(inputs, "--out", str(answers)) == 0
    np.testing.assert_allclose(np.load(answers)["score"], right_answer(1, inputs), 1e-4, 1e-4)


def test_json_is_one_object(predict, capsys):
    inputs = some_requests(7)
    assert predict(inputs, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["version"] == 1
    assert told["outputs"]["score"]["shape"] == [7, 1]
    assert told["outputs"]["score"]["max"] == pytest.approx(right_answer(1, inputs).max(), rel=1e-4)


def test_narrower_numbers_are_taken(predict):
    inputs = some_requests(2)
    assert predict(inputs | {"ids": inputs["ids"].astype(np.int16)}) == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ids": np.array([[0.5, 1.0]])}, "ids: is float64, not int64"),
        ({"ids": np.array([[0, 50]])}, "ids"),
        ({"ids": np.array([[0, -1]])}, "ids"),
        (
            {"ids": np.array([[0, 2**64 - 1]], np.uint64)},
            "samples.npz: `ids`, row 0: 18446744073709551615 does not fit into int64",
        ),
        ({"dense": np.array([[0, 1, 1e39]])}, "`dense`, row 0: 1e+39 does not fit into float32"),
        ({"dense": np.zeros((3, 3), np.float32)}, "batch"),
        ({"dense": np.zeros((1, 4), np.float32)}, "dense"),
        ({"dense": np.array([["a"] * 3])}, "dense: is <U1, not float32"),
    ],
)
def test_inputs_that_do_not_fit_are_named(predict, capsys, change, said):
    assert predict(some_requests(1) | change) == 23
    assert said in capsys.readouterr().err


def test_labels_beside_the_inputs_are_left_out(predict, capsys):
    assert predict(some_requests(2) | {"label": np.zeros(2)}) == 0
    assert "left out label" in capsys.readouterr().err


def test_a_missing_input_is_named(predict, capsys):
    assert predict({"ids": np.array([[1, 2]])}) == 23
    assert "dense: is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("samples.npz", "samples.npz: not an npz"),
        ("gone.npz", "gone.npz: no such file"),
        ("samples.txt", ".npz, .parquet, .csv"),
        ("samples.csv", "nothing in it is called"),
    ],
)
def test_a_file_that_holds_no_inputs_is_refused(name, message, catalog, tmp_path, capsys):
    if name != "gone.npz":
        (tmp_path / name).write_bytes(b"a,b\n1,2\n")
    store = ["--store", str(tmp_path / "store"), "--home", str(tmp_path / "cache")]
    assert call(["predict", "ranker", "--input", str(tmp_path / name), *store]) == 23
    err = capsys.readouterr().err
    assert message in err
    assert "pickle" not in err


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_columns_answer_as_arrays_do(name, catalog, tmp_path, capsys):
    inputs = some_requests(4)
    columns = {
        f"{key}_{at}": array[:, at] for key, array in inputs.items() for at in range(array.shape[1])
    }
    frame = pd.DataFrame(columns).assign(clicked=1)
    path, answers = tmp_path / name, tmp_path / "answers.npz"
    frame.to_csv(path, index=False) if name.endswith("csv") else frame.to_parquet(path)
    store = ["--store", str(tmp_path / "store"), "--home", str(tmp_path / "cache")]
    assert call(["predict", "ranker", "--input", str(path), "--out", str(answers), *store]) == 0
    assert "left out clicked" in capsys.readouterr().err
    with np.load(answers) as found:
        (answer,) = (found[key] for key in found.files)
    np.testing.assert_allclose(answer, right_answer(1, inputs), 1e-5, 1e-5)


def test_a_target_that_was_not_built_is_refused(predict, capsys):
    assert predict(some_requests(1), "--target", "gpu") == 10
    assert "no build for 'gpu'; it has onnxruntime, openvino" in capsys.readouterr().err


def test_a_host_that_cannot_run_it_is_told(catalog, predict, tmp_path, capsys):
    publish(catalog, tmp_path, 2, isa=("flag_of_no_cpu",))
    assert predict(some_requests(1)) == 16
    assert "flag_of_no_cpu" in capsys.readouterr().err


def test_a_corrupt_blob_is_named(catalog, predict, tmp_path, capsys):
    files = catalog.version("ranker", 1).files
    blob = tmp_path / "store" / blob_key(files["builds/openvino/model.bin"].digest)
    blob.chmod(0o644)
    blob.write_bytes(b"x" + blob.read_bytes()[1:])
    assert predict(some_requests(1)) == 17
    assert "builds/openvino/model.bin" in capsys.readouterr().err
