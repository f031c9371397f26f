"""Operators of torch as the functions that the importer of ONNX makes layers of.

So products and convolutions by stored weights become layers of torch.nn on both roads.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from converters.onnx_to_torch.layers import use_layers
from converters.onnx_to_torch.layers.layer import is_weight
from converters.onnx_to_torch.operators.convolution import convolution, transposed_convolution
from converters.onnx_to_torch.operators.matrix import general_product
from converters.onnx_to_torch.operators.normalise import batch_normalisation

if TYPE_CHECKING:
    from torch import Tensor
    from torch.fx import GraphModule, Node

#: An operator's arguments by name; those that are stored are nodes, as all that is computed.
Given = Mapping[str, Any]
#: A function of the importer, and what it is called with.
Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def use_stored_weights(module: "GraphModule") -> None:
    """Put layers in the place of operators whose weights are stored as f32."""
    for node in module.graph.nodes:
        rewrite = _REWRITES.get(str(node.target)) if node.op == "call_function" else None
        if rewrite is not None and (given := _given(node)) is not None:
            stored = {name: _stored(module, value) for name, value in given.items()}
            if call := rewrite(given, stored):
                node.target, node.args, node.kwargs = call
    use_layers(module)


def _given(node: "Node") -> Given | None:
    schema = node.target._schema.arguments
    given = {one.name: one.default_value for one in schema if one.has_default_value()}
    given |= dict(zip((one.name for one in schema), node.args, strict=False))
    return given | dict(node.kwargs)


def _stored(module: "GraphModule", value: object) -> "Tensor | None":
    if getattr(value, "op", None) != "get_attr":
        return None
    held = getattr(module, str(value.target))  # type: ignore[attr-defined]
    return held if is_weight(held, *range(1, 6)) else None


def _product(given: Given, stored: Mapping[str, "Tensor | None"]) -> Call | None:
    weight = stored["weight"]
    if weight is None or weight.dim() != 2 or not _is_bias(given, stored):
        return None
    return general_product, (given["input"], given["weight"], given["bias"]), {"transB": 1}


def _convolution(given: Given, stored: Mapping[str, "Tensor | None"]) -> Call | None:
    options = _window(given, stored)
    if options is None:
        return None
    return convolution, (given["input"], given["weight"], given["bias"]), options


def _transposed(given: Given, stored: Mapping[str, "Tensor | None"]) -> Call | None:
    options = _window(given, stored)
    if options is None:
        return None
    more = {"output_padding": _each(given["output_padding"], len(options["strides"]))}
    return transposed_convolution, (given["input"], given["weight"], given["bias"]), options | more


def _window(given: Given, stored: Mapping[str, "Tensor | None"]) -> dict[str, Any] | None:
    """Say how a window moves, in ONNX's words."""
    weight = stored["weight"]
    if weight is None or not _is_bias(given, stored):
        return None
    axes = weight.dim() - 2
    return {
        "strides": _each(given["stride"], axes),
        "pads": _each(given["padding"], axes) * 2,
        "dilations": _each(given["dilation"], axes),
        "group": given["groups"],
    }


def _normalisation(given: Given, stored: Mapping[str, "Tensor | None"]) -> Call | None:
    names = ("weight", "bias", "running_mean", "running_var")
    if given["training"] or any(stored[name] is None for name in names):
        return None
    args = (given["input"], *(given[name] for name in names))
    return batch_normalisation, args, {"epsilon": given["eps"]}


def _is_bias(given: Given, stored: Mapping[str, "Tensor | None"]) -> bool:
    return given["bias"] is None or stored["bias"] is not None


def _each(sizes: "list[int]", axes: int) -> list[int]:
    """Write a size out for each axis."""
    return list(sizes) if len(sizes) == axes else [*sizes] * axes


_REWRITES: Mapping[str, Callable[[Given, Mapping[str, "Tensor | None"]], Call | None]] = (
    MappingProxyType(
        {
            "aten.linear.default": _product,
            "aten.conv1d.default": _convolution,
            "aten.conv2d.default": _convolution,
            "aten.conv3d.default": _convolution,
            "aten.conv_transpose1d.default": _transposed,
            "aten.conv_transpose2d.input": _transposed,
            "aten.conv_transpose3d.input": _transposed,
            "aten.batch_norm.default": _normalisation,
        }
    )
)
