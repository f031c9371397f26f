import numpy as np
import pytest

from targets.serving.warm_up import joins_well, some_inputs, warm_up
from tests.versions import COLUMNS, FIELDS, write_draft


class Model:
    """A function as a predictor that remembers how many rows it was asked for."""

    def __init__(self, function):
        self.function = function
        self.rows = []

    def predict(self, inputs):
        self.rows.append(len(inputs["x"]))
        return {"y": self.function(inputs["x"])}


ROWS = {"x": np.arange(12, dtype=np.float32).reshape(4, 3)}


def test_rows_that_answer_alone_as_beside_others_may_be_joined():
    assert joins_well(Model(lambda x: x * 2), ROWS)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x - x.mean(axis=0),
        lambda x: x.sum(axis=0, keepdims=True),
        lambda x: np.cumsum(x, axis=0),
    ],
    ids=["normalises over the batch", "sums over the batch", "runs along the batch"],
)
def test_rows_that_look_at_each_other_may_not_be_joined(function):
    assert not joins_well(Model(function), ROWS)


def test_one_recorded_row_suffices():
    assert joins_well(Model(lambda x: x * 2), {"x": ROWS["x"][:1]})


def test_warms_up_alone_and_with_as_many_rows_as_are_joined():
    model = Model(lambda x: x)
    warm_up(model, ROWS, 32)
    assert model.rows == [1, 32]


def test_warms_up_with_what_was_recorded_where_nothing_is_joined():
    model = Model(lambda x: x)
    warm_up(model, ROWS, 1)
    assert model.rows == [4]


def test_takes_what_was_recorded(tmp_path):
    draft = write_draft(tmp_path, 1, runtimes=("onnxruntime",))
    assert some_inputs(tmp_path, draft)["ids"].shape == (16, FIELDS)


def test_makes_the_smallest_zeros_where_nothing_was_recorded(tmp_path):
    draft = write_draft(tmp_path, 1, runtimes=("onnxruntime",))
    inputs = some_inputs(tmp_path, draft.model_copy(update={"recorded": None}))
    assert inputs["ids"].tolist() == [[0] * FIELDS]
    assert inputs["dense"].shape == (1, COLUMNS)
    assert inputs["dense"].dtype == np.float32
