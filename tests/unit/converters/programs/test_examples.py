import numpy as np
import pytest

from converters.programs.examples import axis_sizes, example_arrays
from registry.signature import Axis, DType, Ids, Input

VALUES = Input(name="values", dtype="int64", shape=("n",), ids=Ids(cardinality=3))
DENSE = Input(name="x", dtype="float32", shape=("batch", 5))


def starts(includes_last):
    axis = "ends" if includes_last else "batch"
    given = {"name": "starts", "dtype": "int64", "shape": (axis,), "offsets": "values"}
    return Input(**given, includes_last=includes_last)


def test_axes_get_sizes_of_their_own_that_no_fixed_axis_has():
    sizes = axis_sizes((VALUES, DENSE), {})
    assert len({*sizes.values(), 5}) == 3
    assert min(sizes.values()) >= 2


def test_sizes_stay_in_their_ranges():
    axes = {"n": Axis(min=40, max=50), "batch": Axis(min=1, max=2)}
    sizes = axis_sizes((VALUES, DENSE), axes)
    assert 40 <= sizes["n"] <= 50
    assert sizes["batch"] == 2


def test_ends_are_one_longer_than_the_bags():
    sizes = axis_sizes((starts(includes_last=True), VALUES, DENSE), {})
    assert sizes["ends"] == sizes["batch"] + 1


def test_lengths_add_up_to_the_values_that_there_are():
    lengths = Input(name="lengths", dtype="int32", shape=("batch",), lengths="values")
    inputs = (VALUES, lengths, DENSE)
    arrays = example_arrays(inputs, axis_sizes(inputs, {}))
    assert arrays["lengths"].sum() == len(arrays["values"])
    assert len(arrays["lengths"]) == len(arrays["x"])
    assert arrays["lengths"].dtype == np.int32


@pytest.mark.parametrize("includes_last", [False, True])
def test_offsets_start_at_nought_and_cut_the_values_that_there_are(includes_last):
    inputs = (VALUES, starts(includes_last), DENSE)
    sizes = axis_sizes(inputs, {})
    offsets = example_arrays(inputs, sizes)["starts"]
    assert offsets[0] == 0
    assert (np.diff(offsets) >= 0).all()
    assert offsets[-1] == sizes["n"] if includes_last else offsets[-1] < sizes["n"]


def test_ids_stay_below_their_cardinality_column_by_column():
    given = Input(name="c", dtype="int32", shape=("batch", 2), ids=Ids(cardinality=(1, 50)))
    array = example_arrays((given,), {"batch": 200})["c"]
    assert array.dtype == np.int32
    assert array[:, 0].max() == 0
    assert 1 < array[:, 1].max() < 50


@pytest.mark.parametrize("dtype", list(DType))
def test_every_type_can_be_made(dtype):
    given = Input(name="x", dtype=dtype, shape=("batch",), range=(1, 3))
    array = example_arrays((given,), {"batch": 9})["x"]
    wanted = "float32" if dtype is DType.BFLOAT16 else dtype.value
    assert array.dtype == wanted
    if dtype is not DType.BOOL:
        assert array.min() >= 1
        assert array.max() <= 3
