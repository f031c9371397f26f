"""What a written graph says of itself when it is run."""

from pathlib import Path

from converters.torch_graph.files import load_graph
from converters.torchscript.examples import choices
from converters.torchscript.read_back import signature_of_runs
from converters.torchscript.tracing import run
from registry.errors import ConversionError
from registry.signature import Signature


def read_signature(folder: Path) -> Signature:
    """Run the graph with two sizes of its axes, and tell what came of it.

    Raises:
        ConversionError: It runs with none of the sizes that are tried.
    """
    module, given = load_graph(folder)
    fault: Exception | None = None
    for _, *tried in choices(given):
        try:
            runs = [run(module, given, sizes) for sizes in tried]
        except Exception as error:  # noqa: BLE001 - what a framework raises has no kind
            fault = fault or error
        else:
            return signature_of_runs(given.signature, runs)
    raise ConversionError(f"{folder}: the graph cannot be run: {fault}") from fault


def inspect(folder: Path) -> tuple[str, ...]:
    """List what keeps the graph from being read."""
    try:
        load_graph(folder)
    except ConversionError as error:
        return (str(error),)
    return ()
