"""Transformer layers are traced operator by operator, with batch and sequence free."""

from pathlib import Path

import pytest
import torch

from converters.brief import Brief
from converters.programs.export import export_program
from converters.sources.torch_factory import TorchOptions
from registry.errors import SourceError
from registry.signature import Axis, DType, Input


def brief() -> Brief:
    return Brief(
        options=TorchOptions(factory="a:b"),
        folder=Path(),
        inputs=(Input(name="src", dtype=DType.FLOAT32, shape=("batch", "sequence", 8)),),
        axes={"batch": Axis(min=1, max=64), "sequence": Axis(min=1, max=128)},
    )


def encoder() -> torch.nn.Module:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return torch.nn.TransformerEncoder(layer, 2).eval()


def test_no_fused_encoder_layer_is_left():
    program = export_program(encoder(), brief())
    operators = {str(node.target) for node in program.graph.nodes}
    assert not any("_transformer_encoder" in name or "_native_multi" in name for name in operators)


@pytest.mark.parametrize("shape", [(1, 1), (3, 7)])
def test_batch_and_sequence_stay_free(shape):
    module = encoder()
    program = export_program(module, brief())
    inputs = torch.randn(*shape, 8, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        torch.testing.assert_close(program.module()(inputs), module(inputs), atol=1e-5, rtol=1e-4)


def test_the_setting_is_put_back_after_a_failure():
    was = torch.backends.mha.get_fastpath_enabled()
    with pytest.raises(SourceError):
        export_program(torch.nn.Linear(3, 3), brief())
    assert torch.backends.mha.get_fastpath_enabled() == was
