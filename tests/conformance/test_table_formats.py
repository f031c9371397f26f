"""A composition answers by its tables' formats and policies, in whatever pair they come."""

from itertools import product
from typing import get_args

import numpy as np
import pytest
from safetensors.numpy import save_file

from converters.row_rules import ruled
from converters.split.policy import RowRule
from converters.tables import write_table
from registry.composition import Origin, RowFormat, UnknownIds
from registry.errors import InputError
from registry.manifest import Draft
from registry.progress import silent
from targets.predictor import open_predictor
from tests.compositions import ROWS, expected, some_inputs, write_composition

#: How far scores may be off that are sums over rows of about 1: a rounding of each row.
OFF = {"f32": 1e-5, "f16": 1e-2, "i8": 0.2}
FORMATS, POLICIES = get_args(RowFormat), get_args(UnknownIds)


@pytest.fixture(params=product(FORMATS, POLICIES), ids=" ".join)
def made(request, tmp_path):
    """Write a composition, its tables anew by a rule; the one with the bag by the same."""
    rows_as, unknown = request.param
    row = 3 if unknown == "row" else None
    rule = RowRule(format=rows_as, unknown=unknown, default_row=row)
    draft, rows = write_composition(tmp_path / "plain")
    (tmp_path / "plain").rename(tmp_path / "version")
    tables = []
    for table in ruled(draft.tables, (rule,)):
        save_file({"rows": rows[table.name]}, tmp_path / f"{table.name}.safetensors")
        origin = Origin(table=table.name, file=f"{table.name}.safetensors", key="rows")
        version = tmp_path / "version"
        tables.append(write_table(table, origin, tmp_path, version, 600, silent).table)
    draft = draft.model_copy(update={"tables": tuple(tables)})
    return rule, Draft.model_validate_json(draft.model_dump_json()), rows, tmp_path / "version"


def ask(made, inputs):
    _, draft, _, folder = made
    predictor = open_predictor(folder, draft, "ort")
    try:
        return predictor.predict(inputs)["score"], predictor.in_force()
    finally:
        predictor.close()


def test_known_ids_are_answered_as_near_as_the_format_allows(made):
    rule, draft, rows, _ = made
    inputs = some_inputs(33)
    found, in_force = ask(made, inputs)
    off = np.abs(found - expected(inputs, rows)).max()
    assert off < OFF[rule.format]
    assert rule.format == "f32" or off > 1e-5
    assert in_force.get("rows", "f32") == rule.format
    assert len(draft.tables[0].shards) > 1


def test_unknown_ids_are_answered_as_the_version_says(made):
    rule, _, rows, _ = made
    inputs = some_inputs(8)
    inputs["history"][2, 1], inputs["history"][5, 0] = ROWS, -(2**40)
    if rule.unknown == "error":
        with pytest.raises(InputError, match=r"history\[2, 1\]: id 100 is not in table past"):
            ask(made, inputs)
        return
    stand_in = inputs | {"history": stands_for(rule, inputs["history"])}
    longer = rows | {"past": np.concatenate([rows["past"], np.zeros((1, 4), np.float32)])}
    found, _ = ask(made, inputs)
    assert np.abs(found - expected(stand_in, longer)).max() < OFF[rule.format]


def stands_for(rule, ids):
    """Return the rows that ids stand for; a row of zeros comes behind the last."""
    if rule.unknown == "modulo":
        return ids % ROWS
    wrong = (ids < 0) | (ids >= ROWS)
    return np.where(wrong, ROWS if rule.unknown == "zero" else rule.default_row, ids)


def test_a_version_from_before_there_were_formats_and_policies_is_read(made):
    _, draft, _, _ = made
    old = draft.tables[0].model_dump(mode="json")
    for field in ("rows_as", "unknown", "default_row"):
        del old[field]
    (table, _) = Draft.model_validate(draft.model_dump() | {"tables": [old, old]}).tables
    assert (table.rows_as, table.unknown, table.default_row) == ("f32", "error", None)
