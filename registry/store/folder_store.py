"""Versions in a local or mounted folder: the embedded default."""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

from registry.digest import Advance, chunks_of, digest_of
from registry.disk import disk_faults
from registry.errors import StoreError
from registry.manifest import File
from registry.partial_file import PARTIAL, partial_file, write_all
from registry.store.store import (
    LARGEST,
    Entry,
    StoreKind,
    Wanted,
    changed,
    check_key,
    check_prefix,
    check_size,
    every_key,
    missing,
)

#: What a filesystem without hard links answers.
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})

#: Objects are never written twice.
_READ_ONLY = 0o444


class FolderStore:
    """A folder with one file a key. Made when the first object is written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.url = str(root)
        self.reads_back = True

    def get(self, key: str) -> bytes | None:
        """Read a file, bounded."""
        path = self._path(key)
        with disk_faults(path), suppress(FileNotFoundError), path.open("rb") as file:
            check_size(str(path), os.fstat(file.fileno()).st_size)
            return file.read(LARGEST)
        return None

    def create(self, key: str, data: bytes) -> bool:
        """Write a file aside and link it: of many links to one name, one succeeds."""
        path = self._path(key)
        with disk_faults(path):
            _make_folder(path.parent)
            with partial_file(self.root, mode=_READ_ONLY) as file:
                write_all(file, data)
                os.fsync(file.fileno())
                created = _link(Path(os.fsdecode(file.name)), path)
            _sync_folder(path.parent)
        return created

    def upload(self, key: str, path: Path, file: File, advance: Advance) -> None:
        """Copy a file, so that what happens to the original cannot reach the store."""
        if self.size(key) == file.size:
            advance(file.size)
        else:
            self.replace(key, path, file, advance)

    def replace(self, key: str, path: Path, file: File, advance: Advance) -> None:
        """Copy a file aside, and move it to its place."""
        target = self._path(key)
        with disk_faults(target), path.open("rb", buffering=0) as original:
            _make_folder(target.parent)
            with partial_file(self.root, mode=_READ_ONLY) as copy:
                _copy(original, copy, file, advance)
                os.fsync(copy.fileno())
                Path(os.fsdecode(copy.name)).replace(target)
            _sync_folder(target.parent)

    def read(self, key: str) -> Iterator[memoryview]:
        """Read a file."""
        path = self._path(key)
        with disk_faults(path):
            try:
                file = path.open("rb", buffering=0)
            except FileNotFoundError as error:
                raise missing(str(path)) from error
            with file:
                yield from chunks_of(file)

    def size(self, key: str) -> int | None:
        """Ask for a file's size."""
        path = self._path(key)
        with disk_faults(path), suppress(FileNotFoundError):
            return path.stat().st_size
        return None

    def is_there(self) -> bool:
        """Look for the folder."""
        return self.root.is_dir()

    def check_access(self) -> None:
        """Look at the folder, or where it would be made."""
        there = next(path for path in (self.root, *self.root.parents) if path.exists())
        if not os.access(there, os.W_OK | os.X_OK):
            is_locked = os.statvfs(there).f_flag & os.ST_RDONLY
            number = errno.EROFS if is_locked else errno.EACCES
            with disk_faults(there):
                raise OSError(number, os.strerror(number), str(there))

    def children(self, prefix: str) -> tuple[str, ...]:
        """List a folder: its files, and the folders with anything in them."""
        folder = self.root / check_prefix(prefix)
        with disk_faults(folder), suppress(FileNotFoundError):
            with os.scandir(folder) as found:
                there = [one.name for one in found if one.name != PARTIAL and _holds_a_file(one)]
            return tuple(sorted(there))
        return ()

    def entries(self, prefix: str, wanted: Wanted = every_key) -> Iterator[Entry]:
        """Walk a folder."""
        folder = self.root / check_prefix(prefix)
        with disk_faults(folder):
            for key, file in _files_in(folder, prefix):
                if not wanted(key):
                    continue
                with suppress(FileNotFoundError):
                    found = file.stat()
                    modified = datetime.fromtimestamp(found.st_mtime, UTC)
                    yield Entry(key, found.st_size, modified)

    def remove(self, keys: Sequence[str]) -> None:
        """Remove files."""
        for key in keys:
            path = self._path(key)
            with disk_faults(path):
                path.unlink(missing_ok=True)

    def tidy(self, before: datetime) -> int:
        """Remove files that were being written when their process died."""
        count = 0
        with disk_faults(self.root):
            for name, file in _files_in(self.root / PARTIAL):
                with suppress(FileNotFoundError):
                    if file.stat().st_mtime < before.timestamp():
                        (self.root / PARTIAL / name).unlink()
                        count += 1
        return count

    def _path(self, key: str) -> Path:
        return self.root / check_key(key)


def _copy(original: FileIO, copy: FileIO, file: File, advance: Advance) -> None:
    """Copy, and refuse what is not the file that was asked for."""
    found = digest_of(chunks_of(original), lambda chunk: write_all(copy, chunk), advance)
    if found != file:
        raise changed(str(original.name), file, found.digest)


def _holds_a_file(entry: "os.DirEntry[str]") -> bool:
    """Say whether a folder holds more than the empty folders of a write that was cut off."""
    if not entry.is_dir():
        return True
    with os.scandir(entry) as found:
        return any(map(_holds_a_file, found))


def _files_in(folder: str | Path, prefix: str = "") -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    """Find the files of a folder, but for those that are still being written, with their keys.

    There may be a hundred thousand: text is put together here, not paths.
    """
    try:
        found = os.scandir(folder)
    except FileNotFoundError:
        return
    with found:
        for entry in found:
            if not entry.is_dir():
                yield prefix + entry.name, entry
            elif entry.name != PARTIAL:
                yield from _files_in(entry.path, f"{prefix}{entry.name}/")


def _make_folder(folder: Path) -> None:
    """Make a folder that is still there after a power cut."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _link(source: Path, target: Path) -> bool:
    """Give a file its name unless the name is taken."""
    try:
        target.hardlink_to(source)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        raise StoreError(
            f"{target.parent}: its filesystem has no hard links, so that publishing there is not "
            "safe. Take a folder on a local disk or on NFS, or an s3:// store"
        ) from error
    return True


def _open(url: str, endpoint: str | None) -> FolderStore:
    if endpoint is not None:
        raise StoreError(f"store {url}: a folder has no endpoint. Leave the endpoint out")
    parts = urlsplit(url)
    if parts.scheme != "file":
        return FolderStore(Path(url).expanduser().absolute())
    if parts.netloc not in {"", "localhost"} or parts.query or not parts.path.startswith("/"):
        raise StoreError(f"store {url}: not a path on this host. Write file:///absolute/path")
    return FolderStore(Path(unquote(parts.path)))


FOLDER = StoreKind(scheme="file", example="path/to/folder", open=_open)
