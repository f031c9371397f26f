"""The parts of a build one after another, as they were before and after their conversion."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.stages.bisection import Reading
from pipeline.stages.part import read_part
from pipeline.stages.placed import Placed, exact_role, part_role
from pipeline.stages.probe import read, run_plain
from registry.composition import PREPROCESS
from registry.signature import Precision
from targets import find_target
from targets.host.cpu import host, thread_plan
from targets.parity.scaled import scaled, spread_of
from targets.parity.tally import Limit
from targets.target import Arrays, Runner

#: Answers with the files of a part, in a folder.
Run = Callable[[Path, Arrays], Mapping[str, np.ndarray]]


def onnx_role(part: str) -> str:
    """Name the role of a task's output that holds a part as ONNX."""
    return f"onnx:{part}"


@dataclass(frozen=True)
class Stretch:
    """One part in one case.

    Attributes:
        feeds: What it takes, if all before it is right; `right` is what it then answers.
    """

    placed: Placed
    feeds: Arrays
    right: Arrays


def _as_it_is(values: Arrays) -> Arrays:
    return values


def chained(
    parts: Sequence[Placed],
    folders: Mapping[str, Path],
    run: Run,
    values: Arrays,
    look_up: Callable[[Arrays], Arrays] = _as_it_is,
) -> Iterator[Stretch]:
    """Answer part by part, each from what is given and from what parts before it answer.

    Args:
        folders: The tasks' outputs that hold the parts, by the part's name.
        values: Users' inputs, and vectors unless they are looked up here.
        look_up: Add the vectors, once users' inputs are prepared.
    """
    known, looked_up = dict(values), False
    for placed in parts:
        if placed.part != PREPROCESS and not looked_up:
            known, looked_up = dict(look_up(known)), True
        artifact = read_part(folders[placed.part], placed.part)
        feeds = {tensor.name: known[tensor.name] for tensor in artifact.signature.inputs}
        right = run(folders[placed.part] / artifact.folder, feeds)
        yield Stretch(placed, feeds, right)
        known |= right


def plainly(
    parts: Sequence[Placed],
    inputs: Mapping[str, Path],
    values: Arrays,
    look_up: Callable[[Arrays], Arrays] = _as_it_is,
) -> list[Stretch]:
    """Answer with the parts as ONNX, in ONNX Runtime as they are."""
    folders = {one.part: inputs[onnx_role(one.part)] for one in parts}
    return list(chained(parts, folders, run_plain, values, look_up))


@dataclass(frozen=True)
class Off:
    """What a part by itself makes of right values.

    Attributes:
        limit: What was allowed; up to that, `reading.worst` is 1.
    """

    stretch: Stretch
    reading: Reading
    limit: Limit


def worst_part(
    stretches: Sequence[Stretch],
    inputs: Mapping[str, Path],
    limit: Callable[[np.ndarray], Limit],
    *,
    exact: bool,
) -> Off:
    """Run each converted part on right values, and return the one that is off the most.

    Args:
        limit: What is allowed of a value that is right.
        exact: In f32, with weights of f32; else as shipped.
    """
    found = [
        Off(stretch, read(name, limit(right), right, given[name]), limit(right))
        for stretch in stretches
        for given in [load_part(stretch.placed, inputs, exact=exact).run(stretch.feeds)]
        for name, right in stretch.right.items()
    ]
    return max(found, key=lambda off: off.reading.worst)


def of_values(limit: Limit, output: np.ndarray) -> Callable[[np.ndarray], Limit]:
    """Allow any value the share of its spread that a limit allows an output of its own."""
    spread = spread_of(output)
    return lambda right: scaled(limit, spread, right)


def load_part(placed: Placed, inputs: Mapping[str, Path], *, exact: bool) -> Runner:
    """Load a converted part by itself: in f32 with weights of f32, or as shipped."""
    shipped = inputs[part_role(placed.part)]
    place = inputs.get(exact_role(placed.part), shipped) if exact else shipped
    precision: Precision = "f32" if exact else placed.target.precision
    plan = thread_plan(placed.target.threads, host())
    folder = place / read_part(place, placed.part).folder
    return find_target(placed.target.runtime).load(folder, precision, plan)
