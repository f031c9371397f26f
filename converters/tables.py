"""Tables to row-range shards, streamed: neither memory nor protobuf ever holds one."""

import math
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from converters.checkpoints.checkpoint import stored_rows
from converters.checkpoints.safetensors_file import header
from converters.checkpoints.stored import Stored, chunks, first_bad
from registry.composition import Origin, Shard, Table
from registry.disk import FULL
from registry.errors import ResourceError, SourceError
from registry.progress import Progress


def write_table(
    table: Table,
    origin: Origin,
    root: Path,
    out: Path,
    shard_bytes: int,
    progress: Progress,
) -> Table:
    """Write a table as `tables/<table>/000000.safetensors` … below `out`; return it with shards.

    Args:
        root: What a relative `origin.file` is relative to.
        shard_bytes: Largest size of a shard, before its header; at least one row goes in.
        progress: Told of the bytes of this table.

    Raises:
        SourceError: The origin does not hold this table, or a row holds NaN or infinity.
        ResourceError: The disk is full.
    """
    stored = stored_rows(origin, root)
    _check_origin(table, stored)
    folder = Path("tables") / re.sub(r"[^\w.-]", "_", table.name)
    _check_room(table, stored, out)
    done = 0
    shards = tuple(_shards(folder, table, stored, shard_bytes))
    try:
        (out / folder).mkdir(parents=True, exist_ok=True)
        for shard in shards:
            for written in _write(table, shard, stored, out / shard.file):
                done += written
                progress(done, stored.nbytes, "bytes")
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise ResourceError(
            f"table {table.name}: no room left on the disk of {out}: {done} of {stored.nbytes}"
            " bytes were written. Free some space and run again"
        ) from error
    return table.model_copy(update={"shards": shards})


def _shards(folder: Path, table: Table, stored: Stored, shard_bytes: int) -> Iterator[Shard]:
    step = max(1, shard_bytes // (stored.nbytes // table.rows))
    for number, start in enumerate(range(0, table.rows, step)):
        file = (folder / f"{number:06d}.safetensors").as_posix()
        yield Shard(file=file, start=start, rows=min(step, table.rows - start))


def _write(table: Table, shard: Shard, stored: Stored, file: Path) -> Iterator[int]:
    """Write one shard; give the bytes of each step."""
    row = stored.nbytes // table.rows
    part = replace(stored, offset=stored.offset + shard.start * row, shape=(shard.rows, table.dim))
    try:
        with file.open("wb", buffering=0) as stream:
            os.posix_fallocate(stream.fileno(), 0, part.nbytes)
            _write_all(stream, header("rows", table.dtype, part.shape, part.nbytes))
            before = shard.start * table.dim
            for chunk in chunks(part):
                _check_numbers(table, chunk, before)
                before += len(chunk)
                _write_all(stream, chunk.view(np.uint8).data)
                yield chunk.nbytes
            os.fsync(stream.fileno())
    except BaseException:
        file.unlink(missing_ok=True)
        raise


def _write_all(stream: BinaryIO, data: bytes | memoryview) -> None:
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]


def _check_numbers(table: Table, chunk: np.ndarray, before: int) -> None:
    if (at := first_bad(chunk)) is not None:
        what = "NaN" if np.isnan(chunk[at]) else "infinity"
        raise SourceError(
            f"table {table.name}: row {(before + at) // table.dim} holds {what}. Mend the"
            " checkpoint: a request that names this row would get no number for an answer"
        )


def _check_origin(table: Table, stored: Stored) -> None:
    wanted = (table.rows, table.dim)
    if (stored.shape, stored.dtype) != (wanted, table.dtype) or stored.strides is not None:
        raise SourceError(
            f"table {table.name}: {stored.file} now holds {stored.dtype}{list(stored.shape)}, the"
            f" split found {table.dtype}{list(wanted)}. The file was changed: run again"
        )


def _check_room(table: Table, stored: Stored, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(out).free
    if stored.nbytes > free:
        raise ResourceError(
            f"table {table.name}: needs {math.ceil(stored.nbytes / 1e6)} MB, the disk of {out} has"
            f" {free // 10**6} MB free"
        )
