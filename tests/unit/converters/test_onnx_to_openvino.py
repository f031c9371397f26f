"""ONNX to OpenVINO IR: what is kept, what is written, and what is refused by name."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper
from onnx.helper import make_graph, make_model, make_node, make_opsetid

from converters.converter import ConvertOptions
from converters.onnx_to_openvino import convert, inspect, read_signature
from registry.errors import ConversionError
from targets.openvino import load
from targets.target import ThreadPlan
from tests.tiny_onnx import MODELS, feeds, model, tensor, values, write


@pytest.fixture
def out(tmp_path) -> Path:
    return tmp_path / "out"


def test_names_and_free_axes_are_kept(tmp_path, out):
    write(MODELS["convolution"](), tmp_path)
    convert(tmp_path, out, ConvertOptions())
    assert str(read_signature(out)) == ("(image: float32[?, 3, ?, ?]) -> (features: float32[?, 4])")


def test_odd_names_are_kept(tmp_path, out):
    made = model(
        [make_node("Relu", ["in put/1:0"], ["out,put.2"], name="r")],
        [tensor("in put/1:0", TensorProto.FLOAT, "batch", 2)],
        [tensor("out,put.2", TensorProto.FLOAT, "batch", 2)],
    )
    write(made, tmp_path)
    convert(tmp_path, out, ConvertOptions())
    signature = read_signature(out)
    assert signature.inputs[0].name == "in put/1:0"
    assert signature.outputs[0].name == "out,put.2"


def test_an_input_that_nothing_reads_is_kept(tmp_path, out):
    made = model(
        [make_node("Relu", ["x"], ["y"], name="r")],
        [tensor("unread", TensorProto.FLOAT, "batch"), tensor("x", TensorProto.FLOAT, "batch")],
        [tensor("y", TensorProto.FLOAT, "batch")],
    )
    write(made, tmp_path)
    convert(tmp_path, out, ConvertOptions())
    assert [entry.name for entry in read_signature(out).inputs] == ["unread", "x"]


def test_an_output_that_other_nodes_read_is_kept(tmp_path, out):
    made = model(
        [
            make_node("Relu", ["x"], ["first"], name="r"),
            make_node("Neg", ["first"], ["second"], name="n"),
        ],
        [tensor("x", TensorProto.FLOAT, "batch")],
        [tensor("second", TensorProto.FLOAT, "batch"), tensor("first", TensorProto.FLOAT, "batch")],
    )
    write(made, tmp_path)
    convert(tmp_path, out, ConvertOptions())
    assert [entry.name for entry in read_signature(out).outputs] == ["second", "first"]
    answers = load(out, "f32", ThreadPlan(threads=1)).run({"x": np.array([2, -1], np.float32)})
    assert answers["first"].tolist() == [2, 0]
    assert answers["second"].tolist() == [-2, 0]


def test_weights_are_halved_only_when_that_is_asked_for(tmp_path):
    made = MODELS["mlp"]()
    write(made, tmp_path)
    sizes, answers = {}, {}
    for weights in ("f32", "f16"):
        folder = tmp_path / weights
        convert(tmp_path, folder, ConvertOptions(weights=weights))
        sizes[weights] = (folder / "model.bin").stat().st_size
        answers[weights] = load(folder, "f32", ThreadPlan(threads=1)).run(feeds(made, 3))["score"]
    assert sizes["f16"] <= sizes["f32"] / 2 + 64
    assert 0 < np.abs(answers["f32"] - answers["f16"]).max() < 1e-2


def test_weights_that_f16_cannot_hold_are_listed(tmp_path, out):
    large = numpy_helper.from_array(np.array([[1e5, 1], [1, -3e38]], np.float32), "scale")
    made = model(
        [make_node("MatMul", ["x", "scale"], ["y"], name="m")],
        [tensor("x", TensorProto.FLOAT, "batch", 2)],
        [tensor("y", TensorProto.FLOAT, "batch", 2)],
        [large],
    )
    write(made, tmp_path)
    with pytest.raises(ConversionError, match=r"1 weights do not fit .* up to 3e.38"):
        convert(tmp_path, out, ConvertOptions(weights="f16"))
    convert(tmp_path, out, ConvertOptions(weights="f32"))


def test_weights_that_it_cannot_store_are_refused(tmp_path, out):
    write(MODELS["mlp"](), tmp_path)
    with pytest.raises(ConversionError, match="weights as f32 or f16, not as bf16"):
        convert(tmp_path, out, ConvertOptions(weights="bf16"))


def unsupported() -> onnx.ModelProto:
    first = make_node("Relu", ["x"], ["a"], name="fine")
    second = make_node("Blend", ["a"], ["y"], name="mixer_3", domain="com.acme")
    second.metadata_props.add(key="module", value="towers.0.mixer")
    graph = make_graph(
        [first, second],
        "tiny",
        [tensor("x", TensorProto.FLOAT, "batch")],
        [tensor("y", TensorProto.FLOAT, "batch")],
    )
    opsets = [make_opsetid("", 17), make_opsetid("com.acme", 1)]
    return make_model(graph, opset_imports=opsets, ir_version=10)


def test_an_unsupported_operator_is_named_with_its_node_and_module(tmp_path, out):
    write(unsupported(), tmp_path)
    with pytest.raises(ConversionError) as caught:
        convert(tmp_path, out, ConvertOptions())
    told = str(caught.value)
    assert "com.acme.Blend (node 'mixer_3' of module 'towers.0.mixer')" in told
    assert "build for onnxruntime" in told
    assert not out.exists()


def test_a_node_that_makes_no_sense_is_named(tmp_path, out):
    graph = make_graph(
        [make_node("Reshape", ["x", "x"], ["y"], name="nonsense")],
        "tiny",
        [tensor("x", TensorProto.FLOAT, "batch", 4)],
        [tensor("y", TensorProto.FLOAT, "batch", 4)],
    )
    write(make_model(graph, opset_imports=[make_opsetid("", 17)], ir_version=8), tmp_path)
    with pytest.raises(ConversionError, match="Reshape"):
        convert(tmp_path, out, ConvertOptions())


def test_missing_external_data_is_an_error(tmp_path, out):
    write(MODELS["mlp"](), tmp_path, external=True)
    (tmp_path / "model.onnx.data").unlink()
    with pytest.raises(ConversionError, match=r"model\.onnx"):
        convert(tmp_path, out, ConvertOptions())


def test_a_missing_or_short_bin_is_a_fault(tmp_path, out):
    write(MODELS["mlp"](), tmp_path)
    convert(tmp_path, out, ConvertOptions())
    assert inspect(out) == ()
    weights = out / "model.bin"
    weights.write_bytes(weights.read_bytes()[:10])
    assert "cannot be read back" in inspect(out)[0]
    weights.unlink()
    assert "cannot be read back" in inspect(out)[0]


def test_operators_of_an_extension_are_a_fault(tmp_path, out):
    write(MODELS["mlp"](), tmp_path)
    convert(tmp_path, out, ConvertOptions())
    file = out / "model.xml"
    text = file.read_text()
    assert 'type="ReLU" version="opset1"' in text
    file.write_text(text.replace('type="ReLU" version="opset1"', 'type="ReLU" version="extension"'))
    assert inspect(out)


def test_external_data_is_read(tmp_path, out):
    made = model(
        [make_node("MatMul", ["x", "w"], ["y"], name="m")],
        [tensor("x", TensorProto.FLOAT, "batch", 64)],
        [tensor("y", TensorProto.FLOAT, "batch", 64)],
        [values("w", 64, 64)],
    )
    write(made, tmp_path, external=True)
    convert(tmp_path, out, ConvertOptions())
    inputs = {"x": np.eye(64, dtype=np.float32)}
    answers = load(out, "f32", ThreadPlan(threads=1)).run(inputs)["y"]
    np.testing.assert_allclose(answers, numpy_helper.to_array(made.graph.initializer[0]), 1e-6)
