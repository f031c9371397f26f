"""The picture of a composition: inputs → ids → lookups → dense → outputs, as boxes in columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from registry.composition import Split

BOX_HEIGHT, GAP, WIDTH, BETWEEN = 46, 14, 196, 74


@dataclass(frozen=True)
class Box:
    """A box with its place in pixels; `kind` is its style."""

    key: str
    kind: str
    title: str
    detail: str
    x: float
    y: float

    width = WIDTH
    height = BOX_HEIGHT


@dataclass(frozen=True)
class Arrow:
    """A curve from the right side of a box to the left side of another, as an SVG path."""

    path: str
    label: str


@dataclass(frozen=True)
class Step:
    """A column of the drawing, for where there is no room to draw."""

    title: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Picture:
    """Boxes and arrows in a drawing of `width` by `height` pixels; `steps` has the same boxes."""

    boxes: tuple[Box, ...]
    steps: tuple[Step, ...]
    arrows: tuple[Arrow, ...]
    width: float
    height: float


def flow_picture(split: Split) -> Picture:
    """Lay out the parts of a split model in columns, each centred."""
    titled = [(title, column) for title, column in _columns(split) if column]
    columns = [column for _, column in titled]
    tallest = max(map(len, columns))
    boxes: dict[str, Box] = {}
    for place, column in enumerate(columns):
        top = (tallest - len(column)) * (BOX_HEIGHT + GAP) / 2 + 8
        for row, (key, kind, title, detail) in enumerate(column):
            x = 8 + place * (WIDTH + BETWEEN)
            boxes[key] = Box(key, kind, title, detail, x, top + row * (BOX_HEIGHT + GAP))
    arrows = tuple(
        Arrow(_curve(boxes[start], boxes[end]), f"{boxes[start].title} to {boxes[end].title}")
        for start, end in dict.fromkeys(_edges(split))
    )
    return Picture(
        tuple(boxes.values()),
        tuple(Step(title, tuple(boxes[one[0]] for one in column)) for title, column in titled),
        arrows,
        width=len(columns) * (WIDTH + BETWEEN) - BETWEEN + 16,
        height=tallest * (BOX_HEIGHT + GAP) - GAP + 16,
    )


Column = Sequence[tuple[str, str, str, str]]


def _columns(split: Split) -> Iterable[tuple[str, Column]]:
    inputs = split.signature.inputs
    yield "Inputs", [(f"in:{t.name}", "io", t.name, f"{t.dtype} {_shape(t.shape)}") for t in inputs]
    if split.ids:
        made = len(split.ids.signature.outputs)
        yield "Ids", [("ids", "part", "ids program", _times(made, "id tensor"))]
    used: dict[str, int] = {}
    for lookup in split.lookups:
        used[lookup.table] = used.get(lookup.table, 0) + 1
    yield (
        "Tables",
        [
            (
                f"table:{t.name}",
                "table",
                t.name,
                f"{t.rows:,} × {t.dim}, {_times(used.get(t.name, 0), 'lookup')}",
            )
            for t in split.tables
        ],
    )
    operators = sum(split.nodes_after.values())
    yield "Dense part", [("dense", "part", "dense part", _times(operators, "operator"))]
    outputs = split.signature.outputs
    yield (
        "Outputs",
        [(f"out:{t.name}", "io", t.name, f"{t.dtype} {_shape(t.shape)}") for t in outputs],
    )


def _edges(split: Split) -> Iterable[tuple[str, str]]:
    made = {tensor.name for tensor in split.ids.signature.outputs} if split.ids else set()
    for lookup in split.lookups:
        for name in filter(None, (lookup.ids, lookup.offsets, lookup.weights)):
            start = "ids" if name in made else f"in:{name}"
            yield start, f"table:{lookup.table}"
        yield f"table:{lookup.table}", "dense"
    known = {tensor.name for tensor in split.signature.inputs}
    if split.ids:
        yield from ((f"in:{t.name}", "ids") for t in split.ids.signature.inputs)
    yield from ((f"in:{t.name}", "dense") for t in split.dense.signature.inputs if t.name in known)
    yield from (("dense", f"out:{t.name}") for t in split.signature.outputs)


def _shape(shape: Sequence[int | str]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _curve(start: Box, end: Box) -> str:
    x1, y1 = start.x + WIDTH, start.y + BOX_HEIGHT / 2
    x2, y2 = end.x, end.y + BOX_HEIGHT / 2
    middle = (x1 + x2) / 2
    return f"M{x1:g} {y1:g}C{middle:g} {y1:g} {middle:g} {y2:g} {x2:g} {y2:g}"


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
