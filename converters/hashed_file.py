"""A new file whose digest is worked out while it is written."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from registry.manifest import File


class HashedFile:
    """Written once, from its start to its end; gone again where the writing fails.

    Bytes are hashed in a thread of their own, on another core than the one that writes them.
    """

    def __init__(self, path: Path, size: int) -> None:
        """Make the file, and have the disk keep room for `size` bytes."""
        self._path = path
        self._stream = path.open("wb", buffering=0)
        self._hash, self._size = hashlib.sha256(), 0
        self._hashing = ThreadPoolExecutor(1, "hash")
        try:
            os.posix_fallocate(self._stream.fileno(), 0, size)
        except BaseException:
            self._leave(failed=True)
            raise

    def write(self, data: bytes | memoryview) -> None:
        """Write and hash all of it; the buffer may be used again afterwards."""
        hashed = self._hashing.submit(self._hash.update, data)
        try:
            view = memoryview(data)
            self._size += len(view)
            while view:
                view = view[self._stream.write(view) :]
        finally:
            hashed.result()

    @property
    def file(self) -> File:
        """The digest and the size of what was written so far."""
        return File(digest=self._hash.hexdigest(), size=self._size)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave(failed=kind is not None)

    def _leave(self, *, failed: bool) -> None:
        self._hashing.shutdown()
        self._stream.close()
        if failed:
            self._path.unlink(missing_ok=True)
