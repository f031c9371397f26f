"""Which tables are cut is the job's to say."""

import pytest

from converters.export import export_program
from converters.split.policy import SplitOptions
from converters.split.program import split_program
from registry.errors import SplitError
from tests.models import MODELS


def split_as(name: str, folder, **options):
    model = MODELS[name]
    program = export_program(model.module(), model.brief())
    return split_program(program, model.brief(), SplitOptions(**options), folder, lambda _: None)


def test_none_cuts_nothing_and_says_why(tmp_path):
    split = split_as("dlrm", tmp_path, tables="none")
    assert split.lookups == split.tables == split.origins == ()
    assert {kept.table: kept.why for kept in split.kept} == {
        "user": "the job cuts no table (split.tables: none)",
        "tags": "the job cuts no table (split.tables: none)",
    }
    assert "aten.embedding.default" in split.nodes_after


@pytest.mark.parametrize("pattern", ["wide.2.weight", "wide.2", "wide_2"])
def test_a_pattern_cuts_a_table_of_any_size(tmp_path, pattern):
    split = split_as("wide_deep", tmp_path, tables=(pattern,))
    assert [(table.name, table.rows) for table in split.tables] == [("wide_2", 20)]
    assert {kept.why for kept in split.kept} == {"split.tables does not name it"}


def test_a_pattern_may_match_several(tmp_path):
    split = split_as("wide_deep", tmp_path, tables=("deep.*",), keep=("deep.1",))
    assert {table.name for table in split.tables} == {"deep_0", "deep_2"}
    assert next(k.why for k in split.kept if k.table == "deep_1") == "the job keeps it (split.keep)"


def test_auto_goes_by_rows_or_bytes(tmp_path):
    by_rows = split_as("wide_deep", tmp_path / "rows", min_rows=1200)
    assert {table.rows for table in by_rows.tables} == {1300}
    by_bytes = split_as("wide_deep", tmp_path / "bytes", min_rows=10**6, min_bytes=30_000)
    assert {(table.rows, table.dim) for table in by_bytes.tables} == {(1100, 8), (1300, 8)}


@pytest.mark.parametrize("slot", ["tables", "keep"])
def test_a_pattern_that_matches_nothing_is_refused_with_a_guess(tmp_path, slot):
    with pytest.raises(SplitError, match=r"'deap_1' matches no table; did you mean 'deep_1'\?"):
        split_as("wide_deep", tmp_path, **{slot: ("deap_1",)})


def test_a_pattern_in_a_model_without_lookups_is_refused(tmp_path):
    with pytest.raises(SplitError, match="the model looks nothing up"):
        split_as("picture", tmp_path, tables=("*",))


def test_a_table_read_in_an_unknown_way_is_refused(tmp_path):
    with pytest.raises(SplitError, match=r"weight .*read by aten.gather.default at odd_lookups.py"):
        split_as("gathered", tmp_path)
