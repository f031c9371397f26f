"""A row of the table of operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: Versions of operators that were only opened to more types, most of which torch has not.
MORE_TYPES = (19, 21, 23, 24, 25)


@dataclass(frozen=True)
class Row:
    """One function for one operator and some of its versions.

    Attributes:
        since: Opsets in which the operator changed, those whose definition the function follows.
        function: See `bind` for how its signature says what it takes.
    """

    operator: str
    since: tuple[int, ...]
    function: Callable[..., Any]
    domain: str = ""


def find(rows: tuple[Row, ...], domain: str, operator: str, version: int) -> Row | None:
    """Find the row for an operator as it was defined in an opset."""
    for row in rows:
        if (row.domain, row.operator) == (domain, operator) and version in row.since:
            return row
    return None
