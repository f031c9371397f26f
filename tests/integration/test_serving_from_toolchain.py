"""A version that only a toolchain's runtime can run is asked, rolled out and served from there."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import orjson
import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from onnx.reference import ReferenceEvaluator

from pipeline.toolchains import find_toolchain
from pipeline.toolchains.place import is_built
from registry.catalog import Catalog
from registry.errors import IntegrityError
from registry.layout import numbered, versions_prefix
from registry.signature import Axis
from registry.signing.signer import Signer
from registry.store import open_store
from tests.servers import Server, as_json, running
from tests.tiny_onnx import MODELS, feeds, write
from tests.toolchain_suites import ROOT

pytestmark = pytest.mark.timeout(600)


def tried(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pipeline.cli", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PIPELINE_HOME": str(folder / "home")},
        check=False,
        capture_output=True,
        text=True,
    )


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = tried(folder, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    """Publish a version in parts that only IPEX can run, with its samples beside."""
    if not is_built(find_toolchain("ipex")) and not os.environ.get("CI"):
        pytest.skip("not built. Run: pipeline toolchain sync ipex")
    folder = tmp_path_factory.mktemp("published")
    made = MODELS["mlp"]()
    write(made, folder)
    np.savez(folder / "samples.npz", **feeds(made, 32))
    job = {
        "schema": 1,
        "model": "ranker",
        "source": {"kind": "onnx", "file": "model.onnx"},
        "inputs": [{"name": "x", "dtype": "float32", "shape": ["batch", 6], "range": [-5.0, 5.0]}],
        "axes": {"batch": {"min": 1, "max": 64}},
        "samples": {"file": "samples.npz", "rows": 32, "record": 8},
        "split": {"parts": [{"name": "lower", "until": ["relu"]}, {"name": "upper"}]},
        "targets": [{"name": "ipex-f32", "runtime": "ipex"}],
        "parity": {
            "conversion": {"atol": 1e-5, "rtol": 1e-5, "because": "f32 sums in another order"}
        },
        "push": {"store": "store"},
    }
    (folder / "job.yaml").write_text(yaml.safe_dump(job))
    command(folder, "run", "job.yaml")
    return folder


def test_predict_goes_into_the_toolchain_and_says_nothing_of_it(published):
    asked = ("predict", "ranker", "--input", "samples.npz", "--store", "store", "--json")
    done = command(published, *asked)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["target"] == "ipex-f32"
    assert found["runtime"].startswith("ipex 2.8")
    assert found["outputs"]["score"]["shape"] == [32, 2]
    assert "Warning" not in done.stderr


def test_both_parts_run_there_and_are_held_against_what_they_were(published):
    version = Catalog(open_store(str(published / "store"))).version("ranker", 1)
    (build,) = version.builds
    assert [(part.name, part.runtime) for part in build.parts] == [
        ("lower", "ipex"),
        ("upper", "ipex"),
    ]
    page = next(published.glob("home/runs/ranker/*/report/index.html")).read_text()
    assert "by itself off by" in page


def test_a_version_is_rolled_out_and_served_from_the_toolchain(published):
    said = command(published, "rollout", "ranker", "--store", "store", "--to", "local").stdout
    assert "ranker@production is version 1" in said
    store = Catalog(open_store(str(published / "store"))).store.url
    with running(store, published / "home", reference="ranker@production") as server:
        inputs = feeds(MODELS["mlp"](), 3)
        found = answers(server, inputs)
        wanted = ReferenceEvaluator(MODELS["mlp"]()).run(None, inputs)[0]
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)
        assert "is live on ipex-f32 (ipex 2.8" in server.log.read_text()


def answers(server: Server, inputs: dict[str, np.ndarray]) -> np.ndarray:
    """Ask for the scores, and return them."""
    status, _, body = server.request("POST", "/v2/models/ranker/infer", as_json(inputs))
    assert status == 200
    return np.array(orjson.loads(body)["outputs"][0]["data"]).reshape(-1, 2)


def wait_until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


#: What `predict` is asked.
ASKED = ("predict", "ranker", "--input", "samples.npz", "--store", "store", "--json")


@pytest.fixture
def trusting(published, tmp_path, monkeypatch) -> Path:
    """Copy the store to a host that trusts one key, whose private half lies beside."""
    shutil.copytree(published / "store", tmp_path / "store")
    shutil.copy(published / "samples.npz", tmp_path)
    key = ec.generate_private_key(ec.SECP256R1())
    pem, form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    (tmp_path / "key.pub").write_bytes(key.public_key().public_bytes(pem, form))
    (tmp_path / "key").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    monkeypatch.setenv("PIPELINE_TRUST", str(tmp_path / "key.pub"))
    return tmp_path


def test_a_toolchain_believes_what_is_signed_and_nothing_else(trusting):
    catalog = Catalog(open_store(str(trusting / "store")))
    refused = tried(trusting, *ASKED)
    assert (refused.returncode, refused.stdout) == (IntegrityError.exit_code, "")
    assert "ranker@1 is not signed" in refused.stderr
    catalog.sign("ranker", 1, Signer(trusting / "key"))
    assert json.loads(command(trusting, *ASKED).stdout)["runtime"].startswith("ipex 2.8")
    commit = trusting / "store" / numbered(versions_prefix("ranker"), 1)
    commit.chmod(0o644)
    commit.write_bytes(commit.read_bytes().replace(b"another order", b"no order"))
    refused = tried(trusting, *ASKED)
    assert refused.returncode == IntegrityError.exit_code
    assert "what is signed are other bytes" in refused.stderr


def test_a_server_in_a_toolchain_follows_its_channel_to_signed_versions_alone(trusting):
    catalog = Catalog(open_store(str(trusting / "store")))
    catalog.sign("ranker", 1, Signer(trusting / "key"))
    catalog.move("ranker", "production", 1, who="me", why="the first one")
    first = catalog.version("ranker", 1)
    other = first.model_copy(update={"axes": {"batch": Axis(min=1, max=63)}})
    catalog.publish(other, catalog.pull(first, trusting / "pulled"))
    where = (catalog.store.url, trusting / "home", "--poll", "0.2")
    with running(*where, reference="ranker@production") as server:
        catalog.move("ranker", "production", 2, who="me", why="not signed yet")
        wait_until(lambda: "ranker@2 is not signed" in server.log.read_text())
        assert server.version() == "1"
        catalog.sign("ranker", 2, Signer(trusting / "key"))
        wait_until(lambda: server.version() == "2")


def test_calibrated_int8_in_parts_goes_live_behind_f32_and_back(published, tmp_path):
    shop = shutil.copytree(published, tmp_path / "shop")
    spread = np.random.default_rng(0).uniform(-5, 5, (256, 6)).astype(np.float32)
    np.savez(shop / "samples.npz", x=spread)
    job = yaml.safe_load((shop / "job.yaml").read_text())
    int8 = {"name": "ipex-i8", "precision": "i8", "calibration": {"samples": 256}}
    job["targets"] = [{"runtime": "ipex", **int8}]
    job["samples"]["rows"] = 256
    job["parity"]["precision"] = {"atol": 0.2, "rtol": 0, "because": "seven bits of answers near 5"}
    (shop / "job.yaml").write_text(yaml.safe_dump(job))
    store = ("--store", "store")
    command(shop, "rollout", "ranker@1", *store)
    catalog = Catalog(open_store(str(shop / "store")))
    where = (catalog.store.url, shop / "home", "--poll", "0.2")
    with running(*where, reference="ranker@production") as server:
        exact = answers(server, {"x": spread[:3]})
        command(shop, "run", "job.yaml")
        (build,) = catalog.version("ranker", 2).builds
        found = {parity.kind: parity.in_force["precision"] for parity in build.parity}
        assert found == {"conversion": "f32", "precision": "i8"}
        command(shop, "rollout", "ranker@2", *store)
        wait_until(lambda: server.version() == "2")
        off = np.abs(answers(server, {"x": spread[:3]}) - exact)
        assert 1e-4 < off.max() < 0.3
        command(shop, "rollback", "ranker", "--why", "off by too much", *store)
        wait_until(lambda: server.version() == "1")
        np.testing.assert_array_equal(answers(server, {"x": spread[:3]}), exact)
