"""Of a table some of whose rows changed, these rows move, and the table comes back whole."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from registry import Catalog
from registry.errors import IntegrityError
from registry.layout import CORRUPT, PUBLISHING, blob_key
from registry.manifest import Version
from registry.patching.recipes import MOST_STEPS
from registry.progress import silent
from registry.store import Store, open_store
from tests.meter import Meter
from tests.places import Place
from tests.table_drafts import DIM, SHARD_ROWS, change_rows, some_rows, write_table_draft

SHARDS = 8
ROWS = some_rows(SHARDS * SHARD_ROWS)
SHARD = SHARD_ROWS * DIM * 4

pytestmark = pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)


def publish(catalog: Catalog, folder: Path, rows: np.ndarray, **near) -> Version:
    return catalog.publish(write_table_draft(folder, rows), folder, **near)


def files_by_digest(folder: Path, version: Version) -> dict[str, Path]:
    return {file.digest: folder / name for name, file in version.files.items()}


def publish_two(store: Store, folder: Path, share: float = 0.01) -> tuple[Version, Version]:
    catalog = Catalog(store)
    first = publish(catalog, folder, ROWS)
    return first, publish(catalog, folder, change_rows(ROWS, share, seed=1))


def check_pulled(catalog: Catalog, version: Version, draft: Path, out: Path, **near) -> None:
    catalog.pull(version, out, **near)
    for name in version.files:
        assert (out / name).read_bytes() == (draft / name).read_bytes(), name


def sweep(catalog: Catalog) -> None:
    sweeper = catalog.sweeper(timedelta(0))
    sweeper.sweep(sweeper.find(), silent)


def test_a_push_ships_the_rows_that_changed_however_they_are_scattered(place: Place, tmp_path):
    meter = Meter(place.open())
    catalog, draft, rows = Catalog(meter), tmp_path / "draft", ROWS
    publish(catalog, draft, rows)
    for seed in range(1, MOST_STEPS + 4):
        rows, meter.up = change_rows(rows, 0.01, seed), 0
        version = publish(catalog, draft, rows)
        assert 0 < len(version.recipes) <= SHARDS
        assert max(len(recipe.steps) for recipe in version.recipes.values()) <= MOST_STEPS
        # The tensors' names and shapes are a header of some 140 bytes for each shard.
        news = meter.up - 200 * SHARDS
        assert news < 0.02 * ROWS.nbytes or seed > MOST_STEPS
    assert Catalog(place.open()).version("ads", version.number) == version
    catalog.verify(version)
    check_pulled(catalog, version, draft, tmp_path / "out")


def test_a_push_reads_no_shard_out_of_the_store_that_the_host_has(place: Place, tmp_path):
    meter, rows = Meter(place.open()), ROWS
    catalog, draft = Catalog(meter), tmp_path / "draft"
    version = publish(catalog, draft, rows)
    for seed in (1, 2):
        older = catalog.pull(version, tmp_path / f"older-{seed}")
        rows, meter.down = change_rows(rows, 0.01, seed), 0
        version = publish(catalog, draft, rows, near=files_by_digest(older, version))
        assert (len(version.recipes), meter.down) == (SHARDS, 0)
    check_pulled(catalog, version, draft, tmp_path / "out")


@pytest.mark.parametrize("spoil", [lambda data: bytes(len(data)), lambda data: data[:-1]])
def test_a_push_compares_with_no_shard_that_was_changed_on_the_host(place: Place, tmp_path, spoil):
    catalog, draft = Catalog(place.open()), tmp_path / "draft"
    first = publish(catalog, draft, ROWS)
    older = catalog.pull(first, tmp_path / "first")
    name = "tables/items/000003.safetensors"
    (older / name).write_bytes(spoil((older / name).read_bytes()))
    near = files_by_digest(older, first)
    second = publish(catalog, draft, change_rows(ROWS, 0.01, seed=1), near=near)
    assert len(second.recipes) == SHARDS
    catalog.verify(second)
    check_pulled(catalog, second, draft, tmp_path / "out")


def test_a_pull_beside_an_older_version_fetches_the_rows_that_changed(place: Place, tmp_path):
    meter = Meter(place.open())
    first, second = publish_two(meter, tmp_path / "draft")
    catalog = Catalog(meter)
    older = catalog.pull(first, tmp_path / "first")
    meter.down = 0
    near = {older: first}
    check_pulled(catalog, second, tmp_path / "draft", tmp_path / "second", near=near)
    fetched = meter.down
    assert fetched - 200 * SHARDS < 0.02 * ROWS.nbytes
    assert catalog.diff(first, second).moved == fetched
    third = publish(catalog, tmp_path / "draft", change_rows(ROWS, 0.02, seed=2))
    meter.down, near = 0, {tmp_path / "second": second}
    check_pulled(catalog, third, tmp_path / "draft", tmp_path / "third", near=near)
    assert meter.down - 200 * SHARDS < 0.05 * ROWS.nbytes


def test_a_shard_that_was_changed_on_the_host_is_not_built_upon(place: Place, tmp_path):
    catalog = Catalog(place.open())
    first, second = publish_two(catalog.store, tmp_path / "draft")
    older = catalog.pull(first, tmp_path / "first")
    spoilt = older / next(iter(second.recipes))
    spoilt.write_bytes(bytes(spoilt.stat().st_size))
    near = {older: first}
    check_pulled(catalog, second, tmp_path / "draft", tmp_path / "second", near=near)


def test_a_spoilt_shard_of_the_host_is_not_taken_where_all_its_rows_are_laid(
    place: Place, tmp_path
):
    catalog = Catalog(place.open())
    _, second = publish_two(catalog.store, tmp_path / "draft")
    older = catalog.pull(second, tmp_path / "second")
    name = next(iter(second.recipes))
    spoilt = older / name
    spoilt.write_bytes(bytes(spoilt.stat().st_size))
    draft = write_table_draft(tmp_path / "draft", change_rows(ROWS, 0.01, seed=1))
    (tmp_path / "draft/builds/cpu/model.bin").write_bytes(b"other weights")
    third = catalog.publish(draft, tmp_path / "draft")
    assert (third.number, third.files[name]) == (3, second.files[name])
    near = {older: second}
    check_pulled(catalog, third, tmp_path / "draft", tmp_path / "third", near=near)


def test_rows_that_are_most_of_a_shard_are_shipped_as_the_shard(place: Place, tmp_path):
    catalog = Catalog(place.open())
    _, second = publish_two(catalog.store, tmp_path / "draft", share=0.6)
    assert second.recipes == {}
    check_pulled(catalog, second, tmp_path / "draft", tmp_path / "out")


def test_a_sweep_keeps_what_shards_are_made_of_as_long_as_they_are_used(place: Place, tmp_path):
    catalog = Catalog(place.open())
    _, second = publish_two(catalog.store, tmp_path / "draft")
    catalog.remove("ads", 1, who="ann", why="old")
    sweep(catalog)
    check_pulled(catalog, second, tmp_path / "draft", tmp_path / "out")
    publish(catalog, tmp_path / "draft", some_rows(len(ROWS), seed=9))
    catalog.remove("ads", 2, who="ann", why="old")
    sweep(catalog)
    base = next(iter(second.recipes.values())).base
    assert catalog.store.size(blob_key(base.digest)) is None
    catalog.verify(catalog.resolve("ads"))


@pytest.mark.parametrize("damage", [None, b"\1" * (SHARD + 80)], ids=["gone", "corrupt"])
def test_publishing_again_mends_shards_whose_base_is_lost(place: Place, tmp_path, damage):
    catalog, draft = Catalog(place.open()), tmp_path / "draft"
    _, second = publish_two(catalog.store, draft)
    name, recipe = next(iter(second.recipes.items()))
    place.overwrite(blob_key(recipe.base.digest), damage)
    for use in (catalog.verify, lambda version: catalog.pull(version, tmp_path / "pulled")):
        with pytest.raises(IntegrityError, match=f"{name}: .*{recipe.base.digest}"):
            use(second)
    assert publish(catalog, draft, change_rows(ROWS, 0.01, seed=1)) == second
    check_pulled(catalog, second, draft, tmp_path / "out")
    catalog.verify(second)
    assert catalog.store.children(CORRUPT) == ((recipe.base.digest,) if damage else ())
    third = publish(catalog, draft, change_rows(ROWS, 0.02, seed=3))
    assert name not in third.recipes
    catalog.verify(third)


def test_a_base_that_goes_while_rows_are_compared_is_not_counted_on(place: Place, tmp_path):
    class Leaky:
        """A store that loses a base just before the publisher announces what it needs."""

        def __init__(self, store: Store) -> None:
            self._store, self.url, self.base = store, store.url, ""

        def __getattr__(self, name: str):
            return getattr(self._store, name)

        def create(self, key: str, data: bytes) -> bool:
            if key.startswith(PUBLISHING) and self.base:
                place.overwrite(blob_key(self.base), None)
            return self._store.create(key, data)

    store = Leaky(place.open())
    first = publish(Catalog(store), tmp_path / "draft", ROWS)
    store.base = first.files["tables/items/000003.safetensors"].digest
    second = publish(Catalog(store), tmp_path / "draft", change_rows(ROWS, 0.01, seed=1))
    assert store.base not in {recipe.base.digest for recipe in second.recipes.values()}
    assert len(second.recipes) == SHARDS - 1
    Catalog(place.open()).verify(second)


def test_a_copy_ships_rows_where_the_other_store_has_the_shards(place: Place, tmp_path):
    catalog = Catalog(place.open())
    first, second = publish_two(catalog.store, tmp_path / "draft")
    other = Catalog(open_store(str(tmp_path / "other")))
    other.copy(first, catalog)
    copied = other.copy(second, catalog)
    assert (copied.number, copied.recipes) == (2, second.recipes)
    check_pulled(other, copied, tmp_path / "draft", tmp_path / "out")
    lonely = Catalog(open_store(str(tmp_path / "lonely")))
    copied = lonely.copy(second, catalog)
    assert (copied.number, copied.recipes) == (1, {})
    check_pulled(lonely, copied, tmp_path / "draft", tmp_path / "out-of-lonely")


def test_what_two_versions_differ_in_is_counted_by_rows(place: Place, tmp_path):
    catalog = Catalog(place.open())
    first, second = publish_two(catalog.store, tmp_path / "draft")
    [table] = catalog.diff(first, second).tables
    assert table.changed == round(0.01 * len(ROWS))
    assert table.bytes < 0.02 * ROWS.nbytes + 200 * SHARDS
    usage = catalog.usage().versions
    assert usage["ads", 2].own == table.bytes
