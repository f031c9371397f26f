"""Bring a version's files out of a store, and believe none of them before its digest is right."""

import os
from collections.abc import Mapping
from functools import partial
from io import FileIO
from pathlib import Path
from types import MappingProxyType

from registry.digest import Advance, digest_file, digest_of
from registry.disk import disk_faults
from registry.errors import IntegrityError, StoreError
from registry.layout import blob_key
from registry.manifest import File, Version
from registry.partial_file import partial_file, write_all
from registry.progress import Progress
from registry.quarantine import CorruptBlobError, mark_corrupt
from registry.side_by_side import Tally, each
from registry.store.store import Store

Named = tuple[str, File]

NOTHING_NEAR: Mapping[str, Path] = MappingProxyType({})


def pull(
    store: Store,
    version: Version,
    folder: Path,
    progress: Progress,
    near: Mapping[str, Path] = NOTHING_NEAR,
) -> Path:
    """Bring every file into a folder; what is there and right stays, what is wrong is replaced.

    Args:
        near: Files on this host by digest, of versions that were pulled before: they are linked
            in place of being fetched, once their digest is seen to be right.

    Raises:
        IntegrityError: A blob is not what was published.
        StoreError: The folder cannot take the files.
    """
    tally = Tally(sum(file.size for file in version.files.values()), progress)
    with disk_faults(folder):
        folder.mkdir(parents=True, exist_ok=True)

    def bring(named: Named) -> None:
        name, file = named
        path = _place(folder, name)
        if _is_there(path, file, tally.advance):
            return
        if not _take_near(near.get(file.digest), file, path, tally.advance):
            _fetch(store, named, folder, path, tally.advance)

    each(bring, version.files.items(), tally)
    return folder


def verify(store: Store, version: Version, progress: Progress) -> None:
    """Read every blob of a version.

    Raises:
        IntegrityError: Some are not what was published; names them all.
    """
    once = {file.digest: (name, file) for name, file in version.files.items()}
    tally = Tally(sum(file.size for _, file in once.values()), progress)
    found = each(partial(fault_of, store, advance=tally.advance), once.values(), tally)
    if faults := [fault for fault in found if fault]:
        raise IntegrityError("\n".join(faults))


def fault_of(store: Store, named: Named, advance: Advance) -> str | None:
    """Read one blob to its end, and say what is wrong with it."""
    try:
        read_blob(store, named, None, advance)
    except IntegrityError as error:
        return str(error)
    return None


def read_blob(store: Store, named: Named, copy: FileIO | None, advance: Advance) -> None:
    """Read a blob to its end, into a file; once more where it comes out wrong.

    Raises:
        IntegrityError: It is not what was published, and is marked as corrupt in the store.
    """
    try:
        _read_once(store, named, copy, advance)
    except CorruptBlobError:
        if copy is not None:
            copy.seek(0)
            copy.truncate()
        try:  # it may have been the way here; its bytes were counted
            _read_once(store, named, copy, lambda _: advance(0))
        except CorruptBlobError as error:
            remedy = mark_corrupt(store, named[1].digest, str(error))
            raise CorruptBlobError(f"{error}. {remedy}") from None


def _read_once(store: Store, named: Named, copy: FileIO | None, advance: Advance) -> None:
    name, file = named
    key = blob_key(file.digest)
    try:
        write = partial(write_all, copy) if copy is not None else None
        found = digest_of(store.read(key), write, advance)
    except IntegrityError as error:
        raise IntegrityError(f"{name}: {error}") from error
    if found != file:
        raise CorruptBlobError(
            f"{name}: blob {key} in {store.url} is corrupt: it has {found.size} bytes with SHA-256 "
            f"{found.digest} in place of {file.size} with {file.digest}"
        )


def _fetch(store: Store, named: Named, folder: Path, path: Path, advance: Advance) -> None:
    with disk_faults(path), partial_file(folder) as copy:
        read_blob(store, named, copy, advance)
        Path(os.fsdecode(copy.name)).replace(path)


def _take_near(near: Path | None, file: File, path: Path, advance: Advance) -> bool:
    """Link a file that this host has already, if it is still what it was."""
    if near is None:
        return False
    try:
        if near.is_symlink() or not near.is_file():
            return False
        path.unlink(missing_ok=True)
        path.hardlink_to(near)
    except OSError:  # another disk, or gone meanwhile: then it is fetched
        return False
    return _is_there(path, file, advance)


def _place(folder: Path, name: str) -> Path:
    """Make room for a file, and refuse to follow a link that was laid to lead it elsewhere."""
    path = folder / name
    with disk_faults(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.parent.resolve().is_relative_to(folder.resolve()):
            raise StoreError(
                f"{path.parent} leads out of {folder} by a link. Remove it, or pull elsewhere"
            )
    return path


def _is_there(path: Path, file: File, advance: Advance) -> bool:
    """Say whether an earlier pull has brought a file; counts its bytes if so."""
    with disk_faults(path):
        if path.is_symlink() or not path.is_file() or path.stat().st_size != file.size:
            return False
        if digest_file(path) != file:
            return False
    advance(file.size)
    return True
