"""A TorchScript file as a plain torch module: one that torch.export takes, and one that runs it."""

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

from converters.quiet import quiet
from converters.torchscript_graphs import safety
from converters.torchscript_graphs.holders import hold
from converters.torchscript_graphs.mapped import Mapped, load_mapped
from converters.torchscript_graphs.walk import run
from registry.errors import SourceError

if TYPE_CHECKING:
    import torch


def load_script(file: Path) -> Mapped:
    """Load a file of torch.jit.save, in eval mode, on the CPU; large weights are mapped.

    Raises:
        SourceError: It is none, does more than compute, or has no `forward`.
    """
    safety.check(file)
    try:
        with quiet("torch.jit", "torch"):
            found = load_mapped(file)
    except RuntimeError as error:
        raise SourceError(
            f"{file}: torch cannot load it ({_last_line(error)}). Save it again with this version"
            " of torch, where what it needs is installed"
        ) from error
    if not found.script._c._has_method("forward"):
        raise SourceError(f"{file}: has no `forward`; save a module that has")
    found.script.eval()
    return found


def plain_module(script: "torch.jit.ScriptModule", file: Path) -> "torch.nn.Module":
    """Make a module with the script's weights, by their names, whose forward runs its graph.

    Raises:
        SourceError: The script makes tensors on another device.
    """
    graph = script.inlined_graph
    constants = _constants(graph, file)
    read = {node.s("name") for node in graph.findAllNodes("prim::GetAttr", recurse=True)}
    module = hold(script, read)
    first, *others = [value.debugName() for value in graph.inputs()]

    signature = _signature(script)

    def forward(*arrays: Any, **named: Any) -> Any:  # noqa: ANN401  as the script's
        bound = signature.bind(*arrays, **named)
        bound.apply_defaults()
        values = {first: module, **dict(zip(others, bound.arguments.values(), strict=True))}
        (result,) = run(graph, values, constants)
        return result

    forward.__signature__ = signature  # type: ignore[attr-defined]  # inspect reads it
    vars(module)["forward"] = forward
    return module


def running(script: "torch.jit.ScriptModule") -> "torch.nn.Module":
    """Make a module whose forward runs the script in torch's own interpreter, as it stands."""
    import torch

    module = torch.nn.Module()

    def forward(*arrays: Any, **named: Any) -> Any:  # noqa: ANN401  as the script's
        with torch.jit.optimized_execution(should_optimize=False):
            return script(*arrays, **named)

    forward.__signature__ = _signature(script)  # type: ignore[attr-defined]  # inspect reads it
    vars(module)["forward"] = forward
    return module


def _signature(script: "torch.jit.ScriptModule") -> inspect.Signature:
    _, *arguments = script._c._get_method("forward").schema.arguments
    parameters = [
        inspect.Parameter(
            one.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=one.default_value if one.has_default_value() else inspect.Parameter.empty,
        )
        for one in arguments
    ]
    return inspect.Signature(parameters)


def _constants(graph: "torch._C.Graph", file: Path) -> dict[str, Any]:
    """Read all constants; whole numbers that a trace kept as tensors are numbers again."""
    import torch

    found: dict[str, Any] = {}
    for node in graph.findAllNodes("prim::Constant", recurse=True):
        value = node.output().toIValue()
        if isinstance(value, torch.device) and value.type != "cpu":
            raise SourceError(
                f"{file}: makes tensors on {value}: it was traced there. Trace or script the module"
                " on the CPU and save it again"
            )
        if isinstance(value, torch.Tensor) and value.ndim == 0 and value.dtype is torch.int64:
            value = value.item()
        found[node.output().debugName()] = value
    return found


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
