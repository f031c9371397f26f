"""Which dimensions an export keeps symbolic, and the example tensors to trace with."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.programs.examples import axis_sizes, example_arrays
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
    """
    names = {dim for given in inputs for dim in given.shape if isinstance(dim, str)}
    dims = {plain(name): _dim(name, axes.get(name, Axis())) for name in names}
    for name, factor, other, sign, summand in _FOLLOWS.findall(advice):
        if name in dims and other in dims:
            scaled = int(factor) * dims[other] if factor else dims[other]
            dims[name] = scaled + int(f"{sign}{summand}") if summand else scaled
    return tuple(
        {at: dims[plain(dim)] for at, dim in enumerate(given.shape) if isinstance(dim, str)}
        for given in inputs
    )


def follows(text: str) -> bool:
    """Tell whether torch found that an axis is a multiple of, or longer than, another."""
    return any(factor or summand for _, factor, _, _, summand in _FOLLOWS.findall(text))


def plain(name: str) -> str:
    """Turn an axis' name into one that torch takes."""
    return re.sub(r"\W", "_", name)


def _dim(name: str, axis: Axis) -> "torch.export.Dim":
    import torch

    return torch.export.Dim(plain(name), min=axis.min, max=max(axis.max, axis.min + 1, 2))
