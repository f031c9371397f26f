"""A graph's boxes with their places, words and ways, as the page draws and lists them."""

from dataclasses import dataclass
from urllib.parse import urlencode

from registry.graphs.layout import HEIGHT, WIDTH, Layout, lay_out
from registry.graphs.sketch import Box, Stretch
from registry.web.looks import GraphLook
from registry.web.words import counted

#: Signs of a line in a box.
_TITLE, _DETAIL = 28, 34


@dataclass(frozen=True)
class Drawn:
    """A box on the page.

    Attributes:
        short, detail: The two lines in the box.
        operators: All of them, with their counts.
        takes, gives: Places of the boxes that it is joined with.
        query: What shows more of it, behind '?'; empty where there is no more.
    """

    box: Box
    x: float
    y: float
    short: str
    detail: str
    operators: str
    takes: tuple[int, ...]
    gives: tuple[int, ...]
    query: str


@dataclass(frozen=True)
class GraphPicture:
    """All boxes in their order, lines as SVG paths, and the size of a box and of all."""

    boxes: tuple[Drawn, ...]
    layout: Layout
    width: int = WIDTH
    height: int = HEIGHT


def graph_picture(look: GraphLook) -> GraphPicture:
    """Lay out what a page shows of a graph."""
    boxes, edges = look.sketch.boxes, look.sketch.edges
    layout = lay_out(len(boxes), edges)
    return GraphPicture(
        boxes=tuple(
            Drawn(
                box=box,
                x=place.x,
                y=place.y,
                short=_ending(_title(box), _TITLE),
                detail=_beginning(_detail(box), _DETAIL),
                operators=_operators(box),
                takes=tuple(start for start, end in edges if end == at),
                gives=tuple(end for start, end in edges if start == at),
                query=query_of(look.part, box.inside) if box.inside else "",
            )
            for at, (box, place) in enumerate(zip(boxes, layout.places, strict=True))
        ),
        layout=layout,
    )


def query_of(part: str, stretch: Stretch) -> str:
    """Write what asks for a stretch of a part's graph."""
    asked = {"part": part} | stretch.model_dump(exclude_none=True, exclude_defaults=True)
    return urlencode(asked)


def _title(box: Box) -> str:
    return next(iter(box.operators)) if box.kind == "node" else box.title


def _detail(box: Box) -> str:
    if box.kind == "node":
        return box.title
    return _operators(box) if box.kind == "group" else box.kind


def _operators(box: Box) -> str:
    if box.kind == "node":
        return next(iter(box.operators))
    each = ", ".join(f"{count} {name}" for name, count in box.operators.items())
    return f"{counted(sum(box.operators.values()), 'node')}: {each}" if each else ""


def _beginning(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _ending(text: str, most: int) -> str:
    """Keep the end of a long name, which tells it from others."""
    return text if len(text) <= most else f"…{text[1 - most :]}"
