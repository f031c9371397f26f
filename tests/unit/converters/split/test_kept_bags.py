"""Bags that the job keeps in the dense part answer on every runtime as torch does."""

from dataclasses import replace

import numpy as np
import openvino
import pytest

from converters.split.policy import SplitOptions
from tests.composing import split_model
from tests.models import MODELS


def kept(name):
    return replace(MODELS[name], options=SplitOptions(tables="none"))


@pytest.mark.parametrize("name", sorted(name for name in MODELS if name.startswith("bag_")))
def test_kept_bags_are_pooled_by_operators_that_openvino_has(name, tmp_path):
    split = split_model(kept(name), tmp_path)
    assert not split.split.lookups
    arrays = split.model.arrays(5)
    (original,) = split.original(arrays)
    answers = [split.composed.run(arrays)[0], split.composed.run_onnx(arrays)[0]]
    compiled = openvino.compile_model(
        str(tmp_path / "model.onnx"), "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )
    taken = {one.name: arrays[one.name] for one in split.composed.signature.inputs}
    answers.append(compiled(taken)[0])
    for answer in answers:
        np.testing.assert_allclose(answer, original, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["bag_sum", "bag_mean", "bag_max", "bag_padding"])
def test_kept_bags_may_be_empty(name, tmp_path):
    split = split_model(kept(name), tmp_path)
    for lengths in [(0, 2, 3), (2, 0, 0, 3), (4, 1, 0), (0, 0), (1,)]:
        ends = np.cumsum(lengths)
        arrays = {"ids": np.full(ends[-1], 3), "offsets": np.array([0, *ends[:-1]])}
        (original,) = split.original(arrays)
        (answer,) = split.composed.run_onnx(arrays)
        np.testing.assert_allclose(answer, original, rtol=1e-5, atol=1e-6)
