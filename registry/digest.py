"""The digest of bytes, however many there are."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from io import RawIOBase
from pathlib import Path

from registry.manifest import File

CHUNK = 1 << 20

#: Told how many bytes have just been read or written; may raise to stop the work.
Advance = Callable[[int], None]


def ignore(count: int) -> None:
    """Take no notice of bytes that have moved."""


def chunks_of(file: RawIOBase) -> Iterator[memoryview]:
    """Read a file to its end. A chunk is valid until the next one is asked for."""
    buffer = memoryview(bytearray(CHUNK))
    while count := file.readinto(buffer):
        yield buffer[:count]


def digest_of(
    chunks: Iterable[bytes | memoryview],
    write: Callable[[bytes | memoryview], object] | None = None,
    advance: Advance = ignore,
) -> File:
    """Digest chunks, and hand each one on to `write`."""
    sha256, size = hashlib.sha256(), 0
    for chunk in chunks:
        sha256.update(chunk)
        if write is not None:
            write(chunk)
        size += len(chunk)
        advance(len(chunk))
    return File(digest=sha256.hexdigest(), size=size)


def digest_file(path: Path, advance: Advance = ignore) -> File:
    """Digest a file."""
    with path.open("rb", buffering=0) as file:
        return digest_of(chunks_of(file), advance=advance)
