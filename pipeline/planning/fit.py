"""Refuse work that cannot fit into the disk or the memory, before it starts."""

from pipeline.planning.steps import Plan, Step
from pipeline.processes import resources
from pipeline.showing.progress import size
from registry.errors import ResourceError


def check_fit(plan: Plan) -> None:
    """Compare what the plan will surely take with what is free.

    Estimates are upper bounds, so they refuse nothing but by what they are made from: the
    source's bytes are written at least once. Figures that were measured count in full.

    Raises:
        ResourceError: It cannot fit.
    """
    ahead = [step for step in plan.steps if step.entry is None]
    disk, free = least_disk(ahead, plan.size), resources.free_disk(plan.home)
    if disk > free:
        raise ResourceError(
            f"{plan.home}: the run needs at least {size(disk)} of disk, and {size(free)} are "
            "free. Free some, or set PIPELINE_HOME to a folder on a bigger disk"
        )
    free = resources.free_memory()
    for step in ahead:
        if step.forecast.measured and step.forecast.memory > free:
            raise ResourceError(
                f"{step.task.name}: took {size(step.forecast.memory)} of memory the last time, "
                f"and {size(free)} are free. Run where there is more, raise the container's "
                "limit, or run with --ignore-forecast"
            )


def least_disk(ahead: list[Step], source: int) -> int:
    """Return the bytes that steps will surely write."""
    measured = sum(step.forecast.disk for step in ahead if step.forecast.measured)
    unmeasured = any(not step.forecast.measured and step.task.stage == "split" for step in ahead)
    return measured + source * unmeasured
