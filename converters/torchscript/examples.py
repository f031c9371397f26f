"""Inputs that a module is traced and tried with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from converters.converter import ConvertOptions
from registry.require import require
from registry.signature import Axis, DType, Input, Signature

#: Sizes that free axes are tried with: small, and what networks of images need at least.
LEAST = (3, 32, 224)

#: Lowest and highest number of each input of integers, where the job says.
Values = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Examples:
    """What is known of the inputs of a part: free axes have the sizes that the job says.

    Attributes:
        starts: Inputs that hold starts of bags.
    """

    signature: Signature
    values: Values
    axes: Mapping[str, Axis]
    starts: frozenset[str] = frozenset()


def examples_of(signature: Signature, options: ConvertOptions) -> Examples:
    """Take what the job says of inputs and axes that reach a part."""
    names = {tensor.name for tensor in signature.inputs}
    known = {each.name: each for each in options.inputs if each.name in names}
    values = {name: span for name, each in known.items() if (span := _span(each)) is not None}
    starts = frozenset(name for name, each in known.items() if each.offsets is not None)
    return Examples(signature, values, options.axes, starts)


def choices(given: Examples) -> Iterator[list[dict[str, int]]]:
    """Yield sizes of the free axes, three times three: to trace with, and two to try."""
    shapes = (tensor.shape for tensor in given.signature.inputs)
    names = dict.fromkeys(dim for shape in shapes for dim in shape if isinstance(dim, str))
    yielded: list[list[dict[str, int]]] = []
    for least in LEAST:
        # No two axes are alike, so that none passes for another.
        sizes = {
            name: _three(least + 2 * number, given.axes.get(name))
            for number, name in enumerate(names)
        }
        chosen = [{name: three[at] for name, three in sizes.items()} for at in range(3)]
        if chosen not in yielded:
            yielded.append(chosen)
            yield chosen


def example_inputs(given: Examples, sizes: Mapping[str, int]) -> tuple[Any, ...]:
    """Make inputs: floats of order one; zeros for integers of which the job says nothing."""
    torch = require("torch", extra="convert")
    generator = torch.Generator().manual_seed(0)
    made = []
    for tensor in given.signature.inputs:
        shape = [sizes[dim] if isinstance(dim, str) else dim for dim in tensor.shape]
        dtype = getattr(torch, tensor.dtype.value)
        if dtype.is_floating_point:
            made.append(torch.randn(shape, dtype=torch.float32, generator=generator).to(dtype))
            continue
        if tensor.name in given.starts:
            # The first bag and the last hold something: a body is traced with what the first has.
            made.append(torch.arange(*shape).clamp(max=1).to(dtype))
            continue
        low, high = given.values.get(tensor.name, (0, 0))
        drawn = torch.randint(low, high + 1, shape, dtype=torch.int64, generator=generator)
        made.append(drawn.to(dtype))
    return tuple(made)


def _three(wanted: int, axis: Axis | None) -> tuple[int, int, int]:
    """Choose three sizes of an axis, the last two different, within its range if that has two."""
    if axis is not None and axis.multiple_of > 1:
        times = axis.multiple_of
        steps = Axis(min=axis.min // times, max=axis.max // times)
        first, second, third = _three(-(-wanted // times), steps)
        return first * times, second * times, third * times
    if axis is None or axis.min == axis.max:
        first = wanted if axis is None else max(axis.min, 1)
        return first, first + 1, first + 4
    most = min(axis.max, max(wanted, axis.min) + 4)
    first = max(axis.min, most - 4, min(1, most - 1))
    return first, min(first + 1, most - 1), most


def _span(given: Input) -> tuple[int, int] | None:
    """Give the lowest and highest number of an input of integers; none of starts of bags."""
    if given.dtype is DType.BOOL or given.dtype.value.startswith(("float", "bfloat")):
        return None
    if given.ids is not None:
        rows = given.ids.cardinality
        return 0, max(0, (rows if isinstance(rows, int) else min(rows)) - 1)
    if given.range is None:
        return None
    limits = 2 ** (8 * given.dtype.bytes - 1)
    unsigned = given.dtype is DType.UINT8
    low, high = (0, 2 * limits - 1) if unsigned else (-limits, limits - 2)
    return max(low, int(given.range[0])), min(high, int(given.range[1]))
