"""What the models say against a job, as faults with places."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from pipeline.job.fault import Fault, Place
from pipeline.job.job import Job
from pipeline.job.nearest import nearest
from pipeline.job.node import Node
from pipeline.job.schema import keys_at
from pipeline.job.words import PAIR, WANTED, Trouble, say, wrong_kind

Path = tuple[str | int, ...]

#: The keys that tell the members of a union apart: pydantic puts their values into its paths.
_DISCRIMINATORS = ("kind", "runtime")

_OF_THE_KEY = ("missing", "extra_forbidden")


def validate(root: Node) -> tuple[Job | None, tuple[Fault, ...]]:
    """Build the job from a node, or say why not."""
    try:
        job = Job.model_validate_json(json.dumps(root.plain()), strict=True)
    except ValidationError as error:
        found = [_locate(root, details) for details in error.errors(include_url=False)]
        return None, tuple(_faults(found))
    return job, ()


@dataclass(frozen=True)
class _Located:
    """An error with the node that it is about.

    Attributes:
        key: Where the node's own key is written; for the root and for elements of
            lists, where they begin.
        path: The keys and indices that lead to the node.
        forked: Pydantic's path named a member of a union after them.
    """

    kind: str
    trouble: Trouble
    key: Place
    path: Path
    forked: bool

    @property
    def place(self) -> Place:
        if self.kind in _OF_THE_KEY or self.trouble.name == "[key]":
            return self.key
        if self.kind == "union_tag_not_found":
            keys = self.trouble.node.keys()
            wanted = str(self.trouble.context["discriminator"]).strip("'")
            return keys.get(nearest(wanted, keys) or "", self.key)
        if self.kind == "union_tag_invalid":
            return self.trouble.node[str(self.trouble.context["discriminator"]).strip("'")].place
        return self.trouble.node.place


def _locate(root: Node, details: ErrorDetails) -> _Located:
    """Walk pydantic's path; what it says beyond the file's keys names members of unions."""
    loc = details["loc"]
    node, key, path, forked = root, _start(root), list[str | int](), False
    for part in loc[:-1] if details["type"] == "missing" or loc[-1:] == ("[key]",) else loc:
        if _is_tag(node, part):
            continue
        entry = (node.entries or {}).get(part) if isinstance(part, str) else None
        if entry:
            node, key = entry.value, entry.key
        elif isinstance(part, int) and part < len(node.elements or ()):
            node = (node.elements or ())[part]
            key = _start(node)
        else:
            forked = True
            continue
        path.append(part)
    name = str(loc[-1]) if loc else ""
    written = str(loc[-2]) if name == "[key]" else node.text or ""
    trouble = Trouble(
        node,
        details.get("ctx", {}),
        details["msg"],
        name,
        keys_at(loc[:-1]),
        written,
        _subject(path),
    )
    return _Located(details["type"], trouble, key, tuple(path), forked)


def _is_tag(node: Node, part: str | int) -> bool:
    return any(node[key].text == part for key in _DISCRIMINATORS)


def _start(node: Node) -> Place:
    """Point at the first key of a block, and at all of anything else."""
    return next(iter(node.keys().values()), node.place)


def _subject(path: list[str | int]) -> str:
    """Name a value by its key, and an element by its list's key."""
    keys = [part for part in path if isinstance(part, str)]
    if not keys:
        return "the job"
    return f"`{keys[-1]}`" if path[-1] == keys[-1] else f"an entry of `{keys[-1]}`"


def _faults(found: list[_Located]) -> Iterator[Fault]:
    yield from _missing(found)
    for one in found:
        vague = one.forked or one.kind == "too_short"
        outdone = vague and any(_under(other.path, one.path) for other in found)
        if not (one.kind == "missing" or outdone or one.trouble.node.spoilt):
            yield Fault(one.place, _say(one, found))


def _missing(found: list[_Located]) -> Iterator[Fault]:
    """Name what each block lacks at once, except for keys that are only misspelt."""
    misspelt = {
        (*one.path[:-1], nearest(one.trouble.name, one.trouble.known))
        for one in found
        if one.kind == "extra_forbidden"
    }
    lacking: dict[Path, list[_Located]] = {}
    for one in found:
        known = (*one.path, one.trouble.name) in misspelt or one.trouble.node.spoilt
        if one.kind == "missing" and not known:
            lacking.setdefault(one.path, []).append(one)
    for first, *others in lacking.values():
        if first.trouble.node.elements is not None:
            yield Fault(first.trouble.node.place, f"{first.trouble.subject} {PAIR}")
            continue
        names = [f"`{one.trouble.name}`" for one in (first, *others)]
        verb = "are" if others else "is"
        yield Fault(first.place, f"{', '.join(names)} {verb} missing here")


def _under(path: Path, above: Path) -> bool:
    return len(path) > len(above) and path[: len(above)] == above


def _say(one: _Located, found: list[_Located]) -> str:
    """Put an error into words; the members of a union speak with one voice."""
    rivals = [other.kind for other in found if other.forked and other.path == one.path]
    wanted = dict.fromkeys(WANTED[kind] for kind in rivals if kind in WANTED)
    if one.forked and len(wanted) > 1:
        return wrong_kind(" or ".join(wanted), one.trouble)
    return say(one.kind, one.trouble)
