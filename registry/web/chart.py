"""Figures over versions as a picture, on a scale of powers of ten: where points and lines go."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 720, 260

_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 16, 16, 34

#: Colours that can be told apart.
COLOURS = 6

#: Numbers below the picture, and beside it.
_MOST_LABELS = 12
_MOST_POWERS = 6


@dataclass(frozen=True)
class Point:
    """A version's figure, or a label."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Series:
    """Figures by version.

    Attributes:
        style: How its line is drawn: 'conversion', 'precision', 'p50' or 'p95'.
    """

    name: str
    colour: int
    style: str
    figures: Mapping[int, float]


@dataclass(frozen=True)
class Scale:
    """Powers of ten that are shown, and how figures are written.

    Attributes:
        tick: How powers of ten are written beside the picture.
        limit: Where a line is drawn that figures should not cross.
    """

    lowest: int
    highest: int
    label: Callable[[float], str]
    tick: Callable[[float], str]
    limit: float | None = None


@dataclass(frozen=True)
class Line:
    """A series with its points."""

    name: str
    colour: int
    style: str
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
    left: int
    right: int
    limit: float | None
    lines: tuple[Line, ...]
    across: tuple[Point, ...]
    up: tuple[Point, ...]


def draw(series: Iterable[Series], versions: Sequence[int], scale: Scale) -> Picture:
    """Lay out figures by version; one off the scale lies at its edge."""
    places = {version: _across(at, len(versions)) for at, version in enumerate(versions)}
    lines = tuple(
        Line(
            one.name,
            one.colour,
            one.style,
            tuple(
                Point(
                    places[version],
                    _height(figure, scale),
                    f"version {version}: {scale.label(figure)}",
                )
                for version, figure in one.figures.items()
            ),
        )
        for one in series
    )
    step = -(-len(versions) // _MOST_LABELS) or 1
    return Picture(
        width=WIDTH,
        height=HEIGHT,
        left=_LEFT,
        right=WIDTH - _RIGHT,
        limit=None if scale.limit is None else _height(scale.limit, scale),
        lines=lines,
        across=tuple(
            Point(places[version], HEIGHT - 12, str(version)) for version in versions[::step]
        ),
        up=_labels(scale),
    )


def _labels(scale: Scale) -> tuple[Point, ...]:
    step = -(-(scale.highest - scale.lowest) // _MOST_POWERS) or 1
    powers = range(scale.lowest, scale.highest + 1, step)
    return tuple(
        Point(_LEFT - 6, _height(10.0**power, scale), scale.tick(10.0**power)) for power in powers
    )


def _across(at: int, count: int) -> float:
    room = WIDTH - _LEFT - _RIGHT
    return _LEFT + room * (at / (count - 1) if count > 1 else 0.5)


def _height(figure: float, scale: Scale) -> float:
    power = math.log10(figure) if 0 < figure < math.inf else math.copysign(math.inf, figure - 1)
    share = (min(max(power, scale.lowest), scale.highest) - scale.lowest) / (
        scale.highest - scale.lowest
    )
    return _TOP + (HEIGHT - _TOP - _BOTTOM) * (1 - share)
