"""Inputs that name rows of tables, and what other inputs may hold."""

import math
from collections.abc import Iterator
from pathlib import Path

from pipeline.job.checks.described import described
from pipeline.job.fault import Fault
from pipeline.job.nearest import did_you_mean
from pipeline.job.node import Node

#: How many ids, counted from 0, a dtype tells apart.
_EXACT: dict[str, int] = {
    "float64": 1 << 53,
    "float32": 1 << 24,
    "float16": 1 << 11,
    "bfloat16": 1 << 8,
    "int64": 1 << 63,
    "int32": 1 << 31,
    "int16": 1 << 15,
    "int8": 1 << 7,
    "uint8": 1 << 8,
    "bool": 2,
}

#: What an input of integers can be.
_ROLES = ("ids", "offsets", "lengths", "range")

#: Integers that are wide enough for their values to need saying.
_WIDE = ("int64", "int32")


def have_a_range(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse an integer input of which nobody knows what values it may hold."""
    for entry in described(job):
        told = any(entry[role] for role in _ROLES)
        if entry["dtype"].text in _WIDE and not told and entry["name"].text is not None:
            message = (
                f"which values may `{entry['name'].text}` hold? Add ids: {{cardinality: …}} "
                "if it names rows of a table, offsets: … if it starts bags, lengths: … if it tells "
                "how long they are, else range: [0, …]"
            )
            yield Fault(entry["name"].place, message)


def fit_the_shape(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a list of cardinalities that has not one for each column."""
    for entry in described(job):
        given, dims = entry["ids"]["cardinality"], tuple(entry["shape"])
        if given.elements is None or not dims:
            continue
        columns, count = dims[-1], len(given.elements)
        if columns.text is not None:
            message = f"one for each column, but their number, `{columns.text}`, may vary; give one"
            yield Fault(given.place, message)
        elif columns.whole not in (None, count):
            message = (
                f"{count} cardinalities for {columns.whole} columns (the last size of `shape`)"
            )
            yield Fault(given.place, message)


def fit_the_dtype(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse cardinalities below 1, or beyond what the dtype holds exactly."""
    for entry in described(job):
        dtype = entry["dtype"].text or ""
        for node in _cardinalities(entry):
            if node.whole is not None and node.whole < 1:
                yield Fault(node.place, f"a cardinality is at least 1, not {node.whole}")
            elif (node.whole or 0) > (most := _EXACT.get(dtype, 1 << 63)):
                yield Fault(
                    node.place, f"{dtype} holds {most} ids exactly, no more; take a wider dtype"
                )


def hold_the_padding(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a padding that is no id."""
    for entry in described(job):
        padding = entry["ids"]["padding"]
        most = [node.whole for node in _cardinalities(entry) if node.whole is not None]
        if padding.whole is not None and most and not 0 <= padding.whole < min(most):
            message = f"the padding is an id: 0 to {min(most) - 1}, not {padding.whole}"
            yield Fault(padding.place, message)


def offsets_cut_ids(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse offsets that cut no 1-D input of ids into bags."""
    inputs = {entry["name"].text: entry for entry in described(job) if entry["name"].text}
    for entry in described(job):
        key = "lengths" if entry["lengths"] else "offsets"
        node = entry[key]
        if node.text is None:
            continue
        others = [name for name in inputs if name and name != entry["name"].text]
        if node.text not in others:
            hint = did_you_mean(node.text, others)
            yield Fault(node.place, f"no other input is called `{node.text}`{hint}")
        elif not (cut := inputs[node.text])["ids"] or _rank(cut) not in (None, 1):
            yield Fault(node.place, f"{key} cut 1-D ids into bags; `{node.text}` holds none")
        elif _rank(entry) not in (None, 1) or entry["dtype"].text not in _WIDE:
            yield Fault(node.place, f"{key} are 1-D, int64 or int32")


def say_one_thing(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse an input that is two things at once."""
    for entry in described(job):
        roles = [key for key in _ROLES if entry[key]]
        if len(roles) > 1:
            key = entry.keys()[roles[1]]
            yield Fault(key, f"an input has either `{roles[0]}` or `{roles[1]}`; take one out")
        if entry["includes_last"] and not entry["offsets"]:
            yield Fault(entry.keys()["includes_last"], "`includes_last` belongs to `offsets`")


def ranges_run_upwards(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a range that is empty, endless, or of fractions where the input is whole."""
    for entry in described(job):
        node = entry["range"]
        ends = [end.number for end in node if end.number is not None]
        if len(ends) != 2:
            continue
        if not all(map(math.isfinite, ends)):
            yield Fault(node.place, "a range has finite ends")
        elif ends[0] > ends[1]:
            yield Fault(node.place, f"an empty range; write [{ends[1]:g}, {ends[0]:g}]")
        elif "float" not in (entry["dtype"].text or "float") and any(end % 1 for end in ends):
            yield Fault(node.place, f"{entry['dtype'].text} holds whole numbers only")


def _cardinalities(entry: Node) -> tuple[Node, ...]:
    node = entry["ids"]["cardinality"]
    return node.elements if node.elements is not None else (node,)


def _rank(entry: Node) -> int | None:
    shape = entry["shape"].elements
    return None if shape is None else len(shape)
