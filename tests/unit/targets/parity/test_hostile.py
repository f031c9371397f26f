"""Generated inputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.errors import SourceError
from registry.signature import Axis, Ids, Input
from targets.parity.extents import BUDGET
from targets.parity.hostile import HUGE, hostile

BATCHES = (1, 3, 17)

USER = Input(name="user", dtype="int64", shape=("batch",), ids=Ids(cardinality=1000))
HISTORY = Input(
    name="history", dtype="int64", shape=("batch", "length"), ids=Ids(cardinality=50, padding=0)
)
FIELDS = Input(name="fields", dtype="int32", shape=("batch", 3), ids=Ids(cardinality=(10, 20, 30)))
AGE = Input(name="age", dtype="float32", shape=("batch", 2), range=(-1, 2))
FREE = Input(name="free", dtype="float32", shape=("batch", 2))
MASK = Input(name="mask", dtype="bool", shape=("batch", "length"))
WORDS = Input(name="words", dtype="int64", shape=("total",), ids=Ids(cardinality=99))
WEIGHTS = Input(name="weights", dtype="float32", shape=("total",))
STARTS = Input(name="starts", dtype="int64", shape=("batch",), offsets="words")
TAGS = Input(name="tags", dtype="int32", shape=("all_tags",), ids=Ids(cardinality=9))
ENDS = Input(name="ends", dtype="int32", shape=("ends",), offsets="tags", includes_last=True)
SHOPS = Input(name="shops", dtype="int64", shape=("all_shops",), ids=Ids(cardinality=9))
LENGTHS = Input(name="lengths", dtype="int32", shape=("batch",), lengths="shops")
AXES = {
    "batch": Axis(max=64),
    "length": Axis(min=2, max=20),
    "total": Axis(min=0, max=5000),
    "all_tags": Axis(min=0, max=5000),
    "all_shops": Axis(min=0, max=5000),
    "ends": Axis(min=2, max=65),
}
ALL = (USER, HISTORY, FIELDS, AGE, FREE, MASK, WORDS, WEIGHTS, STARTS, TAGS, ENDS, SHOPS, LENGTHS)


def cases(*inputs, axes=AXES, batches=BATCHES, seed=0):
    return {case.name: case.inputs for case in hostile(inputs, axes, batches, seed)}


def test_the_same_job_gives_the_same_inputs_and_another_seed_gives_others():
    one, same, other = cases(*ALL), cases(*ALL), cases(*ALL, seed=1)
    assert list(one) == list(same) == list(other)
    for name, arrays in one.items():
        for key, array in arrays.items():
            np.testing.assert_array_equal(array, same[name][key])
    assert any(
        (one["batch of 17"][key] != other["batch of 17"][key]).any() for key in ("user", "age")
    )


def test_no_two_cases_share_a_name():
    names = [case.name for case in hostile(ALL, AXES, BATCHES, 0)]
    assert len(names) == len(set(names))


def test_there_is_a_case_for_each_batch_size():
    made = cases(USER, AGE)
    assert [made[f"batch of {size}"]["user"].shape for size in BATCHES] == [(1,), (3,), (17,)]


@pytest.mark.parametrize("batches", [(4,), (1,), (17, 17)])
def test_one_batch_size_is_never_alone(batches):
    sizes = {arrays["user"].shape for arrays in cases(USER, batches=batches).values()}
    assert len(sizes) >= 3


def test_batch_sizes_stay_in_the_range_of_their_axis():
    made = cases(USER, axes={"batch": Axis(min=2, max=8)})
    assert {arrays["user"].shape[0] for arrays in made.values()} == {2, 3, 8}


def test_a_baked_in_batch_is_left_as_it_is():
    fixed = Input(name="x", dtype="float32", shape=(4, "length"))
    assert {arrays["x"].shape[0] for arrays in cases(fixed).values()} == {4}


@given(
    chosen=st.sets(st.sampled_from(range(len(ALL))), min_size=1),
    batches=st.lists(st.integers(1, 40), min_size=1, max_size=3),
    least=st.integers(0, 3),
)
@settings(max_examples=40, deadline=None)
def test_every_input_has_its_dtype_and_shape_and_axes_are_alike_and_in_range(
    chosen, batches, least
):
    inputs = [ALL[number] for number in sorted(chosen)]
    for offsets, ids in ((STARTS, WORDS), (ENDS, TAGS), (LENGTHS, SHOPS)):
        if offsets in inputs and ids not in inputs:
            inputs.append(ids)
    axes = AXES | {"total": Axis(min=least, max=100)}
    for name, arrays in cases(*inputs, axes=axes, batches=tuple(batches)).items():
        sizes = {}
        for tensor in inputs:
            array = arrays[tensor.name]
            assert array.dtype == tensor.dtype, name
            assert array.ndim == len(tensor.shape)
            for dim, size in zip(tensor.shape, array.shape, strict=True):
                assert sizes.setdefault(dim, size) == size or dim == size
        for dim, size in sizes.items():
            if isinstance(dim, str):
                assert axes[dim].min <= size <= axes[dim].max, (name, dim)


@pytest.mark.parametrize(
    ("offsets", "ids", "last"), [("starts", "words", False), ("ends", "tags", True)]
)
def test_offsets_start_at_0_never_fall_and_end_where_the_ids_end(offsets, ids, last):
    for name, made in cases(*ALL).items():
        starts = made[offsets]
        assert starts[0] == 0, name
        assert (np.diff(starts) >= 0).all(), name
        assert starts[-1] <= made[ids].size, name
        if last:
            assert starts[-1] == made[ids].size, name
            assert starts.size == made["user"].size + 1, name
        else:
            assert starts.size == made["user"].size, name
        assert made["weights"].shape == made["words"].shape, name


def test_lengths_add_up_to_the_ids():
    for name, made in cases(*ALL).items():
        assert made["lengths"].sum() == made["shops"].size, name
        assert made["lengths"].shape == made["user"].shape, name
        assert (made["lengths"] >= 0).all(), name


@pytest.mark.parametrize(
    ("name", "empty"),
    [
        ("bags: the first one empty", lambda sizes: [0]),
        ("bags: one in the middle empty", lambda sizes: [len(sizes) // 2]),
        ("bags: the last one empty", lambda sizes: [len(sizes) - 1]),
        ("bags: all empty", lambda sizes: list(range(len(sizes)))),
    ],
)
def test_bags_are_empty_where_the_name_says(name, empty):
    made = cases(USER, WORDS, STARTS, TAGS, ENDS, SHOPS, LENGTHS)[name]
    starts = [*made["starts"], made["words"].size]
    for sizes in (np.diff(starts), np.diff(made["ends"]), made["lengths"]):
        assert len(sizes) >= 3
        assert np.flatnonzero(sizes == 0).tolist() == empty(sizes)


def test_one_bag_is_huge():
    made = cases(USER, WORDS, STARTS)["bags: one of them huge, the others empty"]
    assert sorted(np.diff([*made["starts"], made["words"].size]))[-2:] == [0, HUGE]


def test_bags_are_never_all_empty_where_the_axis_does_not_allow_it():
    made = cases(USER, WORDS, STARTS, axes={"total": Axis(min=1, max=100)})
    assert "bags: all empty" not in made
    assert "bags: the first one empty" in made
    assert all(1 <= arrays["words"].size <= 100 for arrays in made.values())


def test_ids_out_of_range_come_one_at_a_time():
    made = cases(USER, FIELDS)
    for name, arrays in made.items():
        outside = int((arrays["user"] >= 1000).sum() + (arrays["user"] < 0).sum())
        outside += int((arrays["fields"] >= [10, 20, 30]).sum() + (arrays["fields"] < 0).sum())
        assert outside == ("ids: one of" in name), name
    for case in hostile((USER, FIELDS), AXES, BATCHES, 0):
        assert case.outside == ("ids: one of" in case.name)
    hashed = USER.model_copy(update={"ids": Ids(cardinality=2**31 + 1)})
    outside = [case.name for case in hostile((hashed,), AXES, BATCHES, 0) if case.outside]
    assert [name.split(" is ")[1] for name in outside] == [
        "its cardinality",
        "-1",
        "2^32",
        "2^32+1",
    ]


def test_ids_out_of_range_are_at_the_ends_of_32_bits_where_the_dtype_holds_them():
    made = cases(USER, FIELDS)
    assert made["ids: one of user is -1"]["user"][-1] == -1
    assert made["ids: one of user is its cardinality"]["user"][-1] == 1000
    assert made["ids: one of user is 2^31"]["user"][-1] == 2**31
    assert made["ids: one of user is 2^32"]["user"][-1] == 2**32
    assert made["ids: one of fields, column 0 is 2^31-1"]["fields"][-1, 0] == 2**31 - 1
    assert "ids: one of fields, column 0 is 2^31" not in made


def test_every_column_of_ids_has_a_case_at_its_cardinality():
    made = cases(FIELDS)
    for column, count in enumerate((10, 20, 30)):
        array = made[f"ids: one of fields, column {column} is its cardinality"]["fields"]
        assert array[-1, column] == count


def test_ids_carried_as_floats_stay_whole():
    carried = Input(
        name="x", dtype="float32", shape=("batch", 2), ids=Ids(cardinality=(5, 1 << 30))
    )
    for name, arrays in cases(carried).items():
        assert (arrays["x"] % 1 == 0).all(), name


def test_ids_reach_both_ends_padding_and_repetition():
    made = cases(HISTORY, FIELDS)
    assert (made["ids: all 0"]["history"] == 0).all()
    assert (made["ids: all at their highest"]["history"] == 49).all()
    assert (made["ids: all at their highest"]["fields"] == [9, 19, 29]).all()
    assert (made["ids: padding alone"]["history"] == 0).all()
    assert 0 < (made["ids: padding here and there"]["history"] == 0).mean() < 1
    assert np.unique(made["ids: all the same"]["history"]).size == 1
    assert np.unique(made["ids: two of them, repeated"]["history"]).size == 2


def test_floats_stay_in_their_range_and_reach_its_ends():
    made = cases(AGE, FREE)
    assert all(arrays["age"].min() >= -1 and arrays["age"].max() <= 2 for arrays in made.values())
    assert (made["values: all at the low end"]["age"] == -1).all()
    assert (made["values: all at the high end"]["age"] == 2).all()
    assert set(np.unique(made["values: at either end"]["age"])) == {-1, 2}
    assert np.abs(made["values: all at the high end"]["free"]).min() == 100
    denormal = np.abs(made["floats: denormal"]["free"])
    assert (denormal > 0).all()
    assert (denormal < np.finfo("f4").tiny).all()


def test_a_range_away_from_0_is_never_left():
    far = Input(name="x", dtype="float32", shape=("batch",), range=(5, 6))
    made = cases(far)
    assert all(((arrays["x"] >= 5) & (arrays["x"] <= 6)).all() for arrays in made.values())
    assert not any(name.startswith("floats:") for name in made)


@pytest.mark.parametrize(
    ("dtype", "given", "held"),
    [
        ("int64", (0.5, 3.7), {1, 3}),
        ("int8", (-1e9, 1e9), {-128, 127}),
        ("uint8", (-1, 5), {0, 5}),
        ("bool", (0, 1), {False, True}),
        ("bool", (1, 1), {True}),
        ("float16", (0, 1e6), {0, 65504}),
        ("float32", (float("-inf"), 2), {-100, 2}),
    ],
)
def test_values_at_the_ends_are_what_the_dtype_holds(dtype, given, held):
    made = cases(Input(name="x", dtype=dtype, shape=("batch", 9), range=given))
    assert set(made["values: at either end"]["x"].reshape(-1).tolist()) == held
    for arrays in made.values():
        assert min(held) <= arrays["x"].min() <= arrays["x"].max() <= max(held)


def test_an_input_without_axes_is_filled_too():
    single = Input(name="x", dtype="int64", shape=(), ids=Ids(cardinality=5))
    made = cases(single)
    assert made["ids: one of x is its cardinality"]["x"] == 5
    assert made["ids: all at their highest"]["x"].shape == ()


def test_lengths_reach_both_ends_of_their_axis():
    made = cases(HISTORY, MASK)
    assert made["axis length of 2"]["history"].shape == (1, 2)
    assert made["axis length of 20"]["mask"].shape == (1, 20)


def test_long_axes_are_cut_short_before_they_fill_the_memory():
    wide = Input(name="x", dtype="float32", shape=("batch", "length", 100_000))
    made = cases(wide, axes={"length": Axis(min=2, max=100_000)})
    longest = max(arrays["x"].size for arrays in made.values())
    assert longest * 8 <= BUDGET * 20
    assert made["axis length of 32"]["x"].shape == (1, 32, 100_000)


def test_bfloat16_is_refused_with_the_remedy():
    with pytest.raises(SourceError, match="input 'x': bfloat16 is for weights; declare float32"):
        cases(Input(name="x", dtype="bfloat16", shape=("batch",)))
