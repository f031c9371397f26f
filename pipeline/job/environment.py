"""Environment variables in a job: `${NAME}`, in the few places that allow it."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace

from pipeline.job.fault import Fault
from pipeline.job.nearest import nearest
from pipeline.job.node import Entry, Node

ALLOWED: tuple[tuple[str, str], ...] = (
    ("push", "store"),
    ("push", "endpoint"),
    ("source", "weights"),
    ("source", "endpoint"),
)

_VARIABLE = re.compile(r"\$\{([^}]*)\}?")
_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")


def expand(root: Node) -> tuple[Node, tuple[Fault, ...]]:
    """Put the variables' values where they are allowed; find faults there and elsewhere."""
    faults: list[Fault] = []
    for block, key in ALLOWED:
        node = root[block][key]
        if node.text is not None:
            found = list(_undefined(node, node.text))
            faults += found
            value = Node(node.place, _filled(node.text), spoilt=bool(found))
            root = _put(root, block, _put(root[block], key, value))
    return root, (*faults, *_elsewhere(root, ()))


def _filled(text: str) -> str:
    return _VARIABLE.sub(lambda found: os.environ.get(found[1], ""), text)


def _undefined(node: Node, text: str) -> Iterator[Fault]:
    for found in _VARIABLE.finditer(text):
        name = found[1]
        if not _NAME.fullmatch(name) or not found[0].endswith("}"):
            message = f"`{found[0]}` is no variable; write ${{NAME}}"
        elif not os.environ.get(name):
            state = "empty" if name in os.environ else "not set"
            meant = nearest(name, os.environ) if state == "not set" else None
            guess = f"; did you mean `{meant}`?" if meant else f"; run: export {name}=…"
            message = f"the environment variable {name} is {state}{guess}"
        else:
            continue
        yield Fault(node.place, message)


def _put(node: Node, key: str, value: Node) -> Node:
    entries = dict(node.entries or {})
    entries[key] = Entry(entries[key].key, value)
    return replace(node, entries=entries)


def _elsewhere(node: Node, path: tuple[str, ...]) -> Iterator[Fault]:
    """Find what looks like a variable where none is taken."""
    if path in ALLOWED:
        return
    if node.text is not None and (found := _VARIABLE.search(node.text)):
        *others, last = (".".join(allowed) for allowed in ALLOWED)
        places = f"{', '.join(others)} and {last}"
        message = f"`{found[0]}`: environment variables are taken in {places} only"
        yield Fault(node.place, message)
    for name, entry in (node.entries or {}).items():
        yield from _elsewhere(entry.value, (*path, name))
    for element in node:
        yield from _elsewhere(element, path)
