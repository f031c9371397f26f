"""A server takes its memory from the allocator that its build asks for."""

import os
from pathlib import Path

import numpy as np
import orjson
import pytest

from registry.catalog import Catalog
from registry.errors import ContractError
from registry.store import open_store
from targets.host.allocator import library_of
from tests.servers import as_json, running
from tests.toolchain_suites import ROOT
from tests.versions import right_answer, some_requests, write_draft

#: Where `.ci/debs` unpacks packages without root.
UNPACKED = ROOT / ".services/debian/usr/lib/x86_64-linux-gnu"


@pytest.fixture
def jemalloc(monkeypatch) -> None:
    if UNPACKED.is_dir():
        monkeypatch.setenv("LD_LIBRARY_PATH", str(UNPACKED))
    try:
        library_of("jemalloc")
    except ContractError:
        if os.environ.get("CI"):
            raise
        pytest.skip("jemalloc is not installed. Run: .ci/debs libjemalloc2")


def publish(folder: Path, allocator: str) -> str:
    """Publish a version whose build asks for an allocator, and return the store's address."""
    (folder / "draft").mkdir()
    draft = write_draft(folder / "draft", 1, runtimes=("onnxruntime",))
    (build,) = draft.builds
    contract = build.contract.model_copy(update={"allocator": allocator})
    builds = (build.model_copy(update={"contract": contract}),)
    catalog = Catalog(open_store(str(folder / "store")))
    catalog.publish(draft.model_copy(update={"builds": builds}), folder / "draft")
    return catalog.store.url


def test_a_server_is_started_anew_with_the_allocator(jemalloc, tmp_path):
    store = publish(tmp_path, "jemalloc")
    with running(store, tmp_path / "home", reference="ranker@1") as server:
        assert "/libjemalloc.so.2" in Path(f"/proc/{server.process.pid}/maps").read_text()
        inputs = some_requests(3)
        status, _, body = server.request("POST", "/v2/models/ranker/infer", as_json(inputs))
        assert status == 200
        answers = np.array(orjson.loads(body)["outputs"][0]["data"]).reshape(-1, 1)
        np.testing.assert_allclose(answers, right_answer(1, inputs), 1e-4, 1e-4)
