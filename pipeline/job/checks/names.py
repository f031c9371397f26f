"""Names that have to tell things apart."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.job.checks.described import described
from pipeline.job.fault import Fault
from pipeline.job.node import Node


def are_unique(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse two inputs, outputs, targets, parts or placements of one name."""
    yield from _twice("input", [entry["name"] for entry in described(job)])
    yield from _twice(
        "output", [*job["outputs"], *(one["name"] for one in job["postprocess"]["gives"])]
    )
    yield from _twice("target", [entry["name"] for entry in job["targets"]])
    yield from _twice("part", [entry["name"] for entry in job["split"]["parts"]])
    yield from _twice("placement", [entry["name"] for entry in job["placements"]])


def _twice(what: str, names: list[Node]) -> Iterator[Fault]:
    lines: dict[str, int] = {}
    for node in names:
        if node.text is None:
            continue
        if node.text in lines:
            where = f"the first is in line {lines[node.text]}"
            yield Fault(node.place, f"a second {what} called `{node.text}`; {where}")
        lines.setdefault(node.text, node.place.line + 1)
