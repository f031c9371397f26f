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
        self._outputs: dict[tuple[str, str, bool], str] = {}
        self._taken = {*taken, *inputs.values()}

    def lookup(
        self, variable: Variable, identity: Hashable, ids: T, *, bags: bool = False
    ) -> Lookup:
        """Describe a lookup, and note what has to be computed for it.

        Args:
            identity: Tells these ids from others.
            bags: Each row of ids is a bag; how it is pooled is for the caller to say.
        """
        if identity not in self._names:
            self._names[identity] = self._free("ids")
            self.computed[self._names[identity]] = ids
        read = (variable.name, self._names[identity], bags)
        if read not in self._outputs:
            self._outputs[read] = self._free(f"emb__{variable.name}")
        return Lookup(
            output=self._outputs[read],
            table=variable.name,
            kind="bag" if bags else "embedding",
            ids=self._names[identity],
            dtype=variable.dtype,
        )

    def hand_on(self, identity: Hashable, name: str) -> None:
        """Say what values are called that a lookup gives: they may be ids of the next as they are.

        Args:
            identity: Tells these values from others.
        """
        self._names.setdefault(identity, name)

    def _free(self, what: str) -> str:
        count = 0
        while f"{what}__{count}" in self._taken:
            count += 1
        self._taken.add(f"{what}__{count}")
        return f"{what}__{count}"
