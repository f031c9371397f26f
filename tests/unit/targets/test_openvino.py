"""What is particular to OpenVINO: forced precision, 32-bit integers, streams, no calls home."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import openvino
import pytest
from onnx import TensorProto, numpy_helper
from onnx.helper import make_node

from converters.converter import ConvertOptions
from converters.onnx_to_openvino import convert
from registry.errors import ContractError, InputError
from registry.signature import Precision
from targets.host.cpu import host
from targets.openvino import TARGET, OpenvinoRunner, load
from targets.target import ThreadPlan
from tests.tiny_onnx import MODELS, feeds, model, tensor, write

ONE = ThreadPlan(threads=1)


@pytest.fixture
def folder(tmp_path) -> Path:
    write(MODELS["mlp"](), tmp_path / "onnx")
    convert(tmp_path / "onnx", tmp_path / "ir", ConvertOptions())
    return tmp_path / "ir"


def run(script: str) -> str:
    """Run a program of its own; whether a module was imported, or memory grew, shows there."""
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def loaded(folder: Path, precision: Precision) -> OpenvinoRunner | str:
    """Load a model, or give what is said where that is refused."""
    try:
        return load(folder, precision, ONE)
    except ContractError as error:
        return str(error)


@pytest.mark.parametrize("precision", ["f32", "bf16", "f16"])
def test_the_precision_that_was_asked_for_is_in_force_or_refused(folder, precision):
    runner = loaded(folder, precision)
    if isinstance(runner, str):
        assert set(TARGET.precisions[precision]) - host().flags, "this CPU has what it takes"
        assert f"on this host, not in {precision}" in runner
        return
    assert runner.in_force()["precision"] == precision
    found = runner.run(feeds(MODELS["mlp"](), 3))["score"]
    exact = load(folder, "f32", ONE).run(feeds(MODELS["mlp"](), 3))["score"]
    np.testing.assert_allclose(found, exact, atol=1e-6 if precision == "f32" else 0.1)


def test_a_precision_that_the_cpu_lacks_is_refused(folder, monkeypatch):
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    script = f"""
        from pathlib import Path
        from registry.errors import ContractError
        from targets.openvino import load
        from targets.target import ThreadPlan
        try:
            load(Path({str(folder)!r}), "f16", ThreadPlan(threads=1))
        except ContractError as error:
            print(error)
    """
    said = run(dedent(script))
    assert "on this host, not in f16; build for" in said


def test_streams_and_their_threads_are_in_force(folder):
    force = load(folder, "f32", ThreadPlan(threads=1, streams=2)).in_force()
    assert (force["streams"], force["threads"]) == ("2", "2")
    assert force["pinned"] == "false"


@pytest.mark.parametrize("wrong", [2**31, -(2**31) - 1, 2**32, 2**62])
def test_integers_beyond_32_bits_are_refused_not_cut(tmp_path, wrong):
    made = MODELS["integers"]()
    write(made, tmp_path / "onnx")
    convert(tmp_path / "onnx", tmp_path / "ir", ConvertOptions())
    runner = load(tmp_path / "ir", "f32", ONE)
    inputs = feeds(made, 2)
    inputs["ids"][1, 3] = wrong
    with pytest.raises(InputError, match=f"ids: {wrong} does not fit into the 32 bits"):
        runner.run(inputs)
    inputs["ids"][1, 3] = 2**31 - 1
    runner.run(inputs)


def test_a_refusal_does_not_use_up_a_request(folder):
    runner = load(folder, "f32", ONE)
    for _ in range(3):
        with pytest.raises(InputError):
            runner.run({})
    runner.run(feeds(MODELS["mlp"](), 1))


def test_neither_loading_nor_converting_reports_to_the_maker(folder):
    script = f"""
import sys
from pathlib import Path
from converters.converter import ConvertOptions
from converters.onnx_to_openvino import convert
from targets.openvino import load
from targets.target import ThreadPlan
convert(Path({str(folder.parent / "onnx")!r}), Path({str(folder)!r}), ConvertOptions())
load(Path({str(folder)!r}), "f32", ThreadPlan(threads=1))
loaded = [name for name, module in sys.modules.items() if module]
print([name for name in loaded if "openvino_telemetry" in name])
"""
    told = run(script)
    assert told.strip() == "[]"


def test_memory_does_not_grow_with_the_number_of_shapes(tmp_path):
    script = f"""
