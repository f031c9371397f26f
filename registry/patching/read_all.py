"""Read all blobs of some versions, each once, and say what is wrong with them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from registry.layout import blob_key
from registry.manifest import File, Version
from registry.patching.needed import read_from
from registry.progress import Progress
from registry.read_blob import Named, fault_of
from registry.side_by_side import Tally, each
from registry.store.store import Store

#: A file of a version.
Use = tuple[Version, str]


@dataclass(frozen=True)
class BlobFault:
    """A blob that is not what was published.

    Attributes:
        uses: The files that are read from it.
    """

    uses: tuple[Use, ...]
    text: str


@dataclass(frozen=True)
class Reading:
    """What was read, and what is wrong with it."""

    blobs: int
    bytes: int
    faults: tuple[BlobFault, ...]


def read_all(store: Store, versions: Iterable[Version], progress: Progress) -> Reading:
    """Read all blobs of some versions; one that several share is read once."""
    blobs: dict[File, list[Use]] = {}
    for version in versions:
        for name in version.files:
            for blob in read_from(version, name):
                blobs.setdefault(blob, []).append((version, name))
    total = sum(blob.size for blob in blobs)
    tally = Tally(total, progress)
    named: list[Named] = [(uses[0][1], blob) for blob, uses in blobs.items()]
    texts = each(partial(fault_of, store, advance=tally.advance), named, tally)
    found = [
        BlobFault(_suffering(store, uses), text)
        for uses, text in zip(blobs.values(), texts, strict=True)
        if text
    ]
    return Reading(len(blobs), total, tuple(fault for fault in found if fault.uses))


def _suffering(store: Store, uses: Iterable[Use]) -> tuple[Use, ...]:
    """Leave out shards that need the blob no more, since the whole of them was brought back."""
    return tuple(use for use in uses if not _is_whole(store, *use))


def _is_whole(store: Store, version: Version, name: str) -> bool:
    file = version.files[name]
    if name not in version.recipes or store.size(blob_key(file.digest)) != file.size:
        return False
    return fault_of(store, (name, file), lambda _: None) is None
