"""Rows of other toolchains than this environment keep to the same suites, in there."""

import os

import numpy as np
import pytest
import yaml

from pipeline.cli import call
from pipeline.toolchains import CURRENT, TOOLCHAINS
from pipeline.toolchains.place import is_built
from registry.catalog import Catalog
from registry.store import open_store
from targets import TARGETS
from tests.tiny_onnx import MODELS, feeds, write
from tests.toolchain_suites import run_suites

OWN = [one.name for one in TOOLCHAINS if one.name != CURRENT]
SUITES = ("tests/conformance/test_targets.py", "tests/conformance/test_converters.py")


@pytest.fixture(params=OWN)
def toolchain(request) -> str:
    row = next(row for row in TOOLCHAINS if row.name == request.param)
    if not is_built(row) and not os.environ.get("CI"):
        pytest.skip(f"not built. Run: pipeline toolchain sync {row.name}")
    return row.name


@pytest.mark.timeout(900)
def test_its_rows_pass_the_suites_of_all_rows(toolchain):
    done = run_suites(toolchain, "-q", *SUITES)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


@pytest.mark.timeout(900)
def test_one_job_builds_for_it_and_for_this_environment(toolchain, tmp_path, monkeypatch):
    monkeypatch.setenv("PIPELINE_HOME", str(tmp_path / "home"))
    made = MODELS["mlp"]()
    write(made, tmp_path)
    np.savez(tmp_path / "samples.npz", **feeds(made, 32))
    runtime = next(row.runtime for row in TARGETS if row.toolchain == toolchain)
    job = {
        "schema": 1,
        "model": "tiny",
        "source": {"kind": "onnx", "file": "model.onnx"},
        "inputs": [
            {"name": "x", "dtype": "float32", "shape": ["batch", 6], "range": [-5.0, 5.0]},
        ],
        "axes": {"batch": {"min": 1, "max": 64}},
        "samples": {"file": "samples.npz", "rows": 32, "record": 8},
        "targets": [
            {"name": "there", "runtime": runtime},
            {"name": "here", "runtime": "onnxruntime"},
        ],
        "parity": {
            "conversion": {"atol": 1e-5, "rtol": 1e-5, "because": "f32 sums in another order"}
        },
        "push": {"store": "store"},
    }
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job))
    assert call(["run", str(tmp_path / "job.yaml")]) == 0
    version = Catalog(open_store(str(tmp_path / "store"))).resolve("tiny")
    assert [build.target for build in version.builds] == ["there", "here"]
    assert list(version.lineage.toolchains) == ["there"]
    assert version.lineage.toolchains["there"]["toolchain"].startswith(f"{toolchain} ")
    assert all(parity.passed for build in version.builds for parity in build.parity)
