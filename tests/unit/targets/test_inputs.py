"""Inputs of users, held against what a version says of them."""

import numpy as np
import pytest

from registry.errors import InputError
from registry.signature import Ids, Input
from targets.inputs import check_inputs

WORDS = Input(name="words", dtype="int64", shape=("total",), ids=Ids(cardinality=9))
LENGTHS = Input(name="lengths", dtype="int32", shape=("batch",), lengths="words")


def check(lengths, count=5):
    arrays = {"lengths": np.array(lengths, np.int32), "words": np.zeros(count, np.int64)}
    check_inputs(arrays, (LENGTHS, WORDS), {})


def test_lengths_that_add_up_are_taken():
    check([2, 0, 3])
    check([], 0)


@pytest.mark.parametrize(
    ("lengths", "said"),
    [
        ([2, 0, 2], "lengths: adds up to 4, but words has 5 ids"),
        ([2, 4], "lengths: adds up to 6, but words has 5 ids"),
        ([6, -1], r"lengths\[1\]: is -1; no bag is shorter than 0"),
        ([2**31 - 1, 2**31 - 1, 7], "lengths: adds up to 4294967301, but"),
    ],
)
def test_lengths_that_do_not_are_refused(lengths, said):
    with pytest.raises(InputError, match=said):
        check(lengths)
