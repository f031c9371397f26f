"""Samples become inputs without loss, or an error says what is wrong with which column."""

import io
import json
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from pipeline.job.job import Samples
from pipeline.job.samples import read_samples
from registry.errors import SourceError
from registry.signature import Ids, Input

USER = Input(name="user", dtype="int64", shape=("batch",), ids=Ids(cardinality=10))
STARTS = Input(name="starts", dtype="int64", shape=("batch",), offsets="ids")
DENSE = Input(name="dense", dtype="float32", shape=("batch", 3))
COLUMNS = {"dense": ("a", "b", "c")}


@pytest.fixture
def frame():
    rows = np.arange(6)
    return pd.DataFrame(
        {"user": rows, "a": rows * 0.5, "b": rows, "c": -rows, "clicked": rows % 2, "why": "x"}
    )


def write(frame, path):
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)


def read(folder, name, *inputs, **options):
    return read_samples(Samples(file=name, **options), inputs or (USER, DENSE), folder)


def save(folder, **arrays):
    np.savez(folder / "s.npz", **arrays)


@pytest.mark.parametrize("name", ["s.csv", "s.parquet"])
def test_columns_make_up_inputs(name, frame, tmp_path):
    write(frame, tmp_path / name)
    found = read(tmp_path, name, columns=COLUMNS, labels="clicked", rows=4)
    assert found.inputs["user"].dtype == np.int64
    assert found.inputs["user"].tolist() == [0, 1, 2, 3]
    assert found.inputs["dense"].dtype == np.float32
    assert found.inputs["dense"][3].tolist() == [1.5, 3, -3]
    assert found.labels.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("compress", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_npz_is_read_up_to_rows(compress, order, tmp_path):
    dense = np.asarray(np.arange(18.0).reshape(6, 3), order=order)
    compress(tmp_path / "s.npz", user=np.arange(6), dense=dense, y=np.ones((6, 1)))
    found = read(tmp_path, "s.npz", rows=2, labels="y")
    assert found.inputs["dense"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found.labels.tolist() == [1, 1]


@pytest.mark.parametrize("name", ["s.csv", "s.parquet"])
def test_one_column_fills_a_flat_input_and_one_of_width_1(name, frame, tmp_path):
    write(frame, tmp_path / name)
    wide = Input(name="a", dtype="float64", shape=("batch", 1))
    found = read(tmp_path, name, USER, wide)
    assert found.inputs["user"].shape == (6,)
    assert found.inputs["a"].shape == (6, 1)


def test_an_axis_of_size_1_is_dropped_or_added_as_the_job_says(tmp_path):
    save(tmp_path, user=np.arange(6).reshape(6, 1), a=np.arange(6.0))
    found = read(tmp_path, "s.npz", USER, Input(name="a", dtype="float32", shape=("batch", 1)))
    assert (found.inputs["user"].shape, found.inputs["a"].shape) == ((6,), (6, 1))


def test_columns_fill_an_input_of_more_axes_row_by_row(frame, tmp_path):
    write(frame, tmp_path / "s.csv")
    image = Input(name="image", dtype="float32", shape=("batch", 2, 2))
    found = read(tmp_path, "s.csv", image, columns={"image": ("user", "a", "b", "c")})
    assert found.inputs["image"][2].tolist() == [[2, 1], [2, -2]]


@pytest.mark.parametrize("includes_last", [False, True])
def test_bags_are_cut_where_the_offsets_say(includes_last, tmp_path):
    ids = Input(name="ids", dtype="int64", shape=("n",), ids=Ids(cardinality=10))
    weights = Input(name="weights", dtype="float32", shape=("n",))
    starts = Input(
        name="starts", dtype="int64", shape=("bags",), offsets="ids", includes_last=includes_last
    )
    offsets = [0, 2, 2, 5, 6] + ([7] if includes_last else [])
    save(tmp_path, ids=np.arange(7), weights=np.ones(7), starts=offsets)
    found = read(tmp_path, "s.npz", starts, ids, weights, rows=3)
    assert found.inputs["starts"].tolist() == [0, 2, 2] + ([5] if includes_last else [])
    assert found.inputs["ids"].tolist() == [0, 1, 2, 3, 4]
    assert found.inputs["weights"].shape == (5,)


def test_bags_are_cut_where_the_lengths_say(tmp_path):
    ids = Input(name="ids", dtype="int64", shape=("n",), ids=Ids(cardinality=10))
    lengths = Input(name="lengths", dtype="int32", shape=("batch",), lengths="ids")
    save(tmp_path, ids=np.arange(7), lengths=[2, 0, 3, 1, 1])
    found = read(tmp_path, "s.npz", lengths, ids, rows=3)
    assert found.inputs["lengths"].tolist() == [2, 0, 3]
    assert found.inputs["ids"].tolist() == [0, 1, 2, 3, 4]
    assert len(read(tmp_path, "s.npz", lengths, ids).inputs["ids"]) == 7
    save(tmp_path, ids=np.arange(3), lengths=[2, -1, 2])
    with pytest.raises(SourceError, match="row 1: -1 is no length of a bag"):
        read(tmp_path, "s.npz", lengths, ids)


def test_fewer_bags_than_rows_keep_all_ids(tmp_path):
    ids = Input(name="ids", dtype="int64", shape=("n",), ids=Ids(cardinality=10))
    starts = Input(name="starts", dtype="int64", shape=("batch",), offsets="ids")
    save(tmp_path, ids=np.arange(7), starts=[0, 2])
    assert read(tmp_path, "s.npz", starts, ids).inputs["ids"].shape == (7,)


@pytest.mark.parametrize(
    ("values", "dtype", "message"),
    [
        ([1.0, 2.5], "int64", r"row 1: 2.5 is a fraction, and the input is int64"),
        ([1.0, np.nan], "int64", r"row 1: nan is not a number"),
        ([1, 2**31], "int32", r"row 1: 2147483648 does not fit into int32"),
        ([-1, 1], "uint8", r"row 0: -1 does not fit into uint8"),
        ([1e39, 1.0], "float32", r"row 0: 1e\+39 does not fit into float32"),
        ([1e5, 1.0], "float16", r"row 0: 100000.0 does not fit into float16"),
        ([2**24 + 1, 1], "float32", r"row 0: 16777217 does not fit into float32"),
        ([0, 2], "bool", r"row 1: 2 does not fit into bool"),
        ([1e19, 1.0], "int64", r"row 0: 1e\+19 does not fit into int64"),
        (np.array([2**64 - 1], np.uint64), "int64", r"row 0: 18446744073709551615 does not fit"),
        (["a", "b"], "int64", r"holds text \('a'\).*Encode it"),
        (np.array([1, 2], "datetime64[s]"), "int64", r"holds datetime64"),
        ([1j], "float32", r"holds complex128"),
        ([1, 2], "bfloat16", "numpy has no bfloat16"),
    ],
)
def test_a_value_that_would_be_changed_is_refused(values, dtype, message, tmp_path):
    save(tmp_path, x=np.asarray(values))
    with pytest.raises(SourceError, match=message):
        read(tmp_path, "s.npz", Input(name="x", dtype=dtype, shape=("batch",)))


def test_a_file_of_a_heading_alone_has_no_rows(tmp_path):
    (tmp_path / "s.csv").write_text("x\n")
    with pytest.raises(SourceError, match=r"s.csv: `x` holds no rows"):
        read(tmp_path, "s.csv", Input(name="x", dtype="int64", shape=("batch",)))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1.0, 2.0], "int64"),
        ([0.1, 2.5], "float32"),
        ([True, False], "float32"),
        ([True, False], "int64"),
        ([0, 1], "bool"),
        ([2**24, -(2**24)], "float32"),
        ([2**63 - 1, -(2**63)], "int64"),
        (np.array([1, 2], ">i4"), "int64"),
    ],
)
def test_a_value_that_fits_is_taken(values, dtype, tmp_path):
    save(tmp_path, x=np.asarray(values))
    tensor = Input(name="x", dtype=dtype, shape=("batch",))
    found = read(tmp_path, "s.npz", tensor).inputs["x"]
    assert found.dtype == np.dtype(dtype)
    assert np.array_equal(found, np.asarray(values).astype(dtype))


