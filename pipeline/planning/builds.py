"""The builds that a job wants: each of its targets, or what it places where."""

from pipeline.job.job import Job
from pipeline.stages.placed import WHOLE, Placed, WantedBuild


def parts_of(job: Job) -> tuple[str, ...]:
    """Return the names of the parts, in their order; the whole dense part is one."""
    return tuple(rule.name for rule in job.split.parts) or (WHOLE,)


def builds_of(job: Job) -> tuple[WantedBuild, ...]:
    """Return what is to be built: every target has all parts, unless the job has placements."""
    if job.placements:
        targets = {target.name: target for target in job.targets}
        return tuple(
            WantedBuild(
                name=placement.name,
                parts=tuple(
                    Placed(part=part, target=targets[placement.parts[part]])
                    for part in parts_of(job)
                ),
            )
            for placement in job.placements
        )
    return tuple(
        WantedBuild(
            name=target.name,
            parts=tuple(Placed(part=part, target=target) for part in parts_of(job)),
        )
        for target in job.targets
    )
