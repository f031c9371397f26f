"""What is particular to ONNX Runtime."""

import onnx
import pytest
from onnx import TensorProto
from onnx.helper import make_graph, make_model, make_node, make_opsetid

from registry.errors import ContractError, InputError
from targets.onnxruntime import load
from targets.target import ThreadPlan
from tests.tiny_onnx import MODELS, feeds, tensor, write

ONE = ThreadPlan(threads=1)


def test_threads_and_optimisation_are_read_back(tmp_path):
    folder = write(MODELS["mlp"](), tmp_path).parent
    force = load(folder, "f32", ThreadPlan(threads=2)).in_force()
    assert force["threads"] == "2"
    assert force["optimisation"] == "ORT_ENABLE_ALL"
    assert force["spinning"] == "0"


@pytest.mark.parametrize("precision", ["bf16", "f16"])
def test_another_precision_than_f32_is_refused(tmp_path, precision):
    folder = write(MODELS["mlp"](), tmp_path).parent
    with pytest.raises(ContractError, match=f"does not compute in {precision}; build for f32"):
        load(folder, precision, ONE)


def foreign() -> onnx.ModelProto:
    graph = make_graph(
        [make_node("Blend", ["x"], ["y"], name="mixer", domain="com.acme")],
        "tiny",
        [tensor("x", TensorProto.FLOAT, "batch")],
        [tensor("y", TensorProto.FLOAT, "batch")],
    )
    opsets = [make_opsetid("", 17), make_opsetid("com.acme", 1)]
    return make_model(graph, opset_imports=opsets, ir_version=8)


def test_an_operator_that_it_lacks_is_named(tmp_path):
    with pytest.raises(ContractError, match=r"cannot load it: .*Blend"):
        load(write(foreign(), tmp_path).parent, "f32", ONE)


def test_external_data_that_is_missing_is_named(tmp_path):
    folder = write(MODELS["mlp"](), tmp_path, external=True).parent
    (folder / "model.onnx.data").unlink()
    with pytest.raises(ContractError, match=r"cannot load it: .*model\.onnx\.data"):
        load(folder, "f32", ONE)


def test_inputs_that_the_model_itself_refuses_are_an_input_error(tmp_path):
    made = MODELS["integers"]()
    runner = load(write(made, tmp_path).parent, "f32", ONE)
    inputs = feeds(made, 3)
    inputs["ids"] = inputs["ids"][:2]
    with pytest.raises(InputError, match="ONNX Runtime cannot answer these inputs"):
        runner.run(inputs)
