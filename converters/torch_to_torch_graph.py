"""Exported program to a graph that another version of torch reads.

graph.json, weights.safetensors    as `converters.torch_graph` writes them
"""

from pathlib import Path

from converters.converter import Converter, ConvertOptions
from converters.programs.files import load_program
from converters.torch_graph.files import save_graph
from converters.torch_graph.read_back import inspect, read_signature
from converters.torchscript.of_program import traceable
from registry.errors import ConversionError
from registry.format import ENTRY, Format
from registry.require import require


def convert(source: Path, out: Path, options: ConvertOptions) -> str:
    """Write the graph.

    Raises:
        ConversionError: Names the node that has no form which another torch reads; or other
            weights than f32 are asked for, which are for the runtime's own converter to make.
    """
    torch = require("torch", extra="convert")
    if options.weights != "f32":
        raise ConversionError(f"graphs keep weights as they are, not as {options.weights}")
    program, signature = load_program(source)
    module = traceable(program, source / ENTRY[Format.EXPORTED_PROGRAM])
    save_graph(module, out, signature, options)
    return f"torch.export {torch.__version__}"


CONVERTER = Converter(
    source=Format.EXPORTED_PROGRAM,
    result=Format.TORCH_GRAPH,
    convert=convert,
    read_signature=read_signature,
    inspect=inspect,
)
