"""Models of every kind go through IPEX, in its toolchain."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from converters import torch_to_torch_graph
from converters.calibration import write_feeds
from converters.converter import ConvertOptions
from pipeline.toolchains import find_toolchain
from pipeline.toolchains.place import interpreter, is_built
from targets.host.cpu import host
from tests.composing import split_model
from tests.models import MODELS
from tests.tiny_onnx import MODELS as TINY
from tests.tiny_onnx import feeds, gates, heads, sums, write
from tests.toolchain_suites import ROOT

pytestmark = pytest.mark.timeout(900)

#: Of `tests.models`: sequences, crossed features, a mask, an image model, an LSTM.
SPLIT = ("dlrm", "din", "bert", "recurrent", "picture")
#: Of those, the ones that go to IPEX as torch exported them as well.
TORCH = ("dlrm", "bert", "picture")
SIZES = (1, 2, 7)
#: Int8 with scales that are found once: for CPUs without VNNI, and for those with it.
SEVEN, EIGHT = ({"weights": "i8", "calibrated": {"samples": 64, "bits": n}} for n in (7, 8))
#: What those that are split are asked for besides.
CALIBRATED = {"dlrm": [SEVEN], "bert": [SEVEN, EIGHT], "picture": [SEVEN], "recurrent": [SEVEN]}


@pytest.fixture(scope="module")
def python() -> Path:
    row = find_toolchain("ipex")
    if not is_built(row) and not os.environ.get("CI"):
        pytest.skip("not built. Run: pipeline toolchain sync ipex")
    return interpreter(row)


def inside(python: Path, *call: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [str(python), "-P", *call],
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        text=True,
    )


def write_cases(folder: Path, size: int, given: dict, wanted: dict) -> None:
    (folder / "cases").mkdir(exist_ok=True)
    named = {f"in/{name}": array for name, array in given.items()}
    named |= {f"out/{name}": array for name, array in wanted.items()}
    np.savez(folder / "cases" / f"{size}.npz", **named)


def write_fed(folder: Path, batches: list[dict]) -> None:
    """Write what a calibrate stage does."""
    rows = sum(len(next(iter(batch.values()))) for batch in batches)
    write_feeds(batches, rows, folder / "feeds")


def write_tiny(folder: Path, made: onnx.ModelProto, options: list[dict]) -> None:
    write(made, folder)
    reference = ReferenceEvaluator(made)
    for size in SIZES:
        given = feeds(made, size, seed=size)
        answers = reference.run(None, given)
        names = [output.name for output in made.graph.output]
        write_cases(folder, size, given, dict(zip(names, answers, strict=True)))
    write_fed(folder, [feeds(made, 32, seed=seed) for seed in (10, 11)])
    (folder / "options.json").write_text(json.dumps(options))


def write_split(folder: Path, name: str, scratch: Path, asked: list[dict]) -> None:
    """Write the dense part of a model, as ONNX and as a graph, and what the whole one answers."""
    model = MODELS[name]
    made = split_model(model, scratch)
    folder.mkdir(parents=True)
    options = {
        "axes": {axis: span.model_dump() for axis, span in model.axes.items()},
        "inputs": [given.model_dump(mode="json") for given in model.inputs],
    }
    asked = [options | one for one in (*asked, *CALIBRATED.get(name, ()))]
    (folder / "options.json").write_text(json.dumps(asked))
    batches = []
    for size in SIZES:
        arrays = model.arrays(size)
        known = {**arrays, **made.composed.vectors(arrays)}
        if size == SIZES[0]:
            made.composed.run_onnx(arrays)
            for file in scratch.glob("model.onnx*"):
                file.rename(folder / file.name)
        signature = made.composed.signature
        given = {tensor.name: known[tensor.name] for tensor in signature.inputs}
        batches.append(given)
        answers = (answer.numpy() for answer in made.original(arrays))
        names = [tensor.name for tensor in signature.outputs]
        write_cases(folder, size, given, dict(zip(names, answers, strict=True)))
    write_fed(folder, batches)
    if name in TORCH:
        graph = folder.with_name(f"{name} via torch")
        source = scratch / made.split.dense.folder
        known_of = ConvertOptions.model_validate(options)
        torch_to_torch_graph.convert(source, graph, known_of)
        shutil.copytree(folder / "cases", graph / "cases")
        shutil.copytree(folder / "feeds", graph / "feeds")
        (graph / "options.json").write_text(json.dumps(asked))


@pytest.fixture(scope="module")
def answers(python, tmp_path_factory) -> dict:
    """Convert all models in one process of the toolchain, and run them there."""
    folder = tmp_path_factory.mktemp("models")
    narrow = [{"weights": weights} for weights in ("f32", "bf16", "i8")]
    images = [{"layout": layout} for layout in ("auto", "contiguous", "channels_last")]
    write_tiny(folder / "mlp", TINY["mlp"](), [*narrow, SEVEN])
    write_tiny(folder / "convolution", TINY["convolution"](), [*images, *narrow[2:], SEVEN])
    write_tiny(folder / "integers", TINY["integers"](), narrow)
    write_tiny(folder / "gates", gates(), narrow[:1])
    write_tiny(folder / "heads", heads(), narrow[:1])
    write_tiny(folder / "sums", sums(), narrow[:1])
    for name in SPLIT:
        write_split(folder / name, name, tmp_path_factory.mktemp(name), [*narrow, images[-1]])
    done = inside(python, "-m", "tests.ipex_answers", str(folder))
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads((folder / "answers.json").read_text())


def lays_out_bf16() -> bool:
    """Tell whether IPEX can on this host; to compute fast in it takes avx512_bf16 as well."""
    flags = host().flags
    return "avx_ne_convert" in flags or {"avx512bw", "avx512vl", "avx512dq"} <= flags


def has_bf16_or_says_why_not(found: dict[str, Any]) -> None:
    if not lays_out_bf16():
        assert "this host's CPU has no avx512_bf16" in found["fault"]
        assert "or take precision: f32" in found["fault"]
        assert "prepack" not in found["fault"]
        return
    assert found["force"]["precision"] == "bf16"
    assert 1e-5 < max(found["errors"].values()) < 0.05


@pytest.mark.parametrize(
    "name", ["mlp", "convolution", "integers", "gates", "heads", "sums", *SPLIT]
)
def test_it_answers_like_the_original_at_every_size(answers, name):
    found = answers[name]["f32-auto"]
    assert len(found["errors"]) == len(SIZES)
    assert max(found["errors"].values()) < 2e-5
    assert found["faults"] == []
    assert found["force"]["precision"] == "f32"


@pytest.mark.parametrize(
    ("name", "operator"),
    [
        ("mlp", "ipex_prepack::mkl_sgemm_run"),
        ("dlrm", "ipex_prepack::mkl_sgemm_run"),
        ("bert", "ipex_prepack::mkl_sgemm_run"),
        ("convolution", "ipex_prepack::convolution_relu_run"),
        ("picture", "ipex_prepack::convolution_"),
    ],
)
def test_ipex_lays_out_the_weights(answers, name, operator):
    ran = answers[name]["f32-auto"]["operators"]
    assert any(kind.startswith(operator) for kind in ran), ran


@pytest.mark.parametrize("layout", ["contiguous", "channels_last"])
def test_images_may_be_laid_out_either_way(answers, layout):
    found = answers["convolution"][f"f32-{layout}"]
    assert max(found["errors"].values()) < 2e-5


def test_int8_quantises_products_and_is_read_back(answers):
    found = answers["mlp"]["i8-auto"]
    assert found["operators"]["quantized::linear_dynamic"] == 2
    assert found["force"]["precision"] == "i8"
    assert found["force"]["int8"] == "scales of each request"
    assert 1e-5 < max(found["errors"].values()) < 0.05


@pytest.mark.parametrize(
    ("name", "layers"),
    [
        ("mlp", {"aten::linear": 2}),
        ("convolution", {"aten::_convolution": 1}),
        ("dlrm", {"aten::linear": 3}),
        ("dlrm via torch", {"aten::linear": 3}),
        ("bert", {"aten::linear": 8}),
        ("bert via torch", {"aten::linear": 8}),
        ("picture", {"aten::_convolution": 2, "aten::linear": 1}),
        ("picture via torch", {"aten::_convolution": 2, "aten::linear": 1}),
    ],
)
def test_calibrated_int8_has_convolutions_too_at_every_size_of_the_batch(answers, name, layers):
    found = answers[name]["i8-auto-7"]
    assert len(found["errors"]) == len(SIZES)
    assert 1e-5 < max(found["errors"].values()) < 0.03
    assert layers.items() <= found["quantised"].items()
    assert found["operators"]["ipex::LlgaFusionGroup"] >= sum(layers.values())
    assert found["faults"] == []
    assert found["force"]["precision"] == "i8"
    assert found["force"]["int8"].startswith("7 bits, scales of ")


@pytest.mark.parametrize("name", ["bert", "picture"])
def test_calibrated_int8_takes_less_room(answers, name):
    assert answers[name]["i8-auto-7"]["bytes"] < 0.85 * answers[name]["f32-auto"]["bytes"]


def test_eight_bits_are_for_cpus_that_add_products_up_in_32(answers):
    """Which is why a target without VNNI has seven: nothing tells of the overflow."""
    worst = max(answers["bert"]["i8-auto-8"]["errors"].values())
    assert (worst < 0.03) == ("avx512_vnni" in host().flags)


def test_bf16_is_laid_out_where_the_cpu_can_and_refused_where_not(answers):
    found = answers["mlp"]["bf16-auto"]
    has_bf16_or_says_why_not(found)


@pytest.mark.parametrize(
    ("name", "asked", "missing"),
    [
        ("convolution", "i8-auto", "product by a stored matrix"),
        ("integers", "bf16-auto", "product by a stored matrix or convolution"),
        ("recurrent", "i8-auto-7", "product by a stored matrix or convolution"),
    ],
)
def test_a_precision_that_nothing_takes_is_refused(answers, name, asked, missing):
    said = answers[name][asked]["fault"]
    assert f"nothing in it would be computed in {asked[: asked.index('-')]}: " in said
    assert f"it has no {missing}. " in said
    assert "Take precision: f32" in said


@pytest.mark.parametrize("name", TORCH)
def test_the_road_of_torch_has_the_same_layers_and_answers(answers, name):
    found = answers[f"{name} via torch"]["f32-auto"]
    assert len(found["errors"]) == len(SIZES)
    assert max(found["errors"].values()) < 2e-5
    assert found["faults"] == []
    wanted = "ipex_prepack::convolution_" if name == "picture" else "ipex_prepack::mkl_sgemm_run"
    assert any(kind.startswith(wanted) for kind in found["operators"]), found["operators"]


@pytest.mark.parametrize("name", TORCH)
def test_the_road_of_torch_has_int8_and_layouts_as_well(answers, name):
    found = answers[f"{name} via torch"]["i8-auto"]
    assert found["operators"]["quantized::linear_dynamic"] >= 1
    assert found["force"]["precision"] == "i8"
    assert 1e-5 < max(found["errors"].values()) < 0.05
    laid = answers[f"{name} via torch"]["f32-channels_last"]
    assert max(laid["errors"].values()) < 2e-5


@pytest.mark.parametrize("name", TORCH)
def test_the_road_of_torch_has_bf16_where_the_cpu_can(answers, name):
    found = answers[f"{name} via torch"]["bf16-auto"]
    has_bf16_or_says_why_not(found)
