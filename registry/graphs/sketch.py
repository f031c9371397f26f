"""A graph as few boxes: nodes, or groups of them by module, and what stands between."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from pydantic import Field

from registry.graphs.graph import Graph, Node
from registry.signature import Frozen

#: Boxes of a sketch, and inputs or outputs that are drawn one by one.
MOST, MOST_ENDS = 60, 6

#: Boxes of a graph that says nothing of modules.
STRETCHES = 24

Kind = Literal["input", "node", "group", "output"]


class Stretch(Frozen):
    """A part of a graph: a module, and nodes by their numbers from 1, both ends included."""

    within: str = ""
    first: int | None = None
    last: int | None = None


class Box(Frozen):
    """A node, a group of nodes, or values that come from outside or go there.

    Attributes:
        operators: How often each operator stands in it.
        inside: What to ask for to see more of it.
    """

    kind: Kind
    title: str
    operators: dict[str, int] = Field(default_factory=dict)
    inside: Stretch | None = None


class Sketch(Frozen):
    """Boxes from what comes in to what goes out.

    Attributes:
        edges: By the places of the boxes, each pair once.
        nodes: How many the boxes stand for.
    """

    boxes: tuple[Box, ...]
    edges: tuple[tuple[int, int], ...]
    nodes: int


@dataclass(frozen=True)
class Numbered:
    """A node and its number in the graph."""

    number: int
    node: Node


@dataclass(frozen=True)
class Group:
    """Nodes that are one box."""

    box: Box
    nodes: tuple[Node, ...]


def sketch(graph: Graph, stretch: Stretch, most: int = MOST) -> Sketch | None:
    """Draw a part of a graph in so many boxes and a few for its ends; None where there is none."""
    chosen = _chosen(graph, stretch)
    if not chosen:
        return None
    groups = _groups(chosen, stretch, most)
    here = {
        value: at for at, group in enumerate(groups) for one in group.nodes for value in one.gives
    }
    ends = tuple(_inputs(groups, here)), tuple(_outputs(graph, here, chosen))
    return _joined(groups, *ends, here)


def _chosen(graph: Graph, stretch: Stretch) -> list[Numbered]:
    path = _path(stretch.within)
    first, last = stretch.first or 1, stretch.last or len(graph.nodes)
    return [
        Numbered(number, node)
        for number, node in enumerate(graph.nodes, 1)
        if first <= number <= last and node.module[: len(path)] == path
    ]


def _path(within: str) -> tuple[str, ...]:
    return tuple(within.split(".")) if within else ()


def _groups(chosen: Sequence[Numbered], stretch: Stretch, most: int) -> list[Group]:
    """Take nodes one by one, or the finest modules that are few enough, or equal stretches."""
    if len(chosen) <= most:
        return [_single(one) for one in chosen]
    depth = len(_path(stretch.within))
    deepest = max(len(one.node.module) for one in chosen)
    for level in range(deepest, depth, -1):
        groups = _by_module(chosen, depth, level, stretch)
        if 1 < len(groups) <= most:
            return groups
    size = -(-len(chosen) // min(most, STRETCHES))
    parts = [chosen[start : start + size] for start in range(0, len(chosen), size)]
    return [_run(part, stretch) for part in parts]


def _by_module(chosen: Sequence[Numbered], depth: int, level: int, stretch: Stretch) -> list[Group]:
    """Group by module down to a level; nodes of the outer module itself by runs between these."""
    inner: dict[tuple[str, ...], list[Numbered]] = {}
    outer = []
    for path, run in groupby(chosen, lambda one: one.node.module[:level]):
        if len(path) > depth:
            inner.setdefault(path, []).extend(run)
        else:
            outer.append(_run(list(run), stretch))
    modules = [_module(".".join(path), found, stretch) for path, found in inner.items()]
    return sorted((*modules, *outer), key=lambda group: _first(group, chosen))


def _first(group: Group, chosen: Sequence[Numbered]) -> int:
    return next(one.number for one in chosen if one.node is group.nodes[0])


def _single(one: Numbered) -> Group:
    title = one.node.name or f"node {one.number}"
    box = Box(kind="node", title=title, operators={one.node.operator: 1})
    return Group(box, (one.node,))


def _module(path: str, found: Sequence[Numbered], stretch: Stretch) -> Group:
    if len(found) == 1:
        return _single(found[0])
    inside = stretch.model_copy(update={"within": path})
    return _group(path, found, inside)


def _run(found: Sequence[Numbered], stretch: Stretch) -> Group:
    if len(found) == 1:
        return _single(found[0])
    first, last = found[0].number, found[-1].number
    inside = Stretch(within=stretch.within, first=first, last=last)
    return _group(f"nodes {first} to {last}", found, inside)


def _group(title: str, found: Sequence[Numbered], inside: Stretch) -> Group:
    counts = Counter(one.node.operator for one in found)
    box = Box(kind="group", title=title, operators=dict(counts.most_common()), inside=inside)
    return Group(box, tuple(one.node for one in found))


def _inputs(groups: Iterable[Group], here: Mapping[str, int]) -> Iterator[str]:
    """Name the values that come from outside, in the order in which they are taken."""
    taken = (value for group in groups for one in group.nodes for value in one.takes)
    return (value for value in dict.fromkeys(taken) if value not in here)


def _outputs(
    graph: Graph, here: Mapping[str, int], chosen: Sequence[Numbered]
) -> Iterator[tuple[str, str]]:
    """Give name and value of what goes out: to users, or to nodes that are not drawn."""
    drawn = {one.number for one in chosen}
    others = (node for number, node in enumerate(graph.nodes, 1) if number not in drawn)
    used = dict.fromkeys(value for node in others for value in node.takes if value in here)
    named = {name: value for name, value in graph.outputs.items() if value in here}
    yield from named.items()
    yield from ((value, value) for value in used if value not in named.values())


def _joined(
    groups: Sequence[Group],
    inputs: Sequence[str],
    outputs: Sequence[tuple[str, str]],
    here: Mapping[str, int],
) -> Sketch:
    tops, places = _ends("input", inputs)
    bottoms, ways = _ends("output", [name for name, _ in outputs])
    start = len(tops)
    made = {value: start + at for value, at in here.items()} | places
    edges = [
        (made[value], start + at)
        for at, group in enumerate(groups)
        for one in group.nodes
        for value in one.takes
        if value in made and made[value] != start + at
    ]
    end = start + len(groups)
    edges += [(made[value], end + ways[name]) for name, value in outputs]
    return Sketch(
        boxes=(*tops, *(group.box for group in groups), *bottoms),
        edges=tuple(dict.fromkeys(edges)),
        nodes=sum(len(group.nodes) for group in groups),
    )


def _ends(kind: Kind, names: Sequence[str]) -> tuple[list[Box], dict[str, int]]:
    """Draw a box for each name, or one for all where they are many."""
    if len(names) > MOST_ENDS:
        one = Box(kind=kind, title=f"{len(names)} {kind}s")
        return [one], dict.fromkeys(names, 0)
    return [Box(kind=kind, title=name) for name in names], {one: at for at, one in enumerate(names)}
