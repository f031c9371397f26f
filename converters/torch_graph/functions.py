"""Functions that nodes call, by names that another version of torch finds them by."""

import math
import operator
from collections.abc import Callable
from importlib import import_module
from typing import Any

from registry.errors import ConversionError

#: Packages whose functions a file may name, besides torch's and Python's arithmetic.
_OURS = "converters."


def name_of(function: Any) -> str:  # noqa: ANN401 - what a node calls
    """Name a function: `aten::linear.default`, `torch.reshape`, `Tensor.view`, or one of ours.

    Raises:
        ConversionError: It is of none of these.
    """
    import torch

    if isinstance(function, torch._ops.OpOverload):
        return f"{function.name()}" + ("" if "." in function.name() else ".default")
    short = str(getattr(function, "__name__", ""))
    for place, holder in _places().items():
        if getattr(holder, short, None) is function:
            return f"{place}.{short}"
    module = str(getattr(function, "__module__", ""))
    if module.startswith(_OURS):
        return f"{module}:{short}"
    raise ConversionError(f"calls {function}, which has no name that another torch knows")


def function_of(name: str) -> Callable[..., Any]:
    """Find a function that `name_of` named, in this version of torch.

    Raises:
        ConversionError: It is not there.
    """
    import torch

    try:
        if "::" in name:
            return _operator(name)
        if ":" in name:
            module, _, short = name.partition(":")
            if not module.startswith(_OURS):
                raise AttributeError(module)
            return getattr(import_module(module), short)  # type: ignore[no-any-return]
        place, _, short = name.partition(".")
        return getattr(_places()[place], short)  # type: ignore[no-any-return]
    except (AttributeError, KeyError, ImportError, RuntimeError) as error:
        raise ConversionError(
            f"torch {torch.__version__} has no {name}: take `via: onnx`"
        ) from error


def _operator(name: str) -> Callable[..., Any]:
    import torch

    namespace, _, rest = name.partition("::")
    short, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), short)
    return getattr(packet, overload)  # type: ignore[no-any-return]


def _places() -> dict[str, object]:
    import torch

    return {
        "torch": torch,
        "Tensor": torch.Tensor,
        "nn": torch._C._nn,
        "operator": operator,
        "math": math,
    }
