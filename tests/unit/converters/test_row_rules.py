"""The first rule that names a table counts, and a rule that cannot be obeyed is refused."""

import pytest

from converters.row_rules import narrows, ruled
from converters.split.policy import RowRule
from registry.composition import Table
from registry.errors import JobError


def table(name="items", dtype="float32", rows=10):
    return Table(name=name, rows=rows, dim=4, dtype=dtype, keys=(f"{name}.weight",))


def test_without_rules_tables_are_as_they_were():
    tables = (table(), table("users"))
    assert ruled(tables, ()) == tables


@pytest.mark.parametrize("pattern", ["it*", "items", "items.weight"])
def test_the_first_rule_that_names_a_table_counts(pattern):
    rules = (
        RowRule(tables=(pattern,), format="i8", unknown="row", default_row=9),
        RowRule(format="f16", unknown="zero"),
    )
    found = ruled((table(), table("users")), rules)
    assert [(one.rows_as, one.unknown, one.default_row) for one in found] == [
        ("i8", "row", 9),
        ("f16", "zero", None),
    ]


@pytest.mark.parametrize(
    ("dtype", "rows_as", "wanted"),
    [
        ("float64", "f16", "f16"),
        ("float16", "f16", "f32"),
        ("bfloat16", "f16", "f32"),
        ("bfloat16", "i8", "i8"),
        ("int64", "i8", "f32"),
        ("int32", "f16", "f32"),
    ],
)
def test_only_what_gets_narrower_is_changed(dtype, rows_as, wanted):
    (found,) = ruled((table(dtype=dtype),), (RowRule(format=rows_as),))
    assert found.rows_as == wanted
    assert found.dtype == dtype


def test_a_pattern_without_a_table_is_refused_with_those_that_there_are():
    with pytest.raises(JobError, match=r"'user\*' matches no table .* These are: items"):
        ruled((table(),), (RowRule(tables=("user*",)),))
    with pytest.raises(JobError, match="These are: none"):
        ruled((), (RowRule(format="i8"),))


def test_a_default_row_that_a_table_lacks_is_refused():
    with pytest.raises(JobError, match=r"default_row 10 is not in table items.*from 0 to 9"):
        ruled((table(),), (RowRule(unknown="row", default_row=10),))


@pytest.mark.parametrize("fields", [{"unknown": "row"}, {"unknown": "zero", "default_row": 1}])
def test_a_default_row_and_its_policy_go_together(fields):
    with pytest.raises(ValueError, match="go together"):
        RowRule(**fields)
    with pytest.raises(ValueError, match="go together"):
        Table.model_validate(table().model_dump() | fields)


def test_rules_for_unknown_ids_alone_narrow_nothing():
    assert not narrows((RowRule(unknown="zero"),))
    assert narrows((RowRule(unknown="zero"), RowRule(format="f16")))
