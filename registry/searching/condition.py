"""A condition on a version: FIELD=VALUE and the like."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from registry.errors import StoreError
from registry.manifest import Version
from registry.searching.fields import FIELDS

_PARTS = re.compile(r"(?P<field>[a-z]+)(?P<sign>!=|>=|<=|=|>|<)(?P<value>.+)", re.DOTALL)


@dataclass(frozen=True)
class Condition:
    """A field, a sign and a value; `=` and `!=` take * and ? as a shell does.

    A field with several values meets it where one of them does; `!=` where none is equal.
    """

    field: str
    sign: str
    value: str

    def holds(self, version: Version) -> bool:
        """Say whether a version meets it."""
        values = FIELDS[self.field](version)
        if self.sign == "!=":
            return not any(fnmatchcase(str(value), self.value) for value in values)
        return any(map(self._fits, values))

    def _fits(self, value: str | float) -> bool:
        if self.sign == "=":
            return fnmatchcase(str(value), self.value) or _number(self.value) == value
        if isinstance(value, str):
            order = (value > self.value) - (value < self.value)
        else:
            wanted = _number(self.value)
            if wanted is None:
                raise StoreError(f"{self.field}{self.sign}{self.value}: {self.field} is a number")
            order = (value > wanted) - (value < wanted)
        return order in {">": (1,), "<": (-1,), ">=": (0, 1), "<=": (-1, 0)}[self.sign]


def parse_condition(text: str) -> Condition:
    """Take a condition apart.

    Raises:
        StoreError: It is none, or of a field that there is not.
    """
    match = _PARTS.fullmatch(text)
    if match is None or match["field"] not in FIELDS:
        raise StoreError(
            f"condition {text!r}: not FIELD=VALUE, with one of = != > >= < <=. The fields are "
            f"{', '.join(FIELDS)}"
        )
    return Condition(match["field"], match["sign"], match["value"])


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
