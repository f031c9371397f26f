import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from converters.onnx_models.faults import faults, inspect
from converters.onnx_models.files import nodes, signature_of, tensors
from registry.errors import SourceError
from tests.hostile_files import matmul


def model_of(nodes, inputs, outputs, weights=()):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def value(name, kind, *shape):
    return helper.make_tensor_value_info(name, kind, shape)


def test_a_signature_has_the_types_and_axes_that_the_file_states():
    inputs = [
        value("half", TensorProto.BFLOAT16, "batch", None, 3),
        value("flag", TensorProto.BOOL),
        value("weight", TensorProto.FLOAT, 2),
    ]
    weight = numpy_helper.from_array(np.ones(2, "float32"), "weight")
    model = model_of([], inputs, [value("half", TensorProto.BFLOAT16, "batch", None, 3)], [weight])
    assert str(signature_of(model)) == (
        "(half: bfloat16[batch, ?, 3], flag: bool[]) -> (half: bfloat16[batch, ?, 3])"
    )


def test_strings_and_sequences_are_refused_by_name():
    text = model_of([], [], [value("label", TensorProto.STRING, 1)])
    with pytest.raises(SourceError, match="'label' of the ONNX model holds string"):
        signature_of(text)
    maps = helper.make_tensor_sequence_value_info("parts", TensorProto.FLOAT, None)
    with pytest.raises(SourceError, match="'parts' of the ONNX model is not a tensor"):
        signature_of(model_of([], [], [maps]))


def branching(weight):
    """Make a model whose weight and foreign operator hide inside a branch."""
    branch = helper.make_graph(
        [
            helper.make_node("Constant", [], ["c"], value=weight),
            helper.make_node("Odd", ["c"], ["b"], domain="vendor", name="hidden"),
        ],
        "branch",
        [],
        [value("b", TensorProto.FLOAT, 2)],
    )
    node = helper.make_node("If", ["flag"], ["y"], then_branch=branch, else_branch=branch)
    flag = value("flag", TensorProto.BOOL)
    return model_of([node], [flag], [value("y", TensorProto.FLOAT, 2)])


def test_what_hides_in_a_branch_is_found(tmp_path):
    weight = numpy_helper.from_array(np.array([1, np.nan], "float32"), "deep")
    model = branching(weight)
    assert sum(node.op_type == "Odd" for node in nodes(model.graph)) == 2
    assert {tensor.name for tensor in tensors(model.graph)} == {"deep"}
    found = faults(model, tmp_path)
    assert "operator vendor::Odd (node 'hidden') is not a standard one" in found
    assert "weight 'deep' holds NaN" in found


def test_data_in_a_constant_may_not_leave_the_folder_either(tmp_path):
    weight = TensorProto(name="deep", data_type=TensorProto.FLOAT, dims=[2], data_location=1)
    weight.external_data.add(key="location", value="../secret")
    said = "the data of 'deep' lies outside the model's folder: ../secret"
    assert said in faults(branching(weight), tmp_path)


def test_a_sound_file_has_no_faults(tmp_path):
    matmul(tmp_path)
    assert inspect(tmp_path) == ()


def test_a_huge_declared_shape_is_told_without_reading_it(tmp_path):
    file = matmul(tmp_path)
    model = onnx.load(file, load_external_data=False)
    model.graph.initializer[0].dims[:] = [1 << 31, 1 << 31]
    file.write_bytes(model.SerializeToString())
    assert "'weight' needs" in inspect(tmp_path)[0]
