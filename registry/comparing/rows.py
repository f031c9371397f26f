"""How many rows of a table differ between two versions."""

from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np

from registry.blob_file import blob_file
from registry.comparing.difference import TableChange
from registry.composition import Shard, Table
from registry.errors import IntegrityError
from registry.manifest import Version
from registry.patching.needed import lacking
from registry.signature import DType
from registry.store.store import Store


def changed_tables(store: Store, one: Version, other: Version) -> tuple[TableChange, ...]:
    """Compare the tables of two versions, and read the shards of those that differ."""
    before = {table.name: table for table in one.tables}
    after = {table.name: table for table in other.tables}
    return tuple(
        change
        for name in dict.fromkeys([*before, *after])
        if (change := _compare(store, (one, before.get(name)), (other, after.get(name))))
    )


def _compare(
    store: Store, one: tuple[Version, Table | None], other: tuple[Version, Table | None]
) -> TableChange | None:
    (before, left), (after, right) = one, other
    table = right or left
    if table is None:
        return None
    new = _new_bytes(before, after, right)
    rows = (left.rows if left else None, right.rows if right else None)
    if left and right and _form(left) == _form(right):
        changed = sum(_changed(store, (before, left), (after, right)))
        if not changed and rows[0] == rows[1]:
            return None
    else:
        changed = None
    return TableChange(table=table.name, before=rows[0], after=rows[1], changed=changed, bytes=new)


def _form(table: Table) -> tuple[int, DType, str]:
    return table.dim, table.dtype, table.rows_as


def _new_bytes(one: Version, other: Version, right: Table | None) -> int:
    there = {file.digest for file in one.files.values()}
    names = [shard.file for shard in right.shards] if right else []
    return sum(lacking(other, names, there).values())


def _changed(
    store: Store, one: tuple[Version, Table], other: tuple[Version, Table]
) -> Iterator[int]:
    """Give the number of rows that differ, range by range of rows that both have."""
    for left, right in _pairs(one[1].shards, other[1].shards):
        if (left.start, left.rows) == (right.start, right.rows) and (
            one[0].files[left.file] == other[0].files[right.file]
        ):
            continue
        start = max(left.start, right.start)
        stop = min(left.start + left.rows, right.start + right.rows)
        with ExitStack() as opened:
            mine = opened.enter_context(blob_file(store, one[0], left.file))
            theirs = opened.enter_context(blob_file(store, other[0], right.file))
            yield _differ(
                _rows(mine, one[1], left)[start - left.start : stop - left.start],
                _rows(theirs, other[1], right)[start - right.start : stop - right.start],
            )


def _differ(mine: np.ndarray, theirs: np.ndarray) -> int:
    return int((mine != theirs).any(axis=1).sum())


def _pairs(left: tuple[Shard, ...], right: tuple[Shard, ...]) -> Iterator[tuple[Shard, Shard]]:
    """Give the shards that have rows in common, in order."""
    at = other = 0
    while at < len(left) and other < len(right):
        one, two = left[at], right[other]
        ends = one.start + one.rows, two.start + two.rows
        if max(one.start, two.start) < min(ends):
            yield one, two
        at += ends[0] <= ends[1]
        other += ends[1] <= ends[0]


def _rows(data: memoryview, table: Table, shard: Shard) -> np.ndarray:
    """Return the rows of a shard as bytes."""
    width = table.row_bytes
    start = 8 + int.from_bytes(data[:8], "little")
    if len(data) != start + shard.rows * width:
        raise IntegrityError(
            f"{shard.file}: it does not hold the {shard.rows} rows of {table.name} that its "
            "version says. Publish the model again"
        )
    # A copy: a mapped file cannot be closed while an array looks into it.
    return np.frombuffer(data, np.uint8, offset=start).reshape(shard.rows, width).copy()
