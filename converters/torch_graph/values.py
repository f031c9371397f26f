"""What nodes are called with, as JSON: plain where JSON has it, else an object of one key."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from registry.errors import ConversionError

if TYPE_CHECKING:
    from torch.fx import Node


def write_value(value: Any) -> Any:  # noqa: ANN401 - an argument, and JSON
    """Write an argument; nodes by their names.

    Raises:
        ConversionError: It is of a kind that is not written.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, list):
        return [write_value(each) for each in value]
    for kind, (types, write) in _writers().items():
        if isinstance(value, types):
            return {kind: write(value)}
    raise ConversionError(f"takes {value!r}, which no other version of torch is told")


def read_value(written: Any, nodes: "Mapping[str, Node]") -> Any:  # noqa: ANN401 - as above
    """Read what `write_value` wrote.

    Args:
        nodes: By the names that they were written with.
    """
    import torch

    if isinstance(written, list):
        return [read_value(each, nodes) for each in written]
    if not isinstance(written, dict):
        return written
    ((kind, value),) = written.items()
    readers: Mapping[str, Callable[[Any], Any]] = {
        "float": float,
        "node": nodes.__getitem__,
        "tuple": lambda each: tuple(read_value(each, nodes)),
        "slice": lambda each: slice(*read_value(each, nodes)),
        "device": torch.device,
        "torch": lambda name: getattr(torch, name),
    }
    return readers[kind](value)


def _writers() -> Mapping[str, tuple[tuple[type, ...], Callable[[Any], Any]]]:
    """Return, by the key of the object, which types it is for and what is written."""
    import torch

    constants = (torch.dtype, torch.memory_format, torch.layout)
    return {
        "float": ((float,), repr),
        "node": ((torch.fx.Node,), lambda node: node.name),
        "tuple": ((tuple,), lambda each: write_value(list(each))),
        "slice": ((slice,), lambda one: write_value([one.start, one.stop, one.step])),
        "device": ((torch.device,), str),
        "torch": (constants, lambda one: str(one).removeprefix("torch.")),
    }
