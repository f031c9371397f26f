"""What to say when a file cannot be read or written."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from registry.errors import PlatformError, ResourceError, StoreError

#: The disk, a quota or the limit of a file's size does not suffice.
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

_REMEDIES = {
    errno.EACCES: "Give this user the right to it",
    errno.EPERM: "Give this user the right to it",
    errno.EROFS: "Mount it writable, or take another folder",
    errno.ENOTDIR: "A file lies where a folder is needed: move it, or take another folder",
    errno.EEXIST: "A file lies where a folder is needed: move it, or take another folder",
    errno.EISDIR: "A folder lies where a file is needed: move it, or take another folder",
    errno.ENAMETOOLONG: "Take a shorter name",
    errno.ELOOP: "Links lead round in a circle here: mend them, or take another name",
    errno.ENOENT: "Name one that is there",
    errno.EMFILE: "Raise the limit of open files: ulimit -n 4096",
}


@contextmanager
def disk_faults(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into errors that name the file.

    Raises:
        ResourceError: The disk, the quota or the file size limit does not suffice.
        StoreError: Anything else.
    """
    try:
        yield
    except OSError as error:
        raise _told(error, path) from error


def _told(error: OSError, path: Path) -> PlatformError:
    name = error.filename2 or error.filename or path
    fault = f"{os.fsdecode(name) if isinstance(name, bytes) else name}: {error.strerror or error}"
    if error.errno in FULL:
        return ResourceError(f"{fault}. Free space on the disk of {path}, then run this again")
    return StoreError(f"{fault}. {remedy_of(error)}")


def remedy_of(error: OSError) -> str:
    """Say what mends a fault of the disk."""
    return _REMEDIES.get(error.errno or 0, "Mend this, then run it again")
