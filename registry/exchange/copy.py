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
from registry.manifest import Version
from registry.patching.made import Reader
from registry.progress import Progress
from registry.quarantine import clear_marks, marked_corrupt
from registry.read_blob import Named, read_blob
from registry.side_by_side import Tally, each
from registry.store.store import Store


def copy_version(source: Store, target: Store, version: Version, progress: Progress) -> Version:
    """Publish a version of a store in another, and return what it is there.

    Its number is the next free one there: numbers are given by each store. Blobs go by way of
    this host, each verified, and only those that the other store does not have.

    Raises:
        IntegrityError: A blob is not what was published.
    """
    reader = Reader(source, version)
    whole = version.model_copy(update={"recipes": {}})

    def lessen(newest: Version | None) -> Version:
        return whole if newest is None else _with_bases(target, version)

    def bring(blobs: Mapping[str, Named]) -> None:
        tally = Tally(sum(file.size for _, file in blobs.values()), progress)
        corrupt = marked_corrupt(target)

        def carry(named: Named) -> None:
            if not publish.is_kept(target, named[1], corrupt):
                _carry(reader, target, named)
            tally.advance(named[1].size)

        each(carry, blobs.values(), tally)
        clear_marks(target, corrupt & blobs.keys())

    return publish.publish(target, whole, publish.Delivery(lessen, bring))


def _with_bases(target: Store, version: Version) -> Version:
    """Leave out the recipes whose bases the other store does not have."""
    corrupt = marked_corrupt(target)
    recipes = {
        name: recipe
        for name, recipe in version.recipes.items()
        if publish.is_kept(target, recipe.base, corrupt)
    }
    return version.model_copy(update={"recipes": recipes})


def _carry(reader: Reader, target: Store, named: Named) -> None:
    """Take a blob over by way of a file of this host."""
    place = Path(tempfile.gettempdir())
    with disk_faults(place), tempfile.NamedTemporaryFile(buffering=0) as copy:
        with FileIO(os.dup(copy.fileno()), "r+b") as file:
            if reader.version.files[named[0]] == named[1]:
                reader.read(named[0], file)
            else:
                read_blob(reader.store, named, file, ignore)
        target.replace(blob_key(named[1].digest), Path(copy.name), named[1], ignore)
