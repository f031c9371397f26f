"""A graph of torch to TorchScript, optimised by Intel Extension for PyTorch.

model.pt    a frozen TorchScript module, as `converters.torchscript` writes them
"""

from pathlib import Path

from converters.converter import Converter, ConvertOptions
from converters.onnx_to_ipex_torchscript import inspect, read_signature, write_optimised
from converters.torch_graph.files import load_graph
from converters.torch_graph.layers import use_stored_weights
from converters.torchscript.examples import examples_of
from registry.format import ENTRY, Format


def convert(source: Path, out: Path, options: ConvertOptions) -> str:
    """Write `model.pt`.

    Raises:
        ConversionError: IPEX's torch lacks an operator, nothing in the model can be computed in
            the wanted precision, or the traced module does not run with other sizes of its free
            axes than it was traced with.
    """
    module, given = load_graph(source)
    use_stored_weights(module)
    given = examples_of(given.signature, options)
    return write_optimised(module, given, out, options, source / ENTRY[Format.TORCH_GRAPH])


CONVERTER = Converter(
    source=Format.TORCH_GRAPH,
    result=Format.IPEX_TORCHSCRIPT,
    convert=convert,
    read_signature=read_signature,
    inspect=inspect,
    in_target=True,
)
