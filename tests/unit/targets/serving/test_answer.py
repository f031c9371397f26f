import numpy as np
import pytest

from registry.errors import InputError
from registry.signature import Axis, DType, Input
from targets.serving.answer import answer_rows


class Model:
    """A function of bags as a predictor: sums of `ids` from each start to the next."""

    inputs = (
        Input(name="ids", dtype=DType.INT64, shape=("total",)),
        Input(name="starts", dtype=DType.INT64, shape=("batch",), offsets="ids"),
    )

    def __init__(self, axis):
        self.axes = {"batch": axis}
        self.rows = []

    def predict(self, inputs):
        self.rows.append(len(inputs["starts"]))
        ends = [*inputs["starts"][1:], len(inputs["ids"])]
        pairs = zip(inputs["starts"], ends, strict=True)
        return {"sum": np.array([inputs["ids"][start:end].sum() for start, end in pairs])}


def bags(count):
    ids = np.arange(2 * count)
    return {"ids": ids, "starts": ids[::2]}, ids[::2] * 2 + 1


def test_bags_are_cut_between_rows():
    inputs, right = bags(10)
    model = Model(Axis(max=4))
    np.testing.assert_array_equal(answer_rows(model, inputs)["sum"], right)
    assert model.rows == [4, 4, 2]


def test_what_fits_one_batch_is_not_cut():
    inputs, right = bags(4)
    model = Model(Axis(max=4))
    np.testing.assert_array_equal(answer_rows(model, inputs)["sum"], right)
    assert model.rows == [4]


def test_rows_that_are_too_few_for_a_last_batch_are_refused():
    with pytest.raises(InputError, match="9 rows cannot be cut into batches: 1 are left"):
        answer_rows(Model(Axis(min=2, max=4)), bags(9)[0])


def test_answers_of_whole_batches_are_not_joined():
    class Total(Model):
        def predict(self, inputs):
            return {"sum": inputs["ids"].sum(keepdims=True)}

    with pytest.raises(InputError, match="answers batches, not rows"):
        answer_rows(Total(Axis(max=4)), bags(10)[0])
