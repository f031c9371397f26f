"""Publish: blobs first, then the one object that makes them a version."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from registry.changes import noted
from registry.cleaning.announce import RENEWED, announced
from registry.contents import find_files
from registry.digest import digest_file
from registry.disk import disk_faults
from registry.errors import IntegrityError
from registry.fingerprint import fingerprint
from registry.layout import blob_key, numbered, versions_prefix
from registry.manifest import Draft, File, Version
from registry.patching.needed import blobs_of, parts_of, without
from registry.progress import Progress
from registry.quarantine import clear_marks, marked_corrupt
from registry.read_blob import Named
from registry.record import write_record
from registry.removal import removed_from
from registry.side_by_side import Tally, ahead, each
from registry.store.store import Store
from registry.versions import committed, read_committed


def prepare(draft: Draft, folder: Path, progress: Progress) -> tuple[Version, dict[str, Path]]:
    """Digest a draft's folder: the version that it would be as number 1, and where its files lie.

    Raises:
        IntegrityError: The folder is not what a draft can have.
        StoreError: A file cannot be read.
    """
    with disk_faults(folder):
        paths = find_files(folder, draft)
        tally = Tally(sum(path.stat().st_size for path in paths.values()), progress)
        found = each(lambda path: digest_file(path, tally.advance), paths.values(), tally)
    files = dict(zip(paths, found, strict=True))
    mark = fingerprint(draft, files)
    fields = {name: getattr(draft, name) for name in Draft.model_fields}
    version = Version(**fields, number=1, created=datetime.now(UTC), fingerprint=mark, files=files)
    return version, paths


def check_expected(found: Mapping[str, File], expected: Mapping[str, File], folder: Path) -> None:
    """Refuse a folder that is not as it was made.

    Raises:
        IntegrityError: A file was changed or is gone; the message names all.
    """
    faults = [
        f"{name} {'was changed' if name in found else 'is gone'}"
        for name, file in expected.items()
        if name not in found or (found[name].digest, found[name].size) != (file.digest, file.size)
    ]
    if faults:
        raise IntegrityError(
            f"{folder} is not as it was made, and nothing was published: {'; '.join(faults)}. "
            "Make it again: pipeline run JOB --force"
        )


class GoneError(Exception):
    """Blobs that recipes count on are not in the store, or are corrupt there."""

    def __init__(self, digests: Collection[str]) -> None:
        super().__init__(digests)
        self.digests = digests


@dataclass(frozen=True)
class Delivery:
    """How the files of a version come into a store.

    Attributes:
        lessen: Gives the version recipes, if they are less, with regard to the newest version
            that there is.
        upload: Brings blobs, by digest; raises `GoneError` where one was to be there.
    """

    lessen: Callable[[Version | None], Version]
    upload: Callable[[Mapping[str, Named]], None]


def bring(
    store: Store, blobs: Mapping[str, Named], delivery: Delivery, commit: Callable[[], Version]
) -> Version:
    """Bring blobs into a store, and commit while no sweep can have taken any of them.

    Where that took long, it is done once more: then nearly all is there, and it is quick.
    """
    while True:
        start = time.monotonic()
        with announced(store, blobs):
            delivery.upload(blobs)
            if time.monotonic() - start < RENEWED:
                return commit()


def upload_blobs(
    store: Store, blobs: Mapping[str, Named], paths: Mapping[str, Path], progress: Progress
) -> None:
    """Bring blobs into a store; those that are there, and right, are left alone.

    Args:
        paths: Where they lie on this host, by digest. Those that lie nowhere are to be there.

    Raises:
        GoneError: One is not.
    """
    corrupt = marked_corrupt(store)
    counted_on = [file for digest, (_, file) in blobs.items() if digest not in paths]
    if lost := lost_of(store, counted_on, corrupt):
        raise GoneError(lost)
    once = {digest: file for digest, (_, file) in blobs.items() if digest in paths}
    tally = Tally(sum(file.size for file in once.values()), progress)

    def bring_one(file: File) -> None:
        bring = store.replace if file.digest in corrupt else store.upload
        bring(blob_key(file.digest), paths[file.digest], file, tally.advance)

    each(bring_one, once.values(), tally)
    clear_marks(store, corrupt & once.keys())


def lost_of(store: Store, files: Iterable[File], corrupt: Collection[str]) -> set[str]:
    """Return the digests of blobs that are not in a store, or are known to be corrupt there."""
    once = {file.digest: file for file in files}
    kept = ahead(lambda file: is_kept(store, file, corrupt), once.values(), width=8)
    return {digest for digest, is_there in zip(once, kept, strict=True) if not is_there}


def is_kept(store: Store, file: File, corrupt: Collection[str]) -> bool:
    """Say whether a blob is in a store, and not known to be corrupt."""
    return file.digest not in corrupt and store.size(blob_key(file.digest)) == file.size


def publish(store: Store, ready: Version, delivery: Delivery) -> Version:
    """Make a version of one whose files are known, unless the newest answers from the same."""
    numbers = committed(store, ready.model)
    newest = _newest(store, ready.model, numbers)
    if newest is not None and newest.fingerprint == ready.fingerprint:
        return bring(store, _to_mend(store, newest, ready), delivery, lambda: newest)
    version = delivery.lessen(newest)
    last = max(numbers, default=0)
    while True:
        try:
            return bring(store, blobs_of(version), delivery, partial(claim, store, version, last))
        except GoneError as error:
            version = without(version, error.digests)


def _to_mend(store: Store, there: Version, ready: Version) -> dict[str, Named]:
    """Return the blobs, of files that are the same, that an equal version may have lost.

    Of a shard that is made of others it is the whole, if any of them is lost.
    """
    parts = [part for recipe in there.recipes.values() for part in parts_of(recipe)]
    lost = lost_of(store, parts, marked_corrupt(store))
    made = without(there, lost).recipes
    return {
        file.digest: (name, file)
        for name, file in there.files.items()
        if ready.files.get(name) == file and name not in made
    }


def _newest(store: Store, model: str, numbers: tuple[int, ...]) -> Version | None:
    """Read the newest version that is not removed, of those that a listing has shown."""
    gone = removed_from(store, model) if numbers else frozenset()
    left = [number for number in numbers if number not in gone]
    return read_committed(store, model, left[-1]) if left else None


def claim(store: Store, draft: Version, newest: int) -> Version:
    """Commit a version under the next free number, or find that a rival committed the same."""
    number = newest + 1
    with noted(store, draft.model):
        while True:
            version = draft.model_copy(update={"number": number, "created": datetime.now(UTC)})
            key = numbered(versions_prefix(version.model), number)
            if store.create(key, write_record(version)):
                return version
            rival = read_committed(store, draft.model, number)
            if rival.fingerprint == draft.fingerprint:
                return rival
            number += 1
