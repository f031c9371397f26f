"""What a stage's output depends on: its digest is the key of the cache, its changes are words."""

import hashlib
import json
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from registry.signature import Frozen

_SHOWN, _LONGEST = 3, 40


class Material(Frozen):
    """Everything that decides what a stage writes.

    Attributes:
        folder: The job file's folder: outputs may name files in it.
        files: Digests of the source files that it reads, by their path.
        inputs: Keys of the tasks whose output it reads, by role.
        code: Digest of our own code.
        tools: Versions by package.
        cpu: The CPU's flags, where the answer depends on them.
    """

    stage: str
    options: dict[str, JsonValue]
    folder: str
    files: dict[str, str]
    inputs: dict[str, str]
    code: str
    tools: dict[str, str]
    cpu: str = ""

    def key(self) -> str:
        """Return the digest of it all, as hex digits."""
        return hashlib.sha256(canonical(self.model_dump(mode="json")).encode()).hexdigest()


def canonical(value: JsonValue) -> str:
    """Write JSON in the one way that does not depend on the order of keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def changes(before: Material, after: Material) -> str:
    """Say what is different, in the order in which people look for it.

    That what it reads changed is said only where nothing nearer did: it follows from there.
    """
    found = [
        *_options(dict(before.options), dict(after.options)),
        *(f"file {name} {what}" for name, what in _entries(before.files, after.files)),
        *_tools(before.tools, after.tools),
        *_surroundings(before, after),
    ]
    if read := [role for role, _ in _entries(before.inputs, after.inputs)]:
        found = found or [f"what it reads changed: {', '.join(read[:_SHOWN])}"]
    more = [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return "; ".join([*found[:_SHOWN], *more])


def _surroundings(before: Material, after: Material) -> Iterator[str]:
    if before.folder != after.folder:
        yield f"the job moved here from {before.folder}"
    if before.code != after.code:
        yield "the platform's own code changed"
    if before.cpu != after.cpu:
        yield "this is another kind of CPU"


def _entries(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in sorted({*before, *after}):
        if name not in before:
            yield name, "is new"
        elif name not in after:
            yield name, "is gone"
        elif before[name] != after[name]:
            yield name, "changed"


def _tools(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name, _ in _entries(before, after):
        yield f"{name} {before.get(name, 'none')} → {after.get(name, 'none')}"


def _options(before: JsonValue, after: JsonValue) -> Iterator[str]:
    old, new = dict(_leaves(before)), dict(_leaves(after))
    for name, _ in _entries(old, new):
        was, now = (_cut(one.get(name, "not there")) for one in (old, new))
        yield f"option {name} changed" if was == now else f"option {name}: {was} → {now}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _leaves(value: JsonValue, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each value that is not a mapping or a list, with its path: 'inputs[0].range[1]'."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{index}]")
    elif path:
        yield path, json.dumps(value, ensure_ascii=False)
