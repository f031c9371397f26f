"""Inputs that break conversions: generated, the same ones for the same job."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from zlib import crc32

import numpy as np

from registry.errors import SourceError
from registry.signature import Axis, DType, Input
from targets.parity.cases import Case
from targets.parity.extents import BagSizes, Layout
from targets.parity.fillings import FILLINGS, ODD_IDS, Filling, filled, holds, typical

#: Ids in the bag that is to be huge, where the axis is long enough.
HUGE = 1000


def _as_drawn(drawn: np.ndarray) -> np.ndarray:
    return drawn


def _first_empty(drawn: np.ndarray) -> np.ndarray:
    return _but(0, drawn)


def _middle_empty(drawn: np.ndarray) -> np.ndarray:
    return _but(drawn.size // 2, drawn)


def _last_empty(drawn: np.ndarray) -> np.ndarray:
    return _but(drawn.size - 1, drawn)


def _all_empty(drawn: np.ndarray) -> np.ndarray:
    return np.zeros_like(drawn)


def _one_huge(drawn: np.ndarray) -> np.ndarray:
    return np.where(np.arange(drawn.size) == drawn.size // 2, HUGE, 0)


def _but(empty: int, drawn: np.ndarray) -> np.ndarray:
    return np.where(np.arange(drawn.size) == empty, 0, np.maximum(drawn, 1))


BAGS: Mapping[str, BagSizes] = MappingProxyType(
    {
        "bags: the first one empty": _first_empty,
        "bags: one in the middle empty": _middle_empty,
        "bags: the last one empty": _last_empty,
        "bags: all empty": _all_empty,
        "bags: one of them huge, the others empty": _one_huge,
    }
)


@dataclass(frozen=True)
class OddId:
    """An id to put into the last row of an input, in one of its columns.

    Attributes:
        outside: The job says that such an id does not come.
    """

    tensor: Input
    columns: int
    column: int
    value: int
    outside: bool


@dataclass(frozen=True)
class Recipe:
    """How to make a case.

    Attributes:
        axes: Sizes of axes that are given.
        filling: Replaces typical values in the inputs that it is for.
    """

    name: str
    batch: int
    bags: BagSizes = _as_drawn
    axes: Mapping[str, int] = field(default_factory=dict)
    filling: Filling | None = None
    odd: OddId | None = None


def hostile(
    inputs: tuple[Input, ...], axes: Mapping[str, Axis], batches: tuple[int, ...], seed: int
) -> Iterator[Case]:
    """Generate cases that no one has answered yet; each name says what is hostile in it.

    Several batch sizes, lengths at both ends of their ranges, ids and values at the ends of what
    they may be, empty bags, and ids out of range, one in one input at a time: those the original
    refuses, unless it hashes them.

    Raises:
        SourceError: An input has a dtype that numpy has no arrays of.
    """
    for tensor in inputs:
        if tensor.dtype == DType.BFLOAT16:
            raise SourceError(
                f"input '{tensor.name}': bfloat16 is for weights; declare float32, and let the "
                "model narrow it"
            )
    layout = Layout(inputs, axes)
    for recipe in _recipes(inputs, layout, batches):
        rng = np.random.default_rng([seed % 2**32, crc32(recipe.name.encode())])
        if (arrays := _make(recipe, inputs, layout, rng)) is not None:
            outside = recipe.odd is not None and recipe.odd.outside
            yield Case(recipe.name, "generated", arrays, outside=outside)


def usual(
    inputs: tuple[Input, ...], axes: Mapping[str, Axis], batch: int, seed: int
) -> dict[str, np.ndarray] | None:
    """Generate a batch with nothing hostile in it; None where bags cannot be that many."""
    return _make(Recipe("usual", batch), inputs, Layout(inputs, axes), np.random.default_rng(seed))


def _recipes(
    inputs: tuple[Input, ...], layout: Layout, batches: tuple[int, ...]
) -> Iterator[Recipe]:
    sizes = layout.batches(batches)
    least, middle = min(sizes), sorted(sizes)[len(sizes) // 2]
    for size in sizes:
        yield Recipe(f"batch of {size}", size)
    for axis in layout.others:
        for length in dict.fromkeys((layout.range(axis).min, layout.longest(axis, least))):
            yield Recipe(f"axis {axis} of {length}", least, axes={axis: length})
    if layout.has_bags:
        (several,) = layout.batches((max(middle, 3),))[:1]
        for name, bags in BAGS.items():
            yield Recipe(name, several, bags=bags)
    for name, filling in FILLINGS.items():
        yield Recipe(name, middle, filling=filling)
    for tensor in inputs:
        yield from _odd_ids(tensor, middle)


def _odd_ids(tensor: Input, batch: int) -> Iterator[Recipe]:
    """Yield ids out of range, or close to what 32 bits hold; in all columns where they differ."""
    if tensor.ids is None:
        return
    counts = tensor.ids.cardinality
    columns = counts if isinstance(counts, tuple) else (counts,)
    for column, count in enumerate(columns):
        odd = {"its cardinality": count} | (dict(ODD_IDS) if column == 0 else {})
        where = f"{tensor.name}, column {column}" if len(columns) > 1 else tensor.name
        for word, value in odd.items():
            if holds(tensor, value):
                outside = not 0 <= value < count
                put = OddId(tensor, len(columns), column, value, outside)
                yield Recipe(f"ids: one of {where} is {word}", batch, odd=put)


def _make(
    recipe: Recipe, inputs: tuple[Input, ...], layout: Layout, rng: np.random.Generator
) -> dict[str, np.ndarray] | None:
    """Return the inputs, or None where there are none of this recipe for this model."""
    extent = layout.extent(recipe.batch, recipe.bags, rng, recipe.axes)
    if extent is None:
        return None
    arrays, replaced = {}, 0
    for tensor in inputs:
        shape = extent.shape(tensor)
        if tensor.name in extent.bags:
            arrays[tensor.name] = _cutting(tensor, extent.bags[tensor.name])
            continue
        given = filled(recipe.filling, tensor, shape, rng) if recipe.filling else None
        replaced += given is not None
        arrays[tensor.name] = typical(tensor, shape, rng) if given is None else given
    if recipe.filling is not None and not replaced:
        return None
    if recipe.odd is not None and not _put(recipe.odd, arrays[recipe.odd.tensor.name]):
        return None
    return arrays


def _put(odd: OddId, array: np.ndarray) -> bool:
    """Put the id in its place, and say whether there is one."""
    if array.size:
        array.reshape(-1, odd.columns)[-1, odd.column] = odd.value
    return bool(array.size)


def _cutting(tensor: Input, sizes: np.ndarray) -> np.ndarray:
    """Say where bags of these sizes begin, or how long they are."""
    if tensor.lengths is not None:
        return sizes.astype(tensor.dtype)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return (ends if tensor.includes_last else ends[:-1]).astype(tensor.dtype)