X = Input(name="x", dtype="float32", shape=("batch",))
MISSING = X.model_copy(update={"missing": True})
COUNT = Input(name="x", dtype="int64", shape=("batch",), range=(0, 3))


@pytest.mark.parametrize(
    ("tensor", "values", "message"),
    [
        (X, [0, np.nan, np.nan], r"`x`, row 1: nan is no number.*\(2 such.*write missing: true"),
        (X, [0, 1, -np.inf], "`x`, row 2: -inf is no finite number: take such rows out"),
        (MISSING, [np.nan, np.inf], "row 1: inf is no finite number"),
        (COUNT, [0, 4, -1], r"row 1: 4 is outside of the input's range, 0 to 3 \(2.*widen the"),
    ],
)
@pytest.mark.parametrize("name", ["s.csv", "s.npz"])
def test_a_value_that_the_job_does_not_let_come_is_refused(tensor, values, message, name, tmp_path):
    if name == "s.csv":
        write(pd.DataFrame({"x": values}), tmp_path / name)
    else:
        save(tmp_path, x=np.asarray(values))
    with pytest.raises(SourceError, match=message):
        read(tmp_path, name, tensor)
    taken = read_samples(Samples(file=name), (tensor,), tmp_path, held=False).inputs["x"]
    assert np.array_equal(taken, np.asarray(values, taken.dtype), equal_nan=True), "for predictions"


