"""Stream the tables to shards."""

from pathlib import Path

from pydantic import Field

from converters.row_rules import ruled
from converters.shard_size import shard_size
from converters.split.policy import RowRule
from converters.tables import Written, check_room, write_table
from pipeline.processes.task import Task
from pipeline.stages.part import read_split
from registry.composition import Table
from registry.manifest import File
from registry.progress import Progress
from registry.signature import Frozen


class Options(Frozen):
    """Reads the folder `split`.

    Attributes:
        shard_bytes: Of the job's `split`.
        rows: Of the job's `split`; none writes all rows as the model holds them.
    """

    shard_bytes: int = Field(ge=1)
    rows: tuple[RowRule, ...] = ()


class Tables(Frozen):
    """What `tables.json` holds: every table that was cut out, with its shards."""

    tables: tuple[Table, ...]


def run(task: Task, out: Path, progress: Progress) -> dict[str, File]:
    """Write the shards of each table, and `tables.json` when all are there.

    Returns:
        The digests of the shards, by their files.
    """
    options = Options.model_validate(task.options)
    folder = task.inputs["split"]
    split = read_split(folder)
    origins = {origin.table: origin for origin in split.origins}
    tables = ruled(split.tables, options.rows)
    total = sum(map(bytes_of, tables))
    check_room(f"{len(tables)} tables", total, out)
    written: list[Written] = []
    for table in tables:
        before = sum(bytes_of(each.table) for each in written)
        written.append(
            write_table(
                table,
                origins[table.name],
                folder,
                out,
                shard_size(bytes_of(table), total, options.shard_bytes),
                _part_of(progress, before, bytes_of(table), total),
            )
        )
    record = Tables(tables=tuple(each.table for each in written))
    (out / "tables.json").write_text(record.model_dump_json(indent=1))
    return {name: file for each in written for name, file in each.files.items()}


def bytes_of(table: Table) -> int:
    """Return the size of a table's rows as they are stored."""
    return table.rows * table.row_bytes


def _part_of(progress: Progress, before: int, size: int, whole: int) -> Progress:
    """Report the progress of one table, in whatever unit, as bytes of all of them."""

    def report(done: float, total: float, unit: str) -> None:  # noqa: ARG001  it is always bytes
        progress(before + size * (done / total if total else 1), whole, "bytes")

    return report
