"""A bench whose store holds a version already, which no fault may touch."""

from pathlib import Path

import pytest

from registry.catalog import Catalog
from registry.store import open_store
from tests.bench import Bench
from tests.versions import publish


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder: Path = tmp_path_factory.mktemp("bench")
    made = Bench(folder)
    catalog = Catalog(open_store(str(made.store)))
    version = publish(catalog, folder / "drafts", 1, runtimes=("onnxruntime",))
    catalog.move("ranker", "candidate", version.number, who="somebody", why="it is sound")
    return made
