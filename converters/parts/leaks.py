"""What is said where named nodes do not separate a graph."""

from collections.abc import Sequence
from dataclasses import dataclass

from converters.parts.flow import Flow, Point
from converters.split.policy import PartRule
from registry.errors import SplitError

_SHOWN, _LONGEST = 5, 4


@dataclass(frozen=True)
class Leak:
    """A value inside a part that another part reads; parts are told by their number."""

    value: str
    maker: Point
    reader: Point
    owner: int
    into: int


def leaking(flow: Flow, rules: Sequence[PartRule], leaks: Sequence[Leak]) -> SplitError:
    """Name the ways by which values leave the first part that leaks, and the remedy."""
    owner = min(leak.owner for leak in leaks)
    once = {leak.value: leak for leak in reversed(leaks) if leak.owner == owner}
    found = sorted(once.values(), key=lambda leak: flow.points.index(leak.maker))
    lines = [
        f"  {' → '.join(_way(flow, leak))}, of part '{rules[leak.into].name}'"
        for leak in found[:_SHOWN]
    ]
    if len(found) > _SHOWN:
        lines.append(f"  … and {len(found) - _SHOWN} more")
    names = dict.fromkeys(leak.maker.name for leak in found)
    remedy = ", ".join(f'"{name}"' for name in names)
    ways = "\n".join(lines)
    return SplitError(
        f"split.parts[{owner}].until: the nodes that it names do not separate part "
        f"'{rules[owner].name}' from what comes after it. Other parts also read:\n{ways}\n"
        f"Name {'that node' if len(names) == 1 else 'those nodes'} as well: add {remedy} to "
        "`until`, or end the part elsewhere"
    )


def _way(flow: Flow, leak: Leak) -> list[str]:
    """Go from what users give to the value that leaks, and on to who reads it."""
    back = [leak.maker]
    while sources := flow.sources(back[-1]):
        back.append(sources[0])
    start = [value for value in back[-1].takes if value not in flow.makers][:1]
    names = [f"input '{value}'" for value in start]
    names += [point.place for point in reversed(back)]
    if len(names) > _LONGEST:
        names = [names[0], "…", *names[2 - _LONGEST :]]
    return [*names, leak.reader.place]
