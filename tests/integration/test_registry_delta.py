"""Only what a store, or a host, does not have moves."""

import os
from pathlib import Path

import pytest

from registry import Catalog
from registry.composition import Shard
from registry.layout import BLOBS
from registry.manifest import Draft, Version
from tests.drafts import write_draft
from tests.meter import Meter
from tests.places import Place

SHARDS, SIZE = 64, 16 << 10

pytestmark = pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)


def draft_of(folder: Path, rows: bytes) -> Draft:
    """Write a draft whose table is mostly the whole of it."""
    draft = write_draft(folder, answer=rows[:1])
    shards = []
    for number in range(SHARDS):
        name = f"tables/items/{number:06d}.safetensors"
        (folder / name).write_bytes(rows[number * SIZE : (number + 1) * SIZE])
        shards.append(Shard(file=name, start=number * 10, rows=10))
    table = draft.tables[0].model_copy(update={"rows": SHARDS * 10, "shards": tuple(shards)})
    return draft.model_copy(update={"tables": (table,)})


def publish_two(place: Place, tmp_path: Path) -> tuple[Catalog, Meter, Version, Version]:
    """Publish a table, and again with 1% of its bytes changed in a row."""
    meter = Meter(place.open())
    catalog, rows = Catalog(meter), bytearray(os.urandom(SHARDS * SIZE))
    first = catalog.publish(draft_of(tmp_path / "draft", bytes(rows)), tmp_path / "draft")
    meter.up = 0
    at = 20 * SIZE + 100
    rows[at : at + len(rows) // 100] = os.urandom(len(rows) // 100)
    second = catalog.publish(draft_of(tmp_path / "draft", bytes(rows)), tmp_path / "draft")
    assert second.number == first.number + 1
    return catalog, meter, first, second


def test_a_push_ships_the_shards_that_changed(place: Place, tmp_path):
    _, meter, _, _ = publish_two(place, tmp_path)
    assert SIZE <= meter.up <= 2 * SIZE


def test_a_pull_beside_an_older_version_fetches_what_differs_and_shares_the_rest(
    place: Place, tmp_path
):
    catalog, meter, first, second = publish_two(place, tmp_path)
    older = catalog.pull(first, tmp_path / "first")
    meter.down = 0
    newer = catalog.pull(second, tmp_path / "second", near={older: first})
    assert SIZE <= meter.down <= 2 * SIZE
    for name in second.files:
        assert (newer / name).read_bytes() == (tmp_path / "draft" / name).read_bytes()
    same = "tables/items/000000.safetensors"
    assert (newer / same).samefile(older / same)


def test_a_file_that_was_changed_on_the_host_is_not_taken_over(place: Place, tmp_path):
    catalog, meter, first, second = publish_two(place, tmp_path)
    older = catalog.pull(first, tmp_path / "first")
    meter.down, spoilt = 0, "tables/items/000005.safetensors"
    (older / spoilt).write_bytes(bytes(SIZE))
    newer = catalog.pull(second, tmp_path / "second", near={older: first})
    assert (newer / spoilt).read_bytes() == (tmp_path / "draft" / spoilt).read_bytes()
    assert (older / spoilt).read_bytes() == bytes(SIZE)
    assert meter.down <= 3 * SIZE


def test_a_push_that_broke_off_ships_the_rest(place: Place, tmp_path):
    meter = Meter(place.open())
    catalog = Catalog(meter)
    draft = draft_of(tmp_path / "draft", os.urandom(SHARDS * SIZE))

    def stop(done: float, total: float, unit: str) -> None:
        if meter.up > SHARDS * SIZE / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        catalog.publish(draft, tmp_path / "draft", stop)
    assert catalog.models() == ()
    there = sum(entry.size for entry in meter.entries(BLOBS))
    assert there > SHARDS * SIZE / 3
    meter.up = 0
    version = catalog.publish(draft, tmp_path / "draft")
    whole = sum({file.digest: file.size for file in version.files.values()}.values())
    assert meter.up <= whole - there, "what others were still sending is there too"
    catalog.verify(version)
