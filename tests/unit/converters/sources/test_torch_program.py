import contextlib

import numpy as np
import pytest
import torch

from converters.sources.source import Brief, RefusalError
from converters.sources.torch_program import SOURCE, ProgramOptions
from converters.split.policy import SplitOptions
from registry.errors import SourceError
from registry.progress import silent
from registry.signature import Axis, Ids, Input
from tests import hostile_files
from tests.hostile_files import PROGRAMS

IDS = Input(name="ids", dtype="int64", shape=("batch", 2), ids=Ids(cardinality=50))


def brief(folder, *inputs):
    options = ProgramOptions(file="model.pt2")
    return Brief(options, folder, inputs or (IDS,), {"batch": Axis(max=64)}, ("pairs",))


@pytest.fixture
def folder(tmp_path):
    hostile_files.program(tmp_path / "model.pt2")
    return tmp_path


def test_a_program_is_split(folder):
    split = SOURCE.split(brief(folder), SplitOptions(min_rows=10), folder / "out", silent)
    assert [table.name for table in split.tables] == ["table"]
    (origin,) = split.origins
    assert (origin.file, origin.key) == (str(folder / "model.pt2"), "table.weight")
    assert not (folder / "out" / "origins").exists()
    assert str(split.signature) == "(ids: int64[batch, 2]) -> (pairs: float32[2*batch, 2])"


def test_a_program_answers_at_any_batch_and_refuses_unknown_ids(folder):
    answer = SOURCE.answers(brief(folder))
    for batch in (1, 5):
        assert answer({"ids": np.zeros((batch, 2), int)})["pairs"].shape == (2 * batch, 2)
    with pytest.raises(RefusalError):
        answer({"ids": np.array([[0, 50]])})


def test_inspection_reads_inputs_tables_and_ranges(folder):
    found = SOURCE.inspect(ProgramOptions(file="model.pt2"), folder, {})
    assert found.inputs[0][0] == IDS
    assert found.tables == (("table", 50, 4),)
    assert found.axes == {"batch": Axis(min=1, max=64)}


def test_inputs_that_are_not_the_programs_are_refused(folder):
    for wrong, said in (
        (Input(name="ids", dtype="float32", shape=("batch", 2)), "is int64 in the program"),
        (Input(name="ids", dtype="int64", shape=("batch", "k")), "axis 'k' is baked in at 2"),
        (Input(name="ids", dtype="int64", shape=("batch",)), "has 2 axes in the program"),
    ):
        with pytest.raises(SourceError, match=said):
            SOURCE.answers(brief(folder, wrong))
    with pytest.raises(SourceError, match=r"takes 1 inputs \(ids\), the job has 2"):
        SOURCE.answers(brief(folder, IDS, IDS.model_copy(update={"name": "more"})))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_hostile_program_is_refused_and_runs_nothing(name, tmp_path):
    PROGRAMS[name](tmp_path / "model.pt2", tmp_path / "mark")
    with pytest.raises(SourceError, match=r"model\.pt2: "):
        SOURCE.answers(brief(tmp_path))
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("name", ["expression of a size", "pickle as sample", "pickle as weight"])
def test_torch_itself_would_have_run_it(name, tmp_path):
    PROGRAMS[name](tmp_path / "model.pt2", tmp_path / "mark")
    with contextlib.suppress(Exception):
        torch.export.load(tmp_path / "model.pt2")
    assert (tmp_path / "mark").exists()
