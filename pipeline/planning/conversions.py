"""The conversions that a job needs: the steps of a part's route to its target, as tasks."""

from collections.abc import Iterator

from converters import route
from converters.converter import Converter
from converters.sources import find_source
from pipeline.job.job import Job
from pipeline.planning.node import Node
from pipeline.stages import calibrate, convert
from pipeline.stages.placed import WHOLE, Placed
from pipeline.toolchains import CURRENT
from pipeline.toolchains.of_target import toolchain_of
from registry.calibration import Calibrated
from registry.composition import AROUND
from registry.format import Format
from registry.signature import Layout, Precision
from targets import AnyTarget, find_target


def conversions(job: Job, placed: Placed) -> Iterator[Node]:
    """Yield the steps of a part's route; two targets that need the same step name it alike.

    Where the target narrows weights, the last step is taken twice: as shipped, and exact.
    """
    target = placed.target
    steps, came = _steps(job, placed), where_cut(job, placed.part)
    for step in steps:
        last = step is steps[-1]
        wanted: tuple[Precision, ...] = ("f32", target.weights) if last else ("f32",)
        for weights in dict.fromkeys(wanted):
            options = convert.Options(
                part=placed.part,
                source=step.source,
                result=step.result,
                weights=weights,
                layout=_layout(step, target),
                inputs=job.described,
                axes=job.axes,
                isa=_isa(step, target),
                calibrated=target.calibrated if weights == "i8" else None,
            )
            reads = {"from": came}
            if options.calibrated:
                fed = _calibration(job, placed, options.calibrated)
                reads[convert.FEEDS] = fed.name
                yield fed
            name, toolchain = _conversion(step, weights, placed), _place(step, target)
            yield Node(name, "convert", options, reads, toolchain=toolchain)
        came = _conversion(step, "f32", placed)


def _calibration(job: Job, placed: Placed, wanted: Calibrated) -> Node:
    """Return the task that computes what a part is fed on recorded samples."""
    options = calibrate.Options(
        part=placed.part, samples=wanted.samples, inputs=job.inputs, axes=job.axes
    )
    read = ("split", "tables", "reference", *(("cut",) if job.split.parts else ()))
    part = "" if placed.part == WHOLE else f" {placed.part}"
    name = f"calibrate{part} on {wanted.samples} samples"
    return Node(name, "calibrate", options, {role: role for role in read})


def built_by(job: Job, placed: Placed, weights: Precision) -> str:
    """Name the task whose output holds a part in its target's format."""
    steps = _steps(job, placed)
    return _conversion(steps[-1], weights, placed) if steps else where_cut(job, placed.part)


def as_onnx(job: Job, placed: Placed) -> str | None:
    """Name the task whose output holds a part as ONNX; None where it never is."""
    if _format(job, placed.part) is Format.ONNX:
        return where_cut(job, placed.part)
    found = [step for step in _steps(job, placed) if step.result is Format.ONNX]
    return _conversion(found[0], "f32", placed) if found else None


def where_cut(job: Job, part: str) -> str:
    """Name the task whose output holds a part before any conversion."""
    return "cut" if job.split.parts and part not in AROUND else "split"


def _steps(job: Job, placed: Placed) -> tuple[Converter, ...]:
    """Return the steps of a part's route; what is ONNX from the start has no road round it."""
    before, target = _format(job, placed.part), placed.target
    road = None if placed.part in AROUND else target.road
    return route(before, find_target(target.runtime).format, road)


def _format(job: Job, part: str) -> Format:
    return Format.ONNX if part in AROUND else find_source(job.source).dense


def _place(step: Converter, target: AnyTarget) -> str:
    return toolchain_of(target).name if step.in_target else CURRENT


def _layout(step: Converter, target: AnyTarget) -> Layout:
    """Return what the target asks of its own converter; files between are as they are."""
    return target.layout if step.in_target else "auto"


def _isa(step: Converter, target: AnyTarget) -> tuple[str, ...]:
    return target.isa if step.by_isa else ()


def _conversion(step: Converter, weights: Precision, placed: Placed) -> str:
    target = placed.target
    toolchain, layout = _place(step, target), _layout(step, target)
    part = "" if placed.part == WHOLE else f"{placed.part} to "
    laid = "" if layout == "auto" else f" {layout}"
    road = " via torch" if target.road == "torch" else ""
    built = "".join(f" {flag}" for flag in _isa(step, target))
    if target.calibrated and weights == "i8":
        built += f" calibrated {target.calibrated}"
    there = "" if toolchain == CURRENT else f" in {toolchain}"
    return f"convert {part}{step.result} {weights}{laid}{built}{road}{there}"
