"""Which nodes the job's names mean."""

import difflib
from collections.abc import Sequence
from fnmatch import fnmatchcase

from converters.parts.flow import Flow, Point
from converters.split.policy import PartRule
from registry.errors import SplitError

_SHOWN = 8


def ends_of(flow: Flow, rules: Sequence[PartRule], number: int) -> tuple[Point, ...]:
    """Find the nodes that a part ends with.

    Raises:
        SplitError: A name that no node has; with those that look most like it.
    """
    found: dict[str, Point] = {}
    for place, pattern in enumerate(rules[number].until):
        named = [point for point in flow.points if _is_called(point, pattern)]
        if not named:
            raise SplitError(f"split.parts[{number}].until[{place}]: {_nothing(pattern, flow)}")
        found |= {point.name: point for point in named}
    return tuple(found.values())


def _is_called(point: Point, pattern: str) -> bool:
    """Say whether a name fits; one that is a pattern as well may be meant as it is."""
    return pattern in point.called or any(fnmatchcase(name, pattern) for name in point.called)


def _nothing(pattern: str, flow: Flow) -> str:
    if pattern in flow.given:
        return (
            f"'{pattern}' is an input, which every part may read as it is: name a node that "
            "computes"
        )
    known = dict.fromkeys(name for point in flow.points for name in sorted(point.called))
    close = difflib.get_close_matches(pattern.rstrip("*.")[:200], known, _SHOWN, cutoff=0.5)
    shown = ", ".join(f"'{name}'" for name in close or list(known)[:_SHOWN])
    start = "it has names like these" if close else "it has names such as these"
    return (
        f"no node or module of the dense part that its answers need is called '{pattern}'; "
        f"{start}: {shown}. Names are module paths of torch, or nodes and values of the graph; "
        "'*' stands for anything"
    )
