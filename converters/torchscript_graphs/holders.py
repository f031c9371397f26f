"""Plain modules with the weights, under their names, of those in a TorchScript file."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


def hold(script: "torch.jit.ScriptModule", wanted: Collection[str]) -> "torch.nn.Module":
    """Make a module of the same tree, with all weights.

    Args:
        wanted: Names of what else is read; `others` of each module holds what it has of these.
    """
    import torch

    module = _layer(script)
    for name, value in script.named_parameters(recurse=False):
        module.register_parameter(name, torch.nn.Parameter(value, requires_grad=False))
    for name, buffer in script.named_buffers(recurse=False):
        module.register_buffer(name, buffer)
    for name, child in script.named_children():
        module.add_module(name, hold(child, wanted))
    vars(module)["others"] = _others(script, wanted)
    return module.eval()


def _others(script: "torch.jit.ScriptModule", wanted: Collection[str]) -> dict[str, Any]:
    import torch

    found = {name: getattr(script, name) for name in wanted if hasattr(script, name)}
    return {name: one for name, one in found.items() if not isinstance(one, torch.nn.Module)}


def _layer(script: "torch.jit.ScriptModule") -> "torch.nn.Module":
    """Make the layer that the file says it was, where its weight tells its sizes.

    Nothing of it is run; it tells what inputs a model may take.
    """
    import torch

    weight = dict(script.named_parameters(recurse=False)).get("weight")
    make = _LAYERS.get(script.original_name)
    if make is None or weight is None or weight.ndim != 2:
        return torch.nn.Module()
    layer = make(*weight.shape)
    vars(layer).update({name: getattr(script, name) for name in _TOLD if hasattr(script, name)})
    return layer


def _linear(outward: int, inward: int) -> "torch.nn.Module":
    import torch

    return torch.nn.Linear(inward, outward, bias=False, device="meta")


def _embedding(rows: int, dim: int) -> "torch.nn.Module":
    import torch

    return torch.nn.Embedding(rows, dim, device="meta")


def _bag(rows: int, dim: int) -> "torch.nn.Module":
    import torch

    return torch.nn.EmbeddingBag(rows, dim, device="meta")


#: What tells more of the inputs of a layer.
_TOLD = ("include_last_offset",)

_LAYERS: dict[str, Callable[[int, int], "torch.nn.Module"]] = {
    "Linear": _linear,
    "Embedding": _embedding,
    "EmbeddingBag": _bag,
}
