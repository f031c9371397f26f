"""A range of all that int64 holds means any id: generated inputs reach it, requests may too."""

import numpy as np

from converters.programs.examples import example_arrays
from registry.signature import Axis, Input
from targets.inputs import check_inputs
from targets.parity.hostile import hostile

LOWEST, HIGHEST = -(2**63), 2**63 - 1
DEVICE = Input(name="device", dtype="int64", shape=("batch",), range=(LOWEST, HIGHEST))
AXES = {"batch": Axis(max=64)}


def test_generated_inputs_hold_both_ends():
    drawn = [case.inputs["device"] for case in hostile((DEVICE,), AXES, (1, 3, 17), 0)]
    assert min(array.min() for array in drawn) == LOWEST
    assert max(array.max() for array in drawn) == HIGHEST


def test_examples_are_drawn_from_all_of_it():
    drawn = example_arrays((DEVICE,), {"batch": 64})["device"]
    assert drawn.min() < -(2**61) < 2**61 < drawn.max()


def test_requests_may_hold_both_ends():
    check_inputs({"device": np.array([LOWEST, -1, HIGHEST])}, (DEVICE,), AXES)
