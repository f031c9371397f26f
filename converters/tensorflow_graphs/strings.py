"""Text that a model takes: the cut lies where it has become a whole number.

No runtime here looks words up: the input takes the ids instead.
"""

from collections.abc import Mapping
from typing import Any

from converters.tensorflow_graphs.graph import Graph, ancestors
from registry.errors import SourceError


def past_text(graph: Graph) -> Mapping[str, Any]:
    """Return what stands for each input: itself, or the ids that it becomes.

    Raises:
        SourceError: Text does not become ids at one place.
    """
    return {
        name: _ids_of(graph, name, tensor) if is_text(tensor) else tensor
        for name, tensor in graph.inputs.items()
    }


def is_text(tensor: Any) -> bool:  # noqa: ANN401 - untyped
    """Say whether an input takes words."""
    return bool(tensor.dtype.name == "string")


def _ids_of(graph: Graph, name: str, text: Any) -> Any:  # noqa: ANN401 - untyped
    """Return the first whole numbers through which alone the text reaches the outputs."""
    for operation in graph.function.graph.get_operations():  # in an order that can be computed
        for tensor in operation.outputs:
            if tensor.dtype.is_integer and _reads(tensor, text, ()):
                ends = graph.outputs.values()
                if not any(_reads(output, text, (tensor.name,)) for output in ends):
                    return tensor
    raise SourceError(
        f"input '{name}' is text, and does not become ids at one place of the graph. Look the "
        "words up before the model, and save it from there"
    )


def _reads(tensor: Any, wanted: Any, stops: tuple[str, ...]) -> bool:  # noqa: ANN401 - untyped
    """Say whether a tensor is computed from another, past none of some."""
    came = ancestors(tensor, stops)
    return any(one.name == wanted.name for one in came)
