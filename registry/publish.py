"""Publish: blobs first, then the one object that makes them a version."""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from registry.cleaning.announce import RENEWED, announced
from registry.contents import find_files
from registry.digest import digest_file
from registry.disk import disk_faults
from registry.errors import IntegrityError
from registry.fingerprint import fingerprint
from registry.layout import blob_key, numbered, versions_prefix
from registry.manifest import Draft, File, Version
from registry.progress import Progress
from registry.quarantine import clear_marks, marked_corrupt
from registry.record import write_record
from registry.removal import removed_from
from registry.side_by_side import Tally, each
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


def bring(
    store: Store,
    files: Mapping[str, File],
    upload: Callable[[], None],
    commit: Callable[[], Version],
) -> Version:
    """Bring blobs into a store, and commit while no sweep can have taken any of them.

    Where that took long, it is done once more: then nearly all is there, and it is quick.
    """
    while True:
        start = time.monotonic()
        with announced(store, (file.digest for file in files.values())):
            upload()
            if time.monotonic() - start < RENEWED:
                return commit()


def upload_files(
    store: Store, files: Mapping[str, File], paths: Mapping[str, Path], progress: Progress
) -> None:
    """Bring the blobs of files into a store; those that are there, and right, are left alone."""
    once = {file.digest: (file, paths[name]) for name, file in files.items() if name in paths}
    tally = Tally(sum(file.size for file, _ in once.values()), progress)
    corrupt = marked_corrupt(store)

    def bring_one(blob: tuple[File, Path]) -> None:
        file, path = blob
        bring = store.replace if file.digest in corrupt else store.upload
        bring(blob_key(file.digest), path, file, tally.advance)

    each(bring_one, once.values(), tally)
    clear_marks(store, corrupt & once.keys())


def publish(
    store: Store,
    ready: Version,
    upload: Callable[[Mapping[str, File]], None],
) -> Version:
    """Make a version of one whose files are known, unless the newest answers from the same.

    Args:
        upload: Brings files into the store, by their names.
    """
    numbers = committed(store, ready.model)
    newest = _newest(store, ready.model, numbers)
    if newest is not None and newest.fingerprint == ready.fingerprint:
        there, wanted = newest, ready.files
        same = {name: file for name, file in there.files.items() if wanted.get(name) == file}
        return bring(store, same, lambda: upload(same), lambda: there)
    last = max(numbers, default=0)
    return bring(store, ready.files, lambda: upload(ready.files), lambda: claim(store, ready, last))


def _newest(store: Store, model: str, numbers: tuple[int, ...]) -> Version | None:
    """Read the newest version that is not removed, of those that a listing has shown."""
    gone = removed_from(store, model) if numbers else frozenset()
    left = [number for number in numbers if number not in gone]
    return read_committed(store, model, left[-1]) if left else None


def claim(store: Store, draft: Version, newest: int) -> Version:
    """Commit a version under the next free number, or find that a rival committed the same."""
    number = newest + 1
    while True:
        version = draft.model_copy(update={"number": number, "created": datetime.now(UTC)})
        key = numbered(versions_prefix(version.model), number)
        if store.create(key, write_record(version)):
            return version
        rival = read_committed(store, draft.model, number)
        if rival.fingerprint == draft.fingerprint:
            return rival
        number += 1
