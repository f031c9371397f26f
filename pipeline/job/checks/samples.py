"""Samples and the inputs that they fill."""

from collections.abc import Iterator
from math import prod
from pathlib import Path, PurePath

from pipeline.job.fault import Fault
from pipeline.job.nearest import did_you_mean
from pipeline.job.node import Node
from pipeline.job.sample_files import READERS


def are_of_a_known_kind(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a file of another suffix, and columns where the file has none."""
    file, columns = job["samples"]["file"], job["samples"]["columns"]
    if file.text is None:
        return
    suffix = PurePath(file.text).suffix.lower()
    if suffix not in READERS:
        yield Fault(file.place, f"samples are read from {', '.join(READERS)}; convert the file")
    elif suffix == ".npz" and columns:
        place = job["samples"].keys()["columns"]
        yield Fault(place, "an npz has no columns: its keys are the inputs' names; take this out")


def fill_the_inputs(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse columns for unknown inputs, and too few or too many for a known one."""
    inputs = {entry["name"].text: entry for entry in job["inputs"] if entry["name"].text}
    for name, entry in (job["samples"]["columns"].entries or {}).items():
        if name not in inputs:
            hint = did_you_mean(name, [known for known in inputs if known])
            yield Fault(entry.key, f"no input is called `{name}`{hint}")
            continue
        given, wanted = entry.value.elements, _columns(inputs[name])
        if given is not None and wanted is not None and len(given) != wanted:
            message = f"`{name}` takes {wanted} by its shape, not {len(given)}"
            yield Fault(entry.key, f"the number of columns is wrong: {message}")


def are_enough_to_record(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse to record more rows than are taken."""
    rows, record = job["samples"]["rows"].whole, job["samples"]["record"]
    if rows is not None and record.whole is not None and record.whole > rows:
        yield Fault(record.place, f"`record` is part of `rows`, and they are {rows}")


def _columns(entry: Node) -> int | None:
    """Count the values of one row of the input, if its shape says."""
    dims = [dim.whole for dim in entry["shape"]][1:]
    return None if None in dims else prod(dim for dim in dims if dim is not None)
