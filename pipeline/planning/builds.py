"""The builds that a job wants: each of its targets, or what it places where."""

from collections.abc import Mapping

from pipeline.job.job import Job
from pipeline.stages.placed import WHOLE, Placed, WantedBuild
from pipeline.toolchains import CURRENT
from pipeline.toolchains.of_target import toolchain_of
from registry.composition import AROUND, POSTPROCESS, PREPROCESS
from targets import AnyTarget
from targets.onnxruntime import OnnxruntimeOptions


def parts_of(job: Job) -> tuple[str, ...]:
    """Return the names of the parts, in their order; the whole dense part is one."""
    before = (PREPROCESS,) if job.preprocess else ()
    after = (POSTPROCESS,) if job.postprocess else ()
    return (*before, *(tuple(rule.name for rule in job.split.parts) or (WHOLE,)), *after)


def builds_of(job: Job) -> tuple[WantedBuild, ...]:
    """Return what is to be built: every target has all parts, unless the job has placements.

    What comes before and after the model is for ONNX Runtime, which has the operators for it,
    unless the job places it.
    """
    if job.placements:
        targets = {target.name: target for target in job.targets}
        return tuple(
            _build(job, one.name, {part: targets[name] for part, name in one.parts.items()})
            for one in job.placements
        )
    return tuple(
        _build(job, target.name, {part: target for part in parts_of(job) if part not in AROUND})
        for target in job.targets
    )


def _build(job: Job, name: str, targets: Mapping[str, AnyTarget]) -> WantedBuild:
    around = _beside(next(iter(targets.values())))
    parts = tuple(Placed(part=part, target=targets.get(part, around)) for part in parts_of(job))
    return WantedBuild(name=name, parts=parts)


def _beside(target: AnyTarget) -> OnnxruntimeOptions:
    """Return ONNX Runtime as it is where a target is built and served: in the same process."""
    toolchain = toolchain_of(target).name
    return OnnxruntimeOptions(
        name="onnxruntime",
        isa=target.isa,
        threads=target.threads,
        allocator=target.allocator,
        toolchain=None if toolchain == CURRENT else toolchain,
    )
