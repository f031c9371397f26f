"""Sweeps take what nothing needs, and nothing else, whoever publishes meanwhile."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from registry import Catalog
from registry.cleaning import announce
from registry.cleaning.announce import announced
from registry.cleaning.records import SweepNotice
from registry.cleaning.sweep import Sweeper, Swept
from registry.errors import IntegrityError
from registry.layout import BLOBS, PUBLISHING, SWEEPING, blob_key, numbered, versions_prefix
from registry.manifest import Version
from registry.progress import silent
from registry.record import write_record
from tests.drafts import write_draft
from tests.killing import ended, in_child
from tests.places import Place

pytestmark = pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)

NOTHING, LONG = timedelta(0), timedelta(days=1)


def publish(catalog: Catalog, folder: Path, answer: bytes) -> Version:
    return catalog.publish(write_draft(folder, answer=answer), folder)


def sweep(catalog: Catalog, grace: timedelta = NOTHING) -> Swept:
    sweeper = Sweeper(catalog.store, grace)
    return sweeper.sweep(sweeper.find(), silent)


def blobs(catalog: Catalog) -> set[str]:
    return {entry.key.rpartition("/")[2] for entry in catalog.store.entries(BLOBS)}


def own(version: Version) -> str:
    """The blob that no other version of these tests has."""
    return version.files["builds/cpu/model.bin"].digest


def test_takes_what_only_removed_versions_had(catalog, tmp_path):
    first, second = (publish(catalog, tmp_path / "draft", answer) for answer in (b"1", b"22"))
    assert sweep(catalog).blobs == 0
    catalog.remove("ads", 1, who="ann", why="old")
    sweeper = Sweeper(catalog.store, NOTHING)
    garbage = sweeper.find()
    assert [entry.key for entry in garbage.blobs] == [blob_key(own(first))]
    assert blobs(catalog) >= {own(first)}, "to find is not to remove"
    assert sweeper.sweep(garbage, silent) == Swept(1, 1, 0, 0)
    assert blobs(catalog) == {file.digest for file in second.files.values()}
    catalog.verify(second)
    assert [entry.key for entry in catalog.store.entries(SWEEPING)] == []


def test_keeps_all_through_the_grace_period(catalog, tmp_path):
    first = publish(catalog, tmp_path / "draft", b"1")
    publish(catalog, tmp_path / "draft", b"2")
    catalog.remove("ads", 1, who="ann", why="old")
    assert sweep(catalog, LONG).blobs == 0
    catalog.verify(first)


def test_takes_blobs_of_a_push_that_failed_when_they_are_old(place: Place, tmp_path):
    catalog = Catalog(place.open())
    version = publish(catalog, tmp_path / "draft", b"1")
    orphan = "ab" * 32
    place.overwrite(blob_key(orphan), b"half a push")
    place.overwrite(f"{BLOBS}notes.txt", b"not ours")
    garbage = Sweeper(catalog.store, LONG).find()
    assert (len(garbage.blobs), len(garbage.young)) == (0, 1)
    assert len(garbage.needed) == len({file.digest for file in version.files.values()})
    assert sweep(catalog).blobs == 1
    assert "notes.txt" in blobs(catalog)


def test_keeps_a_removed_version_that_a_channel_points_to(place: Place, tmp_path):
    catalog = Catalog(place.open())
    first = publish(catalog, tmp_path / "draft", b"1")
    publish(catalog, tmp_path / "draft", b"2")
    catalog.remove("ads", 1, who="ann", why="old")
    place.overwrite(
        "models/ads/channels/production/000001.json",
        b'{"number":1,"channel":"production","version":1,"previous":null,"who":"bob",'
        b'"why":"a race","when":"2026-01-01T00:00:00Z"}',
    )
    assert sweep(catalog).blobs == 0
    assert catalog.resolve("ads@production") == first
    catalog.verify(first)


def test_takes_nothing_while_a_version_cannot_be_read(place: Place, tmp_path):
    catalog = Catalog(place.open())
    for answer in (b"1", b"2"):
        publish(catalog, tmp_path / "draft", answer)
    catalog.remove("ads", 1, who="ann", why="old")
    place.overwrite(numbered(versions_prefix("ads"), 2), b"{")
    before = blobs(catalog)
    with pytest.raises(IntegrityError, match="cannot be believed"):
        sweep(catalog)
    assert blobs(catalog) == before


def test_spares_what_a_publisher_has_announced_since(catalog, tmp_path):
    version = publish(catalog, tmp_path / "draft", b"1")
    publish(catalog, tmp_path / "draft", b"2")
    catalog.remove("ads", 1, who="ann", why="old")
    sweeper = Sweeper(catalog.store, NOTHING)
    garbage = sweeper.find()
    with announced(catalog.store, [own(version)]):
        assert sweeper.sweep(garbage, silent) == Swept(0, 0, 1, 0)
        assert own(version) in blobs(catalog)
    assert sweeper.sweep(garbage, silent).blobs == 1


def test_spares_what_was_published_again_since(catalog, tmp_path):
    publish(catalog, tmp_path / "draft", b"1")
    publish(catalog, tmp_path / "draft", b"2")
    catalog.remove("ads", 1, who="ann", why="old")
    sweeper = Sweeper(catalog.store, NOTHING)
    garbage = sweeper.find()
    again = publish(catalog, tmp_path / "draft", b"1")
    assert again.number == 3
    assert sweeper.sweep(garbage, silent).spared == 1
    catalog.verify(again)


def test_a_publisher_waits_for_a_sweep_of_what_it_needs(catalog, tmp_path):
    version = publish(catalog, tmp_path / "draft", b"1")
    publish(catalog, tmp_path / "draft", b"2")
    catalog.remove("ads", 1, who="ann", why="old")
    notice = f"{SWEEPING}x.json"
    digests = (own(version),)
    catalog.store.create(notice, write_record(SweepNotice(digests=digests, seconds=60)))
    with ThreadPoolExecutor(1) as pool:
        published = pool.submit(publish, catalog, tmp_path / "draft", b"1")
        while not list(catalog.store.entries(PUBLISHING)):
            assert not published.done()
        catalog.store.remove([blob_key(own(version))])
        assert not published.done()
        catalog.store.remove([notice])
        again = published.result(60)
    catalog.verify(again)


def test_a_sweep_of_other_blobs_keeps_nobody_waiting(catalog, tmp_path):
    notice = SweepNotice(digests=("ab" * 32,), seconds=3600)
    catalog.store.create(f"{SWEEPING}x.json", write_record(notice))
    assert publish(catalog, tmp_path / "draft", b"1").number == 1


def test_the_notice_of_a_sweep_that_died_holds_up_nobody_for_good(catalog, tmp_path, monkeypatch):
    monkeypatch.setattr(announce, "SLACK", 0)
    first = publish(catalog, tmp_path / "draft", b"1")
    publish(catalog, tmp_path / "draft", b"2")
    notice = SweepNotice(digests=(own(first),), seconds=0.5)
    catalog.store.create(f"{SWEEPING}x.json", write_record(notice))
    assert publish(catalog, tmp_path / "draft", b"1").number == 3


def test_a_sweep_that_was_killed_on_this_host_holds_up_nobody(place: Place, tmp_path, monkeypatch):
    """Else the publisher would wait for longer than any test may take."""
    catalog = Catalog(place.open())
    first = publish(catalog, tmp_path / "draft", b"1")
    publish(catalog, tmp_path / "draft", b"2")
    catalog.remove("ads", 1, who="ann", why="old")

    class Killed:
        """A store whose process is killed when it removes blobs."""

        def __init__(self) -> None:
            self._store = place.open()

        def __getattr__(self, name: str):
            return getattr(self._store, name)

        def remove(self, keys: list[str]) -> None:
            if keys[0].startswith(BLOBS):
                self._store.remove(keys[:1])
                os.kill(os.getpid(), signal.SIGKILL)
            self._store.remove(keys)

    def be_killed() -> None:
        sweeper = Sweeper(Killed(), NOTHING)
        sweeper.sweep(sweeper.find(), silent, window=1e6)

    assert not ended(in_child(be_killed))
    assert len(list(catalog.store.entries(SWEEPING))) == 1
    monkeypatch.setattr(announce, "AFTERMATH", 0.5)
    again = publish(catalog, tmp_path / "draft", b"1")
    assert own(again) == own(first)
    catalog.verify(again)


def test_publishing_leaves_no_announcement(catalog, tmp_path):
    publish(catalog, tmp_path / "draft", b"1")
    assert list(catalog.store.entries(PUBLISHING)) == []


def test_publishers_and_sweeps_at_once_lose_nothing(place: Place, tmp_path):
    """Versions of few different answers come and go, so that models drop and reuse blobs."""
    catalog = Catalog(place.open())
    done, count = threading.Event(), 4 if place.endpoint else 12

    def work(worker: int) -> list[Version]:
        own_catalog, made = Catalog(place.open()), []
        for turn in range(count):
            answer = b"%d" % ((worker + turn) % 3) * 1000
            folder = tmp_path / str(worker)
            draft = write_draft(folder, model=f"ads{worker}", answer=answer)
            made.append(own_catalog.publish(draft, folder))
            own_catalog.verify(made[-1])
            own_catalog.remove(draft.model, made[-1].number, who=f"{worker}", why="a turn is over")
        return made

    def keep_sweeping() -> int:
        own_catalog, taken = Catalog(place.open()), 0
        while not done.is_set():
            taken += sweep(own_catalog).blobs
        return taken

    with ThreadPoolExecutor(4) as pool:
        sweeping = pool.submit(keep_sweeping)
        workers = [pool.submit(work, worker) for worker in range(3)]
        try:
            assert all(len(worker.result()) == count for worker in workers)
        finally:
            done.set()
        assert sweeping.result() > 0
    last = publish(catalog, tmp_path / "last", os.urandom(10))
    sweep(catalog)
    catalog.verify(last)
    assert blobs(catalog) == {file.digest for file in last.files.values()}
