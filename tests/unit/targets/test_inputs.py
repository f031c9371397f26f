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


@pytest.mark.parametrize(
    ("offsets", "last", "said"),
    [
        (
            [0, 3, 2],
            False,
            r"offsets\[2\]: is 2; offsets must not fall, nor pass the 5 ids of words",
        ),
        ([0, 6], False, r"offsets\[1\]: is 6; offsets must not fall"),
        ([1, 2], False, r"offsets\[0\]: is 1; the first bag has to start at 0"),
        ([0, 2**63 - 1, -(2**63)], False, r"offsets\[2\]: is -9223372036854775808; offsets must"),
        ([0, 2, 4], True, r"offsets\[2\]: is 4; the last entry has to be 5"),
        ([], True, "offsets: is empty"),
    ],
)
def test_offsets_that_cut_no_bags_are_refused_where_bags_stay_in_the_dense_part_too(
    offsets, last, said
):
    starts = Input(
        name="offsets", dtype="int64", shape=("ends",), offsets="words", includes_last=last
    )
    arrays = {"offsets": np.array(offsets, np.int64), "words": np.zeros(5, np.int64)}
    with pytest.raises(InputError, match=said):
        check_inputs(arrays, (WORDS, starts), {})
