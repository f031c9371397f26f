"""Take one step of a plan: reuse its output, or make it and keep it."""

import shlex
import shutil
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pipeline.caching import cache
from pipeline.caching.kept_files import KeptFile, keep_files
from pipeline.planning.steps import Step
from pipeline.processes.reproduce import SCRIPT, write_script
from pipeline.processes.setting import Setting
from pipeline.processes.supervise import Place, run_task
from pipeline.record import StageRecord, Usage, fault_of
from pipeline.showing.watch import Watch
from pipeline.toolchains.inside import inside
from registry.composition import Remark
from registry.errors import PlatformError, WorkerError


@dataclass(frozen=True)
class Bench:
    """What all steps of a run share.

    Attributes:
        job: As in `Plan`.
        runs: The run's own folder: logs are written here first.
        force: Make outputs again that are cached.
    """

    home: Path
    job: str
    runs: Path
    setting: Setting
    watch: Watch
    force: bool


@dataclass(frozen=True)
class _Made:
    """What a stage's process wrote, and what it took."""

    usage: Usage
    files: dict[str, KeptFile]
    remarks: tuple[Remark, ...]
    log: Path


def take(step: Step, bench: Bench) -> StageRecord:
    """Have the step's output in its place, and say what came of it.

    Raises:
        PlatformError: What the stage raised.
    """
    if bench.force and step.entry:
        step = replace(step, why="forced")
    if not step.reusable:
        out = bench.runs / cache.slug(step.task.name) / "output"
        return _record(step, _make(step, bench, out), "done", out.parent)
    with cache.hold(step.folder, lambda: bench.watch.waiting(step.task.name)):
        entry = None if bench.force else _entry(step.folder)
        record = reused(step, entry) if entry else _keep(step, bench)
    cache.remember(bench.home, bench.job, step.task.name, step.material)
    return record


def described(step: Step) -> StageRecord:
    """Say of a step what the plan knows."""
    return StageRecord(
        name=step.task.name,
        stage=step.task.stage,
        needs=step.needs,
        outcome="skipped",
        why=step.why,
        options=step.task.options,
    )


def failed(stage: StageRecord, bench: Bench, error: PlatformError) -> StageRecord:
    """Say of a step that it failed, and where its log and its script are."""
    folder = bench.runs / cache.slug(stage.name)
    places = {"log": folder / "log.txt", "reproduce": _call(folder)}
    if stage.output is not None:
        places = {}
    return stage.model_copy(update={"outcome": "failed", "error": fault_of(error), **places})


def reused(step: Step, entry: cache.Entry) -> StageRecord:
    """Say of a step that an earlier output took its place."""
    made = _Made(entry.usage, entry.files, entry.remarks, step.folder / "log.txt")
    return _record(step, made, "cached", step.folder)


def _entry(folder: Path) -> cache.Entry | None:
    try:
        return cache.read_entry(folder)
    except (OSError, ValueError):
        return None


def _make(step: Step, bench: Bench, out: Path) -> _Made:
    """Run the stage."""
    place = Place(out, bench.runs / cache.slug(step.task.name) / "log.txt")
    setting = inside(bench.setting, step.task.toolchain)
    write_script(step.task, place.log.parent, setting)
    progress = bench.watch.started(step.task.name, step.why)
    done = run_task(step.task, place, setting, progress)
    files = keep_files(out, step.task.inputs.values(), done.files)
    if not files:
        raise WorkerError(f"{step.task.name}: it is done but wrote nothing. Its log: {place.log}")
    return _Made(done.usage, files, done.remarks, place.log)


def _keep(step: Step, bench: Bench) -> StageRecord:
    """Run the stage and make what it wrote the cache's entry."""
    with cache.draft_of(step.folder) as draft:
        made = _make(step, bench, draft / "output")
        write_script(step.task, draft, inside(bench.setting, step.task.toolchain))
        shutil.copyfile(made.log, draft / "log.txt")
        entry = cache.Entry(
            name=step.task.name,
            material=step.material,
            usage=made.usage,
            files=made.files,
            remarks=made.remarks,
            made=datetime.now(UTC),
        )
        cache.commit(draft, entry, step.folder)
    return _record(step, made, "done", step.folder)


def _record(
    step: Step, made: _Made, outcome: Literal["done", "cached"], folder: Path
) -> StageRecord:
    changed = {
        "outcome": outcome,
        "why": step.why if outcome == "done" else "cached",
        "usage": made.usage,
        "remarks": made.remarks,
        "bytes": sum(file.size for file in made.files.values()),
        "output": folder / "output",
        "log": folder / "log.txt",
        "reproduce": _call(folder),
    }
    return described(step).model_copy(update=changed)


def _call(folder: Path) -> str:
    return f"sh {shlex.quote(str(folder / SCRIPT))}"
