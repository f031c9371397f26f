"""hstack needs no branches in ONNX: ranks are known."""

import numpy as np
import onnx
import onnxruntime
import torch

from converters.converter import ConvertOptions
from converters.programs.export import export_program
from converters.programs.files import save_program
from converters.programs.signature import program_signature
from converters.sources.source import Brief, SourceOptions
from converters.torch_to_onnx import convert
from registry.signature import Axis, Input


class Beside(torch.nn.Module):
    def forward(self, x):
        ends = torch.atleast_1d(x.sum())
        return torch.hstack((x, 2 * x)), torch.hstack((x[:, 0], ends))


def test_stacking_side_by_side_makes_no_branch(tmp_path):
    given = Input(name="x", dtype="float32", shape=("batch", 4))
    brief = Brief(SourceOptions(), tmp_path, (given,), {"batch": Axis(max=64)})
    program = export_program(Beside().eval(), brief)
    save_program(program, tmp_path / "program", program_signature(program, brief))
    convert(tmp_path / "program", tmp_path / "out", ConvertOptions())
    file = tmp_path / "out" / "model.onnx"
    operators = {node.op_type for node in onnx.load(file).graph.node}
    assert not operators & {"If", "SequenceMap", "Loop", "ConcatFromSequence"}
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    answers = onnxruntime.InferenceSession(file).run(None, {"x": x})
    for answer, right in zip(answers, Beside()(torch.from_numpy(x)), strict=True):
        assert (answer == right.numpy()).all()
