"""A condition on a version: FIELD=VALUE and the like."""

import math
import re
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase

from registry.errors import StoreError
from registry.manifest import Version
from registry.searching.fields import FIELDS, NUMBERS, Values

_PARTS = re.compile(r"(?P<field>[a-z]+)(?P<sign>!=|>=|<=|=|>|<)(?P<value>.+)", re.DOTALL)

#: A time, or as much of its beginning as is meant: a year, a month, a day …
_TIME = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\dZ?)?)?)?)?)?", re.ASCII)

#: What completes the beginning of a time.
_REST = "0001-01-01T00:00:00Z"


@dataclass(frozen=True)
class Condition:
    """A field, a sign and a value; `=` and `!=` take * and ? as a shell does.

    Times are compared as far as the value goes: `created<=2026-11` holds all of November.
    A field with several values meets it where one of them does; `!=` where none is equal.
    """

    field: str
    sign: str
    value: str

    def holds(self, version: Version) -> bool:
        """Say whether a version meets it."""
        return self.meets(FIELDS[self.field](version))

    def meets(self, values: Values) -> bool:
        """Say whether what a field holds meets it."""
        if self.sign == "!=":
            return not any(map(self._equals, values))
        return any(map(self._fits, values))

    def _fits(self, value: str | float) -> bool:
        if self.sign == "=":
            return self._equals(value)
        order = self._order(value)
        return order in {">": (1,), "<": (-1,), ">=": (0, 1), "<=": (-1, 0)}[self.sign]

    def _equals(self, value: str | float) -> bool:
        if self.field == "created" and _is_time(self.value):
            return self._order(value) == 0
        return fnmatchcase(str(value), self.value) or _number(self.value) == value

    def _order(self, value: str | float) -> int:
        if not isinstance(value, str):
            wanted = float(self.value)
            return (value > wanted) - (value < wanted)
        if self.field == "created":
            value = value[: len(self.value)]
        return (value > self.value) - (value < self.value)


def parse_condition(text: str) -> Condition:
    """Take a condition apart.

    Raises:
        StoreError: It is none, of a field that there is not, or of a value without order there.
    """
    match = _PARTS.fullmatch(text)
    if match is None or match["field"] not in FIELDS:
        fault = (
            f"there is no field {match['field']!r}"
            if match
            else "not FIELD=VALUE, with one of = != > >= < <="
        )
        raise StoreError(f"condition {text!r}: {fault}. The fields are {', '.join(FIELDS)}")
    if match["sign"] not in {"=", "!="}:
        _check_order(text, match["field"], match["value"])
    return Condition(match["field"], match["sign"], match["value"])


def _check_order(text: str, field: str, value: str) -> None:
    """Refuse what is neither more nor less than anything in its field."""
    if field in NUMBERS and _number(value) is None:
        raise StoreError(f"condition {text!r}: {field} is a number, {value!r} is none")
    if field == "created" and not _is_time(value):
        raise StoreError(
            f"condition {text!r}: {value!r} is no time. Write it as 2026-11, 2026-11-30 or "
            "2026-11-30T04:05:06Z"
        )


def _is_time(text: str) -> bool:
    if not _TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text + _REST[len(text) :])
    except ValueError:
        return False
    return True


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number