def test_values_may_be_missing_where_the_job_says_so(tmp_path):
    save(tmp_path, x=np.array([0.5, np.nan], np.float32))
    found = read(tmp_path, "s.npz", MISSING)
    assert np.isnan(found.inputs["x"]).tolist() == [False, True]
    assert found.odd == ()


def test_another_dtype_that_loses_nothing_is_told(tmp_path):
    narrow = np.zeros(2, np.float32)
    save(tmp_path, a=np.array([0, 255], np.uint8), b=np.zeros(2), c=np.ones(2), d=narrow)
    found = read(tmp_path, "s.npz", *(X.model_copy(update={"name": name}) for name in "abcd"))
    whole, rounded = found.odd
    assert whole.startswith("s.npz: `a` is uint8 in the file and float32 in the job")
    assert whole.endswith(": no value changes; requests have to be float32")
    assert "`b`, `c` are float64 in the file and float32 in the job: rounded; " in rounded


def test_text_has_no_dtype_to_tell_of(frame, tmp_path):
    write(frame, tmp_path / "s.csv")
    assert read(tmp_path, "s.csv", columns=COLUMNS).odd == ()


def test_floats_outside_of_their_range_are_told(tmp_path):
    ranged = X.model_copy(update={"range": (0, 0.1)})
    save(tmp_path, x=np.array([0.1, 0.5, -1], np.float32))
    (told,) = read(tmp_path, "s.npz", ranged).odd
    assert told.startswith(
        "s.npz: `x`, row 1: 0.5 is outside of the input's range, 0 to 0.1 (2 such values): "
    )
    save(tmp_path, x=np.array([0.1, 0], np.float32))
    assert read(tmp_path, "s.npz", ranged).odd == ()


@pytest.mark.parametrize(
    ("tensor", "values", "message"),
    [
        (USER, [0, 10], "row 1: 10 is no id: `user` has 0 to 9"),
        (USER, [-1, 0, -2], r"row 0: -1 is no id.*\(2 such values\)"),
        (
            Input(name="user", dtype="int32", shape=("n", 2), ids=Ids(cardinality=(5, 3))),
            [[4, 2], [2, 4]],
            "row 1: 4 is no id",
        ),
    ],
)
def test_a_value_that_the_job_rules_out_is_refused(tensor, values, message, tmp_path):
    save(tmp_path, user=np.asarray(values))
    with pytest.raises(SourceError, match=message):
        read(tmp_path, "s.npz", tensor)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0, 4, 2, 1], r"row 2: 2 starts no bag: starts rise from 0 \(2 such values\)"),
        ([1, 2], "row 0: 1 starts no bag"),
        ([-1, 2], "row 0: -1 starts no bag"),
    ],
)
def test_starts_of_bags_rise_from_zero(values, message, tmp_path):
    save(tmp_path, starts=np.asarray(values), ids=np.zeros(5, np.int64))
    ids = Input(name="ids", dtype="int64", shape=("total",), ids=Ids(cardinality=10))
    with pytest.raises(SourceError, match=message):
        read(tmp_path, "s.npz", ids, STARTS)


