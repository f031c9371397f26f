"""What the lookups of a graph take: inputs as they are, or ids that are computed."""

from collections.abc import Collection, Hashable, Mapping
from typing import Generic, TypeVar

from converters.split.variable import Variable
from registry.composition import Lookup

T = TypeVar("T")


class LookedUp(Generic[T]):
    """Names what lookups take and give, alike where it is alike.

    Args:
        inputs: The names of the user's inputs, by what tells their values from others.
        taken: Names that mean something else.

    Attributes:
        computed: What has to be computed, by name. Empty where the inputs are the ids.
    """

    def __init__(self, inputs: Mapping[Hashable, str], taken: Collection[str] = ()) -> None:
        self.computed: dict[str, T] = {}
        self._names = dict(inputs)
        self._outputs: dict[tuple[str, str], str] = {}
        self._taken = {*taken, *inputs.values()}

    def lookup(self, variable: Variable, identity: Hashable, ids: T) -> Lookup:
        """Describe a lookup, and note what has to be computed for it.

        Args:
            identity: Tells these ids from others.
        """
        if identity not in self._names:
            self._names[identity] = self._free("ids")
            self.computed[self._names[identity]] = ids
        read = (variable.name, self._names[identity])
        if read not in self._outputs:
            self._outputs[read] = self._free(f"emb__{variable.name}")
        return Lookup(
            output=self._outputs[read],
            table=variable.name,
            kind="embedding",
            ids=self._names[identity],
            dtype=variable.dtype,
        )

    def _free(self, what: str) -> str:
        count = 0
        while f"{what}__{count}" in self._taken:
            count += 1
        self._taken.add(f"{what}__{count}")
        return f"{what}__{count}"
