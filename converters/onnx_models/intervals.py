"""How small and how large the integers of an ONNX graph can be, as far as that can be told.

A value is unknown where it comes from floats, from shapes or from an operator that is not
listed; what is computed of it then is unknown as well, and is not refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True)
class Interval:
    """The lowest and the highest number, and the way here.

    Attributes:
        path: The input or constant that the numbers come from, and the nodes since.
    """

    low: int
    high: int
    path: tuple[str, ...] = ()

    def magnitude(self) -> int:
        """Return the largest distance from 0."""
        return max(-self.low, self.high)


Rule = Callable[["onnx.NodeProto", Sequence[Interval]], "tuple[int, int] | None"]


def _corners(operate: Callable[[int, int], int]) -> Rule:
    def rule(node: onnx.NodeProto, given: Sequence[Interval]) -> tuple[int, int] | None:  # noqa: ARG001
        low, high = given[0].low, given[0].high
        for other in given[1:]:
            found = [operate(a, b) for a in (low, high) for b in (other.low, other.high)]
            low, high = min(found), max(found)
        return low, high

    return rule


def _mod(node: onnx.NodeProto, given: Sequence[Interval]) -> tuple[int, int] | None:
    most = given[1].magnitude() - 1
    if any(one.name == "fmod" and one.i for one in node.attribute):
        most = min(most, given[0].magnitude())
        return (-most if given[0].low < 0 else 0), most
    return (0 if given[1].low > 0 else -most), (most if given[1].high > 0 else 0)


def _quotient(node: onnx.NodeProto, given: Sequence[Interval]) -> tuple[int, int] | None:
    if given[1].low <= 0 <= given[1].high:
        most = given[0].magnitude()
        return -most, most
    return _corners(lambda a, b: abs(a) // abs(b) * (1 if a * b >= 0 else -1))(node, given)


def _shifted(node: onnx.NodeProto, given: Sequence[Interval]) -> tuple[int, int] | None:
    left = any(one.name == "direction" and one.s == b"LEFT" for one in node.attribute)
    by = max(0, min(64, given[1].high))
    if not left:
        return min(given[0].low, 0), max(given[0].high, 0)
    return min(given[0].low << by, given[0].low), max(given[0].high << by, given[0].high)


def _negative(node: onnx.NodeProto, given: Sequence[Interval]) -> tuple[int, int] | None:  # noqa: ARG001
    return -given[0].high, -given[0].low


def _absolute(node: onnx.NodeProto, given: Sequence[Interval]) -> tuple[int, int] | None:  # noqa: ARG001
    nearest = (
        0 if given[0].low <= 0 <= given[0].high else min(abs(given[0].low), abs(given[0].high))
    )
    return nearest, given[0].magnitude()


def _hull(node: onnx.NodeProto, given: Sequence[Interval]) -> tuple[int, int] | None:  # noqa: ARG001
    return min(one.low for one in given), max(one.high for one in given)


def _first(node: onnx.NodeProto, given: Sequence[Interval]) -> tuple[int, int] | None:  # noqa: ARG001
    return given[0].low, given[0].high


def _clip(node: onnx.NodeProto, given: Sequence[Interval]) -> tuple[int, int] | None:
    low, high = given[0].low, given[0].high
    names = [name for name in node.input if name]
    if len(names) > 1 and node.input[1]:
        low, high = max(low, given[1].low), max(high, given[1].low)
    if len(node.input) > 2 and node.input[2]:
        low, high = min(low, given[-1].high), min(high, given[-1].high)
    return low, high


#: Operators, which of their inputs give numbers (all, where it says none), and what comes out.
RULES: Mapping[str, tuple[tuple[int, ...], Rule]] = MappingProxyType(
    {
        "Add": ((), _corners(lambda a, b: a + b)),
        "Sub": ((), _corners(lambda a, b: a - b)),
        "Mul": ((), _corners(lambda a, b: a * b)),
        "Sum": ((), _corners(lambda a, b: a + b)),
        "Min": ((), _corners(min)),
        "Max": ((), _corners(max)),
        "Div": ((), _quotient),
        "Mod": ((), _mod),
        "BitShift": ((), _shifted),
        "Neg": ((), _negative),
        "Abs": ((), _absolute),
        "Clip": ((), _clip),
        "Concat": ((), _hull),
        "Where": ((1, 2), _hull),
        "ScatterElements": ((0, 2), _hull),
        "ScatterND": ((0, 2), _hull),
        **dict.fromkeys(
            (
                *("Cast", "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose"),
                *("Expand", "Tile", "Slice", "Split", "Gather", "GatherElements", "GatherND"),
                *("ReduceMax", "ReduceMin", "TopK", "Compress", "ReverseSequence", "Unique"),
                *("DepthToSpace", "SpaceToDepth", "Trilu"),
            ),
            ((0,), _first),
        ),
    }
)

#: Operators that add up elements along axes.
SUMS = ("ReduceSum", "CumSum")


def result(
    node: onnx.NodeProto, known: Mapping[str, Interval], counts: Mapping[str, int]
) -> Interval | None:
    """Tell what a node's first output can be, if that can be told.

    Args:
        counts: How many elements of a value a sum can add up, where its sizes are fixed.
    """
    numbers: tuple[int, ...]
    if node.op_type in SUMS:
        numbers, rule = (0,), _summed(counts.get(node.input[0]))
    elif node.op_type in RULES:
        numbers, rule = RULES[node.op_type]
    else:
        return None
    names = [node.input[number] for number in numbers] or [name for name in node.input if name]
    given = [known[name] for name in names if name in known]
    if len(given) < len(names) or not given:
        return None
    found = rule(node, given)
    if found is None:
        return None
    source = max(given, key=lambda one: (one.low != one.high, one.magnitude()))
    return Interval(*found, path=(*source.path, node.name or node.output[0]))


def _summed(count: int | None) -> Rule:
    def rule(node: onnx.NodeProto, given: Sequence[Interval]) -> tuple[int, int] | None:  # noqa: ARG001
        if count is None:
            return None
        return min(0, given[0].low * count, given[0].low), max(
            0, given[0].high * count, given[0].high
        )

    return rule
