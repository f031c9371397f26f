"""The stages, one after another in this process: real models, runtimes, files and store."""

import hashlib
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from safetensors.numpy import load_file

from pipeline.job.load import load_job
from pipeline.planning.tasks import Lineage, graph
from pipeline.processes.task import Task
from pipeline.stages.verdict import Validation, verdict
from registry import Catalog
from registry.errors import ContractError, ParityError
from registry.manifest import Version
from registry.progress import silent
from registry.store import open_store
from targets.host.cpu import host
from targets.parity.cases import read_cases
from targets.predictor import open_predictor
from tests import pieces
from tests.kept import write_record

MODEL = """
import torch
from torch import nn


class Tiny(nn.Module):
    def __init__(self, items, words):
        super().__init__()
        self.items = nn.Embedding(items, 8)
        self.words = nn.EmbeddingBag(words, 8, mode="mean", padding_idx=0)
        self.days = nn.Embedding(7, 4)
        self.body = nn.Sequential(nn.Linear(31, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, item, like, words, starts, day, numbers):
        pair = self.items(item) * self.items(like)
        together = torch.cat(
            [self.items(item), pair, self.words(words, starts), self.days(day), numbers], dim=1
        )
        scores = self.body(together)
        return torch.sigmoid(scores[:, 0]), scores


def build(items, words):
    torch.manual_seed(5)
    return Tiny(items, words)
"""

ITEMS, WORDS = 2000, 50

TOLERANCE = {"atol": 1e-5, "rtol": 1e-4, "because": "two small matrix products in f32"}

TARGETS = [
    {"name": "ov", "runtime": "openvino", "threads": 1},
    {"name": "ov-f16", "runtime": "openvino", "weights": "f16", "threads": 1},
    {"name": "ort", "runtime": "onnxruntime", "threads": 1},
]


def samples(rows=300):
    random = np.random.default_rng(3)
    sizes = np.arange(rows) % 4
    return {
        "item": random.integers(0, ITEMS, rows),
        "like": random.integers(0, ITEMS, rows),
        "words": random.integers(0, WORDS, int(sizes.sum())),
        "starts": np.cumsum(sizes) - sizes,
        "day": random.integers(0, 7, rows),
        "numbers": random.uniform(-1, 1, (rows, 3)).astype("f4"),
        "clicked": random.integers(0, 2, rows),
    }


def write_recommender(folder: Path) -> dict:
    """Write a torch recommender, its weights and samples, and return its job."""
    (folder / "tiny.py").write_text(MODEL)
    namespace = {}
    exec(MODEL, namespace)
    torch.save(namespace["build"](ITEMS, WORDS).state_dict(), folder / "weights.pt")
    np.savez(folder / "samples.npz", **samples())
    item = {"dtype": "int64", "shape": ["batch"], "ids": {"cardinality": ITEMS}}
    return {
        "schema": 1,
        "model": "tiny",
        "source": {
            "kind": "torch",
            "factory": "tiny:build",
            "args": {"items": ITEMS, "words": WORDS},
            "weights": "weights.pt",
        },
        "axes": {"batch": {"max": 512}, "total": {"min": 0, "max": 4096}},
        "inputs": [
            {"name": "item"} | item,
            {"name": "like"} | item,
            {
                "name": "words",
                "dtype": "int64",
                "shape": ["total"],
                "ids": {"cardinality": WORDS, "padding": 0},
            },
            {"name": "starts", "dtype": "int64", "shape": ["batch"], "offsets": "words"},
            {"name": "day", "dtype": "int64", "shape": ["batch"], "ids": {"cardinality": 7}},
            {"name": "numbers", "dtype": "float32", "shape": ["batch", 3], "range": [-1, 1]},
        ],
        "outputs": ["click", "scores"],
        "samples": {"file": "samples.npz", "labels": "clicked", "rows": 300, "record": 10},
        "split": {"tables": ["items*", "words*"], "shard_bytes": 16384},
        "targets": TARGETS,
        "parity": {
            "conversion": TOLERANCE,
            "precision": TOLERANCE | {"atol": 1e-3, "rtol": 1e-2},
            "metrics": [
                {"name": "auc", "output": "click", "max_drop": 0.01, "because": "noise of labels"}
            ],
        },
        "push": {"store": "store"},
    }


