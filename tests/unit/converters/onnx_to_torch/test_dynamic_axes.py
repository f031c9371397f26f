"""An imported model answers at sizes that it was not traced with."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from converters.onnx_to_torch import import_model
from converters.programs.dynamic_shapes import dynamic_shapes
from converters.programs.export import export_program
from converters.programs.signature import program_signature
from converters.torch_to_onnx import export_onnx
from tests.models import MODELS, Model

SIZES = (2, 3, 7, 9)
TRACED = 5


@dataclass(frozen=True)
class Imported:
    model: Model
    original: torch.nn.Module
    module: torch.fx.GraphModule

    def inputs(self, size: int) -> tuple[torch.Tensor, ...]:
        arrays = self.model.arrays(size)
        return tuple(torch.from_numpy(np.array(arrays[n])) for n in self.module.meta["inputs"])

    def assert_answers(self, module, sizes=SIZES) -> None:
        for size in sizes:
            inputs = self.inputs(size)
            with torch.no_grad():
                wanted = self.original(**dict(zip(self.module.meta["inputs"], inputs, strict=True)))
                got = module(*inputs)
            torch.testing.assert_close(got[0], wanted, rtol=1e-4, atol=1e-5)


@pytest.fixture(scope="module", params=["bert"])
def imported(request, tmp_path_factory) -> Imported:
    model = MODELS[request.param]
    original = model.module()
    program = export_program(original, model.brief())
    path = tmp_path_factory.mktemp(request.param) / "model.onnx"
    export_onnx(program, path, program_signature(program, model.brief()))
    return Imported(model, original, import_model(path))


def test_it_answers_like_the_original(imported):
    imported.assert_answers(imported.module)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_a_trace_of_one_size_answers_at_others(imported):
    with torch.no_grad():
        traced = torch.jit.trace(imported.module, imported.inputs(TRACED), check_trace=False)
    imported.assert_answers(traced)
    imported.assert_answers(torch.jit.freeze(traced.eval()))


def test_an_export_keeps_the_axes_dynamic(imported):
    shapes = dynamic_shapes(imported.model.inputs, imported.model.axes, "")
    program = torch.export.export(
        imported.module, imported.inputs(TRACED), dynamic_shapes=tuple(shapes), strict=False
    )
    imported.assert_answers(program.module())
