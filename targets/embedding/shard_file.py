"""A shard's file, of which nothing is believed that does not fit the version's record of it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from registry.composition import Shard, Table
from registry.errors import IntegrityError
from registry.signature import DType

#: safetensors' name of a dtype, and numpy's of what is stored; bfloat16 is stored as its bits.
STORED: dict[DType, tuple[str, str]] = {
    DType.FLOAT64: ("F64", "<f8"),
    DType.FLOAT32: ("F32", "<f4"),
    DType.FLOAT16: ("F16", "<f2"),
    DType.BFLOAT16: ("BF16", "<u2"),
    DType.INT64: ("I64", "<i8"),
    DType.INT32: ("I32", "<i4"),
    DType.INT16: ("I16", "<i2"),
    DType.INT8: ("I8", "<i1"),
    DType.UINT8: ("U8", "<u1"),
}

HEADER_LIMIT = 1 << 20


def size_of(table: Table, shard: Shard) -> int:
    """Return the bytes of a shard's rows."""
    return shard.rows * table.row_bytes


@contextmanager
def opened_shard(table: Table, shard: Shard, folder: Path) -> Iterator[tuple[BinaryIO, int]]:
    """Open a shard's file and give it, with the offset at which its rows start.

    Raises:
        IntegrityError: The file is not what the shard says, or cannot be read or mapped.
    """
    path = folder / shard.file
    if not path.resolve().is_relative_to(folder.resolve()):
        raise IntegrityError(f"{table.name}: {shard.file} lies outside the version's folder")
    try:
        with path.open("rb") as file:
            start = _data_start(file.read(8), path, path.stat().st_size)
            _check_header(file.read(start - 8), path, table, shard)
            end = start + size_of(table, shard)
            if path.stat().st_size != end:
                raise IntegrityError(
                    f"{path}: has {path.stat().st_size} bytes, not the {end} that "
                    f"{shard.rows} rows take"
                )
            yield file, start
    except OSError as error:
        raise IntegrityError(f"{path}: cannot be read: {error.strerror}") from error


def _data_start(first: bytes, path: Path, size: int) -> int:
    """Read where the data starts off the first 8 bytes, the header's length."""
    length = int.from_bytes(first, "little")
    if len(first) < 8 or length > min(size - 8, HEADER_LIMIT):
        raise IntegrityError(f"{path}: is not a safetensors file of this table")
    if length % 8:
        raise IntegrityError(f"{path}: its data is not aligned to 8 bytes")
    return 8 + length


def _check_header(header: bytes, path: Path, table: Table, shard: Shard) -> None:
    """Hold the header against the one that this shard must have."""
    try:
        found = json.loads(header)
    except ValueError as error:
        raise IntegrityError(f"{path}: its header is not JSON") from error
    name, shape = STORED[table.stored_dtype][0], [shard.rows, table.stored_width]
    offsets = [0, size_of(table, shard)]
    wanted = {"rows": {"dtype": name, "shape": shape, "data_offsets": offsets}}
    if isinstance(found, dict):
        found.pop("__metadata__", None)
    if found != wanted:
        raise IntegrityError(f"{path}: its header is {str(found)[:200]}, not {wanted}")
