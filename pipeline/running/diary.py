"""A run's own folder: `<home>/runs/<model>/<time>/` with `run.json`, the report and the logs."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pipeline.planning.steps import Plan
from pipeline.record import Fault, Outcome, RunRecord, StageRecord
from pipeline.report.write import write_report
from pipeline.running.take import described
from pipeline.stages.bisection import BISECTION, Bisection
from pipeline.stages.part import PARTS, Parts
from pipeline.stages.push import PUSHED, Pushed
from pipeline.stages.tables import Tables
from pipeline.stages.verdict import Validation
from pipeline.toolchains import find_toolchain
from pipeline.toolchains.uses import uses
from registry.composition import Artifact, Split

Found = TypeVar("Found")


class Diary:
    """Keeps what became of each step, and writes it down after each, and at the end."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.folder = _new_folder(plan.home / "runs" / plan.model)
        self.stages = {step.task.name: described(step) for step in plan.steps}
        self._started, self._clock = datetime.now(UTC), time.monotonic()

    def note(self, stage: StageRecord) -> None:
        """Write down what became of a step."""
        self.stages[stage.name] = stage
        self.write("running")

    def write(self, outcome: Outcome, error: Fault | None = None) -> RunRecord:
        """Write `run.json` as things stand and return what it says."""
        plan = self.plan
        pushed = self._found("push", PUSHED, Pushed.model_validate_json)
        record = RunRecord(
            schema=1,
            model=plan.model,
            job=plan.text,
            folder=plan.folder,
            started=self._started,
            seconds=time.monotonic() - self._clock,
            outcome=outcome,
            error=error,
            stages=tuple(self.stages.values()),
            split=self._split(),
            cut=self._cut(),
            validations=self._all("validate", "parity.json", Validation.model_validate_json),
            bisections=self._all("bisect", BISECTION, Bisection.model_validate_json),
            source=plan.source,
            source_digest=plan.source_digest,
            tools=dict(plan.tools),
            toolchains=uses((find_toolchain(s.task.toolchain), s.task.name) for s in plan.steps),
            cpu=plan.cpu,
            version=pushed.number if pushed else None,
            already=pushed is not None and pushed.already,
        )
        draft = self.folder / "run.json.new"
        draft.write_text(record.model_dump_json(indent=1, by_alias=True))
        draft.replace(self.folder / "run.json")
        return record

    def report(self, record: RunRecord, folder: str = "report") -> Path:
        """Write the report into a folder of the run's and return its page."""
        return write_report(record, self.folder / folder)

    def _split(self) -> Split | None:
        """Read what the split found, and how its tables are stored where they are written."""
        split = self._found("split", "split.json", Split.model_validate_json)
        written = self._found("tables", "tables.json", Tables.model_validate_json)
        if split is None or written is None:
            return split
        tables = tuple(one.model_copy(update={"shards": ()}) for one in written.tables)
        return split.model_copy(update={"tables": tables})

    def _found(self, name: str, file: str, read: Callable[[bytes], Found]) -> Found | None:
        """Read what a step wrote, where it came that far."""
        stage = self.stages.get(name)
        path = stage.output / file if stage and stage.output else None
        return read(path.read_bytes()) if path and path.is_file() else None

    def _cut(self) -> tuple[Artifact, ...]:
        found = self._found("cut", PARTS, Parts.model_validate_json)
        return found.parts if found else ()

    def _all(self, stage: str, file: str, read: Callable[[bytes], Found]) -> tuple[Found, ...]:
        """Read what all tasks of a stage wrote, as far as they came."""
        names = [name for name, record in self.stages.items() if record.stage == stage]
        return tuple(found for name in names if (found := self._found(name, file, read)))


def _new_folder(runs: Path) -> Path:
    """Make a folder that is named after this moment and belongs to this run alone."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    number = 1
    while True:
        folder = runs / (stamp if number == 1 else f"{stamp}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        else:
            return folder
