"""Where this host keeps the versions that it serves."""

import re
from contextlib import suppress
from pathlib import Path

from registry.catalog import Catalog
from registry.errors import IntegrityError, StoreError
from registry.manifest import Version
from registry.progress import Progress, silent

_NAME = re.compile("[1-9][0-9]{0,17}-[0-9a-f]{12}")


def folder_of(version: Version, cache: Path) -> Path:
    """Name the folder of a version; two stores' versions of one number do not share it."""
    return cache / "versions" / version.model / f"{version.number}-{version.fingerprint[:12]}"


def fetch(catalog: Catalog, version: Version, cache: Path, progress: Progress = silent) -> Path:
    """Bring a version into the cache; what it shares with those that are there is linked.

    So a table that did not change is fetched once, and is in memory once beside the live version.
    """
    folder = folder_of(version, cache)
    near = {} if folder.is_dir() else _near(catalog, version, folder.parent)
    return catalog.pull(version, folder, progress, near=near)


def _near(catalog: Catalog, version: Version, folder: Path) -> dict[Path, Version]:
    """Find the versions of a model that this host has, the oldest first."""
    found: dict[Path, Version] = {}
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    for number in sorted(int(name.partition("-")[0]) for name in names if _NAME.fullmatch(name)):
        with suppress(StoreError, IntegrityError):  # another store's, or damaged there
            other = catalog.version(version.model, number)
            if (place := folder / f"{number}-{other.fingerprint[:12]}").is_dir():
                found[place] = other
    return found
