"""The values of a job file, each with the place where it is written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from pipeline.job.fault import Place

Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class Entry:
    """A key's place and its value."""

    key: Place
    value: "Node"


@dataclass(frozen=True)
class Node:
    """A scalar, a list or a block of keys.

    What is not there, or is of another kind, reads as absent or empty: checks look at
    files that are wrong elsewhere too.

    Attributes:
        spoilt: A fault was found in it already; what else it lacks is of no interest.
    """

    place: Place
    scalar: Scalar = None
    entries: Mapping[str, Entry] | None = None
    elements: tuple["Node", ...] | None = None
    spoilt: bool = False

    def __getitem__(self, key: str) -> "Node":
        entry = (self.entries or {}).get(key)
        return entry.value if entry else ABSENT

    def __bool__(self) -> bool:
        return self is not ABSENT

    def __iter__(self) -> Iterator["Node"]:
        return iter(self.elements or ())

    @property
    def inner(self) -> tuple["Node", ...]:
        """The elements of a list or the values of a block."""
        return self.elements or tuple(entry.value for entry in (self.entries or {}).values())

    @cached_property
    def size(self) -> int:
        """Count the values in it, itself included; what an alias names counts each time."""
        return 1 + sum(node.size for node in self.inner)

    @cached_property
    def depth(self) -> int:
        """Count the levels, its own included."""
        return 1 + max((node.depth for node in self.inner), default=0)

    def keys(self) -> dict[str, Place]:
        """Each key with its place."""
        return {name: entry.key for name, entry in (self.entries or {}).items()}

    @property
    def is_scalar(self) -> bool:
        """Neither a list nor a block of keys."""
        return self.entries is None and self.elements is None

    @property
    def text(self) -> str | None:
        """The scalar, where it is text."""
        return self.scalar if isinstance(self.scalar, str) else None

    @property
    def whole(self) -> int | None:
        """The scalar, where it is a whole number."""
        if isinstance(self.scalar, int) and not isinstance(self.scalar, bool):
            return self.scalar
        return None

    @property
    def number(self) -> float | None:
        """The scalar, where it is a number."""
        return self.scalar if isinstance(self.scalar, float) else self.whole

    def texts(self) -> Iterator[tuple[str, Place]]:
        """Each element of a list that is text."""
        return ((node.text, node.place) for node in self if node.text is not None)

    def plain(self) -> JsonValue:
        """Copy without places; aliases are written out."""
        if self.entries is not None:
            return {name: entry.value.plain() for name, entry in self.entries.items()}
        if self.elements is not None:
            return [node.plain() for node in self.elements]
        return self.scalar

    def __str__(self) -> str:
        """Say what it is, for a message."""
        if self.entries is not None:
            return "a block of keys"
        if self.elements is not None:
            return "a list"
        if self.scalar is None:
            return "nothing"
        if isinstance(self.scalar, str):
            return f"the text `{clipped(self.scalar)}`"
        return f"`{str(self.scalar).lower()}`"


def clipped(text: str) -> str:
    """Shorten text for a message."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:39]}…"


ABSENT = Node(Place(0, 0), spoilt=True)
