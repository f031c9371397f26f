"""What a place has to offer to keep versions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from registry.digest import Advance
from registry.errors import IntegrityError, StoreError
from registry.manifest import File
from registry.safe_path import fault_of

#: Bytes of the largest object that is read whole, into memory.
LARGEST = 64 << 20


#: Says of a key whether its object matters.
Wanted = Callable[[str], bool]


def every_key(_: str) -> bool:
    """Want all objects."""
    return True


@dataclass(frozen=True)
class Entry:
    """An object that is there.

    Attributes:
        modified: When it was last written, by the clock of the store.
    """

    key: str
    size: int
    modified: datetime


class Store(Protocol):
    """Bytes by key; safe to use from several threads and processes.

    Every method raises `StoreError` where the place cannot be reached or refuses, and
    `ResourceError` where it is full. Keys have `/` between their names.

    Attributes:
        url: Where it is, without secrets.
        reads_back: Whether what was published is to be read out of it where that makes less to
            publish.
    """

    url: str
    reads_back: bool

    def get(self, key: str) -> bytes | None:
        """Return a small object, or None where there is none.

        Raises:
            IntegrityError: It has more than `LARGEST` bytes.
        """

    def create(self, key: str, data: bytes) -> bool:
        """Write a small object unless the key is taken: True for exactly one of many writers.

        It is there whole and to stay once this returns.
        """

    def upload(self, key: str, path: Path, file: File, advance: Advance) -> None:
        """Write a blob whose key depends on its content; one of the right size is left alone.

        Raises:
            IntegrityError: The file at `path` is not, or no longer, `file`; or the store
                keeps something else than it was sent.
        """

    def replace(self, key: str, path: Path, file: File, advance: Advance) -> None:
        """Write such a blob whatever is there; readers see the old bytes or the new ones."""

    def read(self, key: str) -> Iterator[bytes | memoryview]:
        """Read a blob in chunks, each valid until the next one is asked for.

        Raises:
            IntegrityError: There is none.
        """

    def size(self, key: str) -> int | None:
        """Return how many bytes an object has, or None where there is none."""

    def is_there(self) -> bool:
        """Say whether the place exists, which an empty one may not do before the first write."""

    def check_access(self) -> None:
        """Refuse a place that cannot be reached, or where this user may not write; writes nothing.

        Raises:
            StoreError: Says which of it, and the remedy.
        """

    def children(self, prefix: str) -> tuple[str, ...]:
        """Return the names that stand directly under a prefix, sorted; "a/" for those in `a`."""

    def entries(self, prefix: str, wanted: Wanted = every_key) -> Iterator[Entry]:
        """Return all objects whose keys start with a prefix, however deep, in no order.

        Args:
            wanted: Is asked of each key; a store need not look at objects that are not wanted.
        """

    def remove(self, keys: Sequence[str]) -> None:
        """Remove objects; those that are not there are passed over."""

    def tidy(self, before: datetime) -> int:
        """Remove what uploads that died before a time left half done, and say how many."""


@dataclass(frozen=True)
class StoreKind:
    """A kind of store: one file, one row in STORES.

    Attributes:
        scheme: Of its URLs.
        example: A URL, for messages.
        open: Takes the URL and the service's endpoint; touches nothing yet.
    """

    scheme: str
    example: str
    open: Callable[[str, str | None], Store]


def check_key(key: str) -> str:
    """Return the key, or refuse one that could name something outside the store."""
    if fault := fault_of(key):
        raise StoreError(f"key {key!r} {fault}. Keys are names with '/' between them")
    return key


def check_prefix(prefix: str) -> str:
    """Return the prefix, which is empty or ends in `/`, or refuse it."""
    if prefix:
        check_key(prefix.removesuffix("/"))
    return prefix


def check_size(where: str, size: int) -> None:
    """Refuse to read an object into memory that is too large to be a manifest."""
    if size > LARGEST:
        raise IntegrityError(
            f"{where} has {size} bytes where a manifest has at most {LARGEST}: nothing that was "
            "published here. Look at who may write to the store"
        )


def missing(where: str) -> IntegrityError:
    """Say that a blob is not there, though it was published."""
    return IntegrityError(
        f"{where} is missing, though it was published. Publish again from the same files, "
        "or restore the store from a backup"
    )


def changed(path: str, file: File, found: str) -> IntegrityError:
    """Say that a file is no longer what it was when it was digested."""
    return IntegrityError(
        f"{path} changed while it was published: its digest was {file.digest} and is {found}. "
        "Let nothing write to it, then publish again"
    )
