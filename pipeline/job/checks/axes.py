"""Symbolic axes and the shapes that name them."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.job.checks.described import described
from pipeline.job.fault import Fault, Place
from pipeline.job.nearest import did_you_mean, nearest
from pipeline.job.node import Node
from registry.signature import Axis


def are_declared(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a shape that names an axis which `axes` does not have."""
    declared = job["axes"].keys()
    for name, place in _used(job):
        if name not in declared:
            hint = did_you_mean(name, declared) if declared else _declare(name)
            yield Fault(place, f"no axis is called `{name}`{hint}")


def are_used(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse an axis that no shape names, unless a misspelt one was meant for it."""
    used = {name for name, _ in _used(job)}
    if not used:
        return
    declared = job["axes"].keys()
    meant = {nearest(name, declared) for name in used - declared.keys()}
    for name, place in declared.items():
        if name not in used | meant:
            yield Fault(place, f"no input's shape names the axis `{name}`; take it out")


def are_ranges(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse an axis whose ends are the wrong way round."""
    for name, entry in (job["axes"].entries or {}).items():
        lowest, highest = span(entry.value)
        if lowest > highest:
            node = entry.value["min"] or entry.value["max"]
            ends = f"its min is {lowest}, its max {highest}"
            yield Fault(node.place, f"the axis `{name}` is empty: {ends}")


def batches_are_of_any_size(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse steps in the batch, which requests are joined to and cut from at any row."""
    first = next(iter(next(iter(job["inputs"]), job["inputs"])["shape"]), job["inputs"])
    axis = job["axes"][first.text] if first.text is not None else job["axes"]
    if (times := axis["multiple_of"]).whole not in (None, 1):
        message = "rows are joined and cut at any of them: `multiple_of` is for other axes"
        yield Fault(times.place, f"the axis `{first.text}` is the batch; {message}")


def sizes_are_sizes(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse sizes below 1 in a shape."""
    for entry in described(job):
        for dim in entry["shape"]:
            if dim.whole is not None and dim.whole < 1:
                message = f"a size is at least 1, not {dim.whole}; name an axis that may vary"
                yield Fault(dim.place, message)


def span(axis: Node) -> tuple[int, int]:
    """Read both ends of an axis; what is not said takes the model's default."""
    ends = (axis["min"].whole, axis["max"].whole)
    usual = (Axis.model_fields["min"].default, Axis.model_fields["max"].default)
    return (
        usual[0] if ends[0] is None else ends[0],
        usual[1] if ends[1] is None else ends[1],
    )


def _used(job: Node) -> Iterator[tuple[str, Place]]:
    for entry in described(job):
        yield from entry["shape"].texts()


def _declare(name: str) -> str:
    return f"; declare it, as in axes: {{{name}: {{min: 1, max: 1024}}}}"
