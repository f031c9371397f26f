"""Bags that an older exporter wrote as loops are cut: rows are looked up outside of the loop."""

import warnings

import numpy as np
import pytest
import torch
from torch import nn

from converters.brief import Brief
from converters.sources.onnx_file import SOURCE, OnnxOptions
from converters.split.policy import SplitOptions
from registry.progress import silent
from registry.signature import Axis
from tests.composed_onnx import ComposedOnnx
from tests.models import ids, offsets

INPUTS = (ids("ids", "total"), offsets("offsets", "ids", "bags"))
AXES = {"total": Axis(min=0, max=640), "bags": Axis(max=64)}


class Bags(nn.Module):
    def __init__(self, mode: str) -> None:
        super().__init__()
        self.bag, self.out = nn.EmbeddingBag(1100, 4, mode=mode), nn.Linear(4, 2)

    def forward(self, ids, offsets):
        return self.out(self.bag(ids, offsets))


@pytest.fixture(params=["sum", "mean", "max"])
def brief(request, tmp_path) -> Brief:
    """A bag as torch's older exporter writes it."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Bags(request.param).eval(),
            (torch.arange(10), torch.tensor([0, 2, 4, 6])),
            tmp_path / "model.onnx",
            dynamo=False,
            opset_version=17,
            input_names=["ids", "offsets"],
            output_names=["y"],
            dynamic_axes={"ids": {0: "total"}, "offsets": {0: "bags"}, "y": {0: "bags"}},
        )
    return Brief(OnnxOptions(file="model.onnx"), tmp_path, INPUTS, AXES)


def test_the_rows_of_a_loop_over_bags_are_cut_and_the_answers_are_the_same_to_the_bit(brief):
    out = brief.folder / "out"
    found = SOURCE.split(brief, SplitOptions(), out, silent)
    assert [(one.table, one.ids) for one in found.lookups] == [("bag", "ids")]
    assert found.kept == ()
    parts, whole = ComposedOnnx(found, out), SOURCE.answers(brief)
    drawn = np.random.default_rng(1)
    for starts in ([0, 3, 40], [0], [0, 1, 2, 3, 4, 39]):
        given = {"ids": drawn.integers(0, 1100, 57), "offsets": np.array(starts)}
        assert np.array_equal(parts.run(given)["y"], whole(given)["y"])


def test_a_table_that_the_job_keeps_stays_in_its_loop(brief):
    found = SOURCE.split(brief, SplitOptions(keep=("bag*",)), brief.folder / "out", silent)
    assert found.lookups == ()
    assert found.kept[0].why in {
        "its lookup is inside control flow (Loop)", "the job keeps it (split.keep)"
    }  # fmt: skip
