"""Which dimensions an export keeps symbolic, and the example tensors to trace with."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.programs.examples import axis_sizes, ends_without_bags, example_arrays
from registry.signature import Axis, Input

if TYPE_CHECKING:
    import torch

#: Torch's advice where an axis follows from another: "  ends = batch + 1".
_FOLLOWS = re.compile(r"^  (\w+) = (?:(\d+)\*)?([A-Za-z_]\w*)(?: ([+-]) (\d+))?$", re.MULTILINE)


def example_inputs(brief: Brief) -> "tuple[torch.Tensor, ...]":
    """Make fresh tensors: an export leaves its marks on those that it was given."""
    import torch

    arrays = example_arrays(brief.inputs, axis_sizes(brief.inputs, brief.axes))
    return tuple(
        torch.from_numpy(arrays[given.name].copy()).to(getattr(torch, given.dtype.value))
        for given in brief.inputs
    )


def dynamic_shapes(
    inputs: tuple[Input, ...], axes: Mapping[str, Axis], advice: str = ""
) -> tuple[dict[int, object], ...]:
    """Say which dimensions are symbolic: an axis is one symbol wherever it stands.

    Args:
        advice: The text of an earlier failure, which may say how one axis follows from another.
            It also tells that torch has to know that offsets' ends are one more than the bags:
            else it takes it that there are two bags or more.
    """
    names = {dim for given in inputs for dim in given.shape if isinstance(dim, str)}
    dims = {plain(name): _dim(name, axes.get(name, Axis())) for name in names}
    if advice:
        dims |= {plain(name): _one_longer(name, axes) for name in ends_without_bags(inputs)}
    for name, factor, other, sign, summand in _FOLLOWS.findall(advice):
        if name in dims and other in dims:
            scaled = int(factor) * dims[other] if factor else dims[other]
            dims[name] = scaled + int(f"{sign}{summand}") if summand else scaled
    return tuple(
        {at: dims[plain(dim)] for at, dim in enumerate(given.shape) if isinstance(dim, str)}
        for given in inputs
    )


def can_tell_more(text: str, inputs: tuple[Input, ...]) -> bool:
    """Tell whether another try has more to say of how axes follow from others."""
    return follows(text) or bool(ends_without_bags(inputs))


def follows(text: str) -> bool:
    """Tell whether torch found that an axis is a multiple of, or longer than, another."""
    return any(factor or summand for _, factor, _, _, summand in _FOLLOWS.findall(text))


def plain(name: str) -> str:
    """Turn an axis' name into one that torch takes."""
    return re.sub(r"\W", "_", name)


def _one_longer(name: str, axes: Mapping[str, Axis]) -> "torch.export.Dim":
    """Say that an axis is one longer than another, which no input has."""
    axis = axes.get(name, Axis())
    return 1 + _dim(f"{name}_bags", Axis(min=max(axis.min - 1, 0), max=max(axis.max - 1, 1)))


def _dim(name: str, axis: Axis) -> "torch.export.Dim":
    import torch

    if axis.multiple_of > 1:
        steps = Axis(min=axis.min // axis.multiple_of, max=axis.max // axis.multiple_of)
        return axis.multiple_of * _dim(f"{name}_steps", steps)
    return torch.export.Dim(plain(name), min=axis.min, max=max(axis.max, axis.min + 1, 2))
