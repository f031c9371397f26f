"""What the lookups of a TensorFlow graph take: inputs as they are, or ids that are computed."""

from typing import Any

from converters.tensorflow_graphs.graph import look_through
from converters.tensorflow_graphs.pieces import Given
from converters.tensorflow_graphs.reads import Read
from registry.composition import Lookup


class Ids:
    """Names what lookups take, alike where it is alike.

    Attributes:
        computed: What has to be computed, by name. Empty where the inputs are the ids.
    """

    def __init__(self, given: Given) -> None:
        self.computed: dict[str, Any] = {}
        self._names = {tensor.name: name for name, (tensor, _) in given.items()}
        self._outputs: dict[tuple[str, str], str] = {}

    def lookup(self, read: Read) -> Lookup:
        """Describe a lookup, and note what has to be computed for it."""
        ids, table = self._name(read.ids), read.variable.name
        count = sum(name == table for name, _ in self._outputs)
        output = self._outputs.setdefault((table, ids), f"emb__{table}__{count}")
        return Lookup(
            output=output, table=table, kind="embedding", ids=ids, dtype=read.variable.dtype
        )

    def _name(self, tensor: Any) -> str:  # noqa: ANN401 - untyped
        tensor = look_through(tensor)
        if tensor.name not in self._names:
            self._names[tensor.name] = f"ids__{len(self.computed)}"
            self.computed[self._names[tensor.name]] = tensor
        return self._names[tensor.name]
