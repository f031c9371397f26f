"""Where boxes and lines go: layers from top to bottom, lines round what lies between."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

WIDTH, HEIGHT = 216, 44

_ACROSS, _DOWN, _EDGE = 20, 34, 12

#: What a line takes that passes a layer.
_LINE = 10

#: How often places are brought closer to those that they are joined with.
_SWEEPS = 8

#: Points of lines that pass layers; beyond these, lines go straight.
_MOST_POINTS = 3000

Edge = tuple[int, int]


@dataclass(frozen=True)
class Place:
    """The upper left corner of a box, in pixels."""

    x: float
    y: float


@dataclass(frozen=True)
class Layout:
    """Places of the boxes in their order, lines as SVG paths, and the size of all."""

    places: tuple[Place, ...]
    paths: tuple[str, ...]
    width: float
    height: float


def lay_out(count: int, edges: Sequence[Edge]) -> Layout:
    """Lay out boxes, of which most edges lead from an earlier one to a later one."""
    forward = [edge for edge in edges if edge[0] < edge[1]]
    ranks = _ranks(count, forward)
    chains, points = _chains(forward, ranks)
    layers: dict[int, list[int]] = defaultdict(list)
    for point in sorted(points, key=lambda one: (points[one], one)):
        layers[points[point]].append(point)
    middle = _middles(
        layers, [pair for chain in chains.values() for pair in pairwise(chain)], count
    )
    left = min(x - _width(one, count) / 2 for one, x in middle.items())
    at = {
        one: (x - left + _EDGE, _EDGE + points[one] * (HEIGHT + _DOWN)) for one, x in middle.items()
    }
    places = tuple(Place(at[one][0] - WIDTH / 2, at[one][1]) for one in range(count))
    ways = [chains.get(edge, edge) for edge in edges]
    return Layout(
        places=places,
        paths=tuple(_path([at[one] for one in way]) for way in ways),
        width=max(x + _width(one, count) / 2 for one, (x, _) in at.items()) + _EDGE,
        height=max(place.y for place in places) + HEIGHT + _EDGE,
    )


def _ranks(count: int, edges: Iterable[Edge]) -> list[int]:
    """Put each box a layer below what it takes from, and what takes nothing as low as it can."""
    ranks = [0] * count
    for start, end in sorted(edges):
        ranks[end] = max(ranks[end], ranks[start] + 1)
    given, nearest = {end for _, end in edges}, dict[int, int]()
    for start, end in edges:
        nearest[start] = min(nearest.get(start, ranks[end]), ranks[end])
    return [
        rank if one in given else max(0, nearest.get(one, 1) - 1) for one, rank in enumerate(ranks)
    ]


def _chains(
    edges: Sequence[Edge], ranks: Sequence[int]
) -> tuple[dict[Edge, list[int]], dict[int, int]]:
    """Give each long edge a point on every layer that it passes."""
    points = dict(enumerate(ranks))
    chains = {}
    few = sum(ranks[end] - ranks[start] - 1 for start, end in edges) <= _MOST_POINTS
    for start, end in edges:
        passed = range(ranks[start] + 1, ranks[end]) if few else ()
        new = range(len(points), len(points) + len(passed))
        points.update(zip(new, passed, strict=True))
        chains[start, end] = [start, *new, end]
    return chains, points


def _middles(
    layers: Mapping[int, list[int]], links: Sequence[Edge], count: int
) -> dict[int, float]:
    """Find the middle of each point, close to those that it is joined with."""
    above, below = defaultdict(list), defaultdict(list)
    for start, end in links:
        above[end].append(start)
        below[start].append(end)
    middle = {one: float(at) for layer in layers.values() for at, one in enumerate(layer)}
    for layer in layers.values():
        _set_apart(layer, dict.fromkeys(layer, 0.0), middle, count)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        near = above if down else below
        for rank in sorted(layers, reverse=not down):
            wanted = {
                one: sum(middle[other] for other in near[one]) / len(near[one])
                if near[one]
                else middle[one]
                for one in layers[rank]
            }
            layers[rank].sort(key=lambda one: wanted[one])
            _set_apart(layers[rank], wanted, middle, count)
    return middle


def _set_apart(
    layer: Sequence[int], wanted: Mapping[int, float], middle: dict[int, float], count: int
) -> None:
    """Place a layer's points where they are wanted, as far as they do not meet."""
    x, found = float("-inf"), []
    for one in layer:
        half = _width(one, count) / 2
        x = max(wanted[one], x + half)
        found.append(x)
        x += half + _ACROSS
    shift = sum(wanted[one] - x for one, x in zip(layer, found, strict=True)) / len(layer)
    middle.update((one, x + shift) for one, x in zip(layer, found, strict=True))


def _width(one: int, count: int) -> float:
    return WIDTH if one < count else _LINE


def _path(way: Sequence[tuple[float, float]]) -> str:
    """Draw a line from the lower side of the first to the upper side of the last."""
    (x, y), *rest = way
    y += HEIGHT
    text = f"M{x:.0f} {y:.0f}"
    for at, (to_x, to_y) in enumerate(rest, 1):
        half = (y + to_y) / 2
        text += f"C{x:.0f} {half:.0f} {to_x:.0f} {half:.0f} {to_x:.0f} {to_y:.0f}"
        x, y = to_x, to_y
        if at < len(rest):
            y += HEIGHT
            text += f"V{y:.0f}"
    return text
