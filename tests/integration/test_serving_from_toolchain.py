"""A version that only a toolchain's runtime can run is asked, rolled out and served from there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import orjson
import pytest
import yaml
from onnx.reference import ReferenceEvaluator

from pipeline.toolchains import find_toolchain
from pipeline.toolchains.place import is_built
from registry.catalog import Catalog
from registry.store import open_store
from tests.servers import as_json, running
from tests.tiny_onnx import MODELS, feeds, write
from tests.toolchain_suites import ROOT

pytestmark = pytest.mark.timeout(600)


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pipeline.cli", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PIPELINE_HOME": str(folder / "home")},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    """Publish a version that only IPEX can run, with its samples beside."""
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


def test_a_version_is_rolled_out_and_served_from_the_toolchain(published):
    said = command(published, "rollout", "ranker", "--store", "store", "--to", "local").stdout
    assert "ranker@production is version 1" in said
    store = Catalog(open_store(str(published / "store"))).store.url
    with running(store, published / "home", reference="ranker@production") as server:
        inputs = feeds(MODELS["mlp"](), 3)
        status, _, body = server.request("POST", "/v2/models/ranker/infer", as_json(inputs))
        assert status == 200
        found = np.array(orjson.loads(body)["outputs"][0]["data"]).reshape(-1, 2)
        wanted = ReferenceEvaluator(MODELS["mlp"]()).run(None, inputs)[0]
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)
        assert "is live on ipex-f32 (ipex 2.8" in server.log.read_text()
