"""How large generated inputs are: sizes of axes, and of the bags that others cut."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from registry.signature import Axis, Dim, Input

#: Longest size that is tried of an axis, and bytes that the inputs of a case may take then.
LONGEST = 1024
BUDGET = 32 << 20

#: Other lengths are drawn from an axis's least to this much more.
SPAN = 15

#: At least so many batch sizes: one alone could be the one that the model was traced with.
FEWEST = 3
SPARE = (1, 3, 17)

#: Ids in each bag, made from as many random sizes of up to MOST.
BagSizes = Callable[[np.ndarray], np.ndarray]
MOST = 4


@dataclass(frozen=True)
class Extent:
    """The sizes of one case.

    Attributes:
        axes: Size of each symbolic axis.
        bags: Ids in each bag, by the name of the offsets or lengths.
    """

    axes: Mapping[str, int]
    bags: Mapping[str, np.ndarray]

    def shape(self, tensor: Input) -> tuple[int, ...]:
        """Return the shape of an input in this case."""
        return tuple(self.axes[dim] if isinstance(dim, str) else dim for dim in tensor.shape)


@dataclass(frozen=True)
class Cut:
    """Offsets or lengths: how many, what they cut, and whether the total is the last of them."""

    name: str
    count: Dim
    flat: Dim
    last: bool


class Layout:
    """Which axis plays which part.

    The axis that most inputs begin with is the batch. Ids that are cut into bags begin with an
    axis of their own, as long as all bags together; so do the weights of these ids.
    """

    def __init__(self, inputs: tuple[Input, ...], axes: Mapping[str, Axis]) -> None:
        by_name = {tensor.name: tensor for tensor in inputs}
        self._inputs = inputs
        self._axes = axes
        self._cuts = tuple(
            Cut(one.name, one.shape[0], by_name[one.cuts].shape[0], one.includes_last)
            for one in inputs
            if one.cuts is not None
        )
        taken: set[Dim | None] = {cut.flat for cut in self._cuts}
        taken |= {cut.count for cut in self._cuts if cut.last}
        firsts = [tensor.shape[0] for tensor in inputs if tensor.shape]
        named = [dim for dim in firsts if isinstance(dim, str) and dim not in taken]
        self.batch = Counter(named).most_common(1)[0][0] if named else None
        taken |= {self.batch, *(cut.count for cut in self._cuts)}
        dims = dict.fromkeys(dim for tensor in inputs for dim in tensor.shape)
        self.others = tuple(dim for dim in dims if isinstance(dim, str) and dim not in taken)

    @property
    def has_bags(self) -> bool:
        """Whether some of the inputs are cut into bags."""
        return bool(self._cuts)

    def range(self, dim: Dim) -> Axis:
        """Return the range of an axis; a fixed size is one from itself to itself."""
        if isinstance(dim, int):
            return Axis(min=dim, max=max(dim, 1))
        return self._axes.get(dim, Axis())

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """Return the wanted batch sizes as far as their axis allows, and more if they are few."""
        axis = self._batch_range()
        sizes = list(dict.fromkeys(axis.within(size) for size in wanted))
        for size in (axis.within(spare) for spare in SPARE):
            if len(sizes) < FEWEST and size not in sizes:
                sizes.append(size)
        return tuple(sizes)

    def extent(
        self,
        batch: int,
        bag_sizes: BagSizes,
        rng: np.random.Generator,
        fixed: Mapping[str, int],
    ) -> Extent | None:
        """Choose the sizes of a case; None where bags of these sizes are not allowed.

        Args:
            fixed: Sizes of axes that are given; the others are drawn from short lengths.
        """
        axes = {name: self._draw(name, rng) for name in self.others} | dict(fixed)
        if self.batch is not None:
            axes[self.batch] = batch
        bags: dict[Dim, np.ndarray] = {}
        for cut in self._cuts:
            if isinstance(cut.count, str):
                axes[cut.count] = batch + cut.last
            count = batch if isinstance(cut.count, str) else cut.count - cut.last
            drawn = bag_sizes(rng.integers(0, MOST, count, endpoint=True))
            fitted = _fit(bags.get(cut.flat, drawn), self.range(cut.flat))
            if fitted is None:
                return None
            bags[cut.flat] = fitted
            if isinstance(cut.flat, str):
                axes[cut.flat] = int(fitted.sum())
        return Extent(axes, {cut.name: bags[cut.flat] for cut in self._cuts})

    def longest(self, name: str, batch: int) -> int:
        """Return the largest size of an axis to try: its most, or what memory allows."""
        axis = self.range(name)
        size = axis.within(LONGEST)
        while size > axis.min and self._bytes({name: size}, batch) > BUDGET:
            size = axis.within(size // 2)
        return size

    def _bytes(self, fixed: Mapping[str, int], batch: int) -> int:
        def size(dim: Dim) -> int:
            if isinstance(dim, int):
                return dim
            return fixed.get(dim, batch if dim == self.batch else self.range(dim).min + SPAN)

        return sum(8 * prod(map(size, tensor.shape)) for tensor in self._inputs)

    def _draw(self, name: str, rng: np.random.Generator) -> int:
        axis = self.range(name)
        most = min(axis.max, axis.min + SPAN * axis.multiple_of)
        return axis.within(int(rng.integers(axis.min, most, endpoint=True)))

    def _batch_range(self) -> Axis:
        if self.batch is not None:
            return self.range(self.batch)
        for cut in self._cuts:
            axis = self.range(cut.count)
            return Axis(min=max(axis.min - cut.last, 0), max=max(axis.max - cut.last, 1))
        firsts = [tensor.shape[0] for tensor in self._inputs if tensor.shape]
        return self.range(firsts[0] if firsts else 1)


def _fit(sizes: np.ndarray, total: Axis) -> np.ndarray | None:
    """Make the sizes add up to what is allowed; empty bags stay empty."""
    if (together := int(sizes.sum())) > total.max:
        sizes = sizes * total.max // together
    lacking = total.min - int(sizes.sum())
    if lacking <= 0:
        return sizes
    if not sizes.any():
        return None
    return np.where(np.arange(sizes.size) == sizes.argmax(), sizes + lacking, sizes)
