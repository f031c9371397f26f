"""What a run did: `run.json`, in every outcome. The report is made from it alone."""

from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue

from pipeline.stages.bisection import Bisection
from pipeline.stages.verdict import Validation
from registry.composition import Artifact, Remark, Split
from registry.errors import PlatformError
from registry.manifest import ToolchainUse
from registry.signature import Frozen

Outcome = Literal["running", "published", "done", "failed", "interrupted"]


class Usage(Frozen):
    """What a stage took: wall and CPU time in seconds, and memory in bytes.

    Attributes:
        peak: The most of its own; pages of mapped files, which the kernel can drop, do not count.
        resident: The most with those pages.
    """

    seconds: float
    cpu: float
    peak: int
    resident: int | None = None


class Fault(Frozen):
    """Why a run stopped: the kind is the name of a class in `registry.errors`."""

    kind: str
    message: str
    exit_code: int


class StageRecord(Frozen):
    """What became of one task.

    Attributes:
        outcome: `cached` reused an earlier run's output; `skipped` was not reached.
        why: Why it ran, or that it did not have to.
        usage: Of the run that made the output, this one or an earlier one.
        bytes: Size of the output.
        remarks: What tools warned of as they made the output.
        output, log: Where they are.
        reproduce: The command that does the stage again, by itself.
    """

    name: str
    stage: str
    needs: tuple[str, ...]
    outcome: Literal["done", "cached", "failed", "skipped"]
    why: str
    options: dict[str, JsonValue]
    usage: Usage | None = None
    bytes: int | None = None
    remarks: tuple[Remark, ...] = ()
    output: Path | None = None
    log: Path | None = None
    reproduce: str | None = None
    error: Fault | None = None


class RunRecord(Frozen):
    """One run of one job.

    Attributes:
        job: The text of the job file.
        source: The source in a line; `source_digest` is SHA-256 over its files.
        tools: Versions by package, with Python's and the platform's own.
        toolchains: The pinned environments that some of the stages run in.
        split, validations: What the stages found, as far as they came.
        cut: The parts that the dense part was cut into; none where it is one.
        bisections: Where targets that do not answer like the original go wrong.
        version: Number of the published version, where there is one.
        already: An equal version was there before, and this run published none.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    model: str
    job: str
    folder: Path
    started: datetime
    seconds: float
    outcome: Outcome
    error: Fault | None = None
    stages: tuple[StageRecord, ...]
    split: Split | None = None
    cut: tuple[Artifact, ...] = ()
    validations: tuple[Validation, ...] = ()
    bisections: tuple[Bisection, ...] = ()
    source: str
    source_digest: str
    tools: dict[str, str]
    toolchains: tuple[ToolchainUse, ...] = ()
    cpu: str
    version: int | None = None
    already: bool = False


def fault_of(error: PlatformError) -> Fault:
    """Write an error down."""
    return Fault(kind=type(error).__name__, message=str(error), exit_code=error.exit_code)
