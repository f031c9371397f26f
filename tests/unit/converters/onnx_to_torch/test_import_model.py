"""What an imported module is: its inputs, its outputs, and weights where they lie."""

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from converters.onnx_to_torch import import_model, import_proto
from registry.errors import SourceError

WEIGHT = np.arange(4096, dtype=np.float32).reshape(64, 64)


def save(path, **options):
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 64])],
        [numpy_helper.from_array(WEIGHT, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    onnx.save(model, path, **options)


def test_a_weight_beside_the_file_is_mapped_and_not_read(tmp_path):
    save(tmp_path / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=0)
    module = import_model(tmp_path / "m.onnx")
    with (tmp_path / "m.data").open("r+b") as file:
        file.write(np.full(1, 42, np.float32).tobytes())
    (weight,) = module.parameters()
    assert weight[0, 0] == 42
    assert weight[63, 63] == 4095


def test_a_weight_inside_of_the_file_answers_alike(tmp_path):
    save(tmp_path / "m.onnx")
    x = torch.rand(3, 64)
    (y,) = import_model(tmp_path / "m.onnx")(x)
    torch.testing.assert_close(y, x @ torch.from_numpy(WEIGHT))


def test_data_that_is_cut_short_is_refused(tmp_path):
    save(tmp_path / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=0)
    (tmp_path / "m.data").write_bytes(b"short")
    with pytest.raises(SourceError, match=r"m\.data.*cut short"):
        import_model(tmp_path / "m.onnx")


def test_a_weight_that_two_nodes_use_is_held_once(load):
    module = load(
        """g (float[n, 2] x) => (float[n, 2] y) <float[2, 2] w = {1.0, 2.0, 3.0, 4.0}> {
          h = MatMul (x, w)
          y = MatMul (h, w)
        }"""
    )
    assert [*module.buffers()] == []
    assert len({weight.data_ptr() for weight in module.parameters()}) == 1


def test_dequantized_weights_are_not_kept_as_floats(load):
    numbers = ", ".join(["1"] * (1 << 20))
    module = load(
        f"""g (float[n, 1024] x) => (float[n, 1024] y)
            <int8[1024, 1024] w = {{{numbers}}}, float s = {{0.5}}> {{
          f = DequantizeLinear (w, s)
          y = MatMul (x, f)
        }}"""
    )
    assert {buffer.dtype for buffer in module.buffers() if buffer.numel() > 1} == {torch.int8}
    torch.testing.assert_close(module(torch.ones(1, 1024))[0], torch.full([1, 1024], 512.0))


def test_inputs_and_outputs_keep_their_names_and_order_whatever_they_are(tmp_path):
    node = helper.make_node("Sub", ["0", "a.b"], ["y"])
    again = helper.make_node("Add", ["y", "a_b"], ["class"])
    names = ["0", "a.b", "a_b", "self"]
    graph = helper.make_graph(
        [node, again],
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in names],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in ("class", "y")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    module = import_proto(model, tmp_path)
    assert module.meta["inputs"] == ("0", "a.b", "a_b", "self")
    assert module.meta["outputs"] == ("class", "y")
    values = [torch.tensor([float(at)]) for at in (5, 3, 10, 0)]
    assert [float(y) for y in module(*values)] == [12.0, 2.0]