@pytest.mark.parametrize("name", ["s.csv", "s.parquet"])
def test_gaps_in_a_column_of_ids_are_refused(name, frame, tmp_path):
    frame["user"] = [0, 1, None, 3, 4, 5]
    write(frame, tmp_path / name)
    with pytest.raises(SourceError, match="`user`, row 2: nan is not a number"):
        read(tmp_path, name, USER)


@pytest.mark.parametrize("name", ["s.csv", "s.parquet"])
def test_a_column_of_text_says_to_encode_it(name, frame, tmp_path):
    write(frame, tmp_path / name)
    with pytest.raises(SourceError, match=r"`why` holds text.*Encode it"):
        read(tmp_path, name, USER, columns={"user": ("why",)})


def save_lists(folder, *lists):
    pd.DataFrame({"x": list(lists), "y": range(len(lists))}).to_parquet(folder / "s.parquet")


def test_lists_of_one_length_become_the_axes_of_an_input(tmp_path):
    save_lists(tmp_path, [1.0, 2.0], [3.0, 4.0])
    flat = Input(name="x", dtype="int64", shape=("batch", "length"))
    assert read(tmp_path, "s.parquet", flat).inputs["x"].tolist() == [[1, 2], [3, 4]]
    save_lists(tmp_path, [[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]])
    deep = Input(name="x", dtype="int64", shape=("batch", 2, 2), range=(0, 99))
    found = read(tmp_path, "s.parquet", deep, rows=2).inputs["x"]
    assert found.tolist() == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


def test_lists_and_numbers_stand_side_by_side_in_one_input(tmp_path):
    save_lists(tmp_path, [1.5, 2.0], [3.0, 4.0])
    wide = Input(name="w", dtype="float32", shape=("batch", 3))
    found = read_samples(
        Samples(file="s.parquet", columns={"w": ("x", "y")}), (wide,), tmp_path
    ).inputs["w"]
    assert found.tolist() == [[1.5, 2, 0], [3, 4, 1]]


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        (([1, 2], [3]), r"`x` holds lists of different lengths: 2 in row 0, 1 in row 1. Pad.*npz"),
        (([[1], [2, 3]], [[1], [2, 3]]), "lists of different lengths: 1 in row 0, 2 in row 1"),
        (([1, 2], None), "`x`, row 1: is no list"),
        (([1.0, 2.5], [1.0, 2.0]), "2.5 is a fraction, and the input is int64"),
        ((["a"], ["b"]), "holds text"),
    ],
)
def test_lists_that_make_no_input_are_refused(lists, message, tmp_path):
    save_lists(tmp_path, *lists)
    with pytest.raises(SourceError, match=message):
        read(tmp_path, "s.parquet", Input(name="x", dtype="int64", shape=("batch", "length")))


@pytest.mark.parametrize("name", ["s.csv", "s.parquet"])
def test_a_misspelt_column_is_found(name, frame, tmp_path):
    write(frame, tmp_path / name)
    with pytest.raises(SourceError, match="called `usr`; did you mean `user`"):
        read(tmp_path, name, USER, columns={"user": ("usr",)})
    with pytest.raises(SourceError, match="called `clickd`; did you mean `clicked`"):
        read(tmp_path, name, USER, labels="clickd")


def test_a_missing_array_is_named_with_what_there_is(tmp_path):
    save(tmp_path, user=np.arange(3), other=np.arange(3))
    with pytest.raises(SourceError, match="called `dense`; known: user, other"):
        read(tmp_path, "s.npz")


def test_inputs_of_different_lengths_are_refused(tmp_path):
    save(tmp_path, user=np.arange(3), dense=np.zeros((4, 3)))
    with pytest.raises(SourceError, match="axis `batch` has 3 entries in `user` and 4 in `dense`"):
        read(tmp_path, "s.npz")


def test_another_shape_than_the_jobs_is_refused(tmp_path):
    save(tmp_path, user=np.arange(4), dense=np.zeros((4, 2)))
    with pytest.raises(SourceError, match=r"shape \(4, 2\), and the job says \[batch, 3\]"):
        read(tmp_path, "s.npz")


