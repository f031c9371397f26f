"""Every example job is planned, run, published and answers, from its real model and data."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.stages.verdict import Validation
from pipeline.toolchains import find_toolchain
from pipeline.toolchains.place import is_built
from registry import Catalog
from registry.store import open_store

ROOT = Path(__file__).resolve().parents[2]
JOBS = sorted((ROOT / "workflows" / "jobs").glob("*.yaml"))
TABLES = {
    "movielens": {"movies", "users"},
    "digits": set(),
    "minilm": {"bert.embeddings.word_embeddings"},
    "minilm-in-parts": {"bert.embeddings.word_embeddings"},
    "orientation": set(),
    "recognition": set(),
    "detection": set(),
    "voice": set(),
    "notes": set(),
}
#: What reads the source, besides the platform's own packages.
TOOLCHAINS = {"notes": "tensorflow"}
#: Where each part of a job in parts runs.
PARTS = {"minilm-in-parts": [("lower", "openvino-f32"), ("upper", "onnxruntime-f32")]}


#: What is built for IPEX besides f32, and what the job allows it.
INT8 = {"name": "ipex-i8", "runtime": "ipex", "precision": "i8", "calibration": {"samples": 256}}
NARROW = {
    "digits": (INT8, {"atol": 0.5, "rtol": 0, "because": "logits of order 10, in 7 bits"}, 0.01)
}


def for_ipex(text: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the job with IPEX in place of its targets."""
    text["targets"] = [{"name": "ipex-f32", "runtime": "ipex"}]
    for placed in text.get("placements", ()):
        placed |= {"name": "ipex-f32", "parts": dict.fromkeys(placed["parts"], "ipex-f32")}
    if name in NARROW:
        target, allowed, drop = NARROW[name]
        text["targets"].append(target)
        text["parity"]["precision"] = allowed
        text["parity"]["metrics"][0]["max_drop"] = drop
    return text


def builds_of(job: dict[str, list[dict[str, str]]]) -> list[str]:
    return [build["name"] for build in job.get("placements") or job["targets"]]


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [Path(sys.executable).parent / "pipeline", *arguments],
        cwd=folder,
        env={**os.environ, "CI": "true"},
        check=False,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    for part in ("jobs", "models"):
        shutil.copytree(ROOT / "workflows" / part, folder / "workflows" / part)
    (folder / "workflows" / "data").symlink_to(ROOT / "workflows" / "data")
    return folder


def need(toolchain: str) -> None:
    """Skip where a toolchain is not there; never where all of them are to be tested."""
    if not is_built(find_toolchain(toolchain)) and not os.environ.get("CI"):
        pytest.skip(f"not built. Run: pipeline toolchain sync {toolchain}")


def files_of(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}


def test_each_job_has_its_marks():
    assert {job.stem for job in JOBS} == set(TABLES)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.stem)
def test_is_planned_without_touching_anything(job, checkout):
    before = files_of(checkout)
    said = call(checkout, "plan", "--json", f"workflows/jobs/{job.name}").stdout
    planned = json.loads(said.splitlines()[-1])
    names = json.dumps(planned)
    assert all(f"validate {build}" in names for build in builds_of(yaml.safe_load(job.read_text())))
    assert files_of(checkout) == before


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.stem)
@pytest.mark.timeout(600)
def test_runs_publishes_and_answers(job, checkout):
    text = yaml.safe_load(job.read_text())
    if job.stem in TOOLCHAINS:
        need(TOOLCHAINS[job.stem])
    done = call(checkout, "run", f"workflows/jobs/{job.name}")
    for left_out in text["parity"].get("leave_out", ()):
        assert left_out["because"] in done.stdout
    catalog = Catalog(open_store(str(checkout / ".pipeline" / "store")))
    version = catalog.resolve(text["model"])
    catalog.verify(version)
    assert {table.keys[0].removesuffix(".weight") for table in version.tables} == TABLES[job.stem]
    assert [build.target for build in version.builds] == builds_of(text)
    for build in version.builds:
        wanted = PARTS.get(job.stem, [("dense", build.target)])
        assert [(part.name, part.target) for part in build.parts] == wanted
        assert [parity.kind for parity in build.parity] == ["conversion", "precision"]
        assert all(parity.passed and parity.cases > 5 for parity in build.parity)
    if "samples" in text:
        samples = job.parent / text["samples"]["file"]
        said = call(checkout, "predict", text["model"], "--input", str(samples), "--json").stdout
        assert text["outputs"][0] in said
    pages = checkout.glob(f".pipeline/runs/{text['model']}/*/report/index.html")
    by_both = any(target.get("via") == "torch" for target in text["targets"])
    assert ("Two roads" in max(pages).read_text()) == by_both


@pytest.mark.timeout(600)
@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.stem)
def test_is_built_for_ipex_too_and_answers_at_all_sizes(job, checkout):
    """What no target has a say in was done by the test above: the model is not read again."""
    need("ipex")
    text = for_ipex(yaml.safe_load(job.read_text()), job.stem)
    name = f"ipex-{job.stem}"
    (checkout / "workflows/jobs" / f"{name}.yaml").write_text(yaml.safe_dump(text))
    call(checkout, "run", f"workflows/jobs/{name}.yaml", "--until", "assemble")
    found = checkout.glob(f".pipeline/runs/{text['model']}/*/run.json")
    record = json.loads(max(found, key=lambda path: path.stat().st_mtime_ns).read_bytes())
    validations = [Validation.model_validate(one) for one in record["validations"]]
    assert len(validations) == len(text["targets"])
    for validation, parity in ((one, parity) for one in validations for parity in one.parity):
        assert {part.runtime for part in validation.parts} == {"ipex"}
        assert parity.passed
        assert parity.cases > 5
        assert parity.in_force["runtime"].startswith("ipex 2.8")


def test_the_first_job_of_an_image_model_with_open_sizes_passes_as_it_is(checkout):
    data = "workflows/data/orientation"
    given = ("--onnx", f"{data}/model.onnx", "--samples", f"{data}/patches.npz")
    call(checkout, "init", *given, "--model", "first", "--out", "first.yaml")
    call(checkout, "run", "first.yaml", "--until", "assemble")
    (record,) = checkout.glob(".pipeline/runs/first/*/run.json")
    found = [
        Validation.model_validate(one) for one in json.loads(record.read_bytes())["validations"]
    ]
    assert len(found) == 2
    assert all(one.passed for one in found)


def test_the_recommender_ranks_held_out_ratings_as_well_as_before(checkout):
    call(checkout, "run", "workflows/jobs/movielens.yaml")
    found = list(checkout.glob(".pipeline/runs/movielens-dlrm/*/run.json"))
    record = json.loads(max(found).read_bytes())
    for validation in map(Validation.model_validate, record["validations"]):
        for parity in validation.parity:
            (before, after) = next(iter(parity.metrics.values()))
            assert before > 0.7
            assert abs(before - after) < 1e-4
