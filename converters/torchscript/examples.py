"""Inputs that a module is traced and tried with."""

from collections.abc import Mapping
from typing import Any

from registry.require import require
from registry.signature import Signature


def sizes_of_axes(signature: Signature, least: int) -> dict[str, int]:
    """Give each free axis of the inputs a size; no two alike, so that none passes for another."""
    names = dict.fromkeys(d for t in signature.inputs for d in t.shape if isinstance(d, str))
    return {name: least + 2 * number for number, name in enumerate(names)}


def example_inputs(signature: Signature, sizes: Mapping[str, int]) -> tuple[Any, ...]:
    """Make inputs: floats of order one, and zeros for what may be ids."""
    torch = require("torch", extra="convert")
    generator = torch.Generator().manual_seed(0)
    made = []
    for tensor in signature.inputs:
        shape = [sizes[dim] if isinstance(dim, str) else dim for dim in tensor.shape]
        dtype = getattr(torch, tensor.dtype.value)
        if dtype.is_floating_point:
            made.append(torch.randn(shape, dtype=torch.float32, generator=generator).to(dtype))
        else:
            made.append(torch.zeros(shape, dtype=dtype))
    return tuple(made)
