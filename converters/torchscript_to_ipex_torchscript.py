"""Plain TorchScript to that of Intel Extension for PyTorch, whose torch reads no newer programs.

model.pt    a frozen TorchScript module, as `converters.torchscript` writes them
"""

from pathlib import Path

from converters.converter import Converter, ConvertOptions
from converters.onnx_to_ipex_torchscript import inspect, read_signature
from converters.quiet import quiet
from converters.torchscript.files import load_module, save_module
from registry.errors import ConversionError
from registry.format import ENTRY, Format
from registry.require import require


def convert(source: Path, out: Path, options: ConvertOptions) -> str:
    """Write `model.pt`: IPEX's own passes run when the module is loaded and first runs.

    Raises:
        ConversionError: Other weights than f32 are asked for.
    """
    with quiet("ipex"):
        ipex = require("intel_extension_for_pytorch", extra="convert")
    torch = require("torch", extra="convert")
    if options.weights != "f32":
        raise ConversionError(f"TorchScript keeps weights as f32 here, not as {options.weights}")
    module, given, tried = load_module(source / ENTRY[Format.TORCHSCRIPT])
    save_module(module, out / ENTRY[Format.IPEX_TORCHSCRIPT], given, tried)
    return f"intel-extension-for-pytorch {ipex.__version__}, torch {torch.__version__}"


CONVERTER = Converter(
    source=Format.TORCHSCRIPT,
    result=Format.IPEX_TORCHSCRIPT,
    convert=convert,
    read_signature=read_signature,
    inspect=inspect,
    in_target=True,
)
