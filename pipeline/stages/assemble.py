"""Lay out a version's folder, ready to push."""

from pydantic import Field

from registry.signature import Axis, Frozen, Input
from targets import AnyTarget


class Options(Frozen):
    """Parts of the job, and where the model comes from.

    Reads the folders `split`, `tables`, `reference` and, for each target, `part:<target>` and
    `parity:<target>` (the output of its validate task).

    Attributes:
        job: The text of the job file.
        record: Of the job's `samples`; its default where the job has none.
        source: The source in a line, for people: 'torch models.wide_deep:build'.
        source_digest: SHA-256 over the source's files, as hex digits.
    """

    model: str
    job: str
    inputs: tuple[Input, ...]
    axes: dict[str, Axis]
    targets: tuple[AnyTarget, ...]
    record: int = Field(default=64, ge=1)
    source: str
    source_digest: str
