"""A store that counts what goes in and out."""

import threading
from collections.abc import Iterator
from pathlib import Path

from registry.digest import Advance
from registry.layout import BLOBS, ROWS
from registry.manifest import File
from registry.store import Store


class Meter:
    """Counts the bytes of blobs and of marks of rows; set to zero by who reads it."""

    def __init__(self, store: Store) -> None:
        self._store, self.url, self.up, self.down = store, store.url, 0, 0
        self._lock = threading.Lock()

    def __getattr__(self, name: str):
        return getattr(self._store, name)

    def upload(self, key: str, path: Path, file: File, advance: Advance) -> None:
        new = file.size if self._store.size(key) is None else 0
        with self._lock:
            self.up += new
        self._store.upload(key, path, file, advance)

    def get(self, key: str) -> bytes | None:
        data = self._store.get(key)
        if key.startswith((ROWS, BLOBS)):
            with self._lock:
                self.down += len(data or b"")
        return data

    def read(self, key: str) -> Iterator[bytes | memoryview]:
        for chunk in self._store.read(key):
            with self._lock:
                self.down += len(chunk)
            yield chunk
