"""Which tables the job wants cut."""

import difflib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Protocol

from converters.split.policy import SplitOptions
from registry.errors import SplitError


class Matrix(Protocol):
    """What is asked of a matrix whose rows are looked up."""

    @property
    def name(self) -> str:
        """Unique, and fit for a file's name."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Its names in the checkpoint."""

    @property
    def rows(self) -> int:
        """How many there are."""

    @property
    def bytes(self) -> int:
        """Size of all rows."""


def why_not(matrix: Matrix, options: SplitOptions, *, bags: bool = False) -> str | None:
    """Say why the job leaves a table in the dense part, or None where it wants it cut.

    Args:
        bags: Whether its rows are read by bags. No runtime has an operator for these, so that
            `auto` cuts them whatever the table's size.
    """
    if _named(matrix, options.keep):
        return "the job keeps it (split.keep)"
    if options.tables == "none":
        return "the job cuts no table (split.tables: none)"
    if options.tables != "auto":
        return None if _named(matrix, options.tables) else "split.tables does not name it"
    if bags or matrix.rows >= options.min_rows or matrix.bytes >= options.min_bytes:
        return None
    return (
        f"small: {matrix.rows} rows of {matrix.bytes} bytes in all, where auto cuts from"
        f" {options.min_rows} rows or {options.min_bytes} bytes"
    )


def is_wanted(matrix: Matrix, options: SplitOptions) -> bool:
    """Say whether the job wants a table cut, or speaks of it in another way."""
    return why_not(matrix, options) is None or _named(matrix, options.keep)


def check_patterns(matrices: Iterable[Matrix], options: SplitOptions) -> None:
    """Refuse a pattern that matches nothing: it is misspelt.

    Raises:
        SplitError: With the tables that there are.
    """
    found = tuple(matrices)
    patterns = (*options.keep, *(options.tables if isinstance(options.tables, tuple) else ()))
    for pattern in patterns:
        if not any(_named(matrix, (pattern,)) for matrix in found):
            raise SplitError(_nothing(pattern, found))


def _nothing(pattern: str, found: tuple[Matrix, ...]) -> str:
    names = sorted({key for matrix in found for key in matrix.keys})
    if not names:
        return f"split: '{pattern}' matches no table, for the model looks nothing up: remove it"
    close = difflib.get_close_matches(pattern, [*names, *(matrix.name for matrix in found)], 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return f"split: '{pattern}' matches no table{hint} The model looks up rows of {shown}"


def _named(matrix: Matrix, patterns: tuple[str, ...]) -> bool:
    modules = (key.rpartition(".")[0] for key in matrix.keys)
    names = {matrix.name, *matrix.keys, *(name for name in modules if name)}
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)
