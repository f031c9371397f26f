"""Exported program to plain TorchScript, as torch exported it.

model.pt    a frozen TorchScript module, as `converters.torchscript` writes them
"""

from pathlib import Path

from converters.converter import Converter, ConvertOptions
from converters.programs.files import load_program
from converters.torchscript.of_program import traceable
from converters.torchscript.plain import inspect, read_signature, write_module
from registry.format import ENTRY, Format


def convert(source: Path, out: Path, options: ConvertOptions) -> str:
    """Write `model.pt`.

    Raises:
        ConversionError: The program cannot be traced, or the traced module does not run with
            other sizes of its free axes than it was traced with.
    """
    program, signature = load_program(source)
    module = traceable(program, source / ENTRY[Format.EXPORTED_PROGRAM])
    return write_module(module, signature, out, options)


CONVERTER = Converter(
    source=Format.EXPORTED_PROGRAM,
    result=Format.TORCHSCRIPT,
    convert=convert,
    read_signature=read_signature,
    inspect=inspect,
)
