"""Refuse work that cannot fit into the disk or the memory, before it starts."""

from collections.abc import Iterator
from pathlib import Path

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
    _check_disks(list(_least(ahead, plan)))
    free = resources.free_memory()
    for step in ahead:
        if step.forecast.measured and step.forecast.memory > free:
            raise ResourceError(
                f"{step.task.name}: took {size(step.forecast.memory)} of memory the last time, "
                f"and {size(free)} are free. Run where there is more, raise the container's "
                "limit, or run with --ignore-forecast"
            )


def _check_disks(needs: list[tuple[Path, int]]) -> None:
    """Hold what is written to folders against what is free on their disks, each disk once."""
    for disk in dict.fromkeys(resources.disk_of(place) for place, _ in needs):
        here = [(place, least) for place, least in needs if resources.disk_of(place) == disk]
        least, free = sum(each for _, each in here), resources.free_disk(here[0][0])
        if least > free:
            places = " and ".join(str(place) for place, _ in here)
            raise ResourceError(
                f"{places}: the run needs at least {size(least)} of disk, and {size(free)} are "
                "free. Free some (pipeline cache prune shows what may go), or set PIPELINE_HOME "
                "to a folder on a bigger disk"
            )


def _least(ahead: list[Step], plan: Plan) -> Iterator[tuple[Path, int]]:
    """Yield the bytes that steps will surely write, with the folder that they go to."""
    unsplit = any(not step.forecast.measured and step.task.stage == "split" for step in ahead)
    cached = sum(step.forecast.least for step in ahead if step.task.stage != "push")
    yield plan.home, cached + plan.size * unsplit
    for step in ahead:
        if step.task.stage == "push" and (store := _empty_store(step, plan)):
            yield store, step.forecast.least


def _empty_store(step: Step, plan: Plan) -> Path | None:
    """Return the store's folder, if it is one, and has nothing of this model that it could share.

    A store keeps copies of its own, so that what happens to the cache cannot reach them.
    """
    store = str(step.task.options.get("store", ""))
    folder = plan.folder / store
    there = "://" in store or (folder / "models" / plan.model).exists()
    return None if there else folder
