"""A request, read and bounded, and what answers it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from registry.web.refusals import RefusalError

if TYPE_CHECKING:
    from registry.web.room import Room

#: Fields of a query or of a form that are read.
_MOST_FIELDS = 32

#: Digits of a number in a query, and so the largest.
_MOST_DIGITS = 18
LARGEST = 10**_MOST_DIGITS - 1

Fields = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Reply:
    """Status, body and headers beside those that every answer has."""

    status: int = HTTPStatus.OK
    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Call:
    """A request.

    Attributes:
        names: What the path's fields hold: a model, a number.
        headers: By their names in small letters.
    """

    room: "Room"
    names: Mapping[str, str]
    query: Fields
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def text(self, name: str) -> str:
        """Return a field of the query, or nothing."""
        return self.query.get(name, ("",))[-1].strip()

    def number(self, name: str) -> int | None:
        """Return a number of the query, if it is there.

        Raises:
            RefusalError: It is none.
        """
        text = self.text(name)
        if not text:
            return None
        if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS and int(text)):
            raise RefusalError(f"{name} {text[:50]!r}: not a number from 1 up")
        return int(text)


def read_fields(text: str) -> Fields:
    """Read a query or a form.

    Raises:
        RefusalError: It has too many fields.
    """
    try:
        found = parse_qs(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise RefusalError(f"more than {_MOST_FIELDS} fields") from error
    return {name: tuple(values) for name, values in found.items()}
