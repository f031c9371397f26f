"""All models at a glance: by one listing, and what never changes read once."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from registry import Catalog
from registry.layout import numbered, versions_prefix
from registry.store import Store, open_store
from tests.drafts import write_draft
from tests.places import Place


class Counter:
    """A store that counts what is asked of it."""

    def __init__(self, store: Store) -> None:
        self._store, self.url, self.asked = store, store.url, []

    def __getattr__(self, name: str):
        def call(*arguments):
            self.asked.append(name)
            return getattr(self._store, name)(*arguments)

        return call


def fill(store: Store, folder: Path, models: tuple[str, ...] = ("ads", "feed")) -> None:
    """Publish two versions of each model, remove the first, and point a channel at the second."""
    catalog = Catalog(store)
    for model in models:
        for answer in (b"1", b"2"):
            draft = write_draft(folder, model=model, answer=answer)
            catalog.publish(draft, folder)
        catalog.remove(model, 1, who="ann", why="old")
        catalog.move(model, "production", 2, who="ann", why="new")


@pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)
def test_a_second_look_asks_for_a_listing_alone(place: Place, tmp_path):
    fill(place.open(), tmp_path / "draft")
    cache = tmp_path / "cache" / "stores.sqlite"
    look = ["entries", "children", "entries"]  # notes of changes, an index, all
    for expected in ([*look, "get", "get"], look):
        store = Counter(place.open())
        found = Catalog(store, cache=cache).overview()
        assert found.versions == {"ads": (2,), "feed": (2,)}
        assert found.channels == {"ads": {"production": 2}, "feed": {"production": 2}}
        assert store.asked == expected
    first = list(Catalog(place.open(), cache=cache).every())
    store = Counter(place.open())
    assert list(Catalog(store, cache=cache).every()) == first
    assert [(version.model, version.number) for version in first] == [("ads", 2), ("feed", 2)]
    assert store.asked == ["entries"]


@pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)
def test_what_is_new_is_seen_at_once(place: Place, tmp_path):
    catalog = Catalog(place.open(), cache=tmp_path / "stores.sqlite")
    assert catalog.overview().versions == {}
    fill(place.open(), tmp_path / "draft", ("ads",))
    assert catalog.overview().channels == {"ads": {"production": 2}}
    draft = write_draft(tmp_path / "draft", answer=b"3")
    Catalog(place.open()).publish(draft, tmp_path / "draft")
    catalog.move("ads", "production", 3, who="ann", why="newer")
    assert catalog.overview().versions == {"ads": (2, 3)}
    assert catalog.overview().channels == {"ads": {"production": 3}}


def test_a_store_that_was_made_anew_in_its_place_is_read_anew(tmp_path):
    cache = tmp_path / "stores.sqlite"
    for answer in (b"1", b"2"):
        store = open_store(str(tmp_path / "store"))
        draft = write_draft(tmp_path / "draft", answer=answer)
        published = Catalog(store).publish(draft, tmp_path / "draft")
        assert list(Catalog(store, cache=cache).every()) == [published]
        shutil.rmtree(tmp_path / "store")


@pytest.mark.parametrize("spoil", ["junk", "folder", "none"])
def test_a_cache_that_cannot_be_used_is_done_without(tmp_path, spoil):
    store = open_store(str(tmp_path / "store"))
    fill(store, tmp_path / "draft")
    cache = tmp_path / "stores.sqlite"
    if spoil == "junk":
        cache.write_bytes(b"no database" * 1000)
    elif spoil == "folder":
        cache.mkdir()
    catalog = Catalog(store, cache=None if spoil == "none" else cache)
    for _ in range(2):
        assert catalog.overview().versions == {"ads": (2,), "feed": (2,)}
        assert len(list(catalog.every("feed"))) == 1


def test_what_nobody_has_asked_for_in_a_month_leaves_the_cache(tmp_path):
    store, cache = open_store(str(tmp_path / "store")), tmp_path / "stores.sqlite"
    fill(store, tmp_path / "draft")
    catalog = Catalog(store, cache=cache)
    catalog.overview()
    assert len(list(catalog.every())) == 2
    with closing(sqlite3.connect(cache)) as database, database:
        before = database.execute("SELECT count(*), sum(length(data)) FROM kept").fetchone()
        database.execute("UPDATE kept SET day = day - 31")
    assert len(list(catalog.every("feed"))) == 1
    with closing(sqlite3.connect(cache)) as database:
        keys = [key for (key,) in database.execute("SELECT key FROM kept")]
    assert before[0] == 4
    assert keys == [numbered(versions_prefix("feed"), 2)]


def test_a_cache_of_an_earlier_release_is_begun_anew(tmp_path):
    store, cache = open_store(str(tmp_path / "store")), tmp_path / "stores.sqlite"
    fill(store, tmp_path / "draft")
    with closing(sqlite3.connect(cache)) as database, database:
        database.execute("CREATE TABLE objects (store TEXT, key TEXT, data BLOB)")
    counter = Counter(store)
    for _ in range(2):
        assert len(list(Catalog(counter, cache=cache).every())) == 2
    assert counter.asked.count("get") == 2


def test_the_commands_load_nothing_that_takes_its_time():
    code = "import sys, pipeline.commands.registry; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    slow = {"numpy", "safetensors", "boto3", "onnx", "model_signing", "targets.serving.server"}
    assert slow.isdisjoint(done.stdout.split())
