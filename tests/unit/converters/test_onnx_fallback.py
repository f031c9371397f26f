"""What one exporter of torch refuses, the other takes."""

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from converters.converter import ConvertOptions, convert
from converters.programs.export import export_program
from converters.programs.files import save_program
from converters.programs.signature import program_signature
from converters.sources.source import Brief, SourceOptions
from converters.torch_to_onnx import CONVERTER
from registry.composition import Artifact
from registry.errors import ConversionError
from registry.format import Format
from registry.remarks import hearing
from registry.signature import Axis, Input

AXES = {"batch": Axis(max=64)}


class Bags(torch.nn.Module):
    """The older exporter refuses the padding, the dynamo exporter takes it: pytorch#128930."""

    def __init__(self):
        super().__init__()
        self.bag = torch.nn.EmbeddingBag(10, 3, mode="sum", padding_idx=0)

    def forward(self, ids):
        return self.bag(ids)


class Leaky(torch.nn.Module):
    """The dynamo exporter has no form of rrelu, the older one has."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(16, 64)

    def forward(self, x):
        return torch.nn.functional.rrelu(self.inner(x))


FLOATS = Input(name="x", dtype="float32", shape=("batch", 16))
IDS = Input(name="ids", dtype="int64", shape=("batch", 4), range=(0, 9))


def part_of(module, given, folder) -> Artifact:
    brief = Brief(SourceOptions(), folder, (given,), AXES)
    program = export_program(module, brief)
    signature = program_signature(program, brief)
    save_program(program, folder / "dense", signature)
    return Artifact(
        part="dense",
        format=Format.EXPORTED_PROGRAM,
        folder="dense",
        signature=signature,
        maker="torch.export",
    )


@pytest.mark.parametrize(
    ("module", "given", "maker", "remarks"),
    [(Bags, IDS, "dynamo", 0), (Leaky, FLOATS, "TorchScript", 1)],
)
def test_the_exporter_that_can_writes_the_file_and_is_named(
    module, given, maker, remarks, tmp_path
):
    model = module().eval()
    source = part_of(model, given, tmp_path)
    out = tmp_path / "out"
    with hearing() as heard:
        made = convert(CONVERTER, source, tmp_path, out, ConvertOptions(axes=AXES, inputs=(given,)))
    assert made.maker == f"torch.onnx ({maker}) {torch.__version__}"
    assert made.signature == source.signature
    told = [one.text for one in heard if "the TorchScript exporter wrote" in one.text]
    assert len(told) == remarks
    session = onnxruntime.InferenceSession(out / "model.onnx")
    for batch in (1, 7):
        x = np.arange(batch * given.shape[1]).reshape(batch, -1) % 10
        array = x.astype(given.dtype.value)
        (answer,) = session.run(None, {given.name: array})
        np.testing.assert_allclose(answer, model(torch.tensor(array)).detach(), atol=1e-6)


def test_what_the_other_exporter_wrote_carries_no_path_and_its_big_weights_beside_it(tmp_path):
    source = part_of(Leaky(), FLOATS, tmp_path)
    convert(CONVERTER, source, tmp_path, tmp_path / "out", ConvertOptions(axes=AXES))
    data = (tmp_path / "out" / "model.onnx").read_bytes()
    assert b".py" not in data
    model = onnx.load(tmp_path / "out" / "model.onnx", load_external_data=False)
    outside = [one.name for one in model.graph.initializer if one.data_location]
    assert len(outside) == 1


def test_where_both_refuse_the_first_reason_is_told(tmp_path):
    class Median(torch.nn.Module):
        def forward(self, x):
            return torch.median(x, 1)[0]

    source = part_of(Median(), FLOATS, tmp_path)
    with pytest.raises(ConversionError, match=r"aten\.median\.dim.*has no ONNX form"):
        convert(CONVERTER, source, tmp_path, tmp_path / "out", ConvertOptions(axes=AXES))
