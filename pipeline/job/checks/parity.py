"""What the parity block refers to."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.job.checks.axes import span
from pipeline.job.fault import Fault, Place
from pipeline.job.job import ParityOptions
from pipeline.job.nearest import did_you_mean
from pipeline.job.node import Node


def names_known_outputs(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse outputs that `outputs` does not have, where it is given."""
    known = [name for name, _ in job["outputs"].texts()]
    if not known:
        return
    known += [text for one in job["postprocess"]["gives"] if (text := one["name"].text)]
    for name, place in _named(job["parity"]):
        if name not in known:
            yield Fault(place, f"no output is called `{name}`{did_you_mean(name, known)}")


def has_labels_for_metrics(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse metrics that have no labels to compare with."""
    if job["parity"]["metrics"].elements and not job["samples"]["labels"]:
        place = job["parity"].keys()["metrics"]
        yield Fault(place, "metrics need labels: say samples.labels, the column that holds them")


def batches_are_in_range(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse batch sizes that the first axis of the first input cannot have."""
    first = next(iter(next(iter(job["inputs"]), job["inputs"])["shape"]), job["inputs"])
    given = job["parity"]["batches"]
    if first.text is not None and (axis := job["axes"].entries or {}).get(first.text):
        entry = axis[first.text]
        lowest, highest = span(entry.value)
        if lowest <= highest:
            yield from _outside(given, lowest, highest, f"the axis `{first.text}`", entry.key)
    elif first.whole is not None and given:
        yield from _outside(given, first.whole, first.whole, "the first size", first.place)


def _outside(given: Node, lowest: int, highest: int, what: str, where: Place) -> Iterator[Fault]:
    reach = f"{lowest} to {highest}" if lowest < highest else f"{lowest} only"
    for node in given:
        if node.whole is not None and not lowest <= node.whole <= highest:
            yield Fault(node.place, f"{what} of the first input is {reach}, not {node.whole}")
    usual = ParityOptions.model_fields["batches"].default
    if not given and any(not lowest <= size <= highest for size in usual):
        sizes = ", ".join(map(str, usual))
        message = f"{what} is {reach}, but parity takes batches of {sizes}; say parity.batches"
        yield Fault(where, message)


def _named(parity: Node) -> Iterator[tuple[str, Place]]:
    yield from parity["outputs"].keys().items()
    for metric in parity["metrics"]:
        if metric["output"].text is not None:
            yield metric["output"].text, metric["output"].place
