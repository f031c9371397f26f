"""A graph as far as cutting it goes: what each node takes and gives, and how people call it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Point:
    """A node that computes from what users give.

    Attributes:
        takes, gives: Names of values. What depends on no user's value is left out of `takes`.
        called: All that the job may call it: its name, those of its values, and of the modules
            or scopes that it lies in.
        place: For people: its name, its operator, its module.
    """

    name: str
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    called: frozenset[str]
    place: str


@dataclass(frozen=True)
class Flow:
    """The points of a graph that its outputs need, each after those that it takes from.

    Attributes:
        outputs: Names of the values that the model answers; those that no point gives depend
            on no user's value, or are inputs.
    """

    points: tuple[Point, ...]
    outputs: tuple[str, ...]

    @cached_property
    def makers(self) -> Mapping[str, Point]:
        """The point that gives a value."""
        return {value: point for point in self.points for value in point.gives}

    @cached_property
    def given(self) -> frozenset[str]:
        """The values that points take and none gives: users' inputs, and vectors of lookups."""
        taken = {value for point in self.points for value in point.takes}
        return frozenset(taken - self.makers.keys())

    def before(self, ends: Iterable[Point]) -> Iterator[Point]:
        """Give points and all that they are computed from."""
        seen, waiting = set[str](), list(ends)
        while waiting:
            point = waiting.pop()
            if point.name not in seen:
                seen.add(point.name)
                yield point
                waiting += self.sources(point)

    def sources(self, point: Point) -> list[Point]:
        """Return the points that a point takes from."""
        return [self.makers[value] for value in point.takes if value in self.makers]


def flow_of(points: Iterable[Point], outputs: Iterable[str]) -> Flow:
    """Leave out what no output needs."""
    whole = Flow(tuple(points), tuple(outputs))
    ends = [whole.makers[value] for value in whole.outputs if value in whole.makers]
    live = {point.name for point in whole.before(ends)}
    return Flow(tuple(point for point in whole.points if point.name in live), whole.outputs)


def scopes(path: str, between: str) -> Iterator[str]:
    """Give a path and all that it lies in: 'a.b.c', 'a.b', 'a'."""
    while path:
        yield path
        path = path.rpartition(between)[0]
