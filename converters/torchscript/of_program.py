"""An exported program as a module whose trace keeps its free axes free.

Operators by their names in the dispatcher take sizes that are known; those of torch's own
functions may be computed, which a trace records.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from converters.torchscript.higher_order import HIGHER_ORDER
from registry.errors import ConversionError

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram


#: Checks of what held for the example; the result is held against the contract instead.
_CHECKS = (
    "_assert_async",
    "_assert_scalar",
    "_assert_tensor_metadata",
    "sym_constrain_range",
    "sym_constrain_range_for_size",
)


def traceable(program: "ExportedProgram", file: Path) -> "torch.nn.Module":
    """Give a module of functions that take computed sizes, without checks.

    Raises:
        ConversionError: The program has an operator that takes graphs and is not known here, or
            one that takes no computed sizes.
    """
    import torch

    module = program.module(check_guards=False)
    _prepare(module.graph, module, file)
    _flatten(module.graph)
    return torch.fx.GraphModule(module, module.graph)  # without the module's own checks of inputs


def _prepare(graph: "torch.fx.Graph", module: "torch.nn.Module", file: Path) -> None:
    """Replace what a trace would hold to the example, in branches too."""
    import torch

    for node in list(graph.nodes):
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            _replace(node, module, file)
        elif _name(node) in _CHECKS:
            graph.erase_node(node)
        elif isinstance(node.target, torch._ops.OpOverload) and _is_sized(node):
            node.target = _function(node, file)
    graph.eliminate_dead_code()


def _replace(node: "torch.fx.Node", module: "torch.nn.Module", file: Path) -> None:
    """Put a function in the place of an operator that takes graphs, and prepare those."""
    found = HIGHER_ORDER.get(str(node.target))
    if found is None:
        raise ConversionError(
            f"{file}: holds {node.target}, which no trace keeps as it is: take `via: onnx`"
        )
    node.target = found.function
    for at in found.graphs:
        inner = module.get_submodule(node.args[at].target)
        _prepare(inner.graph, inner, file)
        inner.recompile()


def _flatten(graph: "torch.fx.Graph") -> None:
    """Take the inputs one by one, and return a tuple of the tensors."""
    import torch

    graph.set_codegen(torch.fx.graph.CodeGen())
    (output,) = (node for node in graph.nodes if node.op == "output")
    flat = torch.utils._pytree.tree_leaves(output.args)
    output.args = (tuple(value for value in flat if isinstance(value, torch.fx.Node)),)


def _name(node: "torch.fx.Node") -> str:
    return str(getattr(node.target, "_opname", ""))


def _is_sized(node: "torch.fx.Node") -> bool:
    """Tell whether a node gives a size, or takes one that is computed."""
    import torch

    numbers = (torch.SymInt, torch.SymFloat, torch.SymBool)
    return any(isinstance(n.meta.get("val"), numbers) for n in (node, *node.all_input_nodes))


def _function(node: "torch.fx.Node", file: Path) -> Callable[..., Any]:
    """Find the function of Python that an operator has."""
    import torch

    name = _name(node)
    if name in _OWN:
        return _OWN[name]
    takes_self = node.target._schema.arguments[0].name == "self"
    places = (*([torch.Tensor] if takes_self else []), torch, torch._C._nn)
    for place in places:
        if found := getattr(place, name, None):
            return found  # type: ignore[no-any-return]
    raise ConversionError(
        f"{file}: operator {node.target} takes no computed sizes: take `via: onnx`"
    )


def _size(tensor: Any, axis: int) -> Any:  # noqa: ANN401 - a size in a trace is a tensor
    return tensor.size(axis)


def _numel(tensor: Any) -> Any:  # noqa: ANN401 - a size in a trace is a tensor
    return tensor.numel()


def _slice(
    tensor: Any,  # noqa: ANN401 - a size in a trace is a tensor
    axis: int = 0,
    start: Any = None,  # noqa: ANN401
    end: Any = None,  # noqa: ANN401
    step: int = 1,
) -> Any:  # noqa: ANN401
    return tensor[(*[slice(None)] * (axis % tensor.dim()), slice(start, end, step))]


def _view(tensor: Any, sizes: Any) -> Any:  # noqa: ANN401 - a size in a trace is a tensor
    return tensor.reshape(sizes)


#: Operators that have no function of their name, or one that a trace would hold to a size.
_OWN: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "sym_size": _size,
        "sym_numel": _numel,
        "slice": _slice,
        "view": _view,
        "_unsafe_view": _view,
    }
)
