"""Cases on disk."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from registry.errors import IntegrityError
from targets.parity.cases import Case, read_cases, read_index, write_cases

DTYPES = ["float32", "float64", "float16", "int64", "int32", "uint8", "bool"]
arrays = st.dictionaries(
    st.text(min_size=1, max_size=5, alphabet=st.characters(codec="utf-8", exclude_characters="\0")),
    st.sampled_from(DTYPES).flatmap(
        lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0, max_side=3))
    ),
    min_size=1,
    max_size=3,
)


@given(
    inputs=arrays,
    outputs=arrays,
    refused=st.none() | st.text(max_size=9),
    outside=st.booleans(),
)
@settings(max_examples=50, deadline=None)
def test_a_case_reads_back_as_it_was(tmp_path_factory, inputs, outputs, refused, outside):
    folder = tmp_path_factory.mktemp("cases")
    answers = outputs if refused is None else None
    case = Case("ids at 2^31", "generated", inputs, answers, refused, outside)
    write_cases([case], folder)
    (read,) = read_cases(folder)
    for field in ("name", "kind", "refused", "outside"):
        assert getattr(read, field) == getattr(case, field)
    for before, after in ((case.inputs, read.inputs), (case.outputs or {}, read.outputs or {})):
        assert before.keys() == after.keys()
        for name, array in before.items():
            assert after[name].dtype == array.dtype
            np.testing.assert_array_equal(after[name], array)


def test_keeps_the_order(tmp_path):
    names = [f"case {number}" for number in range(12)]
    write_cases((Case(name, "recorded", {}, None, "no") for name in names), tmp_path)
    assert [case.name for case in read_cases(tmp_path)] == names


def test_transposed_arrays_keep_their_places(tmp_path):
    array = np.arange(6, dtype="f4").reshape(2, 3).T
    write_cases([Case("c", "recorded", {"x": array}, {"y": array})], tmp_path)
    (read,) = read_cases(tmp_path)
    np.testing.assert_array_equal(read.inputs["x"], array)


def test_there_is_no_index_before_every_case_is_written(tmp_path):
    def cases():
        yield Case("first", "recorded", {}, None, "no")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_cases(cases(), tmp_path)
    with pytest.raises(IntegrityError, match=r"cases\.json: not an index of cases"):
        read_index(tmp_path)


@pytest.mark.parametrize(
    "file", ["../000000.safetensors", "/etc/passwd", "a/000000.safetensors", "x"]
)
def test_an_index_cannot_name_files_elsewhere(tmp_path, file):
    entry = {"name": "c", "kind": "recorded", "file": file}
    (tmp_path / "cases.json").write_text(json.dumps({"cases": [entry]}))
    with pytest.raises(IntegrityError, match="not an index of cases"):
        read_index(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\x80\x04pickle", b"\xff" * 64])
def test_a_file_that_is_not_a_case_is_refused(tmp_path, content):
    write_cases([Case("c", "recorded", {}, None, "no")], tmp_path)
    (tmp_path / "000000.safetensors").write_bytes(content)
    with pytest.raises(IntegrityError, match=r"000000\.safetensors: not a case"):
        list(read_cases(tmp_path))


def test_a_case_without_an_answer_or_a_refusal_is_refused(tmp_path):
    write_cases([Case("c", "recorded", {"x": np.zeros(1)})], tmp_path)
    with pytest.raises(IntegrityError, match="either answered or refused"):
        list(read_cases(tmp_path))
