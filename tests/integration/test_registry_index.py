"""A store of many versions has an index, which is a cache: what it says is what a listing says."""

import os
import time
from datetime import UTC, datetime, timedelta

import pytest

from registry import Catalog
from registry.changes import noted
from registry.errors import StoreError
from registry.layout import CHANGES, INDEX, MODELS, numbered, versions_prefix
from registry.listing import overview as module
from registry.listing.index import LASTS, Index, read_index
from registry.record import read_record, write_record
from registry.store import Store, open_store
from registry.web.reading import list_models
from tests.drafts import write_draft
from tests.places import Place


class Watched:
    """A store that notes which prefixes are listed, and may refuse to be written."""

    def __init__(self, store: Store, *, locked: bool = False) -> None:
        self._store, self.url, self.locked, self.listed = store, store.url, locked, []

    def __getattr__(self, name: str):
        def call(*arguments):
            if name == "entries":
                self.listed.append(arguments[0])
            if name in {"create", "remove"} and self.locked:
                raise StoreError("you may only read here")
            return getattr(self._store, name)(*arguments)

        return call


@pytest.fixture
def few_are_many(monkeypatch):
    """Keep an index of two versions too, and make it anew after one change."""
    monkeypatch.setattr(module, "MUCH", 2)
    monkeypatch.setattr(module, "_ENOUGH", 0)


def publish(store: Store, folder, model: str = "ads", answer: bytes = b"1") -> int:
    draft = write_draft(folder, model=model, answer=answer)
    return Catalog(store).publish(draft, folder).number


def aged(root, seconds: float) -> None:
    """Make all notes of changes older."""
    at = time.time() - seconds
    for path in (root / CHANGES).rglob("*"):
        os.utime(path, (at, at))


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)
def test_only_models_that_changed_are_listed(place: Place, tmp_path):
    store = Watched(place.open())
    catalog = Catalog(store)
    publish(place.open(), tmp_path / "draft")
    assert catalog.overview().versions == {"ads": (1,)}
    assert read_index(store) is None  # it is little
    publish(place.open(), tmp_path / "draft", "feed")
    Catalog(place.open()).move("feed", "production", 1, who="ann", why="x")
    first = catalog.overview()
    assert (first.versions, first.channels) == (
        {"ads": (1,), "feed": (1,)},
        {"feed": {"production": 1}},
    )
    Catalog(place.open()).remove("ads", 1, who="ann", why="x")
    publish(place.open(), tmp_path / "draft", "new")
    Catalog(place.open()).drop("feed", "production", who="ann", why="x")
    store.listed.clear()
    then = catalog.overview()
    assert MODELS not in store.listed
    assert (then.versions, then.channels) == ({"ads": (), "feed": (1,), "new": (1,)}, {})
    assert then == catalog.overview(anew=True)
    assert MODELS in store.listed


@pytest.mark.usefixtures("few_are_many")
def test_notes_that_are_over_go_into_the_index_and_younger_ones_stay(tmp_path):
    root = tmp_path / "store"
    store = Watched(open_store(str(root)))
    for number in (1, 2):
        publish(open_store(str(root)), tmp_path / "draft", answer=b"%d" % number)
    aged(root, 2 * 3600)
    Catalog(store).overview()
    assert list(open_store(str(root)).entries(CHANGES)) == []
    publish(open_store(str(root)), tmp_path / "draft", answer=b"3")
    for _ in range(2):  # it is young: the model is listed each time
        store.listed.clear()
        assert Catalog(store).overview().versions == {"ads": (1, 2, 3)}
        assert store.listed == [CHANGES, f"{MODELS}ads/"]
    aged(root, 2 * 3600)
    Catalog(store).overview()
    store.listed.clear()
    assert Catalog(store).overview().versions == {"ads": (1, 2, 3)}
    assert store.listed == [CHANGES]
    assert store.children(INDEX) == ("000001.json", "000002.json")


@pytest.mark.usefixtures("few_are_many")
def test_what_no_note_tells_of_is_seen_when_the_index_has_lasted(tmp_path):
    store = open_store(str(tmp_path / "store"))
    for number in (1, 2):
        publish(store, tmp_path / "draft", answer=b"%d" % number)
    Catalog(store).overview()
    publish(store, tmp_path / "draft", "other")
    for note in list(store.entries(CHANGES)):
        store.remove([note.key])
    assert list(Catalog(store).overview().versions) == ["ads"]
    key = numbered(INDEX, 1)
    index = read_record(store.get(key), key, Index, {"number": 1})
    old = index.model_copy(update={"listed": datetime.now(UTC) - LASTS - timedelta(seconds=1)})
    store.remove([key])
    store.create(key, write_record(old))
    assert list(Catalog(store).overview().versions) == ["ads", "other"]


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("spoil", [b"junk", b"{}", None])
def test_an_index_that_is_none_or_cannot_be_kept_is_done_without(tmp_path, spoil):
    store = open_store(str(tmp_path / "store"))
    for number in (1, 2):
        publish(store, tmp_path / "draft", answer=b"%d" % number)
    aged(tmp_path / "store", 3 * 24 * 3600)
    if spoil is None:
        locked = Watched(store, locked=True)
        assert Catalog(locked).overview().versions == {"ads": (1, 2)}
        assert store.children(INDEX) == ()
    else:
        store.create(numbered(INDEX, 1), spoil)
        assert Catalog(store).overview().versions == {"ads": (1, 2)}
        assert Catalog(store).overview(anew=True).versions == {"ads": (1, 2)}
        assert store.children(INDEX) == ("000002.json", "000003.json")


def test_notes_of_no_use_go_where_there_is_no_index(tmp_path):
    store = open_store(str(tmp_path / "store"))
    publish(store, tmp_path / "draft")
    assert len(list(store.entries(CHANGES))) == 1
    Catalog(store).overview()
    assert len(list(store.entries(CHANGES))) == 1
    aged(tmp_path / "store", 3 * 24 * 3600)
    Catalog(store).overview()
    assert list(store.entries(CHANGES)) == []


def test_a_change_that_took_long_is_noted_again(tmp_path, monkeypatch):
    store = open_store(str(tmp_path / "store"))
    with noted(store, "ads"):
        now = time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: now + 1801)
    assert len(list(store.entries(CHANGES))) == 2


def test_commands_list_the_whole_store_when_told(ads_catalog, registry_command, few_are_many):
    assert registry_command("ls")[1] == registry_command("ls", "--anew")[1]
    commit = ads_catalog.store.get(numbered(versions_prefix("ads"), 1))
    ads_catalog.store.create(numbered(versions_prefix("unnoted"), 1), commit)
    assert "unnoted" not in registry_command("ls")[1]
    assert "unnoted" in registry_command("ls", "--anew")[1]


@pytest.mark.usefixtures("few_are_many")
def test_pages_show_the_same_with_an_index_as_without(ads_catalog):
    ads_catalog.move("ads", "production", 2, who="ann", why="x")
    without = list_models(ads_catalog, "", 1)
    ads_catalog.overview()
    assert read_index(ads_catalog.store) is not None
    assert list_models(ads_catalog, "", 1) == without
    ads_catalog.move("ads", "production", 1, who="ann", why="x")
    assert list_models(ads_catalog, "ad", 1).models[0].channels["production"] == 1
