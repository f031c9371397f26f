"""Point out where the job file says what a stage finds fault with."""

import re
from collections.abc import Iterator

from pipeline.job.compose import compose
from pipeline.job.fault import Fault, block
from pipeline.job.node import Node
from pipeline.job.text import Text
from registry.errors import JobError, PlatformError

#: How such a message begins: 'split.parts[0].until[1]: …'.
_PATH = re.compile(r"[a-z_]+(?:\.[a-z_]+|\[\d+\])+(?=: )")
_STEP = re.compile(r"[a-z_]+|\d+")


def located(error: PlatformError, text: Text) -> PlatformError:
    """Give an error that begins with the path of a value the value's file, line and column.

    Others come back as they are, and so do those of values that the file does not have.
    """
    path = _PATH.match(str(error))
    if path is None:
        return error
    try:
        node = _walk(compose(text)[0], _STEP.findall(path[0]))
    except JobError:
        return error
    if node is None:
        return error
    fault = Fault(node.place, str(error)[path.end() + 2 :])
    return type(error)(block(text.name, text.lines, fault))


def _walk(root: Node, steps: list[str]) -> Node | None:
    for step in steps:
        found = list(_next(root, step))
        if not found:
            return None
        root = found[0]
    return root


def _next(node: Node, step: str) -> Iterator[Node]:
    if step.isdecimal():
        yield from (node.elements or ())[int(step) : int(step) + 1]
    elif node[step]:
        yield node[step]
