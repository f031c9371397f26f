"""Small constants reach ONNX: the exporter's rewrites take 1e-16 for 0."""

import numpy as np
import onnxruntime
import pytest
import torch

from converters.converter import ConvertOptions
from converters.programs.export import export_program
from converters.programs.files import save_program
from converters.programs.signature import program_signature
from converters.sources.source import Brief, SourceOptions
from converters.torch_to_onnx import convert
from registry.signature import Axis, Input


class MeanOfSome(torch.nn.Module):
    """As recommenders take the mean of a history: with nothing in it that is 0, not 0/0."""

    def forward(self, x):
        here = (x > 0).float()
        return (x * here).sum(1) / (here.sum(1) + 1e-16)


class Shifted(torch.nn.Module):
    def forward(self, x):
        return (x - 5e-9) * 0.999999999999 + 1e-10


@pytest.mark.parametrize("module", [MeanOfSome(), Shifted()])
def test_a_small_constant_is_not_left_out(module, tmp_path):
    given = Input(name="x", dtype="float32", shape=("batch", 4))
    brief = Brief(SourceOptions(), tmp_path, (given,), {"batch": Axis(max=64)})
    program = export_program(module.eval(), brief)
    save_program(program, tmp_path / "program", program_signature(program, brief))
    convert(tmp_path / "program", tmp_path / "out", ConvertOptions())
    session = onnxruntime.InferenceSession(tmp_path / "out" / "model.onnx")
    x = np.array([[0, 0, 0, 0], [1, 0, 2, 0]], np.float32)
    (answer,) = session.run(None, {"x": x})
    assert (answer == module(torch.from_numpy(x)).numpy()).all()
