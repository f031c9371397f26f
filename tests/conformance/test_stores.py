"""Every kind of store does the same, over a real server too."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from registry.digest import digest_file, ignore
from registry.errors import IntegrityError, StoreError
from registry.manifest import File
from registry.store import STORES
from registry.store.store import LARGEST
from tests.places import Place

PART = 8 << 20


def read(store, key: str) -> bytes:
    return b"".join(bytes(chunk) for chunk in store.read(key))


def blob(folder: Path, data: bytes) -> tuple[Path, File]:
    path = folder / "blob"
    path.write_bytes(data)
    return path, digest_file(path)


def test_every_kind_of_store_is_tested():
    assert set(STORES) == {"file", "s3"}


def test_gives_back_what_was_created(store):
    assert store.create("a/b.json", b"bytes \x00\xff")
    assert store.get("a/b.json") == b"bytes \x00\xff"
    assert store.size("a/b.json") == 8


def test_creates_an_object_once_and_keeps_the_first(store):
    assert store.create("a", b"first")
    assert not store.create("a", b"second")
    assert not store.create("a", b"first")
    assert store.get("a") == b"first"


def test_of_sixteen_writers_at_once_one_wins_and_its_bytes_stay(place: Place):
    stores = [place.open() for _ in range(4)]
    with ThreadPoolExecutor(16) as pool:
        won = list(pool.map(lambda n: stores[n % 4].create("race", b"%d" % n), range(16)))
    assert won.count(True) == 1
    assert stores[0].get("race") == b"%d" % won.index(True)


def test_says_what_is_not_there(store):
    assert store.get("a/b") is None
    assert store.size("a/b") is None
    assert store.children("") == ()
    assert store.children("a/") == ()


def test_lists_one_level_in_order(store):
    for key in ("m/b/2", "m/a/1", "m/a/3", "m/c", "n/x"):
        store.create(key, b".")
    assert store.children("m/") == ("a", "b", "c")
    assert store.children("m/a/") == ("1", "3")
    assert set(store.children("")) >= {"m", "n"}


def test_lists_all_levels_with_sizes_and_times(store):
    keys = {"m/b/2": 1, "m/a/1": 2, "m/c": 3, "n/x": 4}
    start = datetime.now(UTC) - timedelta(seconds=2)
    for key, size in keys.items():
        store.create(key, b"." * size)
    found = {entry.key: entry for entry in store.entries("")}
    assert {key: found[key].size for key in keys} == keys
    assert all(start < found[key].modified < start + timedelta(minutes=5) for key in keys)
    assert {entry.key for entry in store.entries("m/")} == {"m/b/2", "m/a/1", "m/c"}
    assert list(store.entries("nowhere/")) == []
    asked: list[str] = []

    def is_wanted(key: str) -> bool:
        asked.append(key)
        return key == "m/c"

    assert list(store.entries("m/", is_wanted)) == [found["m/c"]]
    assert sorted(asked) == ["m/a/1", "m/b/2", "m/c"]


def test_removes_what_it_is_told_and_nothing_else(store):
    for key in ("m/a", "m/b", "m/c"):
        store.create(key, b".")
    store.remove(["m/a", "m/c", "m/never"])
    store.remove([])
    assert [entry.key for entry in store.entries("m/")] == ["m/b"]
    assert store.create("m/a", b"again")


def test_tidies_what_a_dead_upload_left_and_nothing_that_is_newer(place: Place):
    store = place.open()
    store.create("m/a", b".")
    place.begin_upload("m/b")
    assert store.tidy(datetime.now(UTC) - timedelta(hours=1)) == 0
    assert store.tidy(datetime.now(UTC) + timedelta(minutes=1)) == 1
    assert store.tidy(datetime.now(UTC) + timedelta(minutes=1)) == 0
    assert [entry.key for entry in store.entries("m/")] == ["m/a"]


@pytest.mark.parametrize("size", [0, 1, PART, PART + 1, 20 << 20])
def test_gives_back_a_blob_of_any_size(store, tmp_path, size):
    path, file = blob(tmp_path, os.urandom(size))
    moved: list[int] = []
    store.upload("blobs/x", path, file, moved.append)
    assert store.size("blobs/x") == size == sum(moved)
    assert hashlib.sha256(read(store, "blobs/x")).hexdigest() == file.digest


def test_leaves_a_blob_alone_that_is_there(store, tmp_path):
    path, file = blob(tmp_path, b"blob")
    store.upload("blobs/x", path, file, ignore)
    path.unlink()
    moved: list[int] = []
    store.upload("blobs/x", path, file, moved.append)
    assert moved == [4]


def test_replaces_a_blob_that_was_cut_short(place: Place, tmp_path):
    place.overwrite("blobs/x", b"bl")
    path, file = blob(tmp_path, b"blob")
    place.open().upload("blobs/x", path, file, ignore)
    assert read(place.open(), "blobs/x") == b"blob"


@pytest.mark.parametrize("size", [4, PART + 1])
def test_replaces_a_blob_of_the_right_size_when_told_to(place: Place, tmp_path, size):
    place.overwrite("blobs/x", bytes(size))
    path, file = blob(tmp_path, os.urandom(size))
    moved: list[int] = []
    place.open().replace("blobs/x", path, file, moved.append)
    assert read(place.open(), "blobs/x") == path.read_bytes()
    assert sum(moved) == size


@pytest.mark.parametrize("size", [100, PART + 100])
def test_refuses_a_file_that_changed_after_it_was_digested(store, tmp_path, size):
    path, file = blob(tmp_path, os.urandom(size))
    path.write_bytes(os.urandom(size))
    with pytest.raises(IntegrityError, match=r"blob changed while it was published.*publish again"):
        store.upload("blobs/x", path, file, ignore)
    assert store.size("blobs/x") is None


def test_an_upload_that_is_stopped_leaves_nothing(store, tmp_path):
    path, file = blob(tmp_path, os.urandom(3 * PART))

    def stop(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.upload("blobs/x", path, file, stop)
    assert store.size("blobs/x") is None
    assert store.children("") == ()


def test_names_a_blob_that_is_missing(store):
    with pytest.raises(IntegrityError, match="blobs/x is missing, though it was published"):
        read(store, "blobs/x")


def test_refuses_to_read_a_huge_object_into_memory(place: Place):
    place.overwrite("a", bytes(LARGEST + 1))
    with pytest.raises(IntegrityError, match=f"a has {LARGEST + 1} bytes"):
        place.open().get("a")


@pytest.mark.parametrize(
    ("key", "fault"),
    [
        ("", "is empty"),
        ("/etc/passwd", "is absolute"),
        ("a/../../b", "leads out of its folder"),
        ("..", "leads out of its folder"),
        ("a//b", "empty or"),
        ("a/./b", "empty or"),
        ("a\\b", "has a backslash"),
        ("a\nb", "cannot be shown"),
        ("a\x00b", "cannot be shown"),
        ("a\u202eb", "cannot be shown"),
        ("a" * 256, "is too long"),
        ("a/" * 400 + "b", "is too long"),
    ],
)
def test_refuses_a_key_that_could_lead_elsewhere(store, tmp_path, key, fault):
    for use in (
        store.get,
        store.size,
        lambda key: store.create(key, b"x"),
        lambda key: read(store, key),
    ):
        with pytest.raises(StoreError, match=fault):
            use(key)
    with pytest.raises(StoreError, match=fault):
        store.upload(key, tmp_path / "x", File(digest="0" * 64, size=1), ignore)
    if key:
        with pytest.raises(StoreError, match=fault):
            store.children(f"{key}/")
