"""Give each node of a graph to one of the named parts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from converters.parts.ends import ends_of
from converters.parts.flow import Flow, Point
from converters.parts.leaks import Leak, leaking
from converters.split.policy import PartRule
from registry.errors import SplitError


@dataclass(frozen=True)
class Division:
    """One part of a graph.

    Attributes:
        points: Names of its nodes.
        gives: Values that it answers: the name in the graph, by the name that others know it by.
    """

    name: str
    points: frozenset[str]
    gives: Mapping[str, str]


@dataclass(frozen=True)
class _Share:
    """What a part takes of the graph, and the values that others may read of it."""

    number: int
    points: frozenset[str]
    named: frozenset[str]


def divide(flow: Flow, rules: Sequence[PartRule], outputs: Mapping[str, str]) -> list[Division]:
    """Share out the nodes: a part has all that the nodes it ends with are computed from.

    What earlier parts took is theirs, and what is left is the last part's. A part may read what
    users give, and of other parts the values of the nodes that `until` names.

    Args:
        outputs: The model's: names in the graph by the model's names for them.

    Raises:
        SplitError: A name means nothing, a part is empty or gives nothing, or the nodes that are
            named do not separate the graph.
    """
    shares = _shares(flow, rules)
    crossing: dict[str, str] = {}
    for value in _read_across(flow, shares, rules, frozenset(outputs.values())):
        part = rules[_owner(shares, flow.makers[value])].name
        crossing[value] = _free_name(part, value, {*crossing.values(), *outputs, *flow.given})
    told = {value: name for name, value in outputs.items()}
    divisions = []
    for share in shares:
        own = [value for value in crossing if flow.makers[value].name in share.points]
        gives = {told.get(value, crossing[value]): value for value in own}
        last = share is shares[-1]
        for name, value in outputs.items():
            maker = flow.makers.get(value)
            if (maker is None and last) or (maker and maker.name in share.points):
                gives[name] = value
        if not gives:
            raise SplitError(
                f"split.parts[{share.number}]: no other part reads anything of part "
                f"'{rules[share.number].name}', and it holds no output: name nodes whose values "
                "are read later"
            )
        divisions.append(Division(rules[share.number].name, share.points, gives))
    return divisions


def _shares(flow: Flow, rules: Sequence[PartRule]) -> list[_Share]:
    shares: list[_Share] = []
    taken = set[str]()
    for number in range(len(rules) - 1):
        ends = ends_of(flow, rules, number)
        points = frozenset(point.name for point in flow.before(ends)) - taken
        if not points:
            raise SplitError(
                f"split.parts[{number}].until: all that it names lies in parts before "
                f"'{rules[number].name}' already: name nodes that come later"
            )
        named = frozenset(value for end in ends if end.name in points for value in end.gives)
        shares.append(_Share(number, points, named))
        taken |= points
    rest = frozenset(point.name for point in flow.points) - taken
    if not rest:
        raise SplitError(
            f"split.parts[{len(rules) - 2}].until: nothing is left for part '{rules[-1].name}': "
            "name nodes that come earlier, or leave the last part out"
        )
    return [*shares, _Share(len(rules) - 1, rest, frozenset())]


def _read_across(
    flow: Flow, shares: Sequence[_Share], rules: Sequence[PartRule], answered: frozenset[str]
) -> Iterable[str]:
    """List the values that are read by other parts than their own, in the graph's order."""
    read, leaks = set[str](), list[Leak]()
    for point in flow.points:
        reader = _owner(shares, point)
        for value in point.takes:
            maker = flow.makers.get(value)
            if maker is None or (owner := _owner(shares, maker)) == reader:
                continue
            if value in shares[owner].named or value in answered:
                read.add(value)
            else:
                leaks.append(Leak(value, maker, point, owner, reader))
    if leaks:
        raise leaking(flow, rules, leaks)
    return [value for point in flow.points for value in point.gives if value in read]


def _owner(shares: Sequence[_Share], point: Point) -> int:
    return next(share.number for share in shares if point.name in share.points)


def _free_name(part: str, value: str, taken: Iterable[str]) -> str:
    """Name a value that goes from part to part: 'encoder__add_5'."""
    plain = re.sub(r"\W+", "_", f"{part}__{value.strip('/')}", flags=re.ASCII)
    name, count = plain, 1
    while name in taken:
        count += 1
        name = f"{plain}_{count}"
    return name
