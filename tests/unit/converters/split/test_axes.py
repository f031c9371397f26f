"""Axes: names for sizes, and sizes that were baked in."""

from pathlib import Path

import pytest
import torch

from converters.programs.export import export_program
from converters.programs.signature import axis_names
from converters.sources.source import Brief, SourceOptions
from converters.split.axes import read_axes, with_derived
from converters.split.body import unlift
from converters.split.policy import SplitOptions
from converters.split.program import split_program
from registry.errors import SplitError
from registry.signature import Axis, DType, Input, Tensor
from tests.models import MODELS


class Baked(torch.nn.Module):
    """Takes a size out of the graph."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, numbers):
        return self.inner(numbers).reshape(3, 2, 2).sum(1)


def brief(shape: tuple[int | str, ...], count: int = 1) -> Brief:
    inputs = tuple(
        Input(name=f"numbers{at}", dtype=DType.FLOAT32, shape=shape) for at in range(count)
    )
    return Brief(options=SourceOptions(), folder=Path(), inputs=inputs, axes={"batch": Axis()})


@pytest.fixture(scope="module")
def baked():
    return torch.export.export(Baked().eval(), (torch.zeros(3, 4),))


def split(program, brief, folder):
    return split_program(program, brief, SplitOptions(), folder, lambda _: None)


def test_a_baked_axis_is_named_with_the_line_that_baked_it(baked, tmp_path):
    with pytest.raises(
        SplitError,
        match=r"'numbers0': axis 'batch' is baked into the program as 3 \(test_axes.py:\d+\)",
    ):
        split(baked, brief(("batch", 4)), tmp_path)


def test_a_size_that_differs_from_the_job_is_named(baked, tmp_path):
    with pytest.raises(SplitError, match="takes 3 in dimension 0, the job says 7"):
        split(baked, brief((7, 4)), tmp_path)


def test_a_rank_that_differs_from_the_job_is_named(baked, tmp_path):
    with pytest.raises(SplitError, match="takes 2 dimensions"):
        split(baked, brief(("batch", 4, 1)), tmp_path)


def test_another_number_of_inputs_is_refused(baked, tmp_path):
    with pytest.raises(SplitError, match=r"takes 1 inputs \(numbers\), the job has 2"):
        split(baked, brief((3, 4), 2), tmp_path)


def test_a_program_of_fixed_sizes_can_be_split(baked, tmp_path):
    found = split(baked, brief((3, 4)), tmp_path)
    assert found.dense.signature.inputs[0].shape == (3, 4)


def test_equal_expressions_have_the_name_of_the_axis(splits):
    found = splits("bag_2d").split
    assert found.dense.signature.inputs[0].shape == ("batch", 8)


def test_the_bags_of_offsets_with_an_end_are_one_fewer(splits):
    found = splits("bag_ends_alone").split
    assert found.dense.signature.inputs[0].shape == ("ends_minus_1", 8)


def test_axes_that_the_job_does_not_have_may_be_of_any_size():
    tensor = Tensor(name="t", dtype=DType.FLOAT32, shape=("batch", "ends_minus_1", 3))
    axes = with_derived({"batch": Axis(max=7)}, (tensor,))
    assert axes["batch"].max == 7
    assert axes["ends_minus_1"].max > 1 << 31


def test_the_names_agree_with_those_of_the_signature(splits):
    split = splits("dlrm")
    assert set(axis_names(split.composed.program, split.composed.signature.inputs).values()) == {
        "batch"
    }


def test_names_are_read_from_the_first_input_that_has_them():
    model = MODELS["din"]
    body = unlift(export_program(model.module(), model.brief()))
    axes = read_axes(body.inputs, model.inputs, body.graph)
    assert axes.shape(body.inputs[0]) == ("batch", "length")
    assert axes.of(4) == 4