def write_onnx(folder: Path) -> dict:
    """Write an ONNX model without tables, and return its job."""
    pieces.write_dense(folder / "model")
    return {
        "schema": 1,
        "model": "plain",
        "source": {"kind": "onnx", "file": "model/model.onnx"},
        "axes": {"batch": {"max": 64}},
        "inputs": [
            {"name": one.name, "dtype": "float32", "shape": list(one.shape), "range": [-1, 1]}
            for one in pieces.DENSE.inputs
        ],
        "targets": [target for target in TARGETS if target["name"] != "ov-f16"],
        "parity": {"conversion": TOLERANCE},
        "push": {"store": "store"},
    }


def contents(folder: Path) -> dict[Path, str]:
    """Return the digest of every file below a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        path.relative_to(folder): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }


def flow(folder: Path, job: dict) -> dict[str, Path]:
    """Run a job's stages in their order; return the folder of each task's output."""
    path = folder / "job.yaml"
    path.write_text(yaml.safe_dump(job, sort_keys=False))
    lineage = Lineage(text=path.read_text(), source="a test", source_digest="0" * 64, who="ada")
    outs: dict[str, Path] = {}
    there = contents(folder)
    for number, node in enumerate(graph(load_job(path), folder, lineage)):
        outs[node.name] = folder / "outs" / f"{number}" / "output"
        outs[node.name].mkdir(parents=True)
        task = Task(
            name=node.name,
            stage=node.stage,
            inputs={role: outs[name] for role, name in node.reads.items()},
            options=node.options.model_dump(mode="json", by_alias=True),
            folder=folder,
        )
        run = import_module(f"pipeline.stages.{node.stage}").run
        run(Task.model_validate_json(task.model_dump_json()), outs[node.name], silent)
        write_record(outs[node.name])
        after = contents(folder)
        assert there.items() <= after.items(), f"{node.name} changed what was there"
        mine = (
            outs[node.name].parent.relative_to(folder),
            *[Path("store")] * (node.stage == "push"),
        )
        for added in after.keys() - there.keys():
            assert any(map(added.is_relative_to, mine)), f"{node.name} wrote {added}"
        there = after
    return outs


@pytest.fixture(scope="module")
def recommended(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recommender")
    return folder, flow(folder, write_recommender(folder))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("onnx")
    return folder, flow(folder, write_onnx(folder))


def validations(outs):
    return {
        name.removeprefix("validate "): Validation.model_validate_json(
            (out / "parity.json").read_bytes()
        )
        for name, out in outs.items()
        if name.startswith("validate ")
    }


def published(folder, name):
    catalog = Catalog(open_store(str(folder / "store")))
    version = catalog.resolve(f"{name}@candidate")
    return version, catalog.pull(version, folder / "pulled")


@pytest.mark.parametrize("made", ["recommended", "plain"])
def test_every_target_answers_like_the_original(made, request):
    _, outs = request.getfixturevalue(made)
    found = validations(outs)
    assert len(found) >= 2
    for name, validation in found.items():
        verdict(outs[f"validate {name}"] / "parity.json")
        assert [parity.kind for parity in validation.parity] == ["conversion", "precision"]
        assert all(not numbers.constant for one in validation.parity for numbers in one.outputs)


def test_ids_out_of_range_are_refused_by_the_original_and_the_targets_alike(recommended):
    _, outs = recommended
    cases = list(read_cases(outs["reference"]))
    refused = [case.name for case in cases if case.refused is not None]
    assert {name.split("one of ")[1].split(" is ")[0] for name in refused} == {
        "item",
        "like",
        "words",
        "day",
    }
    for validation in validations(outs).values():
        assert {parity.refused_alike for parity in validation.parity} == {len(refused)}


def test_samples_are_compared_in_batches_and_scored(recommended):
    _, outs = recommended
    names = [case.name for case in read_cases(outs["reference"]) if case.kind == "recorded"]
    assert names == ["samples 0 to 255", "samples 256 to 299"]
    for validation in validations(outs).values():
        before, after = validation.parity[0].metrics["auc(click)"]
        assert before == pytest.approx(after, abs=0.01)


def test_halved_weights_show_in_precision_alone(recommended):
    _, outs = recommended
    conversion, precision = validations(outs)["ov-f16"].parity
    assert max(numbers.max_abs for numbers in conversion.outputs) < 1e-5
    assert max(numbers.max_abs for numbers in precision.outputs) > 1e-5


def test_the_tables_are_cut_out_and_in_shards(recommended):
    folder, _ = recommended
    version, pulled = published(folder, "tiny")
    assert {table.keys[0]: (table.rows, table.dim) for table in version.tables} == {
        "items.weight": (ITEMS, 8),
        "words.weight": (WORDS, 8),
    }
    items = next(table for table in version.tables if table.rows == ITEMS)
    assert len(items.shards) == 4
    rows = np.concatenate([load_file(pulled / shard.file)["rows"] for shard in items.shards])
    weights = torch.load(folder / "weights.pt", weights_only=True)
    np.testing.assert_array_equal(rows, weights["items.weight"].numpy())
    assert [kept.table for kept in version.kept] == ["days"]


@pytest.mark.parametrize(("made", "name"), [("recommended", "tiny"), ("plain", "plain")])
def test_the_published_version_answers_what_it_recorded(made, name, request):
    folder, _ = request.getfixturevalue(made)
    version, pulled = published(folder, name)
    recorded = load_file(pulled / version.recorded)
    inputs = {key[6:]: array for key, array in recorded.items() if key.startswith("input/")}
    for build in version.builds:
        predictor = open_predictor(pulled, version, build.target)
        for output, array in predictor.predict(inputs).items():
            np.testing.assert_allclose(array, recorded[f"output/{output}"], rtol=1e-2, atol=1e-3)
        predictor.close()


def test_the_version_carries_as_many_samples_as_the_job_says(recommended):
    folder, _ = recommended
    version, pulled = published(folder, "tiny")
    assert load_file(pulled / version.recorded)["output/scores"].shape == (10, 2)
    assert (pulled / "job.yaml").read_text() == (folder / "job.yaml").read_text()
    assert version.lineage.tools.keys() >= {"python", "torch", "onnx", "openvino"}


def test_every_build_has_its_contract_and_its_parity(recommended):
    folder, _ = recommended
    version, pulled = published(folder, "tiny")
    assert [build.target for build in version.builds] == ["ov", "ov-f16", "ort"]
    for build in version.builds:
        files = (pulled / build.parts[0].artifact.folder).iterdir()
        assert build.parts[0].contract.memory >= sum(file.stat().st_size for file in files)
        assert all(parity.passed for parity in build.parity)


def test_an_onnx_source_is_shipped_to_its_own_runtime_as_it_is(plain):
    _, outs = plain
    assert [name for name in outs if name.startswith("convert")] == ["convert openvino_ir f32"]


def test_publishing_the_same_once_more_makes_no_version(plain):
    folder, outs = plain
    before = Version.model_validate_json((outs["push"] / "version.json").read_bytes())
    task = Task(
        name="push",
        stage="push",
        inputs={"assemble": outs["assemble"]},
        options={
            "store": "store",
            "endpoint": None,
            "channel": "candidate",
            "who": "bob",
        },
        folder=folder,
    )
    again = folder / "again"
    again.mkdir()
    import_module("pipeline.stages.push").run(task, again, silent)
    after = Version.model_validate_json((again / "version.json").read_bytes())
    assert (after.number, after.fingerprint) == (1, before.fingerprint)


def test_computing_in_bf16_shows_in_precision_alone_and_is_refused_by_a_cpu_without(tmp_path):
    job = write_onnx(tmp_path)
    isa = ["avx2", "fma", "avx512_bf16"]
    job["targets"] = [{"name": "bf16", "runtime": "openvino", "precision": "bf16", "isa": isa}]
    job["parity"]["precision"] = TOLERANCE | {"atol": 2e-2}
    if "avx512_bf16" not in host().flags:
        with pytest.raises(ContractError, match="its CPU has no avx512_bf16"):
            flow(tmp_path, job)
        return
    (validation,) = validations(flow(tmp_path, job)).values()
    conversion, precision = validation.parity
    assert (conversion.in_force["precision"], precision.in_force["precision"]) == ("f32", "bf16")
    assert conversion.outputs[0].max_abs < 1e-6
    assert precision.outputs[0].max_abs > 1e-4


def test_a_tolerance_of_nothing_stops_the_flow_before_anything_is_assembled(tmp_path):
    job = write_onnx(tmp_path)
    job["parity"]["conversion"] |= {"atol": 0, "rtol": 0}
    with pytest.raises(ParityError, match="target ov does not answer like the original"):
        flow(tmp_path, job)
    assert not list((tmp_path / "outs").rglob("draft.json"))
    assert not (tmp_path / "store").exists()
