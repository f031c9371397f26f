"""The environments in which targets are built and validated."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.job.fault import Fault
from pipeline.job.node import Node
from pipeline.toolchains import TOOLCHAINS
from pipeline.toolchains.of_target import fits
from targets import TARGETS


def hold_the_runtime(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a toolchain that there is not, or that does not have the target's runtime."""
    rows = {target.runtime: target for target in TARGETS}
    for given in job["targets"]:
        target, named = rows.get(given["runtime"].text or ""), given["toolchain"]
        if target is None or named.text is None:
            continue
        able = [one.name for one in TOOLCHAINS if fits(one, target)]
        if named.text not in able:
            known = named.text in [one.name for one in TOOLCHAINS]
            fault = f"has no {target.runtime}" if known else "is no toolchain"
            yield Fault(named.place, f"`{named.text}` {fault}; write {' or '.join(able)}")
