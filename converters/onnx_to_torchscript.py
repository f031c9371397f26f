"""ONNX to plain TorchScript, through our own importer.

model.pt    a frozen TorchScript module, as `converters.torchscript` writes them
"""

from pathlib import Path

from converters.converter import Converter, ConvertOptions
from converters.onnx_models.files import open_model, signature_of
from converters.onnx_to_torch import import_model
from converters.torchscript.plain import inspect, read_signature, write_module
from registry.format import ENTRY, Format


def convert(source: Path, out: Path, options: ConvertOptions) -> str:
    """Write `model.pt`.

    Raises:
        ConversionError: An operator is not supported, or the traced module does not run with
            other sizes of its free axes than it was traced with.
    """
    file = source / ENTRY[Format.ONNX]
    signature = signature_of(open_model(file))
    return write_module(import_model(file).eval(), signature, out, options)


CONVERTER = Converter(
    source=Format.ONNX,
    result=Format.TORCHSCRIPT,
    convert=convert,
    read_signature=read_signature,
    inspect=inspect,
)
