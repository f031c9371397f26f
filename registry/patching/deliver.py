"""Publish from a folder of this host: of shards, the rows that changed where that is less."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from registry.disk import disk_faults
from registry.manifest import Version
from registry.patching.made import Near
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

        def lessen(newest: Version) -> Version:
            cook = Cook(store, newest, Path(name), near)
            version = cook.cook(ready, paths)
            places.update(cook.written)
            return version

        def upload(blobs: Mapping[str, Named]) -> None:
            upload_blobs(store, blobs, places, progress)

        return publish(store, ready, Delivery(lessen, upload))
