import numpy as np
import pytest

from registry.signature import Axis, DType, Input
from targets.serving.form import DATATYPES, Field, Form


def field(name, dtype, shape):
    return Field(name, DATATYPES[DType(dtype)], np.dtype(dtype), shape)


@pytest.fixture
def form():
    inputs = (
        Input(name="dense", dtype="float32", shape=("batch", 3)),
        Input(name="ids", dtype="int64", shape=("batch", "seq")),
        Input(name="flag", dtype="bool", shape=("batch",)),
    )
    return Form(
        inputs={each.name: field(each.name, each.dtype, each.shape) for each in inputs},
        outputs={
            "score": field("score", "float32", ("batch",)),
            "best": field("best", "int64", ("batch", 1)),
        },
        declared=inputs,
        axes={"batch": Axis(min=1, max=8), "seq": Axis(min=1, max=4)},
        batch="batch",
    )
