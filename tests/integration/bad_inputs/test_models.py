"""Models that cannot be traced, converted or run as the job asks."""

import numpy as np
import pytest
from onnx.helper import make_node

from registry.errors import ConversionError, JobError, SourceError
from tests.bad_onnx import FOREIGN, write
from tests.bench import ROOT


def source(factory: str) -> dict[str, object]:
    path = str(ROOT / "tests")
    return {"kind": "torch", "factory": f"bad_models:{factory}", "path": path}


MODELS = {
    "with a batch baked in": ("Baked", SourceError, ("axis 'batch' is baked in", "bad_models.py:")),
    "with a batch baked into a weight": ("BakedWeight", SourceError, ("batch", "bad_models.py:")),
    "that branches on values": (
        "Branching",
        SourceError,
        ("bad_models.py:", "if x.sum() > 0", "torch.where"),
    ),
    "that answers in complex numbers": ("Complex", SourceError, ("'output'", "complex64")),
    "with an operator that ONNX lacks": (
        "Unsupported",
        ConversionError,
        ("bessel_j0", "module 'tower.1'", "Block", "has no ONNX form"),
    ),
}


@pytest.mark.parametrize("fault", MODELS)
def test_a_torch_model(bench, fault):
    factory, kind, words = MODELS[fault]
    bench.refuses_job(kind, *words, source=source(factory))


def test_an_onnx_file_with_a_batch_baked_in(bench):
    job = write(bench.folder, [make_node("Tanh", ["x"], ["y"])], batch=8)
    bench.refuses_job(SourceError, "'batch'", "x", "8", **job)


def test_an_onnx_file_whose_reshape_bakes_the_batch_in(bench):
    """The file calls the axis free, and a constant inside fixes it."""
    nodes = [
        make_node("Reshape", ["x", "shape"], ["wide"], name="flatten"),
        make_node("Tanh", ["wide"], ["y"]),
    ]
    job = write(bench.folder, nodes, {"shape": np.array([8, 4])})
    bench.refuses_job(SourceError, "batch", "flatten", **job)


def test_an_onnx_file_with_a_foreign_operator(bench):
    nodes = [
        make_node("Relu", ["x"], ["r"]),
        make_node("Fancy", ["r"], ["y"], name="tower/fancy", domain=FOREIGN),
    ]
    job = write(bench.folder, nodes)
    bench.refuses_job(SourceError, "com.example::Fancy", "tower/fancy", "model.onnx", **job)


def test_an_operator_that_openvino_lacks(bench):
    settings = ["bins", "length", "rate", "low", "high"]
    nodes = [
        make_node("MelWeightMatrix", settings, ["weights"], name="tower/mel"),
        make_node("MatMul", ["x", "weights"], ["y"]),
    ]
    numbers = (np.int64(4), np.int64(6), np.int64(8000), np.float32(0), np.float32(4000))
    arrays = {name: np.asarray(n) for name, n in zip(settings, numbers, strict=True)}
    job = write(bench.folder, nodes, arrays)
    targets = [{"name": "ov", "runtime": "openvino"}]
    words = ("job.yaml:", "target `ov`: ", "MelWeightMatrix", "tower/mel", "onnxruntime")
    bench.refuses_job(ConversionError, *words, targets=targets, **job)


def test_an_onnx_file_with_nan_in_a_weight(bench):
    bias = np.array([0, 1, np.nan, 2], "f4")
    job = write(bench.folder, [make_node("Add", ["x", "bias"], ["y"])], {"bias": bias})
    bench.refuses_job(SourceError, "weight 'bias' holds NaN", **job)


@pytest.mark.parametrize(
    ("runtime", "what"), [("openvino", "weights"), ("onnxruntime", "precision")]
)
def test_a_dtype_that_the_target_cannot_take(bench, runtime, what):
    """Found by the check already: nobody waits for a conversion to be told."""
    bench.write(targets=[{"name": "cpu", "runtime": runtime, what: "bf16"}])
    bench.refuses(JobError, "job.yaml:", what, "bf16", "`f32`", command=("run", "job.yaml"))


def test_bf16_for_cpus_that_are_not_said_to_have_it(bench):
    target = {"name": "ov", "runtime": "openvino", "precision": "bf16"}
    bench.write(targets=[target])
    words = ("job.yaml:", "bf16", "avx512_bf16", "isa")
    bench.refuses(JobError, *words, command=("run", "job.yaml"))
