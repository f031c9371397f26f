"""Bring a version's files out of a store, and believe none of them before its digest is right."""

import os
from pathlib import Path

from registry.digest import Advance, digest_file
from registry.disk import disk_faults
from registry.errors import IntegrityError, StoreError
from registry.manifest import File, Version
from registry.partial_file import partial_file
from registry.patching.made import NOTHING_NEAR, Near, Reader
from registry.patching.read_all import read_all
from registry.progress import Progress
from registry.side_by_side import Tally, each
from registry.store.store import Store


def pull(
    store: Store,
    version: Version,
    folder: Path,
    progress: Progress,
    near: Near = NOTHING_NEAR,
) -> Path:
    """Bring every file into a folder; what is there and right stays, what is wrong is replaced.

    Args:
        near: Files on this host by digest, of versions that were pulled before: they are linked
            in place of being fetched, once their digest is seen to be right; of older shards
            only the rows that changed are fetched.

    Raises:
        IntegrityError: A blob is not what was published.
        StoreError: The folder cannot take the files.
    """
    tally = Tally(sum(file.size for file in version.files.values()), progress)
    with disk_faults(folder):
        folder.mkdir(parents=True, exist_ok=True)

    reader = Reader(store, version, near)

    def bring(name: str) -> None:
        path, file = _place(folder, name), version.files[name]
        if _is_there(path, file, tally.advance):
            return
        if _take_near(near.get(file.digest), file, path, tally.advance):
            return
        with disk_faults(path), partial_file(folder) as copy:
            reader.read(name, copy, tally.advance)
            Path(os.fsdecode(copy.name)).replace(path)

    each(bring, version.files, tally)
    return folder


def verify(store: Store, version: Version, progress: Progress) -> None:
    """Read every blob of a version.

    Raises:
        IntegrityError: Some are not what was published; names them all.
    """
    if faults := read_all(store, [version], progress).faults:
        raise IntegrityError("\n".join(fault.text for fault in faults))


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
