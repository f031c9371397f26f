"""Run a TorchScript graph node by node, in Python, so that torch.export can trace it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from converters.torchscript_graphs.words import OF_ANY, OF_LISTS, WORDS
from registry.errors import SourceError

if TYPE_CHECKING:
    import torch

Values = dict[str, Any]


def run(graph: "torch._C.Graph | torch._C.Block", values: Values, constants: Values) -> list[Any]:
    """Run the nodes of a block on the values so far and return what the block gives.

    Args:
        values: By the names of the graph's values; what the nodes give is added.
        constants: Values of constant nodes, by name.

    Raises:
        SourceError: A node is none that can be traced; the message names it and its line.
    """
    for node in graph.nodes():
        names = [value.debugName() for value in node.outputs()]
        found = _run_node(node, values, constants)
        values.update(zip(names, found, strict=True))
    returned = graph.returnNode() if hasattr(graph, "returnNode") else graph.return_node()
    return [values[value.debugName()] for value in returned.inputs()]


def _run_node(node: "torch._C.Node", values: Values, constants: Values) -> Sequence[Any]:
    kind = node.kind()
    if kind == "prim::Constant":
        return [constants[node.output().debugName()]]
    given = [values[value.debugName()] for value in node.inputs()]
    if kind == "prim::If":
        chosen = list(node.blocks())[0 if bool(given[0]) else 1]
        return run(chosen, values, constants)
    if kind == "prim::Loop":
        return _loop(node, given, values, constants)
    if kind == "prim::GetAttr":
        return [attribute(given[0], node.s("name"))]
    if kind in ("prim::TupleUnpack", "prim::ListUnpack"):
        return list(given[0])
    result = _function(node, given)(*given)
    count = node.outputsSize()
    return (result,) if count == 1 else () if count == 0 else tuple(result)


def _loop(
    node: "torch._C.Node", given: list[Any], values: Values, constants: Values
) -> Sequence[Any]:
    """Run a loop as often as it goes round: torch.export traces each turn."""
    most, going, *carried = given
    (body,) = node.blocks()
    names = [value.debugName() for value in body.inputs()]
    turn = 0
    while going and turn < most:
        values.update(zip(names, [turn, *carried], strict=True))
        going, *carried = run(body, values, constants)
        turn += 1
    return carried


def attribute(holder: "torch.nn.Module", name: str) -> Any:  # noqa: ANN401  what a module holds
    """Read what a module of a file holds: a weight, a module, or a value of another kind."""
    import torch

    if isinstance(holder, torch.nn.Module):
        for held in (holder._parameters, holder._buffers, holder._modules):
            if name in held:
                return held[name]
        return holder.others[name]
    raise SourceError(f"attribute '{name}' of a {type(holder).__name__} cannot be read")


def _function(node: "torch._C.Node", given: list[Any]) -> Callable[..., Any]:
    import torch

    kind = node.kind()
    if kind in OF_ANY:
        return OF_ANY[kind]
    if kind in OF_LISTS and not isinstance(given[0], torch.Tensor):
        return OF_LISTS[kind]
    is_tensor = [isinstance(one, torch.Tensor) for one in _flat(given)]
    if kind in WORDS and not any(is_tensor):
        return WORDS[kind]
    if kind.startswith(("aten::", "torchvision::")):
        return _of_torch(node)
    raise SourceError(
        f"the TorchScript has {kind}, which cannot be traced, at"
        f" {_place(node)}. Take a source of kind `torch`, with the module that it was made from"
    )


def _flat(given: list[Any]) -> list[Any]:
    return [one for item in given for one in (item if isinstance(item, list | tuple) else [item])]


def _of_torch(node: "torch._C.Node") -> Callable[..., Any]:
    """Give torch's operator of a node, which takes what the node does, in its order."""
    import torch

    schema = torch._C.parse_schema(node.schema())
    space, _, name = node.kind().partition("::")
    packet = getattr(getattr(torch.ops, space), name)
    call = getattr(packet, schema.overload_name or "default")
    arguments = schema.arguments

    def function(*given: Any) -> Any:  # noqa: ANN401  as torch's operators
        pairs = list(zip(arguments, given, strict=True))
        whole = [(one, _as_wanted(one, value)) for one, value in pairs]
        by_name = {one.name: value for one, value in whole if one.kwarg_only}
        return call(*(value for one, value in whole if not one.kwarg_only), **by_name)

    return function


def _as_wanted(argument: "torch._C.Argument", value: Any) -> Any:  # noqa: ANN401
    """Make a tensor of a number where an operator takes one: traces count with tensors."""
    import torch

    if str(argument.type) == "Tensor" and isinstance(value, int | float | torch.SymInt):
        return torch.scalar_tensor(value, dtype=torch.int64 if _is_whole(value) else None)
    return value


def _is_whole(value: Any) -> bool:  # noqa: ANN401
    import torch

    return isinstance(value, int | torch.SymInt) and not isinstance(value, bool)


def _place(node: "torch._C.Node") -> str:
    lines = [line.strip() for line in node.sourceRange().splitlines() if line.strip()]
    marked = next((at for at, line in enumerate(lines) if "<--- HERE" in line), 0)
    return f"`{lines[marked - 1]}`" if marked else "a line that the file does not name"
