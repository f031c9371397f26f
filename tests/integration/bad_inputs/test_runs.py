"""Runs that meet one another, are killed, or find that the answers are not alike."""

import json
import os
import signal
import time

import numpy as np
import psutil
import pytest
from onnx.helper import make_node

from pipeline.caching import cache
from registry.catalog import Catalog
from registry.errors import ParityError, SourceError
from registry.store import open_store
from tests.bad_onnx import sound, write
from tests.bench import ROOT, SOUND, Bench

TORCH = {"kind": "torch", "path": str(ROOT / "tests")}


def test_a_parity_that_fails_leaves_the_report_and_publishes_nothing(bench):
    """Numbers leave the graph by a way that no export sees."""
    source = TORCH | {"factory": "bad_models:Escaping"}
    words = ("target ort does not answer like", "Nothing was pushed")
    said = bench.refuses_job(ParityError, *words, source=source)
    (line,) = [line for line in said.out.splitlines() if line.startswith("report:")]
    page = bench.folder / line.removeprefix("report:").strip()
    assert "ort" in page.read_text()
    record = json.loads((page.parent.parent / "run.json").read_text())
    assert record["outcome"] == "failed"
    assert record["error"]["exit_code"] == ParityError.exit_code


def test_an_original_that_answers_otherwise_each_time_is_refused(bench):
    nodes = [make_node("RandomUniformLike", ["x"], ["y"], name="dice")]
    words = ("output 'y' is drawn at random", "asked again")
    bench.refuses_job(SourceError, *words, **write(bench.folder, nodes))


def test_an_original_that_answers_nan_is_named_as_the_culprit(bench):
    nodes = [make_node("Log", ["x"], ["y"])]
    words = ("nan in the original", "the original itself", "`range`")
    said = bench.refuses_job(ParityError, *words, **write(bench.folder, nodes))
    assert "tolerance under" not in said.err, "no tolerance mends it"


@pytest.fixture
def two(tmp_path) -> Bench:
    made = Bench(tmp_path)
    made.write(**sound(tmp_path))
    return made


def test_two_runs_of_one_job_at_once_share_the_work_and_make_one_version(two):
    runs = [two.start("run", "job.yaml", "--json") for _ in range(2)]
    ended = [(run, *run.communicate(timeout=120)) for run in runs]
    for run, _, err in ended:
        assert run.returncode == 0, err
    results = [json.loads(out.splitlines()[-1]) for _, out, _ in ended]
    assert [result["version"] for result in results] == [1, 1]
    assert results[0]["report"] != results[1]["report"]
    for stage in ("split", "reference", "validate ort"):
        assert sorted(result["stages"][stage] for result in results) == ["cached", "done"]
    catalog = Catalog(open_store(str(two.store)))
    assert catalog.versions("ranker") == (1,)
    assert len(catalog.history("ranker", "candidate")) == 1


@pytest.mark.parametrize("stage", ["split", "validate ort", "push"])
def test_a_run_that_is_killed_goes_on_where_it_was(two, stage):
    run = two.start("run", "job.yaml", start_new_session=True)
    for line in run.stderr:
        if line.startswith(f"{stage}: started"):
            break
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    wait_for_the_workers_of(two)
    for entry in two.home.glob("cache/*/*/record.json"):
        assert cache.read_entry(entry.parent).files
    said = two.call("run", "job.yaml", "--json")
    assert said.code == 0, said.err
    result = json.loads(said.out.splitlines()[-1])
    before = list(result["stages"])[: list(result["stages"]).index(stage)]
    assert {result["stages"][name] for name in before} <= {"cached"}
    assert not list(two.home.rglob("*.partial"))
    catalog = Catalog(open_store(str(two.store)))
    assert catalog.versions("ranker") == (1,)
    catalog.verify(catalog.version("ranker", 1))
    assert catalog.channel("ranker", "candidate").version == 1


def wait_for_the_workers_of(bench: Bench) -> None:
    """Wait for the kernel to end what belonged to a killed run."""
    for _ in range(200):
        if not any(str(bench.home) in " ".join(command(each)) for each in psutil.process_iter()):
            return
        time.sleep(0.02)
    raise AssertionError("a worker outlives its run")


def command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_an_answer_of_a_killed_run_is_the_answer_of_a_whole_one(two):
    np.savez(two.folder / "asked.npz", x=np.full((2, 4), 0.5, "f4"))
    assert two.call("run", "job.yaml").code == 0
    said = two.call("predict", "ranker", "--input", "asked.npz", "--store", "store", "--json")
    assert json.loads(said.out)["outputs"]["y"]["max"] == pytest.approx(np.tanh(0.5))


def test_a_job_that_changes_while_it_runs_is_the_job_that_was_read(two):
    run = two.start("run", "job.yaml", "--json")
    for line in run.stdout:
        if '"split"' in line:
            break
    two.write(**(sound(two.folder) | {"model": "other", "push": SOUND["push"]}))
    out, err = run.communicate(timeout=120)
    assert run.returncode == 0, err
    assert json.loads(out.splitlines()[-1])["model"] == "ranker"
