"""Tables as memory maps of their shards, read without a framework."""

import mmap
from copy import copy
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from registry.composition import Shard, Table
from registry.errors import ContractError, IntegrityError
from registry.signature import DType
from targets.embedding.shard_file import STORED, opened_shard, size_of
from targets.embedding.side_by_side import SideBySide, fills_pages
from targets.embedding.widen import widening

#: Rows gathered at a time from several shards: more, and glibc gets fresh pages each time.
GATHER_BYTES = 4 << 20


class MappedTable:
    """An opened table; its pages are read when they are touched.

    Attributes:
        dtype: Of the rows that `take` gives: what the model holds, but float32 for bfloat16 and
            for rows that are stored in a narrower format.
        rows_as: How rows are stored.
        bfloat16: The model holds rows of it, and its bags answer in it.
        unknown, default_row: What ids give that are no rows.
    """

    def __init__(self, table: Table, parts: list[np.ndarray]) -> None:
        self.name = table.name
        self.rows = table.rows
        self.dim = table.dim
        self.rows_as = table.rows_as
        self.bfloat16 = table.dtype is DType.BFLOAT16
        self.unknown = table.unknown
        self.default_row = table.default_row or 0  # read where `unknown` is `row`
        stored = np.dtype(STORED[table.stored_dtype][1])
        self._widen = widening(table)
        self._width = table.stored_width
        self._zeros = False
        self.dtype = stored if self._widen is None else np.dtype(np.float32)
        self._parts = parts
        self._starts = np.cumsum([0, *map(len, parts)])[:-1]
        # Rows of each shard but the last, where they are alike: then a division finds the shard.
        alike = len({*map(len, parts[:-1])}) < 2 and len(parts[-1]) <= len(parts[0])
        self._even = len(parts[0]) if alike else 0
        self._block = max(1, GATHER_BYTES // table.row_bytes)

    def take(self, ids: np.ndarray, out: np.ndarray) -> None:
        """Gather rows.

        Args:
            ids: int64 [n], every one of them within the table: this is not checked here. Of a
                table `with_zeros`, the number of rows stands for a row of zeros.
            out: `dtype` [n, dim], C-contiguous.
        """
        if self._widen is None:
            self._gather(ids, out)
        else:
            stored = np.empty((len(ids), self._width), self._parts[0].dtype)
            self._gather(ids, stored)
            self._widen(stored, out)
        if self._zeros:
            out[ids == self.rows] = 0

    def with_zeros(self) -> "MappedTable":
        """Return the same table with a row of zeros behind its last one."""
        more = copy(self)
        more._zeros = True
        return more

    def _gather(self, ids: np.ndarray, out: np.ndarray) -> None:
        if len(self._parts) == 1:
            np.take(self._parts[0], ids, axis=0, out=out, mode="clip")
            return
        known = np.minimum(ids, self.rows - 1) if self._zeros else ids
        for start in range(0, len(ids), self._block):
            block = slice(start, start + self._block)
            self._take_across(known[block], out[block])

    @property
    def scattered(self) -> bool:
        """Whether rows lie in several files, so that many small gathers are slow."""
        return len(self._parts) > 1

    def gathered(self, ids: np.ndarray) -> "MappedTable":
        """Gather rows [n] into memory, as a table of their own whose ids are 0 to n - 1."""
        rows = np.empty((len(ids), self.dim), self.dtype)
        self.take(ids, rows)
        near = copy(self)
        near.rows, near._widen, near._zeros, near._parts = len(ids), None, False, [rows]
        return near

    def _take_across(self, ids: np.ndarray, out: np.ndarray) -> None:
        """Gather shard by shard, then bring the rows back into the order that was asked for."""
        if self._even:
            shard_of = ids // self._even
        else:
            shard_of = np.searchsorted(self._starts, ids, side="right") - 1
        # numpy sorts 16-bit integers by radix; tables with more shards take the slower way.
        small = shard_of.astype(np.uint16) if len(self._parts) <= 1 << 16 else shard_of
        order = np.argsort(small, kind="stable")
        grouped = ids[order]
        counts = np.bincount(shard_of, minlength=len(self._parts))
        gathered = np.empty_like(out)
        first = 0
        for shard in np.flatnonzero(counts).tolist():
            group = slice(first, first + int(counts[shard]))
            local = grouped[group] - self._starts[shard]
            np.take(self._parts[shard], local, axis=0, out=gathered[group], mode="clip")
            first = group.stop
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        np.take(gathered, back, axis=0, out=out, mode="clip")

    def close(self) -> None:
        """Let go of the files; the last reader's end unmaps them."""
        self._parts = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_table(table: Table, folder: Path) -> MappedTable:
    """Map every shard of a table.

    Args:
        folder: What the shards' files are relative to.

    Raises:
        IntegrityError: The shards do not make up the table, or a file is not what its
            shard says: nothing that a header states is believed.
    """
    if table.dtype not in STORED:
        raise ContractError(f"{table.name}: rows of {table.dtype} cannot be looked up")
    _check_cover(table)
    whole = _map_as_one(table, folder)
    parts = [_map_one(table, shard, folder) for shard in table.shards] if whole is None else [whole]
    return MappedTable(table, parts)


def _check_cover(table: Table) -> None:
    at = 0
    for shard in table.shards:
        if shard.start != at:
            raise IntegrityError(
                f"{table.name}: {shard.file} starts at row {shard.start}, but row {at} comes next"
            )
        at += shard.rows
    if at != table.rows:
        raise IntegrityError(f"{table.name}: its shards hold {at} rows of {table.rows}")


def _map_as_one(table: Table, folder: Path) -> np.ndarray | None:
    """Map all shards side by side, which makes a gather as fast as from one file.

    Returns:
        None where there is one shard, or shards do not fill whole pages of this machine's, or
        there is no room for them together: then they are mapped one by one.
    """
    sizes = [size_of(table, shard) for shard in table.shards]
    if len(sizes) < 2 or not all(map(fills_pages, sizes[:-1])):
        return None
    try:
        place = SideBySide(sum(sizes))
    except OSError:
        return None
    for shard, size in zip(table.shards, sizes, strict=True):
        with opened_shard(table, shard, folder) as (file, start):
            if not fills_pages(start):
                return None
            place.lay(file, start, size)
    stored = place.view().view(STORED[table.stored_dtype][1])
    return stored.reshape(table.rows, table.stored_width)


def _map_one(table: Table, shard: Shard, folder: Path) -> np.ndarray:
    with opened_shard(table, shard, folder) as (file, start):
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    flat = np.frombuffer(mapped, dtype=STORED[table.stored_dtype][1], offset=start)
    return flat.reshape(shard.rows, table.stored_width)
