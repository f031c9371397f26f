"""What depends on nothing that is known later only, computed at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from converters.onnx_to_torch.bind import Form
from converters.onnx_to_torch.sizes import as_tensor, axes_of, numbers
from converters.onnx_to_torch.values import Constant, Value, is_cheap

if TYPE_CHECKING:
    from torch import Tensor

#: How an input that is not a tensor to a function is read from one, by its annotation.
READERS: Mapping[str, Callable[[Tensor], Any]] = MappingProxyType(
    {"Numbers": numbers, "Axes": axes_of}
)


def fold(
    function: Callable[..., Any],
    form: Form,
    values: list[Value | None],
    attributes: Mapping[str, Any],
) -> list[Value] | None:
    """Compute now what depends on nothing that is known later; None to leave it for later."""
    import torch

    wanted = [*form.inputs, *[form.variadic or ""] * (len(values) - len(form.inputs))]
    tensors = [value.value if isinstance(value, Constant) else None for value in values]
    arguments = [
        tensor.reshape(-1).tolist()
        if tensor is not None and kind.startswith(tuple(READERS))
        else tensor
        for kind, tensor in zip(wanted, tensors, strict=False)
    ]
    with torch.no_grad():
        made = function(*arguments, **attributes)
    results = [
        as_tensor(result) if kind_of(kind) == "sizes" else result
        for kind, result in zip(
            form.outputs or ("Tensor",) * 99,
            made if form.outputs is None or len(form.outputs) > 1 else (made,),
            strict=False,
        )
    ]
    flat = [t for r in results for t in (r if isinstance(r, list) else [r]) if t is not None]
    operands = [t for r in tensors for t in (r if isinstance(r, list) else [r]) if t is not None]
    if not is_cheap(tuple(flat), tuple(operands)):
        return None
    return [Constant(result) for result in results]


def kind_of(annotation: str) -> Literal["tensor", "sizes"]:
    """Tell what kind of value a result of a function is, by its annotation."""
    return "sizes" if annotation.startswith(("Sizes", "Number")) else "tensor"
