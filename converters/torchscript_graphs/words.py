"""What TorchScript's operators on numbers, lists and texts mean: one row an operator."""

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

#: Element types in the order of their numbers.
_DTYPES = (
    *("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"),
    *("complex32", "complex64", "complex128", "bool", "qint8", "quint8", "qint32", "bfloat16"),
)


class Raised(Exception):  # noqa: N818  what the model raises is no fault of ours
    """The model refuses its inputs."""


def number_of(dtype: "torch.dtype") -> int:
    """Give the number that stands for an element type."""
    return _DTYPES.index(str(dtype).removeprefix("torch."))


def _tensor(
    data: Any,  # noqa: ANN401  numbers, or lists of them
    dtype: int | None = None,
    *_: object,
) -> "torch.Tensor":
    import torch

    return torch.tensor(data, dtype=None if dtype is None else getattr(torch, _DTYPES[dtype]))


def _whole(value: Any) -> Any:  # noqa: ANN401  a number, maybe one that torch traces
    """Make a number whole; sizes that torch traces are."""
    import torch

    if isinstance(value, torch.SymInt):
        return value
    if isinstance(value, torch.SymFloat):
        return torch.sym_int(value)
    return value.item() if isinstance(value, torch.Tensor) else int(value)


def _real(value: Any) -> Any:  # noqa: ANN401
    import torch

    if isinstance(value, torch.SymInt | torch.SymFloat):
        return torch.sym_float(value)
    return value.item() if isinstance(value, torch.Tensor) else float(value)


def _item(value: Any) -> Any:  # noqa: ANN401
    import torch

    return value.item() if isinstance(value, torch.Tensor) else value


def _raise(message: Any, *_: object) -> None:  # noqa: ANN401
    raise Raised(str(message))


def _add(left: Any, right: Any, alpha: Any = 1) -> Any:  # noqa: ANN401
    return left + right if isinstance(left, list | str) else left + alpha * right


def _subtract(left: Any, right: Any, alpha: Any = 1) -> Any:  # noqa: ANN401
    return left - alpha * right


def _divide(left: Any, right: Any, rounding: str | None = None) -> Any:  # noqa: ANN401
    if rounding is None:
        return left / right
    return left // right if rounding == "floor" else math.trunc(left / right)


def _slice(items: Any, start: int | None = None, end: int | None = None, step: int = 1) -> Any:  # noqa: ANN401
    return items[slice(start, end, step)]


def _set(items: Any, at: Any, value: Any) -> Any:  # noqa: ANN401
    items[at] = value
    return items


def _text(value: Any) -> str:  # noqa: ANN401
    return str(value)


#: For values none of which is a tensor.
WORDS: dict[str, Callable[..., Any]] = {
    "aten::add": _add,
    "aten::sub": _subtract,
    "aten::mul": operator.mul,
    "aten::div": _divide,
    "aten::floordiv": operator.floordiv,
    "aten::floor_divide": operator.floordiv,
    "aten::remainder": operator.mod,
    "aten::pow": operator.pow,
    "aten::neg": operator.neg,
    "aten::abs": abs,
    "prim::abs": abs,
    "prim::min": min,
    "prim::max": max,
    "aten::floor": math.floor,
    "aten::ceil": math.ceil,
    "aten::sqrt": math.sqrt,
    "aten::log": math.log,
    "aten::exp": math.exp,
    "aten::eq": operator.eq,
    "aten::ne": operator.ne,
    "aten::lt": operator.lt,
    "aten::le": operator.le,
    "aten::gt": operator.gt,
    "aten::ge": operator.ge,
    "aten::__and__": operator.and_,
    "aten::__or__": operator.or_,
    "aten::__xor__": operator.xor,
    "aten::__not__": operator.not_,
    "aten::Int": _whole,
    "aten::Float": _real,
    "aten::Bool": bool,
    "aten::str": _text,
    "aten::format": str.format,
    "aten::__range_length": lambda low, high, step: max(0, -((low - high) // step)),
    "aten::__derive_index": lambda index, start, step: start + index * step,
    "prim::RaiseException": _raise,
}

#: For any values, tensors too.
OF_ANY: dict[str, Callable[..., Any]] = {
    "aten::__is__": lambda left, right: left is right,
    "aten::__isnot__": lambda left, right: left is not right,
    "aten::len": len,
    "aten::__contains__": operator.contains,
    "aten::append": lambda items, item: (items.append(item), items)[1],
    "aten::extend": lambda items, more: items.extend(more),
    "aten::insert": lambda items, at, item: items.insert(at, item),
    "aten::pop": lambda items, *at: items.pop(*at),
    "aten::list": list,
    "aten::copy": lambda items: items.copy(),
    "aten::keys": lambda items: list(items.keys()),
    "aten::values": lambda items: list(items.values()),
    "aten::items": lambda items: list(items.items()),
    "aten::_set_item": _set,
    "aten::tensor": _tensor,
    "aten::as_tensor": _tensor,
    "aten::warn": lambda *_: None,
    "aten::ScalarImplicit": _item,
    "aten::IntImplicit": _whole,
    "aten::FloatImplicit": _real,
    "aten::dim": lambda tensor: tensor.dim(),
    "aten::numel": lambda tensor: tensor.numel(),
    "aten::device": lambda _: "cpu",
    "prim::NumToTensor": lambda number: number,
    "prim::Print": lambda *_: None,
    "prim::device": lambda tensor: tensor.device,
    "prim::dtype": lambda tensor: number_of(tensor.dtype),
    "prim::layout": lambda _: 0,
    "prim::is_cuda": lambda _: False,
    "prim::requires_grad": lambda _: False,
    "prim::data": lambda tensor: tensor.detach(),
    "prim::unchecked_cast": lambda value: value,
    "prim::unchecked_unwrap_optional": lambda value: value,
    "aten::_unwrap_optional": lambda value: value,
    "prim::Uninitialized": lambda: None,
    "prim::ListConstruct": lambda *items: list(items),
    "prim::TupleConstruct": lambda *items: items,
    "prim::DictConstruct": lambda *pairs: dict(zip(pairs[::2], pairs[1::2], strict=True)),
    "prim::TupleIndex": lambda items, at: items[at],
    "aten::get": lambda items, key, *other: items.get(key, *other),
    "aten::size": lambda tensor, *at: tensor.shape[at[0]] if at else list(tensor.shape),
}

#: Read from lists, dictionaries and texts; of a tensor they are torch's.
OF_LISTS: dict[str, Callable[..., Any]] = {
    "aten::__getitem__": operator.getitem,
    "aten::slice": _slice,
}
