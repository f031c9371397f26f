"""Build a module without its weights."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def build_skeleton(factory: "Callable[[], torch.nn.Module]") -> "torch.nn.Module":
    """Build a module whose parameters take no memory, while its buffers are real.

    A parameter is let go of as soon as a module takes it, before it is initialised, so
    its memory is never touched. Buffers are kept: a checkpoint does not hold all of them.
    A factory that computes with its parameters gets them after all.
    """
    try:
        with _parameters_on_meta():
            module = factory()
    except (NotImplementedError, RuntimeError):
        return factory()
    return factory() if _has_meta_values(module) else module


@contextlib.contextmanager
def _parameters_on_meta() -> Iterator[None]:
    import torch

    register = torch.nn.Module.register_parameter

    def on_meta(self: "torch.nn.Module", name: str, param: "torch.nn.Parameter | None") -> None:
        register(self, name, param)
        held = self._parameters[name]
        if held is not None and not held.is_meta and type(held) is torch.nn.Parameter:
            empty = made.get(id(held))
            if empty is None:
                data = torch.empty_like(held, device="meta")
                empty = (held, torch.nn.Parameter(data, requires_grad=held.requires_grad))
                made[id(held)] = empty
            self._parameters[name] = empty[1]

    made: dict[int, tuple[torch.nn.Parameter, torch.nn.Parameter]] = {}
    torch.nn.Module.register_parameter = on_meta
    try:
        yield
    finally:
        torch.nn.Module.register_parameter = register


def _has_meta_values(module: "torch.nn.Module") -> bool:
    """Tell whether something that no checkpoint restores was computed from parameters."""
    import torch

    return any(
        isinstance(value, torch.Tensor) and value.is_meta
        for one in module.modules()
        for value in (*one._buffers.values(), *vars(one).values())
    )
