"""Rows of other toolchains than this environment keep to the same suites, in there."""

import html
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import yaml

from pipeline.cli import call
from pipeline.processes.setting import ROOT
from pipeline.toolchains import CURRENT, TOOLCHAINS, find_toolchain
from pipeline.toolchains.place import interpreter, is_built
from registry.catalog import Catalog
from registry.manifest import Version
from registry.store import open_store
from tests.servers import as_json, running
from tests.tiny_onnx import MODELS, feeds, write
from tests.toolchain_suites import run_suites

#: Those that have a runtime of their own; each with it.
OWN = {one.name: one.runtimes[0] for one in TOOLCHAINS if one.runtimes}
#: What is run inside of each: the rows of all tables, and what needs the toolchain to be tested.
ROWS = ("tests/conformance/test_targets.py", "tests/conformance/test_converters.py")
SUITES = dict.fromkeys(OWN, ROWS) | {
    "tensorflow": ("tests/unit/converters/sources/test_tensorflow_model.py",),
}


def built(name: str) -> str:
    """Skip a test of a toolchain that is not there; never where all are to be tested."""
    if not is_built(find_toolchain(name)) and not os.environ.get("CI"):
        pytest.skip(f"not built. Run: pipeline toolchain sync {name}")
    return name


@pytest.fixture(params=OWN)
def toolchain(request) -> str:
    return built(request.param)


def run_job(folder: Path, *targets: dict[str, str]) -> Version:
    """Build a tiny model for some targets, and return the version."""
    made = MODELS["mlp"]()
    write(made, folder)
    np.savez(folder / "samples.npz", **feeds(made, 32))
    job = {
        "schema": 1,
        "model": "tiny",
        "source": {"kind": "onnx", "file": "model.onnx"},
        "inputs": [
            {"name": "x", "dtype": "float32", "shape": ["batch", 6], "range": [-5.0, 5.0]},
        ],
        "axes": {"batch": {"min": 1, "max": 64}},
        "samples": {"file": "samples.npz", "rows": 32, "record": 8},
        "targets": list(targets),
        "parity": {
            "conversion": {"atol": 1e-5, "rtol": 1e-5, "because": "f32 sums in another order"}
        },
        "push": {"store": "store"},
    }
    (folder / "job.yaml").write_text(yaml.safe_dump(job))
    assert call(["run", str(folder / "job.yaml")]) == 0
    return Catalog(open_store(str(folder / "store"))).resolve("tiny")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", SUITES)
def test_its_rows_pass_the_suites_of_all_rows(name):
    done = run_suites(built(name), "-q", *SUITES[name])
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


