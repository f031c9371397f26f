"""A push from a host without the older shards compares with marks of their rows."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from registry import Catalog
from registry.layout import ROWS, blob_key, rows_key
from registry.manifest import Version
from registry.patching.recipes import MOST_STEPS
from registry.progress import silent
from registry.store import open_store
from tests.meter import Meter
from tests.places import Place
from tests.table_drafts import SHARD_ROWS, change_rows, write_table_draft

SHARDS, DIM = 4, 64
TABLE = np.random.default_rng(3).random((SHARDS * SHARD_ROWS, DIM), np.float32)


def publish(catalog: Catalog, folder: Path, rows: np.ndarray) -> Version:
    return catalog.publish(write_table_draft(folder, rows), folder)


@pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)
def test_no_older_shard_is_read_however_many_pushes_there_were(place: Place, tmp_path):
    meter = Meter(place.open())
    catalog, rows = Catalog(meter), TABLE
    first = publish(catalog, tmp_path / "draft", rows)
    for seed in range(1, MOST_STEPS + 3):
        rows, meter.up, meter.down = change_rows(rows, 0.01, seed), 0, 0
        version = publish(catalog, tmp_path / "draft", rows)
        assert len(version.recipes) == SHARDS
        assert meter.down <= 0.2 * TABLE.nbytes  # the rows of the steps before
        assert meter.up <= 0.04 * TABLE.nbytes or seed > MOST_STEPS
    assert {recipe.base for recipe in version.recipes.values()} <= set(first.files.values())
    Catalog(place.open()).pull(version, tmp_path / "out")
    for name in version.files:
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "draft" / name).read_bytes()


@pytest.mark.parametrize("spoil", [None, b"", b"junk" * 20])
def test_where_marks_are_none_the_shards_are_read(tmp_path, spoil):
    store = open_store(str(tmp_path / "store"))
    meter = Meter(store)
    first = publish(Catalog(store), tmp_path / "draft", TABLE)
    for key in [entry.key for entry in store.entries(ROWS)]:
        store.remove([key])
        if spoil is not None:
            store.create(key, spoil)
    version = publish(Catalog(meter), tmp_path / "draft", change_rows(TABLE, 0.01, 1))
    assert len(version.recipes) == SHARDS
    assert meter.down >= TABLE.nbytes
    assert first.number + 1 == version.number
    Catalog(store).verify(version)


def test_marks_go_with_the_shard_and_narrow_rows_have_none(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    first = publish(catalog, tmp_path / "draft", TABLE)
    shards = [file.digest for name, file in first.files.items() if name.startswith("tables/")]
    assert {entry.key for entry in catalog.store.entries(ROWS)} == set(map(rows_key, shards))
    publish(catalog, tmp_path / "draft", TABLE + 1)
    publish(catalog, tmp_path / "draft", TABLE[:, :16] + 2)
    for number in (1, 2):
        catalog.remove("ads", number, who="ann", why="x")
    sweeper = catalog.sweeper(timedelta(0))
    sweeper.sweep(sweeper.find(), silent)
    assert catalog.store.size(blob_key(shards[0])) is None
    assert list(catalog.store.entries(ROWS)) == []


def test_a_table_that_changed_for_the_most_is_shipped_whole(tmp_path):
    meter = Meter(open_store(str(tmp_path / "store")))
    publish(Catalog(meter), tmp_path / "draft", TABLE)
    meter.down = 0
    version = publish(Catalog(meter), tmp_path / "draft", change_rows(TABLE, 0.9, 1))
    assert version.recipes == {}
    assert meter.down < 0.05 * TABLE.nbytes
    assert len(list(meter.entries(ROWS))) == 2 * SHARDS
