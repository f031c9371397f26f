"""Tables to row-range shards, streamed: neither memory nor protobuf ever holds one."""

import math
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from converters.checkpoints.checkpoint import stored_rows
from converters.checkpoints.safetensors_file import PAGE, header
from converters.checkpoints.stored import Stored, chunks, first_bad
from converters.hashed_file import HashedFile
from converters.narrow_rows import first_unheld, narrow
from registry.composition import Origin, Shard, Table
from registry.disk import FULL
from registry.errors import ResourceError, SourceError
from registry.manifest import File
from registry.progress import Progress


@dataclass(frozen=True)
class Written:
    """A table with its shards, and the digests of their files as they were written."""

    table: Table
    files: dict[str, File]


def write_table(
    table: Table,
    origin: Origin,
    root: Path,
    out: Path,
    shard_bytes: int,
    progress: Progress,
) -> Written:
    """Write a table as `tables/<table>/000000.safetensors` … below `out`, hashed on the way.

    Args:
        root: What a relative `origin.file` is relative to.
        shard_bytes: Largest size of a shard, before its header; at least one row goes in.
        progress: Told of the bytes of this table.

    Raises:
        SourceError: The origin does not hold this table, a row holds NaN or infinity, or its
            format cannot hold a row.
        ResourceError: The disk is full.
    """
    stored = stored_rows(origin, root)
    _check_origin(table, stored)
    folder = Path("tables") / re.sub(r"[^\w.-]", "_", table.name)
    total = table.rows * table.row_bytes
    check_room(f"table {table.name}", total, out)
    shards = tuple(_shards(folder, table, shard_bytes))
    files, done = {}, 0
    try:
        (out / folder).mkdir(parents=True, exist_ok=True)
        for shard in shards:
            with HashedFile(out / shard.file, shard.rows * table.row_bytes) as file:
                for written in _write(table, shard, stored, file):
                    done += written
                    progress(done, total, "bytes")
                files[shard.file] = file.file
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise ResourceError(
            f"table {table.name}: no room left on the disk of {out}: {done} of {total}"
            " bytes were written. Free some space and run again"
        ) from error
    return Written(table.model_copy(update={"shards": shards}), files)


def check_room(what: str, size: int, out: Path) -> None:
    """Refuse what the disk of a folder has no room for.

    Raises:
        ResourceError: There are fewer than `size` bytes free.
    """
    out.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(out).free
    if size > free:
        raise ResourceError(
            f"{what}: {math.ceil(size / 1e6)} MB to write, and the disk of {out} has"
            f" {free // 10**6} MB free. Free some space and run again"
        )


def _shards(folder: Path, table: Table, shard_bytes: int) -> Iterator[Shard]:
    step = _step(table.row_bytes, shard_bytes)
    for number, start in enumerate(range(0, table.rows, step)):
        file = (folder / f"{number:06d}.safetensors").as_posix()
        yield Shard(file=file, start=start, rows=min(step, table.rows - start))


def _step(row: int, shard_bytes: int) -> int:
    """Return how many rows go into a shard: such that they fill whole pages, where that can be."""
    step = max(1, shard_bytes // row)
    whole = PAGE // math.gcd(row, PAGE)
    return step - step % whole if step >= whole else step


def _part(shard: Shard, table: Table, stored: Stored) -> Stored:
    """Return where the rows of a shard lie."""
    row = stored.nbytes // table.rows
    offset = stored.offset + shard.start * row
    return replace(stored, offset=offset, shape=(shard.rows, table.dim))


def _write(table: Table, shard: Shard, stored: Stored, file: HashedFile) -> Iterator[int]:
    """Write one shard; give the bytes of each step."""
    part = _part(shard, table, stored)
    shape = (shard.rows, table.stored_width)
    file.write(header("rows", table.stored_dtype, shape, shard.rows * table.row_bytes))
    before = shard.start * table.dim
    whole = 1 if table.rows_as == "f32" else part.nbytes // shard.rows
    for chunk in chunks(part, whole):
        _check_numbers(table, chunk, before)
        held = chunk if whole == 1 else _narrowed(table, chunk, before // table.dim)
        before += len(chunk)
        file.write(held.view(np.uint8).data)
        yield held.nbytes


def _narrowed(table: Table, chunk: np.ndarray, start: int) -> np.ndarray:
    held = narrow(chunk.reshape(-1, table.dim), table.rows_as)
    if (at := first_unheld(held, table.rows_as)) is not None:
        raise SourceError(
            f"table {table.name}: row {start + at} holds numbers that are too big for"
            f" {table.rows_as}. Give the table `format: f32` in split.rows"
        )
    return held.reshape(-1)


def _check_numbers(table: Table, chunk: np.ndarray, before: int) -> None:
    if (at := first_bad(chunk)) is not None:
        what = "NaN" if np.isnan(chunk[at]) else "infinity"
        raise SourceError(
            f"table {table.name}: row {(before + at) // table.dim} holds {what}. Mend the"
            " checkpoint: a request that names this row would get no number for an answer"
        )


def _check_origin(table: Table, stored: Stored) -> None:
    wanted = (table.rows, table.dim)
    flat = (*stored.shape[:1], math.prod(stored.shape[1:]))
    if (flat, stored.dtype) != (wanted, table.dtype) or stored.strides is not None:
        raise SourceError(
            f"table {table.name}: {stored.file} now holds {stored.dtype}{list(stored.shape)}, the"
            f" split found {table.dtype}{list(wanted)}. The file was changed: run again"
        )
