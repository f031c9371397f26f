"""Example inputs for an export, made from what the job says of them."""

from collections.abc import Mapping

import numpy as np

from registry.signature import Axis, DType, Ids, Input


def axis_sizes(inputs: tuple[Input, ...], axes: Mapping[str, Axis]) -> dict[str, int]:
    """Choose a size for each axis: at least 2 and each another, where their ranges allow it.

    Equal sizes would let an export mistake one axis for the other, and sizes 0 and 1
    are special to it. The axis of offsets that include the last one is one longer than
    the axis of the bags, which is taken to be the most used leading axis.
    """
    taken = {dim for given in inputs for dim in given.shape if isinstance(dim, int)}
    sizes: dict[str, int] = {}
    longer = _longer(inputs)
    names = dict.fromkeys(dim for given in inputs for dim in given.shape if isinstance(dim, str))
    for name in sorted(names, key=lambda name: name in longer):
        wanted = 5 if name not in longer else sizes.get(longer[name], 5) + 1
        while wanted in taken and name not in longer:
            wanted += 2
        axis = axes.get(name, Axis())
        size = min(wanted * axis.multiple_of, axis.max)
        sizes[name] = max(axis.min, size, min(2, axis.max))
        taken.add(sizes[name])
    return sizes


def example_arrays(inputs: tuple[Input, ...], sizes: Mapping[str, int]) -> dict[str, np.ndarray]:
    """Make one array for each input; bfloat16 comes as float32, which numpy has."""
    random = np.random.default_rng(0)
    arrays: dict[str, np.ndarray] = {}
    for given in inputs:
        shape = tuple(sizes[dim] if isinstance(dim, str) else dim for dim in given.shape)
        if given.ids is not None:
            array = _ids(random, given.ids, shape)
        elif given.cuts is not None:
            ends = _ends_of_bags(given, inputs, sizes, shape)
            array = np.diff(ends) if given.lengths else ends[: shape[0]]
        else:
            array = _numbers(random, given, shape)
        arrays[given.name] = array.astype(_numpy_dtype(given.dtype))
    return arrays


def ends_without_bags(inputs: tuple[Input, ...]) -> tuple[str, ...]:
    """Find axes that are one longer than there are bags, where no input has the axis of bags."""
    return tuple(name for name in _ends(inputs) if name not in _longer(inputs))


def _ends(inputs: tuple[Input, ...]) -> tuple[str, ...]:
    """Find the axes of offsets that include the last."""
    leading = (given.shape[0] for given in inputs if given.includes_last and given.shape)
    return tuple(dict.fromkeys(dim for dim in leading if isinstance(dim, str)))


def _longer(inputs: tuple[Input, ...]) -> dict[str, str]:
    """Find the axes that are one longer than another: of offsets that include the last."""
    ends = _ends(inputs)
    cut = {given.cuts for given in inputs if given.cuts}
    totals = {given.shape[0] for given in inputs if given.name in cut and given.shape}
    leading = [given.shape[0] for given in inputs if given.shape]
    others = [dim for dim in leading if isinstance(dim, str) and dim not in (*ends, *totals)]
    if not others:
        return {}
    most = max(others, key=others.count)
    return dict.fromkeys(ends, most)


def _ids(random: np.random.Generator, ids: Ids, shape: tuple[int, ...]) -> np.ndarray:
    if isinstance(ids.cardinality, int):
        return random.integers(0, max(ids.cardinality, 1), shape)
    columns = [random.integers(0, max(count, 1), shape[:-1]) for count in ids.cardinality]
    return np.stack(columns, axis=-1)


def _ends_of_bags(
    given: Input, inputs: tuple[Input, ...], sizes: Mapping[str, int], shape: tuple[int, ...]
) -> np.ndarray:
    total = next(
        (
            sizes[dim] if isinstance(dim, str) else dim
            for other in inputs
            if other.name == given.cuts
            for dim in other.shape[:1]
        ),
        0,
    )
    bags = shape[0] - 1 if given.includes_last else shape[0]
    return np.linspace(0, total, bags + 1).astype(np.int64)


def _numbers(random: np.random.Generator, given: Input, shape: tuple[int, ...]) -> np.ndarray:
    if given.dtype is DType.BOOL:
        return random.random(shape) < 0.5
    low, high = given.range or (0.0, 1.0)
    if given.dtype.value.startswith(("int", "uint")):
        limits = np.iinfo(_numpy_dtype(given.dtype))
        least, most = max(int(low), limits.min), min(int(high), limits.max)
        return random.integers(least, most, shape, endpoint=True)
    return random.uniform(low, high, shape)


def _numpy_dtype(dtype: DType) -> np.dtype:
    return np.dtype("float32" if dtype is DType.BFLOAT16 else dtype.value)
