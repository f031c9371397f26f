"""Branches and loops of an exported program, as a trace keeps them.

Numbers go in as tensors: what a loop counts, or the size that it counts to, may change from call
to call.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from converters.onnx_to_torch.scripted import script_branch, script_scan, script_while
from converters.onnx_to_torch.sizes import literal

if TYPE_CHECKING:
    from torch import Tensor

    Graph = Callable[..., Any]


@dataclass(frozen=True)
class HigherOrder:
    """What stands in for an operator that takes graphs.

    Attributes:
        function: Takes what the operator takes.
        graphs: Which of its arguments are graphs.
    """

    function: Callable[..., Any]
    graphs: tuple[int, ...]


def _cond(
    condition: Any,  # noqa: ANN401 - a comparison of sizes in a trace is a tensor
    then: "Graph",
    otherwise: "Graph",
    captured: Sequence[Any] = (),
) -> list[Any]:
    return script_branch(condition, then, otherwise, captured)


def _while_loop(
    condition: "Graph", body: "Graph", states: Sequence[Any], captured: Sequence[Any] = ()
) -> "list[Tensor]":
    return script_while(_tensors_of(condition), _tensors_of(body), _all(states), _all(captured))


def _scan(
    body: "Graph", states: Sequence[Any], slices: Sequence[Any], captured: Sequence[Any] = ()
) -> "list[Tensor]":
    return script_scan(_tensors_of(body), _all(states), slices, _all(captured))


def _map(body: "Graph", slices: Sequence[Any], captured: Sequence[Any] = ()) -> "list[Tensor]":
    return script_scan(_tensors_of(body), [], slices, _all(captured))


def _without_gradients(
    _enabled: bool,  # noqa: FBT001 - as torch calls it
    graph: "Graph",
    *values: Any,  # noqa: ANN401 - a size in a trace is a tensor
) -> Any:  # noqa: ANN401
    return graph(*values)


def _tensors_of(graph: "Graph") -> "Callable[..., list[Tensor]]":
    """Let a graph give a list of tensors, whatever it gives."""
    return lambda *values: _all(graph(*values))


def _all(values: Any) -> "list[Tensor]":  # noqa: ANN401 - a value, or a sequence of them
    return [literal(value) for value in (values if isinstance(values, list | tuple) else [values])]


#: By the name that torch gives an operator; all others of the kind are refused.
HIGHER_ORDER: Mapping[str, HigherOrder] = MappingProxyType(
    {
        "cond": HigherOrder(_cond, graphs=(1, 2)),
        "map_impl": HigherOrder(_map, graphs=(0,)),
        "scan": HigherOrder(_scan, graphs=(0,)),
        "while_loop": HigherOrder(_while_loop, graphs=(0, 1)),
        "wrap_with_set_grad_enabled": HigherOrder(_without_gradients, graphs=(1,)),
    }
)
