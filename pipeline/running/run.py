"""Carry out a plan: step by step, from what is finished on, with a record in every outcome."""

import errno
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.caching import cache
from pipeline.caching.holding import needing
from pipeline.home import unwritable
from pipeline.job.locate import located
from pipeline.planning.able import check_able
from pipeline.planning.fit import check_fit
from pipeline.planning.steps import Plan, Step
from pipeline.processes.setting import Setting, environment
from pipeline.record import Outcome, RunRecord, fault_of
from pipeline.running.ask_store import ask_store
from pipeline.running.blame import Wrong, blame
from pipeline.running.concerned import concerned
from pipeline.running.diary import Diary
from pipeline.running.take import Bench, failed, take
from pipeline.showing.watch import Watch
from pipeline.stages.verdict import verdict
from pipeline.toolchains.inside import check_built
from registry.disk import FULL
from registry.errors import JobError, PlatformError
from targets.host.cpu import host

#: Faults of the disk and of its rights, and not of ours.
UNWRITABLE = (*FULL, errno.EROFS, errno.EACCES, errno.EPERM)


@dataclass(frozen=True)
class Wishes:
    """How to run.

    Attributes:
        force: Make outputs again that are cached.
        until: The last task or stage to do, with all that it needs.
        push: Publish the version, where the job says where.
        check: Refuse what cannot fit into the disk or the memory.
        patience: Seconds without a sign of life after which a stage is taken for hung.
    """

    force: bool = False
    until: str | None = None
    push: bool = True
    check: bool = True
    patience: float = 900.0


@dataclass(frozen=True)
class RunResult:
    """What came of a run; `error` is why it stopped, if it did."""

    record: RunRecord
    folder: Path
    report: Path
    error: PlatformError | None


def execute(plan: Plan, wishes: Wishes, watch: Watch) -> RunResult:
    """Carry out a plan and write its record and its report, whatever comes of it.

    What the user can mend and Ctrl-C come back in the result. Anything else is raised.

    Raises:
        ResourceError: Not even the record can be written.
    """
    try:
        return _execute(plan, wishes, watch)
    except OSError as error:
        if error.errno in UNWRITABLE:
            raise unwritable(plan.home, error) from error
        raise


def _execute(plan: Plan, wishes: Wishes, watch: Watch) -> RunResult:
    steps = chosen(plan.steps, wishes)
    diary = _open(plan)
    with ExitStack() as held:
        try:
            ahead = [step for step in steps if wishes.force or step.entry is None]
            check_able(ahead, host())
            check_built(step.task.toolchain for step in ahead)
            ask_store(steps)
            if wishes.check:
                check_fit(replace(plan, steps=steps))
            held.enter_context(needing(plan.home, diary.folder, (step.folder for step in steps)))
            _work(steps, wishes, diary, watch)
        except KeyboardInterrupt:
            return _close(diary, None, interrupted=True)
        except PlatformError as error:
            return _close(diary, error)
        except Exception as error:
            if isinstance(error, OSError) and error.errno in UNWRITABLE:
                return _close(diary, unwritable(plan.home, error))
            diary.write("failed")
            raise
        return _close(diary, None)


def chosen(steps: Sequence[Step], wishes: Wishes) -> tuple[Step, ...]:
    """Return the steps to do.

    Raises:
        JobError: There is no task or stage of that name.
    """
    kept = [step for step in steps if wishes.push or step.task.stage != "push"]
    if wishes.until is None:
        return tuple(kept)
    wanted = {s.task.name for s in kept if wishes.until in (s.task.name, s.task.stage)}
    if not wanted:
        names = ", ".join(step.task.name for step in kept)
        raise JobError(f"there is no stage '{wishes.until}'. The stages of this job: {names}")
    for step in reversed(kept):
        if step.task.name in wanted:
            wanted.update(step.needs)
    return tuple(step for step in kept if step.task.name in wanted)


def _work(steps: Sequence[Step], wishes: Wishes, diary: Diary, watch: Watch) -> None:
    """Do the steps in order; a validation that fails stops the run after all validations."""
    plan = diary.plan
    setting = Setting(silence=wishes.patience, environment=environment(plan.threads))
    bench = Bench(plan.home, plan.job, diary.folder, setting, watch, wishes.force)
    wrong: list[Wrong] = []
    for step in steps:
        if wrong and step.task.stage != "validate":
            break
        try:
            _do(step, bench, diary)
        except PlatformError as error:
            if step.task.stage != "validate":
                raise
            wrong.append(Wrong(step, error))
    if wrong:
        raise blame(wrong, bench, diary) from wrong[0].error


def _do(step: Step, bench: Bench, diary: Diary) -> None:
    """Do one step and write down what came of it."""
    if step.task.stage == "push":
        step = _with_report(step, diary)
    try:
        record = take(step, bench)
        diary.note(record)
        if step.task.stage == "validate" and record.output:
            verdict(record.output / "parity.json")
    except PlatformError as error:
        said = concerned(located(error, diary.plan.file), step, diary.plan)
        record = failed(diary.stages[step.task.name], bench, said)
        diary.note(record)
        bench.watch.ended(record)
        raise said from error
    bench.watch.ended(record)


def _with_report(step: Step, diary: Diary) -> Step:
    """Write the report as far as it goes, for the version to carry."""
    page = diary.report(diary.write("done"), "pushed")
    inputs = {**step.task.inputs, "report": page.parent}
    return replace(step, task=step.task.model_copy(update={"inputs": inputs}))


def _close(diary: Diary, error: PlatformError | None, *, interrupted: bool = False) -> RunResult:
    """Write the record and the report as they stay."""
    outcome: Outcome = "failed" if error else "interrupted" if interrupted else "done"
    record = diary.write(outcome, fault_of(error) if error else None)
    if outcome == "done" and record.version is not None:
        record = diary.write("published")
    return RunResult(record, diary.folder, diary.report(record), error)


def _open(plan: Plan) -> Diary:
    """Clear what killed runs left, and begin the run's own folder."""
    try:
        cache.sweep(plan.home)
        plan.digests.save()
        return Diary(plan)
    except OSError as error:
        raise unwritable(plan.home, error) from error
