"""Publish from a folder of this host: of shards, the rows that changed where that is less."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from registry.disk import disk_faults
from registry.manifest import Version
from registry.patching.made import Near
from registry.patching.marking import Shard, keep_marks, wide_shards
from registry.patching.recipes import Cook
from registry.progress import Progress
from registry.publish import Delivery, publish, upload_blobs
from registry.read_blob import Named
from registry.store.store import Store


def deliver(
    store: Store, ready: Version, paths: Mapping[str, Path], progress: Progress, near: Near
) -> Version:
    """Publish a version whose files are known.

    Args:
        paths: Where they lie, by their names.
        near: Files of this host, of versions that were published before.
    """
    places = {file.digest: paths[name] for name, file in ready.files.items()}
    scratch = Path(tempfile.gettempdir())
    with disk_faults(scratch), tempfile.TemporaryDirectory() as name:
        new: dict[str, Shard] = {}

        def lessen(newest: Version | None) -> Version:
            version = ready
            if newest is not None:
                cook = Cook(store, newest, Path(name), near)
                version = cook.cook(ready, paths)
                places.update(cook.written)
            new.update(_new_shards(version, newest, paths))
            return version

        def upload(blobs: Mapping[str, Named]) -> None:
            upload_blobs(store, blobs, places, progress)
            keep_marks(store, [shard for digest, shard in new.items() if digest in blobs])

        return publish(store, ready, Delivery(lessen, upload))


def _new_shards(
    version: Version, newest: Version | None, paths: Mapping[str, Path]
) -> dict[str, Shard]:
    """Return the shards that are shipped whole for the first time, by digest."""
    there = {file.digest for file in newest.files.values()} if newest else set()
    return {
        version.files[name].digest: Shard(version.files[name].digest, paths[name], width)
        for name, width in wide_shards(version).items()
        if name not in version.recipes and version.files[name].digest not in there
    }
