"""Blobs that rot are read again, named and marked, and mended by right ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from registry import Catalog
from registry.errors import IntegrityError
from registry.layout import CORRUPT, blob_key
from registry.manifest import Version
from registry.store import Store, open_store
from tests.drafts import write_draft
from tests.places import Place

NAME = "builds/cpu/model.bin"
SAME_SIZE = b"WEIGHTS"

both_stores = pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)


class BadWire:
    """A store some of whose blobs come out wrong the first time."""

    def __init__(self, store: Store) -> None:
        self._store, self.url, self.read_before = store, store.url, set()

    def __getattr__(self, name: str):
        return getattr(self._store, name)

    def read(self, key: str) -> Iterator[bytes | memoryview]:
        chunks = list(map(bytes, self._store.read(key)))
        if key not in self.read_before:
            chunks[0] = bytes([chunks[0][0] ^ 1]) + chunks[0][1:]
        self.read_before.add(key)
        yield from chunks


def publish(store: Store, folder: Path) -> Version:
    return Catalog(store).publish(write_draft(folder), folder)


def spoil(place: Place, version: Version) -> str:
    digest = version.files[NAME].digest
    place.overwrite(blob_key(digest), SAME_SIZE)
    return digest


@both_stores
@pytest.mark.parametrize("find", ["pull", "verify"])
def test_publishing_again_mends_what_was_found(place: Place, tmp_path, find):
    catalog = Catalog(place.open())
    version = publish(place.open(), tmp_path / "draft")
    digest = spoil(place, version)
    with pytest.raises(IntegrityError, match=r"It is marked: publish again from the same files"):
        catalog.verify(version) if find == "verify" else catalog.pull(version, tmp_path / "out")
    assert place.open().children(CORRUPT) == (digest,)
    assert publish(place.open(), tmp_path / "draft") == version
    catalog.verify(version)
    pulled = catalog.pull(version, tmp_path / "out")
    assert (pulled / NAME).read_bytes() == b"weights"
    assert place.open().children(CORRUPT) == ()


@both_stores
def test_a_new_version_that_shares_the_blob_mends_it_too(place: Place, tmp_path):
    first = publish(place.open(), tmp_path / "draft")
    spoil(place, first)
    with pytest.raises(IntegrityError, match=NAME):
        Catalog(place.open()).verify(first)
    draft = write_draft(tmp_path / "draft", model="other")
    assert Catalog(place.open()).publish(draft, tmp_path / "draft").number == 1
    Catalog(place.open()).verify(first)


@both_stores
def test_a_copy_from_another_store_mends_it(place: Place, tmp_path):
    backup = Catalog(open_store(str(tmp_path / "backup")))
    catalog = Catalog(place.open())
    kept = publish(backup.store, tmp_path / "draft")
    version = catalog.copy(kept, backup)
    spoil(place, version)
    with pytest.raises(IntegrityError, match=NAME):
        catalog.verify(version)
    assert catalog.copy(kept, backup) == version
    catalog.verify(version)
    assert catalog.store.children(CORRUPT) == ()


def test_what_the_way_spoilt_is_fetched_again(tmp_path):
    store = open_store(str(tmp_path / "store"))
    version = publish(store, tmp_path / "draft")
    told: list[float] = []
    catalog = Catalog(BadWire(store))
    pulled = catalog.pull(version, tmp_path / "out", lambda done, *_: told.append(done))
    for name in version.files:
        assert (pulled / name).read_bytes() == (tmp_path / "draft" / name).read_bytes()
    assert max(told) == sum(file.size for file in version.files.values())
    Catalog(BadWire(store)).verify(version)
    assert store.children(CORRUPT) == ()


def test_says_that_it_may_not_mark_what_it_found(tmp_path):
    store = open_store(str(tmp_path / "store"))
    version = publish(store, tmp_path / "draft")
    (tmp_path / "store" / CORRUPT).write_text("a file is in the way")
    path = tmp_path / "store" / blob_key(version.files[NAME].digest)
    path.chmod(0o644)
    path.write_bytes(SAME_SIZE)
    with pytest.raises(IntegrityError, match=r"could not be marked as corrupt \(.*verify"):
        Catalog(store).verify(version)
