"""Which rule of the job counts for a table: how its rows are stored, and its unknown ids."""

from fnmatch import fnmatchcase

from converters.split.policy import RowRule
from registry.composition import Table
from registry.errors import JobError
from registry.signature import DType

#: What a format makes narrower. Of integer tables the elements are ids, and stay as they are.
_NARROWED = {
    "f32": (),
    "f16": (DType.FLOAT64, DType.FLOAT32),
    "i8": (DType.FLOAT64, DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16),
}


def ruled(tables: tuple[Table, ...], rules: tuple[RowRule, ...]) -> tuple[Table, ...]:
    """Write into each table what the first rule that names it says.

    Raises:
        JobError: A pattern names no table, or a table lacks the default row.
    """
    for rule in rules:
        for pattern in rule.tables:
            if not any(_named(table, pattern) for table in tables):
                known = ", ".join(table.name for table in tables) or "none"
                raise JobError(
                    f"split.rows: '{pattern}' matches no table that is cut out. These are: {known}"
                )
    return tuple(_by_first(table, rules) for table in tables)


def narrows(rules: tuple[RowRule, ...]) -> bool:
    """Tell whether rules may store rows in less than the model holds."""
    return any(rule.format != "f32" for rule in rules)


def _by_first(table: Table, rules: tuple[RowRule, ...]) -> Table:
    for rule in rules:
        if any(_named(table, pattern) for pattern in rule.tables):
            return _by(table, rule)
    return table


def _by(table: Table, rule: RowRule) -> Table:
    if rule.default_row is not None and rule.default_row >= table.rows:
        raise JobError(
            f"split.rows: default_row {rule.default_row} is not in table {table.name}, whose rows"
            f" run from 0 to {table.rows - 1}. Name one of these, or give the table a rule of its"
            " own before this one"
        )
    narrowed = table.dtype in _NARROWED[rule.format]
    return table.model_copy(
        update={
            "rows_as": rule.format if narrowed else "f32",
            "unknown": rule.unknown,
            "default_row": rule.default_row,
        }
    )


def _named(table: Table, pattern: str) -> bool:
    modules = (key.rpartition(".")[0] for key in table.keys)
    names = {table.name, *table.keys, *(name for name in modules if name)}
    return any(fnmatchcase(name, pattern) for name in names)
