"""Normalisations after a convolution, as a part of its filters."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from converters.onnx_to_torch.layers.layer import held, is_weight
from converters.onnx_to_torch.operators import normalise
from converters.onnx_to_torch.values import item

if TYPE_CHECKING:
    from torch import Tensor
    from torch.fx import GraphModule, Node
    from torch.nn import Module

_NORMS = (normalise.batch_normalisation, normalise.batch_normalisation_14)


def take_norms(module: GraphModule) -> None:
    """Scale filters by what follows them, where nothing else reads what they give."""
    for node in list(module.graph.nodes):
        if node.op != "call_function" or node.target not in _NORMS:
            continue
        layer, numbers = _convolution(module, node.args[0]), _numbers(module, node)
        results = _results(node)
        if layer is not None and numbers is not None and results is not None:
            _scale(layer, *numbers)
            for result in results:
                result.replace_all_uses_with(node.args[0])
            for old in dict.fromkeys((*results, node)):
                module.graph.erase_node(old)


def _convolution(module: GraphModule, node: Node) -> Module | None:
    import torch

    if node.op != "call_module" or len(node.users) != 1:
        return None
    layer = module.get_submodule(str(node.target))
    kinds = (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)
    return layer if isinstance(layer, kinds) else None


def _numbers(module: GraphModule, node: Node) -> tuple[Tensor, Tensor] | None:
    """Give the factor and the term of each channel, where all of them are stored."""
    bound = inspect.signature(node.target).bind(*node.args, **node.kwargs)
    bound.apply_defaults()
    given = bound.arguments
    if given.get("training_mode"):
        return None
    stored: list[Any] = [
        getattr(module, str(given[name].target)) if given[name].op == "get_attr" else None
        for name in ("scale", "bias", "mean", "var")
    ]
    if not all(is_weight(value, 1) for value in stored):
        return None
    scale, bias, mean, var = (value.double() for value in stored)
    factor = scale / (var + given["epsilon"]).sqrt()
    return factor, bias - mean * factor


def _results(node: Node) -> list[Node] | None:
    """Give the nodes that stand for the result; None where statistics are read as well."""
    if node.target is normalise.batch_normalisation:
        return [node]
    users = list(node.users)
    return users if all(user.target is item and user.args[1] == 0 for user in users) else None


def _scale(layer: Module, factor: Tensor, term: Tensor) -> None:
    weight: Any = layer.weight
    shape = [-1, *[1] * (weight.dim() - 1)]
    layer.weight = held((weight.double() * factor.reshape(shape)).float())
    bias: Any = layer.bias
    layer.bias = held((term if bias is None else bias.double() * factor + term).float())
