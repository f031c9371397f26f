"""Modules are traced and tried with sizes and numbers that the job allows."""

import pytest

from converters.converter import ConvertOptions
from converters.torchscript.examples import choices, example_inputs, examples_of
from registry.signature import Axis, DType, Ids, Input, Signature, Tensor


def examples(axes=None, inputs=(), shape=("batch", "length"), dtype=DType.INT64):
    signature = Signature(
        inputs=(Tensor(name="x", dtype=dtype, shape=shape),),
        outputs=(Tensor(name="y", dtype=DType.FLOAT32, shape=("batch",)),),
    )
    return examples_of(signature, ConvertOptions(axes=axes or {}, inputs=inputs))


@pytest.mark.parametrize(
    ("low", "high"), [(1, 2), (0, 1), (1, 4), (2, 3), (64, 512), (1, 4096), (300, 301)]
)
def test_sizes_lie_within_the_range_of_their_axis(low, high):
    given = examples({"batch": Axis(min=low, max=high), "length": Axis(min=5, max=64)})
    for trio in choices(given):
        assert all(low <= sizes["batch"] <= high for sizes in trio)
        assert all(5 <= sizes["length"] <= 64 for sizes in trio)
        _, one, other = trio
        assert one["batch"] != other["batch"]
        assert one["length"] != other["length"]


def test_two_axes_differ_where_their_ranges_allow_it():
    for trio in choices(examples({"batch": Axis(), "length": Axis()})):
        assert all(sizes["batch"] != sizes["length"] for sizes in trio)


def test_an_axis_that_has_one_size_only_is_tried_with_others():
    _, one, other = next(choices(examples({"batch": Axis(min=8, max=8)})))
    assert one["batch"] != other["batch"]


def test_the_same_sizes_are_not_tried_twice():
    axes = {"batch": Axis(min=1, max=4), "length": Axis(min=1, max=4)}
    assert len(list(choices(examples(axes)))) == 1


@pytest.mark.parametrize(
    ("said", "span"),
    [
        ({"ids": Ids(cardinality=7)}, (0, 6)),
        ({"ids": Ids(cardinality=(9, 4))}, (0, 3)),
        ({"range": (3, 5)}, (3, 5)),
        ({}, (0, 0)),
    ],
)
def test_numbers_lie_within_what_the_job_says(said, span):
    known = Input(name="x", dtype=DType.INT64, shape=("batch", "length"), **said)
    (drawn,) = example_inputs(examples(inputs=(known,)), {"batch": 20, "length": 30})
    assert (int(drawn.min()), int(drawn.max())) == span
    assert list(drawn.shape) == [20, 30]


def test_bytes_do_not_overflow():
    known = Input(name="x", dtype=DType.INT8, shape=("batch",), range=(-1000, 1000))
    given = examples(inputs=(known,), shape=("batch",), dtype=DType.INT8)
    (drawn,) = example_inputs(given, {"batch": 5000})
    assert (int(drawn.min()), int(drawn.max())) == (-128, 126)


def test_starts_of_bags_rise_from_0_and_the_first_bag_holds_something():
    known = Input(name="x", dtype=DType.INT64, shape=("batch",), offsets="ids")
    (starts,) = example_inputs(examples(inputs=(known,), shape=("batch",)), {"batch": 4})
    assert starts.tolist() == [0, 1, 1, 1]
