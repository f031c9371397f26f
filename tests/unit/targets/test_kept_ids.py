"""Ids that the dense part reads itself."""

import numpy as np
import pytest

from registry.errors import InputError
from registry.signature import Ids, Input
from targets.inputs import check_kept_ids

DAY = Input(name="day", dtype="int64", shape=("batch",), ids=Ids(cardinality=7))
FIELDS = Input(name="fields", dtype="int64", shape=("batch", 2), ids=Ids(cardinality=(3, 5)))


def test_ids_in_range_pass():
    check_kept_ids({"day": np.array([0, 6]), "fields": np.array([[2, 4]])}, (DAY, FIELDS))
    check_kept_ids({"day": np.zeros(0, "i8")}, (DAY,))


@pytest.mark.parametrize(
    ("tensor", "ids", "fault"),
    [
        (DAY, [0, 7], r"day\[1\]: id 7 is outside of 0 to 6"),
        (DAY, [-1, 0], r"day\[0\]: id -1 is outside of 0 to 6"),
        (FIELDS, [[2, 4], [3, 0]], r"fields\[1, 0\]: id 3 is outside of 0 to 2"),
        (FIELDS, [[0, 2**32]], r"fields\[0, 1\]: id 4294967296 is outside of 0 to 4"),
    ],
)
def test_ids_out_of_range_are_named_with_place_and_range(tensor, ids, fault):
    with pytest.raises(InputError, match=fault):
        check_kept_ids({tensor.name: np.array(ids)}, (tensor,))
