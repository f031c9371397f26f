"""Follow how large integers can be through an ONNX graph, its branches and its loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from converters.onnx_models.intervals import Interval, result
from converters.onnx_models.users import Users, only_cuts

if TYPE_CHECKING:
    import onnx

#: How often a loop runs at most where nothing says it.
LONGEST = 1 << 16

#: Turns of a loop that are followed one by one; what still grows then goes on as in the last one.
TRIED = 64

Known = dict[str, Interval]
Made = Iterator[tuple[str, Interval]]


@dataclass(frozen=True)
class Walk:
    """A walk through a graph.

    Attributes:
        counts: How many elements of a value a sum can add up, where its sizes are fixed.
        beyond: What passes the limit first, by the name of the value, with the operator.
    """

    users: Users
    counts: Mapping[str, int]
    limit: int
    beyond: dict[str, tuple[str, Interval]] = field(default_factory=dict)

    def through(self, graph: onnx.GraphProto, known: Known) -> None:
        """Add to what is known what the graph's nodes make; what passes the limit is not known."""
        for node in graph.node:
            for name, made in self._made(node, known):
                if made.magnitude() <= self.limit or only_cuts(name, self.users):
                    known[name] = made
                else:
                    self.beyond.setdefault(name, (node.op_type, made))

    def body(self, graph: onnx.GraphProto, known: Known) -> list[Interval | None]:
        """Walk through a graph inside, and return what its outputs can be."""
        inner = {**known, **stored(graph)}
        self.through(graph, inner)
        return [inner.get(output.name) for output in graph.output]

    def _made(self, node: onnx.NodeProto, known: Known) -> Made:
        if node.op_type in _CONTROL and not node.domain:
            for name, made in _CONTROL[node.op_type](self, node, known):
                if name:
                    yield name, replace(made, path=(*made.path, node.name or node.output[0]))
        elif found := result(node, known, self.counts):
            yield node.output[0], found


def stored(graph: onnx.GraphProto) -> Known:
    """Give what the constants of integers of a graph hold, graphs inside it aside."""
    import onnx

    known: Known = {}
    held = [(tensor.name, tensor) for tensor in graph.initializer]
    for node in graph.node:
        if node.op_type == "Constant":
            held += [(node.output[0], one.t) for one in node.attribute if one.name == "value"]
    for name, tensor in held:
        kinds = (onnx.TensorProto.INT64, onnx.TensorProto.INT32)
        if not tensor.data_location and tensor.data_type in kinds:
            array = onnx.numpy_helper.to_array(tensor)
            if array.size:
                known[name] = Interval(int(array.min()), int(array.max()), (name,))
    return known


def _hull(one: Interval, other: Interval) -> Interval:
    """Span both; the way is that of the larger."""
    larger = max(one, other, key=Interval.magnitude)
    return Interval(min(one.low, other.low), max(one.high, other.high), larger.path)


def _branches(walk: Walk, node: onnx.NodeProto, known: Known) -> Made:
    ends = [walk.body(one.g, known) for one in node.attribute if one.HasField("g")]
    for name, *both in zip(node.output, *ends, strict=False):
        if len(both) == 2 and both[0] is not None and both[1] is not None:
            yield name, _hull(both[0], both[1])


def _loop(walk: Walk, node: onnx.NodeProto, known: Known) -> Made:
    body = _attribute(node, "body").g
    count = known.get(node.input[0]) if node.input[0] else None
    turns = LONGEST if count is None else max(0, min(count.high, LONGEST))
    start = _taken(body.input[2:], node.input[2:], known)
    number = {body.input[0].name: Interval(0, max(turns - 1, 0), (body.input[0].name,))}
    carried = [value.name for value in body.input[2:]]
    ends = _turns(walk, body, {**known, **number}, start, (carried, 1, turns))
    return _ends(node.output, carried, start, ends[1:])


def _scan(walk: Walk, node: onnx.NodeProto, known: Known) -> Made:
    body = _attribute(node, "body").g
    states = len(node.input) - _attribute(node, "num_scan_inputs").i
    start = _taken(body.input[:states], node.input[:states], known)
    rows = _taken(body.input[states:], node.input[states:], known)
    carried = [value.name for value in body.input[:states]]
    ends = _turns(walk, body, {**known, **rows}, start, (carried, 0, LONGEST))
    return _ends(node.output, carried, start, ends)


def _turns(
    walk: Walk,
    body: onnx.GraphProto,
    known: Known,
    start: Known,
    run: tuple[Sequence[str], int, int],
) -> list[Interval | None]:
    """Walk through a body until nothing grows, and return what its outputs can be.

    Args:
        start: What is carried from turn to turn, before the first one.
        run: The names of what is carried, which of the outputs is the first one of them, and how
            many turns there are at most.
    """
    carried, first, most = run
    states = start
    for turn in range(most):
        ends = walk.body(body, {**known, **states})
        grown = {
            name: _hull(states[name], end)
            for name, end in zip(carried, ends[first:], strict=False)
            if name in states and end is not None
        }
        if walk.beyond or _ranges(grown) == _ranges(states):
            return ends
        if turn >= TRIED:
            grown = {name: _gone_on(states[name], one, most - turn) for name, one in grown.items()}
            return walk.body(body, {**known, **grown})
        states = grown
    return walk.body(body, {**known, **states})


def _gone_on(before: Interval, now: Interval, turns: int) -> Interval:
    """Let a value grow for more turns by as much as in the last one."""
    low = now.low + (now.low - before.low) * turns
    return replace(now, low=low, high=now.high + (now.high - before.high) * turns)


def _ends(
    names: Sequence[str], carried: Sequence[str], start: Known, ends: Sequence[Interval | None]
) -> Made:
    """Give what a loop gives: what it carried may as well be as it was before the first turn."""
    for place, (name, end) in enumerate(zip(names, ends, strict=False)):
        if end is None:
            continue
        if place >= len(carried):
            yield name, end
        elif carried[place] in start:
            yield name, _hull(start[carried[place]], end)


def _taken(inner: Sequence[onnx.ValueInfoProto], outer: Sequence[str], known: Known) -> Known:
    pairs = zip(inner, outer, strict=False)
    return {value.name: known[name] for value, name in pairs if name in known}


def _ranges(known: Known) -> dict[str, tuple[int, int]]:
    return {name: (one.low, one.high) for name, one in known.items()}


def _attribute(node: onnx.NodeProto, name: str) -> onnx.AttributeProto:
    return next(one for one in node.attribute if one.name == name)


_CONTROL: Mapping[str, Callable[[Walk, onnx.NodeProto, Known], Made]] = MappingProxyType(
    {"If": _branches, "Loop": _loop, "Scan": _scan}
)
