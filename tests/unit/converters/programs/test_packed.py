"""Packed sequences are traced padded, and answer as torch's own."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from converters.brief import Brief
from converters.converter import ConvertOptions
from converters.programs.export import export_program
from converters.programs.files import save_program
from converters.programs.signature import program_signature
from converters.sources.torch_factory import TorchOptions
from converters.torch_to_onnx import convert
from registry.errors import SourceError
from registry.signature import Axis, DType, Input


class Packed(torch.nn.Module):
    def __init__(self, layer, *, sort, total):
        super().__init__()
        self.layer, self.sort, self.total = layer, sort, total

    def forward(self, steps, lengths):
        packed = pack_padded_sequence(steps, lengths, batch_first=True, enforce_sorted=self.sort)
        out, hidden = self.layer(packed)
        padded, sizes = pad_packed_sequence(out, batch_first=True, total_length=self.total)
        return padded, hidden, sizes


LAYERS = {
    "gru": lambda: torch.nn.GRU(3, 4, batch_first=True),
    "deep and both ways": lambda: torch.nn.GRU(3, 4, num_layers=2, bidirectional=True),
    "rnn": lambda: torch.nn.RNN(3, 4, nonlinearity="relu"),
    "gru without biases": lambda: torch.nn.GRU(3, 4, bias=False, bidirectional=True),
}
LENGTHS = ([1, 5, 3, 5], [2, 2], [4], [3, 1, 1, 2, 3, 5, 4])


def brief():
    steps = Input(name="steps", dtype=DType.FLOAT32, shape=("batch", 5, 3))
    lengths = Input(name="lengths", dtype=DType.INT64, shape=("batch",), range=(1, 5))
    options = TorchOptions(factory="none:none")
    return Brief(options, Path(), (steps, lengths), {"batch": Axis(max=16)})


@pytest.mark.parametrize("name", LAYERS)
def test_one_graph_packs_sequences_of_any_lengths(name):
    torch.manual_seed(1)
    module = Packed(LAYERS[name](), sort=False, total=5).eval()
    program = export_program(module, brief()).module()
    for lengths in LENGTHS:
        given = torch.randn(len(lengths), 5, 3), torch.tensor(lengths)
        with torch.no_grad():
            for right, answer in zip(module(*given), program(*given), strict=True):
                assert right.shape == answer.shape
                torch.testing.assert_close(answer, right, rtol=1e-6, atol=1e-6)


def test_sequences_that_come_sorted_are_packed_as_they_are():
    module = Packed(LAYERS["gru"](), sort=True, total=5).eval()
    program = export_program(module, brief()).module()
    given = torch.randn(3, 5, 3), torch.tensor([5, 4, 1])
    with torch.no_grad():
        torch.testing.assert_close(program(*given), module(*given), rtol=1e-6, atol=1e-6)


def test_packing_goes_to_onnx(tmp_path):
    module = Packed(LAYERS["gru"](), sort=False, total=5).eval()
    program = export_program(module, brief())
    save_program(program, tmp_path / "program", program_signature(program, brief()))
    convert(tmp_path / "program", tmp_path / "out", ConvertOptions())
    session = onnxruntime.InferenceSession(tmp_path / "out" / "model.onnx")
    steps, lengths = np.random.default_rng(2).normal(size=(4, 5, 3)), np.array([2, 5, 1, 3])
    given = {"steps": steps.astype(np.float32), "lengths": lengths}
    with torch.no_grad():
        right = module(*map(torch.tensor, given.values()))
    for answer, wanted in zip(session.run(None, given), right, strict=True):
        np.testing.assert_allclose(answer, wanted.numpy(), rtol=1e-5, atol=1e-6)


def test_torch_packs_as_before_once_the_trace_is_done():
    module = Packed(LAYERS["gru"](), sort=False, total=5).eval()
    export_program(module, brief())
    packed = pack_padded_sequence(torch.ones(2, 3, 1), torch.tensor([3, 1]), batch_first=True)
    assert packed.data.shape == (4, 1)
    assert "_pack_padded_sequence" not in vars(torch._VF)


def test_cells_of_packed_sequences_are_refused_by_name():
    module = Packed(torch.nn.LSTM(3, 4), sort=False, total=5).eval()
    with pytest.raises(SourceError, match="a packed sequence in LSTM"):
        export_program(module, brief())
