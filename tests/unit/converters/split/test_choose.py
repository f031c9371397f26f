"""Which tables are cut is the job's to say."""

import pytest
import torch
from torch import nn

from converters.programs.export import export_program
from converters.split.policy import SplitOptions
from converters.split.program import split_program
from registry.errors import SplitError
from registry.signature import Axis
from tests.models import MODELS, Model, ids

ROWS = (1100, 1300, 20)


class Fields(nn.Module):
    """Three tables of other sizes, two numbers or eight a row."""

    def __init__(self) -> None:
        super().__init__()
        self.deep = nn.ModuleList(nn.Embedding(rows, 8) for rows in ROWS)
        self.wide = nn.Embedding(ROWS[1], 2)

    def forward(self, first, second, third):
        deep = [
            table(field) for table, field in zip(self.deep, (first, second, third), strict=True)
        ]
        return torch.cat([*deep, self.wide(second)], dim=-1).sum(-1)


FIELDS = Model(
    build=Fields,
    inputs=tuple(
        ids(name, "batch", rows=rows)
        for name, rows in zip(("first", "second", "third"), ROWS, strict=True)
    ),
    axes={"batch": Axis()},
    lookups=0,
    tables=0,
)


@pytest.fixture(scope="module")
def split_as(tmp_path_factory):
    programs = {}

    def split(model, **options):
        if model.build not in programs:
            programs[model.build] = export_program(model.module(), model.brief())
        folder = tmp_path_factory.mktemp("split")
        chosen = SplitOptions(**options)
        return split_program(programs[model.build], model.brief(), chosen, folder, lambda _: None)

    return split


def test_none_cuts_nothing_and_says_why(split_as):
    split = split_as(FIELDS, tables="none")
    assert split.lookups == split.tables == split.origins == ()
    assert {kept.table for kept in split.kept} == {"deep_0", "deep_1", "deep_2", "wide"}
    assert {kept.why for kept in split.kept} == {"the job cuts no table (split.tables: none)"}
    assert split.nodes_after["aten.embedding.default"] == 4


@pytest.mark.parametrize("pattern", ["deep.2.weight", "deep.2", "deep_2"])
def test_a_pattern_cuts_a_table_of_any_size(split_as, pattern):
    split = split_as(FIELDS, tables=(pattern,))
    assert [(table.name, table.rows) for table in split.tables] == [("deep_2", 20)]
    assert {kept.why for kept in split.kept} == {"split.tables does not name it"}


def test_a_pattern_may_match_several(split_as):
    split = split_as(FIELDS, tables=("deep.*",), keep=("deep.1",))
    assert {table.name for table in split.tables} == {"deep_0", "deep_2"}
    assert next(k.why for k in split.kept if k.table == "deep_1") == "the job keeps it (split.keep)"


def test_auto_goes_by_rows_or_bytes(split_as):
    by_rows = split_as(FIELDS, min_rows=1200)
    assert {table.name for table in by_rows.tables} == {"deep_1", "wide"}
    by_bytes = split_as(FIELDS, min_rows=10**6, min_bytes=30_000)
    assert {table.name for table in by_bytes.tables} == {"deep_0", "deep_1"}


def test_auto_cuts_what_bags_read_whatever_its_size(split_as):
    small = split_as(MODELS["bag_sum"], min_rows=10**6, min_bytes=1 << 30)
    assert [lookup.kind for lookup in small.lookups] == ["bag"]


@pytest.mark.parametrize("slot", ["tables", "keep"])
def test_a_pattern_that_matches_nothing_is_refused_with_a_guess(split_as, slot):
    with pytest.raises(SplitError, match=r"'deap_1' matches no table; did you mean 'deep_1'\?"):
        split_as(FIELDS, **{slot: ("deap_1",)})


def test_a_pattern_in_a_model_without_lookups_is_refused(split_as):
    with pytest.raises(SplitError, match="the model looks nothing up"):
        split_as(MODELS["picture"], tables=("*",))


def test_a_table_read_in_an_unknown_way_is_refused(split_as):
    with pytest.raises(SplitError, match=r"weight .*read by aten.gather.default at odd_lookups.py"):
        split_as(MODELS["gathered"])


def test_a_table_read_in_an_unknown_way_stays_if_the_job_cuts_none(split_as):
    split = split_as(MODELS["gathered"], tables="none")
    assert [kept.why for kept in split.kept] == ["the job cuts no table (split.tables: none)"]
