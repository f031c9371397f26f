"""Errors over versions as a picture: where points and lines go."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from registry.web.looks import ParityLook

WIDTH, HEIGHT = 720, 260

_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 16, 34

#: Powers of ten that are shown: an error below or above lies at the edge.
_LOWEST, _HIGHEST = -9, 2

#: Colours that can be told apart.
_COLOURS = 6

#: Numbers below the picture.
_MOST_LABELS = 12


@dataclass(frozen=True)
class Point:
    """A version's error."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Line:
    """The errors of one target and kind.

    Attributes:
        colour: Which of the colours the target has.
        kind: 'conversion' or 'precision', each drawn in its own way.
    """

    name: str
    colour: int
    kind: str
    points: tuple[Point, ...]

    @property
    def path(self) -> str:
        """Return the points for an SVG polyline."""
        return " ".join(f"{point.x:.1f},{point.y:.1f}" for point in self.points)


@dataclass(frozen=True)
class Picture:
    """All lines, and the labels of the axes."""

    width: int
    height: int
    limit: float
    lines: tuple[Line, ...]
    across: tuple[Point, ...]
    up: tuple[Point, ...]


def parity_picture(look: ParityLook) -> Picture:
    """Lay out errors by version, on a scale of powers of ten; 1 is what may be."""
    known = [row for row in look.versions if row.fault is None]
    names = sorted(
        {(t, kind) for row in known for t, kinds in row.errors.items() for kind in kinds}
    )
    targets = sorted({target for target, _ in names})
    places = {row.version: _across(at, len(known)) for at, row in enumerate(known)}
    lines = [
        Line(
            name=f"{target}, {kind}",
            colour=targets.index(target) % _COLOURS,
            kind=kind,
            points=tuple(
                Point(places[row.version], _height(error), f"version {row.version}: {error:.2g}")
                for row in known
                if (error := row.errors.get(target, {}).get(kind)) is not None
            ),
        )
        for target, kind in names
    ]
    step = -(-len(known) // _MOST_LABELS) or 1
    across = [Point(places[row.version], HEIGHT - 12, str(row.version)) for row in known[::step]]
    return Picture(WIDTH, HEIGHT, _height(1.0), tuple(lines), tuple(across), tuple(_labels()))


def _labels() -> Iterator[Point]:
    for power in range(_LOWEST, _HIGHEST + 1, 3):
        yield Point(_LEFT - 6, _height(10.0**power), "1" if power == 0 else f"1e{power}")


def _across(at: int, count: int) -> float:
    room = WIDTH - _LEFT - _RIGHT
    return _LEFT + room * (at / (count - 1) if count > 1 else 0.5)


def _height(error: float) -> float:
    power = math.log10(error) if 0 < error < math.inf else -math.inf if error == 0 else math.inf
    share = (min(max(power, _LOWEST), _HIGHEST) - _LOWEST) / (_HIGHEST - _LOWEST)
    return _TOP + (HEIGHT - _TOP - _BOTTOM) * (1 - share)
