from hypothesis import given
from hypothesis import strategies as st

from registry.safe_path import fault_of, faults_of


@given(st.text())
def test_what_is_believed_stays_in_its_folder(tmp_path_factory, path):
    root = tmp_path_factory.getbasetemp()
    if fault_of(path) is None:
        assert (root / path).resolve().is_relative_to(root)
        assert (root / path).resolve() != root


def test_believes_the_names_of_a_version():
    names = ["ids/model.onnx", "tables/a b/000000.safetensors", "größe.json", "..a/b..", ".hidden"]
    assert faults_of(names) == []


def test_names_every_fault():
    assert faults_of(["/a", "b/..", "c", "c/d"]) == [
        "'/a' is absolute",
        "'b/..' leads out of its folder",
        "'c' is a file and a folder",
    ]
