"""What fails in an operator's function, as a refusal that names the node of the ONNX graph."""

from __future__ import annotations

from functools import lru_cache
from types import TracebackType
from typing import TYPE_CHECKING, Any

from converters.onnx_to_torch.growing import Growing
from registry.errors import ConversionError, PlatformError

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

#: Key in the meta of a torch.fx node: the title of the ONNX node that it is of.
TITLE = "onnx"


def refusal(title: str, operands: list[Any], error: Exception) -> ConversionError:
    """Say which node failed, of which types, and why."""
    types = " and ".join(dict.fromkeys(filter(None, map(_type, operands))))
    of = f" of {types}" if types else ""
    said = str(error).strip().splitlines()
    return ConversionError(f"{title} cannot be computed{of}: {said[0] if said else repr(error)}")


@lru_cache(maxsize=1)
def imported_type() -> type[GraphModule]:
    """Give the type of an imported module: a GraphModule whose failures name the ONNX node."""
    import torch

    class Imported(torch.fx.GraphModule):  # type: ignore[misc]
        def __call__(self, *inputs: Any, **keywords: Any) -> Any:  # noqa: ANN401 (torch's)
            try:
                return super().__call__(*inputs, **keywords)
            except PlatformError:
                raise
            except Exception as error:
                if named := _named(error):
                    raise named from error
                raise

    return Imported


def _named(error: Exception) -> ConversionError | None:
    """Find the innermost node of an imported graph that was running."""
    found, at = None, error.__traceback__
    while at is not None:
        found = _running(at) or found
        at = at.tb_next
    if found is None:
        return None
    node, values = found
    operands = [values[each.name] for each in node.all_input_nodes if each.name in values]
    return refusal(node.meta[TITLE], operands, error)


def _running(at: TracebackType) -> tuple[Node, dict[str, Any]] | None:
    """Give the node that a frame computes, and the values by the names of nodes.

    A line of the code of a GraphModule starts with the name of its node.
    """
    import torch

    frame = at.tb_frame
    module = frame.f_locals.get("self")
    if not isinstance(module, torch.fx.GraphModule):
        return None
    if frame.f_code is not getattr(type(module).forward, "__code__", None):
        return None
    name = module.code.splitlines()[at.tb_lineno - 1].partition("=")[0].strip()
    nodes = (node for node in module.graph.nodes if node.name == name and TITLE in node.meta)
    return next(((node, frame.f_locals) for node in nodes), None)


def _type(value: object) -> str | None:
    import torch

    if isinstance(value, torch.Tensor):
        return str(value.dtype).removeprefix("torch.")
    return "a sequence" if isinstance(value, list | tuple | Growing) else None
