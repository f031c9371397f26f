"""Products and convolutions by stored weights, as layers of torch.nn.

Tools look for those: IPEX lays the weights out for its kernels, and can quantise them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from converters.onnx_to_torch.layers.addends import copy_addends
from converters.onnx_to_torch.layers.biases import take_biases
from converters.onnx_to_torch.layers.convolutions import of_convolution, of_transposed
from converters.onnx_to_torch.layers.layer import Arguments, Layer
from converters.onnx_to_torch.layers.norms import take_norms
from converters.onnx_to_torch.layers.products import of_general_product, of_matrix_product
from converters.onnx_to_torch.layers.scales import part_scales
from converters.onnx_to_torch.layers.softmaxes import lay_out_softmaxes
from converters.onnx_to_torch.layers.sums import part_sums
from converters.onnx_to_torch.operators import convolution, matrix
from converters.onnx_to_torch.operators.window import with_room

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

#: By the function that a node calls: what makes a layer of its arguments, or None of those
#: that no layer of torch.nn takes.
MAKERS: Mapping[Callable[..., Any], Callable[[Arguments], Layer | None]] = MappingProxyType(
    {
        matrix.matrix_product: of_matrix_product,
        matrix.general_product: of_general_product,
        convolution.convolution: of_convolution,
        convolution.transposed_convolution: of_transposed,
    }
)


def use_layers(module: GraphModule) -> None:
    """Put layers in the place of nodes; they share the weights, which are buffers no more."""
    count = 0
    for node in list(module.graph.nodes):
        layer = _layer(module, node)
        if layer is not None:
            name = f"layer_{count}"
            count += 1
            module.add_module(name, layer.module)
            _replace(module, node, name, layer)
    take_biases(module)
    take_norms(module)
    lay_out_softmaxes(module)
    part_scales(module)
    part_sums(module)
    copy_addends(module)
    _forget(module)
    module.graph.lint()
    module.recompile()


def _layer(module: GraphModule, node: Node) -> Layer | None:
    maker = MAKERS.get(node.target) if node.op == "call_function" else None
    if maker is None:
        return None
    bound = inspect.signature(node.target).bind(*node.args, **node.kwargs)
    bound.apply_defaults()
    return maker({name: _stored(module, value) for name, value in bound.arguments.items()})


def _stored(module: GraphModule, value: object) -> object:
    """Give the tensor where a node is nothing else."""
    is_stored = getattr(value, "op", None) == "get_attr"
    return getattr(module, value.target) if is_stored else value  # type: ignore[attr-defined]


def _replace(module: GraphModule, node: Node, name: str, layer: Layer) -> None:
    with module.graph.inserting_before(node):
        x = layer.x
        if layer.room is not None:
            x = module.graph.call_function(with_room, (x,), dict(layer.room))
        made = module.graph.call_module(name, (x,))
    for new in (x, made) if layer.room is not None else (made,):
        new.meta.update(node.meta)
    node.replace_all_uses_with(made)
    module.graph.erase_node(node)


def _forget(module: GraphModule) -> None:
    """Drop stored tensors that nothing reads any more."""
    for node in list(module.graph.nodes):
        if node.op == "get_attr" and not node.users:
            module.graph.erase_node(node)
    read = {node.target for node in module.graph.nodes if node.op == "get_attr"}
    for name in [name for name, _ in module.named_buffers(recurse=False)]:
        if name not in read:
            delattr(module, name)
