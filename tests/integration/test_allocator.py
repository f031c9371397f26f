"""A server takes its memory from the allocator that its build asks for."""

import os
from pathlib import Path

import numpy as np
import orjson
import pytest

from pipeline.cli import call
from registry.catalog import Catalog
from registry.errors import ContractError
from registry.store import open_store
from targets.host.allocator import LIBRARIES, PACKAGES, library_of
from tests.built import with_part
from tests.servers import as_json, running
from tests.toolchain_suites import ROOT
from tests.versions import right_answer, some_requests, write_draft

#: Where `.ci/debs` unpacks packages without root.
UNPACKED = ROOT / ".services/debian/usr/lib/x86_64-linux-gnu"


@pytest.fixture(params=LIBRARIES)
def allocator(request, monkeypatch) -> str:
    """Name an allocator that is installed."""
    if UNPACKED.is_dir():
        monkeypatch.setenv("LD_LIBRARY_PATH", str(UNPACKED))
    try:
        library_of(request.param)
    except ContractError:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{request.param} is not installed. Run: .ci/debs {PACKAGES[request.param]}")
    return request.param


def publish(folder: Path, allocator: str, seed: int = 1, runtime: str = "onnxruntime") -> str:
    """Publish a version whose build asks for an allocator, and return the store's address."""
    draft_folder = folder / f"draft {seed}"
    draft_folder.mkdir()
    draft = write_draft(draft_folder, seed, runtimes=(runtime,))
    (build,) = draft.builds
    contract = build.parts[0].contract.model_copy(update={"allocator": allocator})
    builds = (with_part(build, contract=contract),)
    catalog = Catalog(open_store(str(folder / "store")))
    catalog.publish(draft.model_copy(update={"builds": builds}), draft_folder)
    return catalog.store.url


@pytest.mark.parametrize("runtime", ["onnxruntime", "openvino"])
def test_a_server_is_started_anew_with_the_allocator(runtime, allocator, tmp_path):
    store = publish(tmp_path, allocator, runtime=runtime)
    with running(store, tmp_path / "home", reference="ranker@1") as server:
        mapped = Path(f"/proc/{server.process.pid}/maps").read_text()
        assert any(f"/{file}" in mapped for file in LIBRARIES[allocator])
        inputs = some_requests(3)
        status, _, body = server.request("POST", "/v2/models/ranker/infer", as_json(inputs))
        assert status == 200
        answers = np.array(orjson.loads(body)["outputs"][0]["data"]).reshape(-1, 1)
        np.testing.assert_allclose(answers, right_answer(1, inputs), 1e-4, 1e-4)
        told = orjson.loads(server.request("GET", "/v2/models/ranker")[2])["parameters"]
        assert told["allocator"] == allocator


def test_a_rollout_says_which_allocator_the_server_has_and_not_its_own(allocator, tmp_path, capsys):
    store = publish(tmp_path, allocator)
    publish(tmp_path, "default", seed=2)
    catalog = Catalog(open_store(store))
    catalog.move("ranker", "production", 1, who="me", why="the first one")
    home = tmp_path / "home"
    with running(store, home):
        for version in (1, 2):
            where = ("--store", store, "--home", str(home))
            assert call(["rollout", f"ranker@{version}", *where]) == 0, capsys.readouterr().err
            *_, served, _ = (
                line for line in capsys.readouterr().out.splitlines() if "tidy" not in line
            )
            assert served.startswith("serve")
            assert f"; allocator {allocator}" in served
            other = "asks for default: start the server anew"
            assert served.endswith(other) is (version == 2)
