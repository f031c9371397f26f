"""Stream the tables to shards."""

from pathlib import Path

from pydantic import Field

from converters.shard_size import shard_size
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
    """

    shard_bytes: int = Field(ge=1)


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
    total = sum(map(bytes_of, split.tables))
    check_room(f"{len(split.tables)} tables", total, out)
    written: list[Written] = []
    for table in split.tables:
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
    tables = Tables(tables=tuple(each.table for each in written))
    (out / "tables.json").write_text(tables.model_dump_json(indent=1))
    return {name: file for each in written for name, file in each.files.items()}


def bytes_of(table: Table) -> int:
    """Return the size of a table's rows."""
    return table.rows * table.dim * table.dtype.bytes


def _part_of(progress: Progress, before: int, size: int, whole: int) -> Progress:
    """Report the progress of one table, in whatever unit, as bytes of all of them."""

    def report(done: float, total: float, unit: str) -> None:  # noqa: ARG001  it is always bytes
        progress(before + size * (done / total if total else 1), whole, "bytes")

    return report
