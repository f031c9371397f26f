"""Exported program to a package of AOTInductor, as torch exported it."""

from pathlib import Path

from converters.converter import Converter, ConvertOptions
from converters.inductor.package import inspect, read_signature, write_package
from converters.programs.files import load_program
from converters.torchscript.examples import examples_of
from registry.format import Format


def convert(source: Path, out: Path, options: ConvertOptions) -> str:
    """Write `model.pt2` and `package.json`.

    Raises:
        ConversionError: torch cannot compile it.
    """
    program, signature = load_program(source)
    return write_package(program, examples_of(signature, options), out, options)


CONVERTER = Converter(
    source=Format.EXPORTED_PROGRAM,
    result=Format.INDUCTOR,
    convert=convert,
    read_signature=read_signature,
    inspect=inspect,
    by_isa=True,
)
