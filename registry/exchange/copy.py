"""A version of one store becomes one of another."""

import os
import tempfile
from collections.abc import Mapping
from io import FileIO
from pathlib import Path

from registry import publish
from registry.digest import ignore
from registry.disk import disk_faults
from registry.layout import blob_key
from registry.manifest import File, Version
from registry.progress import Progress
from registry.pull import read_blob
from registry.quarantine import clear_marks, marked_corrupt
from registry.side_by_side import Tally, each
from registry.store.store import Store


def copy_version(source: Store, target: Store, version: Version, progress: Progress) -> Version:
    """Publish a version of a store in another, and return what it is there.

    Its number is the next free one there: numbers are given by each store. Blobs go by way of
    this host, each verified, and only those that the other store does not have.

    Raises:
        IntegrityError: A blob is not what was published.
    """

    def bring(files: Mapping[str, File]) -> None:
        once = {file.digest: (name, file) for name, file in files.items()}
        tally = Tally(sum(file.size for _, file in once.values()), progress)
        corrupt = marked_corrupt(target)

        def carry(named: tuple[str, File]) -> None:
            key, file = blob_key(named[1].digest), named[1]
            if file.digest in corrupt or target.size(key) != file.size:
                _carry(source, target, named)
            tally.advance(file.size)

        each(carry, once.values(), tally)
        clear_marks(target, corrupt & once.keys())

    return publish.publish(target, version, bring)


def _carry(source: Store, target: Store, named: tuple[str, File]) -> None:
    """Take a blob over by way of a file of this host."""
    place = Path(tempfile.gettempdir())
    with disk_faults(place), tempfile.NamedTemporaryFile(buffering=0) as copy:
        file = FileIO(os.dup(copy.fileno()), "wb")
        with file:
            read_blob(source, named, file, ignore)
        target.replace(blob_key(named[1].digest), Path(copy.name), named[1], ignore)