def test_an_array_is_never_rearranged(tmp_path):
    save(tmp_path, x=np.zeros((4, 3, 2)))
    with pytest.raises(SourceError, match=r"shape \(4, 3, 2\), and the job says"):
        read(tmp_path, "s.npz", Input(name="x", dtype="float32", shape=("batch", 2, 3)))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.zeros(2), "2 labels for 3 rows"),
        (np.zeros((3, 2)), "one number a row"),
        (np.array([0, np.nan, 1]), "NaN in row 1"),
        (np.array(["a", "b", "c"]), "holds text"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels, message, tmp_path):
    save(tmp_path, user=np.arange(3), y=labels)
    with pytest.raises(SourceError, match=message):
        read(tmp_path, "s.npz", USER, labels="y")


@pytest.mark.parametrize("name", ["s.csv", "s.parquet", "s.npz"])
def test_no_rows_are_refused(name, frame, tmp_path):
    if name == "s.npz":
        save(tmp_path, user=np.empty(0, np.int64))
    else:
        write(frame.head(0).astype({"user": "int64"}), tmp_path / name)
    with pytest.raises(SourceError, match=r"no rows|holds"):
        read(tmp_path, name, USER)


@pytest.mark.parametrize("name", ["s.csv", "s.parquet", "s.npz"])
@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 nonsense", b"\xff\xfe\x00\n\x00", b"PAR1PAR1"]
)
def test_a_file_that_is_not_what_its_suffix_says_is_refused(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=name):
        read(tmp_path, name, USER)


@pytest.mark.parametrize("name", ["s.txt", "gone.npz"])
def test_a_file_that_is_missing_or_of_another_kind_is_refused(name, tmp_path):
    (tmp_path / "s.txt").touch()
    with pytest.raises(SourceError, match=r"no such file|samples are read from"):
        read(tmp_path, name, USER)


def test_pickled_objects_are_never_loaded(tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    save(tmp_path, user=np.array([Trap()], dtype=object))
    with pytest.raises(SourceError, match="Python objects, which are never loaded"):
        read(tmp_path, "s.npz", USER)
    assert not (tmp_path / "sprung").exists()


def npz_of(path, header: bytes, data: bytes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("user.npy", header + data)


def header_of(shape) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<i8", "fortran_order": False, "shape": shape}
    )
    return file.getvalue()


def test_an_array_that_unpacks_to_far_more_than_is_asked_for_is_not_unpacked(tmp_path):
    rows = 4_000_000
    npz_of(tmp_path / "s.npz", header_of((rows,)), bytes(8 * rows))
    tracemalloc.start()
    found = read(tmp_path, "s.npz", USER, rows=5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.inputs["user"].tolist() == [0] * 5
    assert peak < 4 << 20


@pytest.mark.parametrize(
    ("shape", "message"),
    [((10,), "cut off: 16 of 80 bytes"), ((1, 1 << 40), "GiB is too much"), ((), "not rows")],
)
def test_a_header_that_promises_too_much_is_refused(shape, message, tmp_path):
    npz_of(tmp_path / "s.npz", header_of(shape), bytes(16))
    with pytest.raises(SourceError, match=message):
        read(tmp_path, "s.npz", USER)


def test_a_header_that_is_no_header_is_refused(tmp_path):
    npz_of(tmp_path / "s.npz", b"\x93NUMPY\x01\x00\x10\x00__import__('os')", b"")
    with pytest.raises(SourceError, match="`user` cannot be read"):
        read(tmp_path, "s.npz", USER)


def test_what_pandas_noted_in_a_parquet_file_is_not_believed(frame, tmp_path):
    """A file whose notes do not fit its columns still has its columns."""
    table = pa.Table.from_pandas(frame)
    notes = {"columns": [{"name": "user"}], "index_columns": [], "column_indexes": []}
    told = table.replace_schema_metadata({"pandas": json.dumps(notes)})
    parquet.write_table(told, tmp_path / "s.parquet")
    found = read(tmp_path, "s.parquet", columns=COLUMNS)
    assert found.inputs["user"].tolist() == list(range(6))
