"""Arithmetic of shapes, kept out of tensors so that dynamic axes stay dynamic.

A number is an int when the module runs eagerly, a SymInt under torch.export, and a traced
tensor without axes under torch.jit.trace. What works on all three keeps an axis dynamic in all
three; `int(...)`, or a tensor that is read back, would bake the example's size or lose where it
came from. A scalar of ONNX is one number here, a vector is a list of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from torch import Tensor, dtype

Number: TypeAlias = Any
Numbers: TypeAlias = Sequence[Any]
#: Numbers of axes, which shape the computation itself.
Axes: TypeAlias = Sequence[int]
#: A scalar or a vector.
Sizes: TypeAlias = Any


def numbers(values: Tensor) -> Numbers:
    """Read a tensor; what is read is a tuple, to tell it from a list of sizes."""
    import torch

    flat = values.reshape(-1)
    return tuple(flat.unbind(0) if torch.jit.is_tracing() else flat.tolist())


def axes_of(values: Tensor) -> list[int]:
    """Read a tensor that says which axes are meant: they cannot change from call to call."""
    import torch

    if torch.jit.is_tracing():
        raise TypeError("axes that are computed cannot be traced: those of the example would stay")
    return [int(axis) for axis in values.reshape(-1).tolist()]


def listed(sizes: Sizes) -> Numbers:
    """Make a list of a scalar or a vector."""
    return list(sizes) if isinstance(sizes, list | tuple) else [sizes]


def as_tensor(sizes: Sizes) -> Tensor:
    """Make a tensor: int64, or bool where the numbers are truth values; of lists, of more axes."""
    import torch

    if not isinstance(sizes, list | tuple):
        return _scalar(sizes)
    if all(type(number) in (int, bool) for number in sizes):
        kind = torch.bool if sizes and type(sizes[0]) is bool else torch.int64
        return literal(list(sizes), kind)
    return torch.stack([as_tensor(number) for number in sizes])


def _scalar(number: Number) -> Tensor:
    import torch

    truth = isinstance(number, bool | torch.SymBool)
    return (
        number
        if isinstance(number, torch.Tensor)
        else literal(number, torch.bool if truth else torch.int64)
    )


def known(weights: Tensor) -> list[int]:
    """Give the sizes of what has the same sizes in every call, as plain numbers in a trace too."""
    with untraced():
        return list(weights.shape)


def literal(numbers: Number | Sequence[Number], dtype: dtype | None = None) -> Tensor:
    """Make a tensor of numbers, which may be computed, or of lists that are known."""
    import torch

    if isinstance(numbers, torch.Tensor):
        return numbers if dtype is None else numbers.to(dtype)
    symbols = {torch.SymInt: torch.int64, torch.SymFloat: torch.float64, torch.SymBool: torch.bool}
    if type(numbers) in symbols:
        return torch.scalar_tensor(numbers, dtype=dtype or symbols[type(numbers)])
    with untraced():
        return torch.tensor(numbers, dtype=dtype)


@contextmanager
def untraced() -> Iterator[None]:
    """Do not record what is done, since it is the same in every call."""
    import torch

    state = torch._C._get_tracing_state()
    torch._C._set_tracing_state(None)
    try:
        yield
    finally:
        torch._C._set_tracing_state(state)


def product(factors: Numbers) -> Number:
    """Multiply numbers."""
    result: Number = 1
    for factor in factors:
        result = factor * result
    return result


def maximum(a: Sizes, b: Sizes) -> Sizes:
    """Take the greater, number by number."""
    return each(lambda x, y: _chosen("maximum", x, y), a, b)


def minimum(a: Sizes, b: Sizes) -> Sizes:
    """Take the less, number by number."""
    return each(lambda x, y: _chosen("minimum", x, y), a, b)


def each(function: Callable[..., Number], *operands: Sizes) -> Sizes:
    """Apply a function to numbers, or to vectors that broadcast."""
    lists = [operand for operand in operands if isinstance(operand, list)]
    if not lists:
        return function(*operands)
    length = max(map(len, lists))
    spread = [
        numbers * length if len(numbers) == 1 else numbers
        for numbers in ([*listed(operand)] for operand in operands)
    ]
    return [function(*numbers) for numbers in zip(*spread, strict=True)]


def _chosen(name: Literal["minimum", "maximum"], a: Number, b: Number) -> Number:
    import torch

    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return getattr(torch, name)(_scalar(a), _scalar(b))
    return (torch.sym_min if name == "minimum" else torch.sym_max)(a, b)
