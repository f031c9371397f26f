"""What the search for the first bad node found, and how it reads."""

from collections.abc import Callable, Mapping
from math import isinf
from types import MappingProxyType
from typing import Literal

from pydantic import Field

from registry.signature import Frozen

BISECTION = "bisect.json"

Kind = Literal["conversion", "precision"]


class Reading(Frozen):
    """How far the target is off ONNX Runtime, which computes in f32 and optimises nothing.

    Attributes:
        output: The value inside the model that is off the most.
        worst: The largest |error| over what is allowed; within tolerance up to 1. What is allowed
            is the job's tolerance, scaled by the value's spread.
    """

    output: str
    dtype: str
    shape: tuple[int, ...]
    max_abs: float
    worst: float


class Suspect(Frozen):
    """A node of the ONNX graph; `module` is the path of the torch module it comes from."""

    name: str
    operator: str
    module: str | None
    outputs: tuple[str, ...]

    def __str__(self) -> str:
        module = f", module '{self.module}'" if self.module else ""
        return f"'{self.name}' ({self.operator}{module})"


class Bisection(Frozen):
    """What `bisect.json` holds.

    Attributes:
        kind, output, case: Of the worst error, which was looked into.
        outcome: `node`: the graph is within tolerance before `last` and not after it;
            `range`: the same, of several nodes; `nowhere`: the graph, converted again, is within
            tolerance; `export`, `split`: the original's answer is lost before the target's files
            are made; `rounding`: it is, but by no more than f32 rounds; `unable`: the graph could
            not be run again; `sum`: each of several parts by itself is within tolerance.
        part: The part that is off, of several; `output` is a value that it hands on or answers.
        first, last: The nodes among which the fault lies; the same one where it was found.
        suspects: How many these are.
        after, before: How far the target is off with these nodes, and without.
        alone: How far the node is off by itself, when it takes right values.
        carried: How far it is off in ONNX Runtime, when it takes the target's values. Both are
            None where the node cannot run by itself.
        fault: Why the node, or the graph, could not be run.
        cuts: How many graphs were converted and run.
    """

    target: str
    kind: Kind
    output: str
    case: str
    outcome: Literal[
        "node", "range", "nowhere", "export", "split", "around", "rounding", "unable", "sum"
    ]
    part: str = ""
    first: Suspect | None = None
    last: Suspect | None = None
    suspects: int = 0
    after: Reading | None = None
    before: Reading | None = None
    alone: Reading | None = None
    carried: Reading | None = None
    fault: str = ""
    cuts: int = 0
    seconds: float = Field(default=0.0, ge=0)

    @property
    def sentence(self) -> str:
        """Say it in one line."""
        said = _SENTENCES[self.outcome](self)
        return f"part '{self.part}' is off by itself; {said}" if self.part else said


def _node(found: Bisection) -> str:
    return f"first bad node: {found.last}: {_off(found)}; {_alone(found)}"


def _range(found: Bisection) -> str:
    return (
        f"first bad node: one of {found.suspects} from {found.first} to {found.last} (nothing "
        f"between could be run in the time there is{_refused(found)}): {_off(found)}"
    )


def _off(found: Bisection) -> str:
    if found.after is None:
        return "its output is off"
    at = found.after
    shape = ", ".join(map(str, at.shape))
    before = ""
    if found.before is not None:
        before = f"; before it the graph is right ({found.before.worst:.2g} of what is allowed)"
    return f"value '{at.output}' {at.dtype}[{shape}] {_far(at)}{before}"


def _far(at: Reading) -> str:
    if isinf(at.max_abs):
        return "holds an infinity or nan where there has to be a number"
    if isinf(at.worst):
        return f"is off by up to {at.max_abs:.3g} where it has to be equal"
    return f"is off by up to {at.max_abs:.3g}, {at.worst:.3g} times what is allowed"


def _alone(found: Bisection) -> str:
    if found.alone is None:
        return f"it could not be run by itself{_why(found)}"
    if found.alone.worst > 1:
        return _WRONG[found.kind]
    if found.carried is None:
        return "by itself it is right"
    if found.carried.worst > 1:
        return "by itself it is right: it brings out what the nodes before it are off by"
    return "by itself it is right: the difference comes from its fusion with nodes around it"


def _refused(found: Bisection) -> str:
    return f", or at all: {found.fault}" if found.fault else ""


def _why(found: Bisection) -> str:
    return f": {found.fault}" if found.fault else ", as nothing that it gives can be compared"


def _nowhere(found: Bisection) -> str:
    return (
        f"first bad node: none: the graph, converted again, is within tolerance in case "
        f"'{found.case}'; the difference comes with how the target is loaded or fed"
    )


def _export(found: Bisection) -> str:
    return (
        f"first bad node: none of the target's: the export to ONNX is at fault, so that no other "
        f"runtime mends it. model.onnx, run as it is, {_lost(found)}"
    )


def _split(found: Bisection) -> str:
    return (
        "first bad node: none of the target's: the split is at fault, so that no other runtime "
        "mends it. What was cut apart, put together again before any conversion, "
        f"{_lost(found)}"
    )


def _around(found: Bisection) -> str:
    return (
        "first bad node: none of the target's: the split is at fault, or the ONNX form of what "
        "comes before or after the model, so that no other runtime mends it. What was cut apart, "
        f"put together again before any other conversion, {_lost(found)}"
    )


def _rounding(found: Bisection) -> str:
    return (
        "first bad node: none: the tolerance is tighter than f32 rounds. model.onnx, run as it is "
        f"without any optimisation, {_lost(found)}"
    )


def _lost(found: Bisection) -> str:
    off = f"by up to {found.after.max_abs:.3g} " if found.after else ""
    return f"is off {off}at output '{found.output}' in case '{found.case}'"


def _unable(found: Bisection) -> str:
    return (
        f"first bad node: not found: the graph could not be converted and run again in case "
        f"'{found.case}'{_why(found)}"
    )


def _sum(_: Bisection) -> str:
    return (
        "first bad node: none: each part by itself is within tolerance, as far as the spread of "
        "what it hands on goes; their errors add up"
    )


_WRONG: Mapping[Kind, str] = MappingProxyType(
    {
        "conversion": "by itself it is wrong too: write it with other operators, or build for "
        "another runtime",
        "precision": "by itself it is off too: it needs a higher precision",
    }
)

_SENTENCES: Mapping[str, Callable[[Bisection], str]] = MappingProxyType(
    {
        "node": _node,
        "range": _range,
        "nowhere": _nowhere,
        "export": _export,
        "split": _split,
        "around": _around,
        "rounding": _rounding,
        "unable": _unable,
        "sum": _sum,
    }
)
