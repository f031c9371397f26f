"""What a run shows at its end."""

import shlex
from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from pipeline.job.job import Job
from pipeline.record import StageRecord
from pipeline.running.endnotes import not_begun, refused_alike, remarks
from pipeline.running.run import RunResult
from pipeline.showing import console
from pipeline.showing.progress import duration, size
from pipeline.stages.verdict import Validation
from registry.manifest import Parity


def show_summary(result: RunResult, job: Job) -> None:
    """Print the stages that were begun, parity, remarks, the version, and what to do next."""
    record = result.record
    begun = [stage for stage in record.stages if stage.outcome != "skipped"]
    if begun:
        console.show_table(("stage", "outcome", "time", "peak memory"), list(map(_row, begun)))
    _say_all(not_begun(record))
    console.say("")
    if record.validations:
        header = ("target", "check", "passed", "largest error", "of tolerance", "compared", "cases")
        rows = [row for each in record.validations for row in _parity_rows(each)]
        console.show_table(header, rows)
        _say_all(refused_alike(record))
        console.say("")
    if scores := dict.fromkeys(score for each in record.validations for score in _scores(each)):
        console.show_table(("target", "metric", "original", "here"), list(scores))
        console.say("")
    _say_all(remarks(record))
    _say_all(_next(result, job))


def as_record(result: RunResult) -> dict[str, JsonValue]:
    """Lay a run's end out for machines: the last line of `--json`."""
    record = result.record
    return {
        "event": "result",
        "outcome": record.outcome,
        "model": record.model,
        "version": record.version,
        "already": record.already,
        "seconds": record.seconds,
        "report": str(result.report),
        "record": str(result.folder / "run.json"),
        "error": record.error.model_dump(mode="json") if record.error else None,
        "stages": {stage.name: stage.outcome for stage in record.stages},
        "passed": {each.target: each.passed for each in record.validations},
    }


def _say_all(lines: Iterable[str]) -> None:
    for line in lines:
        console.say(line)


def _row(stage: StageRecord) -> tuple[str, ...]:
    used = stage.usage
    took = (duration(used.seconds), size(used.peak)) if used else ("", "")
    return stage.name, stage.outcome, *took


def _parity_rows(validation: Validation) -> Iterator[tuple[str, ...]]:
    for parity in validation.parity:
        yield validation.target, parity.kind, *_figures(parity)


def _scores(validation: Validation) -> Iterator[tuple[str, ...]]:
    """Give each metric as shipped: of the original, and of the target."""
    for parity in validation.parity[-1:]:
        for name, (original, here) in parity.metrics.items():
            yield validation.target, name, f"{original:.6f}", f"{here:.6f}"


def _figures(parity: Parity) -> tuple[str, ...]:
    return (
        "yes" if parity.passed else "no",
        f"{max(each.max_abs for each in parity.outputs):.2g}",
        f"{max(each.worst for each in parity.outputs):.2g}",
        str(sum(each.compared for each in parity.outputs)),
        str(parity.cases),
    )


def _next(result: RunResult, job: Job) -> Iterator[str]:
    """Say what came of the run, and what to do now."""
    record, push = result.record, job.push
    if record.version is None or push is None:
        yield f"report:  {result.report}"
        if record.outcome == "done" and push is None:
            yield "next:    give the job a `push` block, and run again to publish"
        return
    version = f"{record.model}@{record.version}"
    place = push.store if "://" in push.store else str((record.folder / push.store).resolve())
    endpoint = f" --endpoint {shlex.quote(push.endpoint)}" if push.endpoint else ""
    what = f"{version} is already published" if record.already else version
    yield f"version: {what} in {place}{f', channel {push.channel}' if push.channel else ''}"
    yield f"report:  {result.report}"
    yield f"next:    pipeline rollout {version} --store {shlex.quote(place)}{endpoint}"
