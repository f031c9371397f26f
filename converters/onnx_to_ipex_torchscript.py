"""ONNX to TorchScript, optimised by Intel Extension for PyTorch.

model.pt    a frozen TorchScript module, as `converters.torchscript` writes them
"""

from pathlib import Path
from typing import Any

from converters.converter import Converter, ConvertOptions
from converters.ipex.int8 import told
from converters.ipex.optimise import optimise
from converters.onnx_models.files import open_model, signature_of
from converters.onnx_to_torch import import_model
from converters.quiet import quiet
from converters.torchscript.examples import Examples, examples_of
from converters.torchscript.files import save_module
from converters.torchscript.read_back import NAMESPACES, faults_of_module, signature_of_module
from converters.torchscript.tracing import trace
from registry.format import ENTRY, Format
from registry.require import require
from registry.signature import Signature

#: Namespaces of operators that IPEX brings.
_OWN = ("ipex", "ipex_prepack", "torch_ipex")


def convert(source: Path, out: Path, options: ConvertOptions) -> str:
    """Write `model.pt`.

    Raises:
        ConversionError: An operator is not supported, nothing in the model can be computed in
            the wanted precision, or the traced module does not run with other sizes of its free
            axes than it was traced with.
    """
    file = source / ENTRY[Format.ONNX]
    given = examples_of(signature_of(open_model(file)), options)
    return write_optimised(import_model(file), given, out, options, file)


def write_optimised(
    module: Any,  # noqa: ANN401 - untyped
    given: Examples,
    out: Path,
    options: ConvertOptions,
    file: Path,
) -> str:
    """Optimise a module whose weights are in layers, write `model.pt`, and say what wrote it.

    Args:
        file: Where it comes from, for errors.

    Raises:
        ConversionError: As `convert`.
    """
    torch, ipex = _frameworks()
    optimised = optimise(module.eval(), given, options, file)
    traced, tried = trace(optimised, given, file)
    int8 = told(options)
    save_module(traced, out / ENTRY[Format.IPEX_TORCHSCRIPT], given, tried, int8)
    maker = f"intel-extension-for-pytorch {ipex.__version__}, torch {torch.__version__}"
    return f"{maker}, int8 by {int8}" if int8 else maker


def read_signature(folder: Path) -> Signature:
    """Run the written module with two sizes of its axes, and tell what came of it."""
    _frameworks()
    return signature_of_module(folder / ENTRY[Format.IPEX_TORCHSCRIPT])


def inspect(folder: Path) -> tuple[str, ...]:
    """List operators that the runtime has not."""
    _frameworks()
    return faults_of_module(folder / ENTRY[Format.IPEX_TORCHSCRIPT], (*NAMESPACES, *_OWN))


def _frameworks() -> tuple[Any, Any]:
    """Import IPEX, which brings its operators, before a module that has them is read."""
    torch = require("torch", extra="convert")
    with quiet("ipex"):
        return torch, require("intel_extension_for_pytorch", extra="convert")


CONVERTER = Converter(
    source=Format.ONNX,
    result=Format.IPEX_TORCHSCRIPT,
    convert=convert,
    read_signature=read_signature,
    inspect=inspect,
    in_target=True,
)
