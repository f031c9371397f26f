"""A table that is used densely as well follows the job."""

from dataclasses import replace

import pytest
import torch

from converters.split.policy import SplitOptions
from registry.errors import SplitError
from tests.composing import split_model
from tests.models import MODELS


def tied(folder, choice):
    model = replace(MODELS["tied"], options=SplitOptions(tied=choice))
    return split_model(model, folder)


def held(split):
    """List the big matrices that the dense part has."""
    tensors = split.composed.program.state_dict.values()
    return [tuple(one.shape) for one in tensors if one.numel() > 1000]


def test_shared_it_is_cut_and_a_copy_stays(tmp_path):
    split = tied(tmp_path, "share")
    assert [one.table for one in split.split.lookups] == ["table"]
    assert held(split) == [(1100, 8)]
    (kept,) = split.split.kept
    assert kept.why.startswith("cut for its lookups, and a copy stays: also used densely by linear")


def test_kept_it_stays_whole_and_there_is_one_of_it(tmp_path):
    split = tied(tmp_path, "keep")
    assert split.split.lookups == split.split.tables == ()
    assert held(split) == [(1100, 8)]
    (kept,) = split.split.kept
    assert kept.why.startswith("also used densely by linear (module 'out'")
    assert kept.why.endswith("the job keeps such tables whole (split.tied: keep)")
    arrays = split.model.arrays(3)
    assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])


def test_forbidden_it_is_named_with_its_use_and_what_to_do(tmp_path):
    with pytest.raises(SplitError) as caught:
        tied(tmp_path, "error")
    said = str(caught.value)
    assert said.startswith("table table.weight (35200 bytes) is looked up, and also used densely")
    assert "by linear (module 'out'" in said
    assert "With `share`" in said
    assert "split.parts" in said


def test_a_table_that_is_looked_up_alone_is_cut_whatever_the_job_says_of_tied_ones(tmp_path):
    model = replace(MODELS["two_tower"], options=SplitOptions(tied="error"))
    assert len(split_model(model, tmp_path).split.tables) == 1