import resource
from pathlib import Path
import numpy as np
from targets.openvino import load
from targets.target import ThreadPlan
runner = load(Path({str(tmp_path / "ir")!r}), "f32", ThreadPlan(threads=1))
def ask(sizes):
    for size in sizes:
        runner.run({{"x": np.zeros((size, 6), np.float32)}})
ask([1000, *range(1, 350)])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
ask(range(350, 700))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    write(MODELS["mlp"](), tmp_path / "onnx")
    convert(tmp_path / "onnx", tmp_path / "ir", ConvertOptions())
    told = run(script)
    # It was 130 MiB with the cache that OpenVINO has by default.
    assert int(told) < 60 << 10


#: Numbers of words in this order: attention without a mask was wrong after one word.
WORDS = (1, 17, 5, 1, 40)


def attention(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ values


def drawn(words: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(words)
    return {name: rng.standard_normal((2, 4, words, 16)).astype(np.float32) for name in "qkv"}


def write_attention_as_onnx(folder: Path, *, biased: bool = False) -> None:
    """Write what exporters do; a stored bias of nothing is no mask either."""
    nodes = [
        make_node("Transpose", ["k"], ["turned"], perm=[0, 1, 3, 2]),
        make_node("MatMul", ["q", "turned"], ["scores"]),
        make_node("Mul", ["scores", "scale"], ["scaled"]),
        *([make_node("Add", ["scaled", "bias"], ["biased"])] if biased else []),
        make_node("Softmax", ["biased" if biased else "scaled"], ["weights"], axis=-1),
        make_node("MatMul", ["weights", "v"], ["y"]),
    ]
    shape = ("batch", 4, "words", 16)
    taken = [tensor(name, TensorProto.FLOAT, *shape) for name in "qkv"]
    stored = [numpy_helper.from_array(np.array(0.25, np.float32), "scale")]
    if biased:
        stored.append(numpy_helper.from_array(np.zeros((1, 1, 1, 1), np.float32), "bias"))
    write(model(nodes, taken, [tensor("y", TensorProto.FLOAT, *shape)], stored), folder / "onnx")
    convert(folder / "onnx", folder / "ir", ConvertOptions())


def write_attention_as_ir(folder: Path, *numbers: float) -> None:
    """Write what others may have converted, a mask and a scale among it that are numbers."""
    stored = [openvino.opset13.constant(np.float32(number)) for number in numbers]
    shape = openvino.PartialShape([-1, 4, -1, 16])
    taken = [openvino.opset13.parameter(shape, np.float32, name=name) for name in "qkv"]
    for parameter, name in zip(taken, "qkv", strict=True):
        parameter.output(0).set_names({name})
    made = openvino.opset13.scaled_dot_product_attention(*taken, *stored, causal=False)
    made.output(0).set_names({"y"})
    openvino.save_model(openvino.Model([made], taken), folder / "ir" / "model.xml")


@pytest.mark.parametrize(
    "written",
    [
        write_attention_as_onnx,
        lambda folder: write_attention_as_onnx(folder, biased=True),
        write_attention_as_ir,
        lambda folder: write_attention_as_ir(folder, 0.0, 0.25),
    ],
    ids=["onnx", "onnx with a bias", "ir", "ir with numbers"],
)
def test_attention_is_right_for_all_lengths_after_a_single_word(written, tmp_path):
    written(tmp_path)
    runner = load(tmp_path / "ir", "f32", ONE)
    for words in WORDS:
        given = drawn(words)
        found = runner.run(given)["y"]
        wanted = attention(given["q"], given["k"], given["v"])
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_what_is_written_has_the_mask_for_other_servers_too(tmp_path):
    write_attention_as_onnx(tmp_path)
    exact = {"INFERENCE_PRECISION_HINT": "f32"}
    compiled = openvino.compile_model(str(tmp_path / "ir" / "model.xml"), "CPU", exact)
    for words in WORDS:
        given = drawn(words)
        wanted = attention(given["q"], given["k"], given["v"])
        np.testing.assert_allclose(compiled(given)["y"], wanted, rtol=1e-4, atol=1e-5)
