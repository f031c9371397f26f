"""Where in the user's code a node of a graph comes from."""

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.fx import Node

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def operator(node: "Node") -> str:
    """Name a node's operator as people do: 'linear' of 'aten.linear.default'."""
    name = getattr(node.target, "__name__", "") if callable(node.target) else ""
    whole = name if str(node.target).startswith("<") else str(node.target)
    return whole.removeprefix("aten.").split(".")[0]


def place(node: "Node") -> str:
    """Name the innermost module, and the line of it that is not torch's own."""
    modules = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values()]
    module = next((f"module '{path}'" for path in reversed(modules) if path), "")
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    lines = [f"{PurePath(file).name}:{line}" for file, line in frames if not _of_torch(file)]
    return ", ".join(part for part in (module, lines[-1] if lines else "") if part) or node.name


def _of_torch(file: str) -> bool:
    return "torch" in PurePath(file).parts
