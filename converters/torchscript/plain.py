"""TorchScript for torch alone: what every road to it ends with."""

from pathlib import Path
from typing import Any

from converters.converter import ConvertOptions
from converters.torchscript.examples import examples_of
from converters.torchscript.files import save_module
from converters.torchscript.read_back import NAMESPACES, faults_of_module, signature_of_module
from converters.torchscript.tracing import trace
from registry.errors import ConversionError
from registry.format import ENTRY, Format
from registry.require import require
from registry.signature import Signature


def write_module(module: Any, signature: Signature, out: Path, options: ConvertOptions) -> str:  # noqa: ANN401 - untyped
    """Trace a module and write `model.pt`; say what wrote it.

    Raises:
        ConversionError: The traced module does not run with other sizes of its free axes than
            it was traced with.
    """
    torch = require("torch", extra="convert")
    if options.weights != "f32":
        raise ConversionError(f"TorchScript keeps weights as f32 here, not as {options.weights}")
    file = out / ENTRY[Format.TORCHSCRIPT]
    given = examples_of(signature, options)
    traced, tried = trace(module, given, file)
    save_module(traced, file, given, tried)
    return f"torch.jit {torch.__version__}"


def read_signature(folder: Path) -> Signature:
    """Run the written module with two sizes of its axes, and tell what came of it."""
    return signature_of_module(folder / ENTRY[Format.TORCHSCRIPT])


def inspect(folder: Path) -> tuple[str, ...]:
    """List operators that torch has not."""
    return faults_of_module(folder / ENTRY[Format.TORCHSCRIPT], NAMESPACES)
