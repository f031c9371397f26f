import numpy as np
import pytest

from registry.signature import Axis, DType
from targets.serving.form import DATATYPES, Field, Form


def field(name, dtype, shape):
    return Field(name, DATATYPES[DType(dtype)], np.dtype(dtype), shape)


@pytest.fixture
def form():
    return Form(
        inputs={
            "dense": field("dense", "float32", ("batch", 3)),
            "ids": field("ids", "int64", ("batch", "seq")),
            "flag": field("flag", "bool", ("batch",)),
        },
        outputs={
            "score": field("score", "float32", ("batch",)),
            "best": field("best", "int64", ("batch", 1)),
        },
        axes={"batch": Axis(min=1, max=8), "seq": Axis(min=1, max=4)},
        batch="batch",
    )
