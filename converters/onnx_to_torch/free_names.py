"""What an inner graph takes from the graph around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


def free_names(graph: onnx.GraphProto) -> list[str]:
    """List the names that a graph uses and does not define, in order of use."""
    defined = {value.name for value in graph.input} | {t.name for t in graph.initializer} | {""}
    found: dict[str, None] = {}
    for node in graph.node:
        inner = [name for a in node.attribute if a.HasField("g") for name in free_names(a.g)]
        found.update(dict.fromkeys(name for name in (*node.input, *inner) if name not in defined))
        defined |= set(node.output)
    found.update(dict.fromkeys(v.name for v in graph.output if v.name not in defined))
    return list(found)
