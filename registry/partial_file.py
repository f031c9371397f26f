"""Files that are written aside and appear whole, or not at all."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO, FileIO
from pathlib import Path
from uuid import uuid4

#: The folder for files that are being written, below the folder that they are meant for.
PARTIAL = ".partial"

#: A file that has not grown for an hour was left by a process that died.
STALE = 3600


@contextmanager
def partial_file(root: Path, *, mode: int = 0o666) -> Iterator[FileIO]:
    """Open a new file below `root`, on the same disk; it is gone at the end unless moved away."""
    file = _create(root / PARTIAL, mode)
    path = Path(os.fsdecode(file.name))
    try:
        with file:
            yield file
    finally:
        path.unlink(missing_ok=True)
        with suppress(OSError):  # others are still writing here
            path.parent.rmdir()


def write_all(file: FileIO | BytesIO, data: bytes | memoryview) -> None:
    """Write all of the data: a raw file may take less at a time, up to a full disk."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _create(folder: Path, mode: int) -> FileIO:
    """Create a file in a folder that other writers make, and remove when they leave it empty."""
    while True:
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            folder.mkdir()
        except FileExistsError:
            if folder.is_file() or folder.is_symlink():
                raise
        _sweep(folder)
        with suppress(FileNotFoundError):
            return FileIO(folder / uuid4().hex, "x+", opener=partial(os.open, mode=mode))


def _sweep(folder: Path) -> None:
    """Remove what dead processes left."""
    with suppress(FileNotFoundError):
        for path in folder.iterdir():
            if time.time() - path.stat().st_mtime > STALE:
                path.unlink(missing_ok=True)
