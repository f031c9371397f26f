"""What a target computes in, and the CPUs that it is for."""

from collections.abc import Iterator
from pathlib import Path

from converters.sources import SOURCES
from pipeline.job.fault import Fault
from pipeline.job.nearest import did_you_mean
from pipeline.job.node import Node
from registry.format import Format
from targets import TARGETS
from targets.host.cpu import host
from targets.host.flags import FLAGS, OTHER_NAMES
from targets.target import TargetOptions


def name_flags(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse what is no CPU flag: no host would have it, and no build would be taken anywhere."""
    for given in job["targets"]:
        for flag, place in given["isa"].texts():
            if flag in FLAGS or flag in host().flags:
                continue
            meant = OTHER_NAMES.get(flag.lower().replace("-", "_"))
            hint = f"; the kernel calls it `{meant}`" if meant else did_you_mean(flag, FLAGS)
            yield Fault(place, f"no CPU flag is called `{flag}` in /proc/cpuinfo{hint}")


def have_the_flags(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse a precision that needs CPU flags which the target's `isa` does not have."""
    rows = {target.runtime: target for target in TARGETS}
    usual = TargetOptions.model_fields
    for given in job["targets"]:
        target, precision = rows.get(given["runtime"].text or ""), given["precision"]
        if target is None or precision.text is None:
            continue
        isa = [flag for flag, _ in given["isa"].texts()] if given["isa"] else usual["isa"].default
        needed = {str(name): flags for name, flags in target.precisions.items()}
        lacking = [flag for flag in needed.get(precision.text, ()) if flag not in isa]
        if lacking:
            message = (
                f"`{precision.text}` needs {', '.join(lacking)}; add it to `isa` where all of the "
                "fleet has it, or write f32"
            )
            yield Fault(precision.place, message)


def calibrate_on_samples(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse to find scales on samples where the job names none."""
    for given in job["targets"]:
        if given["calibration"] and not job["samples"]:
            message = (
                "scales are found on recorded inputs: name some under `samples`, or take this out"
            )
            yield Fault(given.keys()["calibration"], message)


def take_a_road_that_there_is(job: Node, _: Path) -> Iterator[Fault]:
    """Refuse to go round ONNX where the source is ONNX."""
    kind = job["source"]["kind"].text
    dense = {source.kind: source.dense for source in SOURCES}
    for given in job["targets"]:
        if given["via"].text == "torch" and dense.get(kind or "") is Format.ONNX:
            message = (
                f"`torch` takes a model as torch exported it, and this source ({kind}) becomes "
                "ONNX; write onnx"
            )
            yield Fault(given["via"].place, message)
