"""What tests of several packages share: the stores, and the real server behind one of them."""

import signal
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from registry import Catalog
from registry.store import Store
from tests.places import Place, folder_place, s3_place
from tests.seaweed import Seaweed, seaweed

# Tests that a shell starts in the background ignore Ctrl-C, and so does all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seaweed]:
    """Run a real S3-compatible server for as long as the tests run."""
    with seaweed(tmp_path_factory.mktemp("seaweed")) as server:
        yield server


@pytest.fixture
def s3_environment(s3_server: Seaweed, monkeypatch: pytest.MonkeyPatch) -> Seaweed:
    """Set the credentials of the server, and hide those of the host."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    for name, text in s3_server.environment.items():
        monkeypatch.setenv(name, text)
    return s3_server


@pytest.fixture(params=["folder", "s3 over http", "s3 over https"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Give an empty place of each kind."""
    if request.param == "folder":
        return folder_place(tmp_path / "store")
    server: Seaweed = request.getfixturevalue("s3_environment")
    endpoint = server.https if request.param.endswith("https") else server.http
    return s3_place(endpoint, uuid4().hex)


@pytest.fixture
def store(place: Place) -> Store:
    """Open an empty store of each kind."""
    return place.open()


@pytest.fixture
def catalog(store: Store) -> Catalog:
    """Open an empty catalog in a store of each kind."""
    return Catalog(store)
