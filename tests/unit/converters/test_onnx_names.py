"""Names and open axes of ONNX models as they come."""

import onnx
import pytest
import torch
from onnx import TensorProto, helper

from converters.onnx_models.files import signature_of
from converters.torch_to_onnx import export_onnx
from registry.signature import Signature, Tensor


class Vectors(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(5, 4)

    def forward(self, ids):
        return self.table(ids) * 2 + 1


@pytest.mark.parametrize("name", ["embedding", "mul", "score"])
def test_an_output_may_be_called_like_an_operator_inside(tmp_path, name):
    batch = torch.export.Dim("batch")
    example = (torch.tensor([0, 1, 2]),)
    program = torch.export.export(Vectors(), example, dynamic_shapes=({0: batch},))
    signature = Signature(
        inputs=(Tensor(name="ids", dtype="int64", shape=("batch",)),),
        outputs=(Tensor(name=name, dtype="float32", shape=("batch", 4)),),
    )
    export_onnx(program, tmp_path / "model.onnx", signature)
    model = onnx.load(tmp_path / "model.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert [output.name for output in model.graph.output] == [name]


def test_an_axis_of_minus_one_is_an_open_one():
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [-1, 3])
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, [-1, 3])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [value], [out])
    signature = signature_of(helper.make_model(graph))
    assert signature.inputs[0].shape == ("?", 3)