@pytest.mark.timeout(900)
def test_one_job_builds_for_it_and_for_this_environment(toolchain, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PIPELINE_HOME", str(tmp_path / "home"))
    there = {"name": "there", "runtime": OWN[toolchain], "toolchain": toolchain}
    version = run_job(tmp_path, there, {"name": "here", "runtime": "onnxruntime"})
    assert [build.target for build in version.builds] == ["there", "here"]
    (use,) = version.lineage.toolchains
    row = find_toolchain(toolchain)
    assert (use.name, use.pins, use.support) == (toolchain, row.digest(), row.support)
    assert use.used_for == ("target there",)
    capsys.readouterr()
    assert call(["registry", "show", "tiny", "--store", str(tmp_path / "store")]) == 0
    shown = capsys.readouterr().out
    assert f"{toolchain} of pins {row.digest()}, for target there; support: {row.support}" in shown
    (page,) = tmp_path.glob("home/runs/tiny/*/report/index.html")
    assert f"Support: {row.support}." in html.unescape(page.read_text())
    assert all(parity.passed for build in version.builds for parity in build.parity)


@pytest.fixture(scope="module")
def two_openvinos(tmp_path_factory) -> tuple[Path, Version]:
    """A version that is built by two versions of OpenVINO, and the folder of its store."""
    older, folder = built("openvino-2025.4"), tmp_path_factory.mktemp("two")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIPELINE_HOME", str(folder / "home"))
        there = {"name": "there", "runtime": "openvino", "toolchain": older}
        return folder, run_job(folder, there, {"name": "here", "runtime": "openvino"})


def asked(folder: Path, python: str | Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Ask the version from an environment."""
    line = ["predict", "tiny", "--store", "store", "--input", "samples.npz", "--json", *options]
    return subprocess.run(
        [str(python), "-P", "-m", "pipeline.cli", *line, "--home", "cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.timeout(300)
def test_each_of_two_builds_is_made_and_validated_by_the_openvino_that_will_run_it(two_openvinos):
    _, version = two_openvinos
    there, here = version.builds
    contract = there.parts[0].contract
    assert (contract.at_least, contract.below) == ("2025.4", "2025.5")
    assert here.parts[0].contract.at_least.startswith("2026.")
    for build in (there, here):
        (part,) = build.parts
        assert part.artifact.maker.startswith(f"openvino {part.contract.at_least}.")
        assert {parity.in_force["runtime"] for parity in build.parity} == {part.artifact.maker}


@pytest.mark.timeout(300)
def test_a_host_takes_the_build_of_its_own_openvino_and_says_which(two_openvinos):
    folder, _ = two_openvinos
    older = interpreter(find_toolchain("openvino-2025.4"))
    answers = {}
    for python, target in ((older, "there"), (interpreter(find_toolchain(CURRENT)), "here")):
        done = asked(folder, python)
        assert done.returncode == 0, done.stderr
        answers[target] = json.loads(done.stdout)
        assert answers[target]["target"] == target
    assert answers["there"]["runtime"].startswith("openvino 2025.4")
    assert answers["there"]["outputs"] == answers["here"]["outputs"]


@pytest.mark.timeout(300)
def test_the_build_of_another_openvino_is_answered_with_from_its_toolchain(two_openvinos):
    folder, _ = two_openvinos
    done = asked(folder, interpreter(find_toolchain(CURRENT)), "--target", "there")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["runtime"].startswith("openvino 2025.4")


@pytest.mark.timeout(300)
def test_the_build_of_another_openvino_is_served_from_its_toolchain(two_openvinos):
    folder, _ = two_openvinos
    where = (folder / "store", folder / "served", "--target", "there")
    with running(*where, reference="tiny@1") as server:
        given = feeds(MODELS["mlp"](), 3)
        assert server.request("POST", "/v2/models/tiny/infer", as_json(given))[0] == 200
        told = json.loads(server.request("GET", "/v2/models/tiny")[2])["parameters"]
        assert told["runtime"].startswith("openvino 2025.4")


@pytest.mark.timeout(300)
def test_the_build_of_another_openvino_is_refused_by_name(two_openvinos, monkeypatch):
    folder, _ = two_openvinos
    monkeypatch.setenv("PIPELINE_ENTERED", "1")
    done = asked(folder, interpreter(find_toolchain(CURRENT)), "--target", "there")
    assert done.returncode == 16
    assert "Run: pip install 'openvino>=2025.4,<2025.5'" in done.stderr


#: Saves a model that looks a word up, and its table of 1,200 rows.
SAVE = """
import sys, tensorflow as tf
words = tf.constant([f"city {number}" for number in range(1199)])
rows = tf.lookup.KeyValueTensorInitializer(words, tf.range(1, 1200, dtype=tf.int64))
model = tf.Module()
model.words = tf.lookup.StaticHashTable(rows, 0)
model.cities = tf.Variable(tf.random.stateless_normal((1200, 4), (1, 2)), name="cities")
model.call = tf.function(
    lambda city: {"score": tf.reduce_sum(tf.gather(model.cities, model.words[city]), 1)},
    [tf.TensorSpec((None,), tf.string, "city")],
)
tf.saved_model.save(model, sys.argv[1], signatures=model.call)
"""


@pytest.mark.timeout(600)
def test_a_tensorflow_model_is_read_in_its_toolchain_and_served_without(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("PIPELINE_HOME", str(tmp_path / "home"))
    python = interpreter(find_toolchain(built("tensorflow")))
    subprocess.run([str(python), "-c", SAVE, str(tmp_path / "saved")], check=True)
    ids = {"cardinality": 1200}
    job = {
        "schema": 1,
        "model": "cities",
        "source": {"kind": "tensorflow", "saved_model": "saved"},
        "inputs": [{"name": "city", "dtype": "int64", "shape": ["batch"], "ids": ids}],
        "axes": {"batch": {"min": 1, "max": 64}},
        "targets": [{"name": "ort", "runtime": "onnxruntime"}],
        "parity": {
            "conversion": {"atol": 1e-5, "rtol": 1e-5, "because": "f32 sums in another order"}
        },
        "push": {"store": "store"},
    }
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job))
    assert call(["run", str(tmp_path / "job.yaml")]) == 0
    version = Catalog(open_store(str(tmp_path / "store"))).resolve("cities")
    (use,) = version.lineage.toolchains
    assert (use.name, use.used_for) == ("tensorflow", ("source",))
    assert [(table.name, table.rows) for table in version.tables] == [("cities", 1200)]
    assert version.ids is None
    (words,) = version.vocabularies
    assert words.file in version.files
    capsys.readouterr()
    assert call(["registry", "show", "cities", "--store", str(tmp_path / "store")]) == 0
    assert (
        "city takes ids of 1.2k words, in words/city.json; others are 0" in capsys.readouterr().out
    )
    np.savez(tmp_path / "ids.npz", city=np.arange(5))
    line = ["predict", "cities", "--store", str(tmp_path / "store"), "--json"]
    assert call([*line, "--input", str(tmp_path / "ids.npz")]) == 0
    assert json.loads(capsys.readouterr().out)["outputs"]["score"]["shape"] == [5]
