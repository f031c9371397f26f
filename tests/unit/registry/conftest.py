"""A catalog in a folder, and a version in it."""

from pathlib import Path

import pytest

from registry import Catalog
from registry.manifest import Version
from registry.store import open_store
from tests.drafts import write_draft


@pytest.fixture
def shelf(tmp_path: Path) -> Catalog:
    """Open an empty catalog in `tmp_path/store`."""
    return Catalog(open_store(str(tmp_path / "store")))


@pytest.fixture
def version(shelf: Catalog, tmp_path: Path) -> Version:
    """Publish a version from `tmp_path/draft`."""
    return shelf.publish(write_draft(tmp_path / "draft"), tmp_path / "draft")
