"""Where this host keeps the versions that it serves."""

from pathlib import Path

from registry.catalog import Catalog
from registry.manifest import Version
from registry.progress import Progress, silent


def folder_of(version: Version, cache: Path) -> Path:
    """Name the folder of a version; two stores' versions of one number do not share it."""
    return cache / "versions" / version.model / f"{version.number}-{version.fingerprint[:12]}"


def fetch(catalog: Catalog, version: Version, cache: Path, progress: Progress = silent) -> Path:
    """Bring a version into the cache; files that are there are verified, not fetched again."""
    return catalog.pull(version, folder_of(version, cache), progress)
