"""Marks of rows in a store, beside the shards that are there whole: a push compares with these.

They are a cache: where there are none, the shard itself is read.
"""

import mmap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from registry.digest import digest_of
from registry.disk import disk_faults
from registry.layout import blob_key, rows_key
from registry.manifest import Recipe, Version
from registry.progress import silent
from registry.side_by_side import Tally, each
from registry.store.store import Store

if TYPE_CHECKING:
    from registry.patching.marks import Marks

#: Bytes of a row from which on marks are little beside the rows.
LEAST = 128


@dataclass(frozen=True)
class Shard:
    """A shard that is to be marked.

    Attributes:
        width: Bytes of a row.
    """

    digest: str
    path: Path
    width: int


def wide_shards(version: Version) -> dict[str, int]:
    """Return the bytes of a row of each shard that is worth it, by the name of its file."""
    return {
        shard.file: table.row_bytes
        for table in version.tables
        for shard in table.shards
        if table.row_bytes >= LEAST
    }


def keep_marks(store: Store, shards: Iterable[Shard]) -> None:
    """Mark shards of this host in a store."""
    from registry.patching.marks import marks_of, write_marks  # noqa: PLC0415  numpy takes its time

    tally = Tally(0, silent)

    def keep(shard: Shard) -> None:
        tally.advance(0)
        with (
            disk_faults(shard.path),
            shard.path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as rows,
        ):
            marks = marks_of(rows, shard.width)
        if marks is not None:
            store.create(rows_key(shard.digest), write_marks(marks))

    each(keep, shards, tally)


def find_marks(store: Store, recipe: Recipe) -> "Marks | None":
    """Return the marks of what a recipe makes; None where not all that takes is there and right."""
    from registry.patching.marks import read_marks  # noqa: PLC0415  numpy takes its time

    data = store.get(rows_key(recipe.base.digest))
    marks = None if data is None else read_marks(data)
    for step in recipe.steps if marks else ():
        patch = store.get(blob_key(step.rows.digest))
        if marks is None or patch is None or digest_of([patch]) != step.rows:
            return None
        try:
            marks = marks.laid_over(patch)
        except (IndexError, ValueError):
            return None
    return marks
