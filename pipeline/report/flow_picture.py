"""The picture of a composition: inputs → ids → lookups → dense → outputs, as boxes in columns."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.report.hops import Hop, hops_of, sources
from registry.composition import Artifact, Split, Table

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


def flow_picture(split: Split, cut: Sequence[Artifact] = ()) -> Picture:
    """Lay out the parts of a split model in columns, each centred.

    Args:
        cut: What the dense part was cut into; without any it is one part.
    """
    parts = tuple(cut) or (split.dense,)
    titled = [(title, column) for title, column in _columns(split, parts) if column]
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
        for start, end in dict.fromkeys(_edges(split, parts))
    )
    return Picture(
        tuple(boxes.values()),
        tuple(Step(title, tuple(boxes[one[0]] for one in column)) for title, column in titled),
        arrows,
        width=len(columns) * (WIDTH + BETWEEN) - BETWEEN + 16,
        height=tallest * (BOX_HEIGHT + GAP) - GAP + 16,
    )


Column = Sequence[tuple[str, str, str, str]]


def _columns(split: Split, parts: Sequence[Artifact]) -> Iterable[tuple[str, Column]]:
    inputs = split.signature.inputs
    yield "Inputs", [(f"in:{t.name}", "io", t.name, f"{t.dtype} {_shape(t.shape)}") for t in inputs]
    if split.preprocess:
        yield "Before the model", [_of_the_cut(split.preprocess)]
    used = Counter(lookup.table for lookup in split.lookups)
    for hop in hops_of(split):
        yield f"Ids{_behind(hop)}", [_program(one) for one in hop.programs]
        yield f"Tables{_behind(hop)}", [_table(one, used[one.name]) for one in hop.tables]
    if len(parts) == 1:
        operators = sum(split.nodes_after.values())
        yield "Dense part", [(parts[0].part, "part", "dense part", _times(operators, "operator"))]
    else:
        yield from ((f"Part {one.part}", [_of_the_cut(one)]) for one in parts)
    if split.postprocess:
        yield "After the model", [_of_the_cut(split.postprocess)]
    outputs = split.signature.outputs
    yield (
        "Outputs",
        [(f"out:{t.name}", "io", t.name, f"{t.dtype} {_shape(t.shape)}") for t in outputs],
    )


def _behind(hop: Hop) -> str:
    return f", hop {hop.number + 1}" if hop.number else ""


def _program(program: Artifact) -> tuple[str, str, str, str]:
    made = _times(len(program.signature.outputs), "id tensor")
    return program.part, "part", f"{program.part} program", made


def _of_the_cut(part: Artifact) -> tuple[str, str, str, str]:
    takes, gives = len(part.signature.inputs), len(part.signature.outputs)
    return part.part, "part", part.part, f"takes {takes}, gives {gives}"


def _table(table: Table, reads: int) -> tuple[str, str, str, str]:
    size = f"{table.rows:,} × {table.dim}, {_times(reads, 'lookup')}"
    return f"table:{table.name}", "table", table.name, size


def _edges(split: Split, parts: Sequence[Artifact]) -> Iterable[tuple[str, str]]:
    """Draw an arrow from what makes a value to what takes it, back to itself left out."""
    made = {tensor.name: f"in:{tensor.name}" for tensor in split.signature.inputs}
    before = (split.preprocess,) if split.preprocess else ()
    after = (split.postprocess,) if split.postprocess else ()
    made |= {tensor.name: one.part for one in before for tensor in one.signature.outputs}
    for program in split.id_programs:
        made |= {tensor.name: program.part for tensor in program.signature.outputs}
    made |= {lookup.output: f"table:{lookup.table}" for lookup in split.lookups}
    for lookup in split.lookups:
        for name in sources(lookup):
            if made[name] != made[lookup.output]:
                yield made[name], made[lookup.output]
    for part in (*before, *split.id_programs, *parts, *after):
        yield from ((made[tensor.name], part.part) for tensor in part.signature.inputs)
        made |= {tensor.name: part.part for tensor in part.signature.outputs}
    yield from ((made[t.name], f"out:{t.name}") for t in split.signature.outputs)


def _shape(shape: Sequence[int | str]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _curve(start: Box, end: Box) -> str:
    x1, y1 = start.x + WIDTH, start.y + BOX_HEIGHT / 2
    x2, y2 = end.x, end.y + BOX_HEIGHT / 2
    middle = (x1 + x2) / 2
    return f"M{x1:g} {y1:g}C{middle:g} {y1:g} {middle:g} {y2:g} {x2:g} {y2:g}"


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
