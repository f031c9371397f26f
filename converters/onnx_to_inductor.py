"""ONNX to a package of AOTInductor, through our own importer and torch.export."""

from collections.abc import Iterator
from pathlib import Path

from converters.brief import Brief, SourceOptions
from converters.converter import Converter, ConvertOptions
from converters.inductor.package import inspect, read_signature, write_package
from converters.onnx_models.files import open_model, signature_of
from converters.onnx_to_torch import import_model
from converters.programs.export import export_program
from converters.torchscript.examples import examples_of
from registry.format import ENTRY, Format
from registry.signature import ANY, Axis, Dim, Input, Signature

#: The range of an axis of which the job says nothing.
_WHATEVER = Axis(min=0, max=1 << 31)


def convert(source: Path, out: Path, options: ConvertOptions) -> str:
    """Write `model.pt2` and `package.json`.

    Raises:
        ConversionError: An operator is not supported, or torch cannot compile it.
        SourceError: torch cannot export it with its free axes.
    """
    file = source / ENTRY[Format.ONNX]
    signature = signature_of(open_model(file))
    inputs = tuple(_inputs(signature, options))
    names = {dim for each in inputs for dim in each.shape if isinstance(dim, str)}
    axes = {name: options.axes.get(name, _WHATEVER) for name in names}
    brief = Brief(options=SourceOptions(), folder=source, inputs=inputs, axes=axes)
    program = export_program(import_model(file).eval(), brief)
    return write_package(program, examples_of(signature, options), out, options)


def _inputs(signature: Signature, options: ConvertOptions) -> Iterator[Input]:
    """Say what is known of each input of the part; axes without a name are each another."""
    known = {each.name: each for each in options.inputs}
    for tensor in signature.inputs:
        shape: tuple[Dim, ...] = tuple(
            f"{tensor.name}_{at}" if dim == ANY else dim for at, dim in enumerate(tensor.shape)
        )
        bare = Input(name=tensor.name, dtype=tensor.dtype, shape=shape)
        given = known.get(tensor.name, bare)
        yield given.model_copy(update={"dtype": tensor.dtype, "shape": shape})


CONVERTER = Converter(
    source=Format.ONNX,
    result=Format.INDUCTOR,
    convert=convert,
    read_signature=read_signature,
    inspect=inspect,
    by_isa=True,
)
