import numpy as np
import onnxruntime
import openvino
import pytest
import torch

from converters.programs.export import export_program
from converters.programs.signature import program_signature
from converters.sources.source import Brief, SourceOptions
from converters.torch_to_onnx import export_onnx
from registry.signature import Axis, Input

INPUTS = (
    Input(name="x", dtype="float32", shape=("batch", "sequence", 8)),
    Input(name="real", dtype="bool", shape=("batch", "sequence")),
)
AXES = {"batch": Axis(max=64), "sequence": Axis(min=2, max=64)}


class Attending(torch.nn.Module):
    """Attend to real tokens alone; a mask of floats adds minus infinity to the others."""

    def __init__(self, *, floats):
        super().__init__()
        self.floats = floats

    def forward(self, x, real):
        heads = x.unflatten(-1, (2, 4)).transpose(1, 2)
        mask = real[:, None, None, :].expand(-1, 1, x.shape[1], -1)
        if self.floats:
            mask = torch.zeros_like(mask, dtype=x.dtype).masked_fill(~mask, float("-inf"))
        return torch.nn.functional.scaled_dot_product_attention(heads, heads, heads, mask)


def on_onnxruntime(path, feeds):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0]


def on_openvino(path, feeds):
    model = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return model(feeds)[0]


@pytest.mark.parametrize("run", [on_onnxruntime, on_openvino])
@pytest.mark.parametrize("floats", [False, True])
def test_a_row_without_a_real_token_answers_zero_as_in_torch(floats, run, tmp_path):
    module = Attending(floats=floats).eval()
    brief = Brief(SourceOptions(), tmp_path, INPUTS, AXES)
    program = export_program(module, brief)
    export_onnx(program, tmp_path / "model.onnx", program_signature(program, brief))
    random = np.random.default_rng(0)
    x = random.standard_normal((3, 5, 8)).astype(np.float32)
    real = np.array([[True] * 5, [False] * 5, [True, True, False, False, False]])
    answer = run(tmp_path / "model.onnx", {"x": x, "real": real})
    original = module(torch.from_numpy(x), torch.from_numpy(real)).numpy()
    assert not original[1].any()
    assert original[[0, 2]].std() > 0.1
    np.testing.assert_allclose(answer, original, atol=1e-6)
