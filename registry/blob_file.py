"""One file of a version, brought from the store and mapped."""

import mmap
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from registry.disk import disk_faults
from registry.manifest import Version
from registry.patching.made import Reader
from registry.store.store import Store


@contextmanager
def blob_file(store: Store, version: Version, name: str) -> Iterator[memoryview]:
    """Bring a file of a version, verified, and map it for as long as it is looked at."""
    with (
        disk_faults(Path(tempfile.gettempdir())),
        tempfile.TemporaryFile(buffering=0) as copy,
    ):
        Reader(store, version).read(name, copy)
        if version.files[name].size == 0:
            yield memoryview(b"")
            return
        with mmap.mmap(copy.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            view = memoryview(mapped)
            try:
                yield view
            finally:
                view.release()
