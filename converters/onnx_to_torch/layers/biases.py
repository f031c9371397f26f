"""Biases that are added after a product, as the layer's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.layers.layer import held, is_weight
from converters.onnx_to_torch.operators import arithmetic

if TYPE_CHECKING:
    from torch import Tensor
    from torch.fx import GraphModule, Node
    from torch.nn import Linear


def take_biases(module: GraphModule) -> None:
    """Give linear layers what is added to their results, where nothing else reads these."""
    for node in list(module.graph.nodes):
        if node.op != "call_function" or node.target is not arithmetic.add:
            continue
        for product, other in (node.args, node.args[::-1]):
            layer, bias = _bare(module, product), _stored(module, other)
            if layer is not None and bias is not None and len(bias) == layer.out_features:
                layer.bias = held(bias)
                node.replace_all_uses_with(product)
                module.graph.erase_node(node)
                break


def _bare(module: GraphModule, node: Node) -> Linear | None:
    """Give the linear layer without a bias whose result only one node reads."""
    import torch

    if node.op != "call_module" or len(node.users) != 1:
        return None
    layer = module.get_submodule(str(node.target))
    return layer if isinstance(layer, torch.nn.Linear) and layer.bias is None else None


def _stored(module: GraphModule, node: Node) -> Tensor | None:
    if node.op != "get_attr":
        return None
    value = getattr(module, str(node.target))
    return value if is_weight(value, 1) else None
