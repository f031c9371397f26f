"""Read blobs out of a store, and believe none of them before its digest is right."""

from functools import partial
from io import BytesIO, FileIO

from registry.digest import Advance, digest_of
from registry.errors import IntegrityError
from registry.layout import blob_key
from registry.manifest import File
from registry.partial_file import write_all
from registry.quarantine import CorruptBlobError, mark_corrupt
from registry.store.store import Store

Named = tuple[str, File]

#: What bytes are written into.
Copy = FileIO | BytesIO


def fault_of(store: Store, named: Named, advance: Advance) -> str | None:
    """Read one blob to its end, and say what is wrong with it."""
    try:
        read_blob(store, named, None, advance)
    except IntegrityError as error:
        return str(error)
    return None


def read_blob(store: Store, named: Named, copy: Copy | None, advance: Advance) -> None:
    """Read a blob to its end, into a file; once more where it comes out wrong.

    Raises:
        IntegrityError: It is not what was published, and is marked as corrupt in the store.
    """
    try:
        _read_once(store, named, copy, advance)
    except CorruptBlobError:
        if copy is not None:
            empty(copy)
        try:  # it may have been the way here; its bytes were counted
            _read_once(store, named, copy, lambda _: advance(0))
        except CorruptBlobError as error:
            remedy = mark_corrupt(store, named[1].digest, str(error))
            raise CorruptBlobError(f"{error}. {remedy}") from None


def empty(copy: Copy) -> None:
    """Begin a file anew."""
    copy.seek(0)
    copy.truncate()


def _read_once(store: Store, named: Named, copy: Copy | None, advance: Advance) -> None:
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
