"""TorchScript inside of a trace, which keeps it as it is."""

from collections.abc import Callable
from typing import Any

from converters.onnx_to_torch.sizes import untraced


def script(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that may be called in a trace."""
    import torch

    with untraced():
        scripted: Callable[..., Any] = torch.jit.script(function)
    return scripted
