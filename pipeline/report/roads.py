"""Targets that one job builds by both roads, side by side."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from pipeline.record import RunRecord, StageRecord
from pipeline.stages.placed import WantedBuild
from pipeline.stages.verdict import Validation
from registry.manifest import Numbers


@dataclass(frozen=True)
class Built:
    """A target, the road that it took, and what that cost.

    Attributes:
        bytes: Size of the part as shipped.
        seconds: That all conversions of the road took.
    """

    validation: Validation
    via: str
    bytes: int | None
    seconds: float | None


@dataclass(frozen=True)
class Compared:
    """How far one output is off on each road; None where there was nothing to compare."""

    kind: str
    output: str
    numbers: tuple[Numbers | None, ...]


@dataclass(frozen=True)
class Roads:
    """Targets that differ in their road, and hardly in anything else."""

    runtime: str
    built: tuple[Built, ...]
    compared: tuple[Compared, ...]


def compare_roads(run: RunRecord) -> tuple[Roads, ...]:
    """Return a comparison for each runtime and precision that a job takes both roads to."""
    alike: dict[tuple[str, str], list[Built]] = {}
    stages = {stage.name: stage for stage in run.stages}
    for validation in run.validations:
        if len(validation.parts) > 1:
            continue
        if stage := stages.get(f"validate {validation.target}"):
            built = _built(validation, stage, stages)
            alike.setdefault((validation.runtime, validation.precision), []).append(built)
    return tuple(
        Roads(runtime, tuple(found), tuple(_compared(found)))
        for (runtime, _), found in alike.items()
        if {"onnx", "torch"} <= {one.via for one in found}
    )


def _built(validation: Validation, stage: StageRecord, stages: dict[str, StageRecord]) -> Built:
    known = _target(stage.options.get("build"))
    parts = [stages[name] for name in stage.needs if name in stages]
    shipped = [
        part
        for part in parts
        if part.stage == "convert" and part.options.get("weights") == known.get("weights")
    ]
    steps = [step for part in shipped for step in _steps(part, stages)]
    return Built(
        validation=validation,
        via=str(known.get("via", "")),
        bytes=shipped[0].bytes if shipped else None,
        seconds=sum(step.usage.seconds for step in steps if step.usage) if steps else None,
    )


def _target(build: JsonValue) -> dict[str, JsonValue]:
    """Read the target of a build of one part."""
    return WantedBuild.model_validate(build).parts[0].target.model_dump(mode="json")


def _steps(stage: StageRecord, stages: dict[str, StageRecord]) -> Iterator[StageRecord]:
    """Yield the conversions up to a part, the last one first."""
    if stage.stage == "convert":
        yield stage
        for name in stage.needs:
            if name in stages:
                yield from _steps(stages[name], stages)


def _compared(built: list[Built]) -> Iterator[Compared]:
    found = [
        {
            (parity.kind, one.output): one
            for parity in each.validation.parity
            for one in parity.outputs
        }
        for each in built
    ]
    for kind, output in dict.fromkeys(key for numbers in found for key in numbers):
        yield Compared(kind, output, tuple(numbers.get((kind, output)) for numbers in found))
