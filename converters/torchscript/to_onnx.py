"""Exported program to ONNX by torch's older exporter, which writes a trace down.

It knows some operators that the dynamo exporter lacks, and is not developed any more: it is taken
where the other refuses.
"""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from converters.converter import ConvertOptions
from converters.programs.files import load_program
from converters.quiet import quiet
from converters.torchscript.examples import example_inputs, examples_of
from converters.torchscript.of_program import traceable
from converters.torchscript.tracing import trace
from registry.errors import ConversionError
from registry.format import ENTRY, Format
from registry.signature import Tensor

if TYPE_CHECKING:
    import onnx_ir

#: The newest that this exporter writes.
_OPSET = 20


def export_trace(source: Path, options: ConvertOptions) -> "onnx_ir.Model":
    """Trace the program in a folder, and write the trace down as ONNX.

    Raises:
        ConversionError: It cannot be traced, or an operator has no ONNX form.
    """
    import onnx_ir
    import torch
    from onnx_ir.passes.common import LiftConstantsToInitializersPass

    program, signature = load_program(source)
    entry = source / ENTRY[Format.EXPORTED_PROGRAM]
    given = examples_of(signature, options)
    traced, (sizes, *_) = trace(traceable(program, entry), given, entry)
    tensors = (*signature.inputs, *signature.outputs)
    with tempfile.TemporaryDirectory() as folder, quiet("torch.onnx", "torch.onnx"):
        file = Path(folder) / ENTRY[Format.ONNX]
        try:
            with torch.no_grad():
                torch.onnx.export(
                    traced,
                    example_inputs(given, sizes),
                    file,
                    dynamo=False,
                    opset_version=_OPSET,
                    input_names=[tensor.name for tensor in signature.inputs],
                    output_names=[tensor.name for tensor in signature.outputs],
                    dynamic_axes={tensor.name: _free(tensor) for tensor in tensors},
                )
        except Exception as error:
            raise ConversionError(f"{entry}: {str(error).strip().splitlines()[0]}") from error
        model = onnx_ir.load(file)
        onnx_ir.external_data.load_to_model(model)
    LiftConstantsToInitializersPass()(model)  # a trace that is frozen holds its weights as nodes
    return model


def _free(tensor: Tensor) -> dict[int, str]:
    return {at: dim for at, dim in enumerate(tensor.shape) if isinstance(dim, str)}
