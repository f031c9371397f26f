"""Files that samples are read from: one reader a suffix, and only as many rows as are asked for."""

import math
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy

from pipeline.job.lists import as_rows
from registry.errors import SourceError
from registry.require import require

#: Most bytes that are read into memory from one file's array.
_LIMIT = 4 << 30

#: Reads columns (or arrays) by name, up to a number of rows.
Read = Callable[[Sequence[str], int], dict[str, np.ndarray]]


@dataclass(frozen=True)
class SampleFile:
    """An open file: what it holds, and how to read some of it.

    Attributes:
        typed: It says of what dtype its numbers are.
    """

    names: tuple[str, ...]
    read: Read
    typed: bool = True


def open_samples(path: Path) -> SampleFile:
    """Look at a file of samples without reading its rows."""
    try:
        is_there = path.is_file()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from error
    if not is_there:
        raise SourceError(f"{path}: no such file")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise SourceError(f"{path}: samples are read from {', '.join(READERS)}; convert the file")
    return reader(path)


def _open_npz(path: Path) -> SampleFile:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.namelist()
    except (zipfile.BadZipFile, OSError) as error:
        kinds = ", ".join(READERS)
        raise SourceError(
            f"{path}: not an npz: {error}. Write it with numpy.savez, or name it by what it is: "
            f"{kinds} are read"
        ) from error
    names = tuple(name.removesuffix(".npy") for name in members)

    def read(wanted: Sequence[str], rows: int) -> dict[str, np.ndarray]:
        with zipfile.ZipFile(path) as archive:
            return {name: _read_member(path, archive, name, rows) for name in wanted}

    return SampleFile(names, read)


def _read_member(path: Path, archive: zipfile.ZipFile, name: str, rows: int) -> np.ndarray:
    where = f"{path}: `{name}`"
    try:
        with archive.open(f"{name}.npy") as file:
            return _read_array(where, file, rows)
    except (ValueError, EOFError, RuntimeError, NotImplementedError, zipfile.BadZipFile) as error:
        raise SourceError(f"{where} cannot be read: {error}") from error


def _read_array(where: str, file: IO[bytes], rows: int) -> np.ndarray:
    """Read the first rows of an array, without unpacking the rest of it."""
    read_header = {
        (1, 0): npy.read_array_header_1_0,
        (2, 0): npy.read_array_header_2_0,
    }.get(npy.read_magic(file))
    if read_header is None:
        raise SourceError(f"{where} is of a newer npy version. Save it with numpy.savez")
    shape, by_columns, dtype = read_header(file)
    if dtype.hasobject:
        raise SourceError(f"{where} holds Python objects, which are never loaded. Save numbers")
    if not shape:
        raise SourceError(f"{where} is a single value, not rows")
    by_columns = by_columns and len(shape) > 1
    taken = shape if by_columns else (min(rows, shape[0]), *shape[1:])
    size = math.prod(taken) * dtype.itemsize
    if size > _LIMIT:
        raise SourceError(f"{where}: {size / 2**30:.0f} GiB is too much. Take fewer rows")
    data = file.read(size)
    if len(data) < size:
        raise SourceError(f"{where} is cut off: {len(data)} of {size} bytes are there")
    return np.frombuffer(data, dtype).reshape(taken, order="F" if by_columns else "C")[:rows]


def _open_parquet(path: Path) -> SampleFile:
    parquet = require("pyarrow.parquet", extra="convert")
    try:
        names = tuple(parquet.ParquetFile(path).schema_arrow.names)
    except Exception as error:
        raise SourceError(f"{path}: not a parquet file: {error}") from error

    def read(wanted: Sequence[str], rows: int) -> dict[str, np.ndarray]:
        try:
            with parquet.ParquetFile(path) as file:
                found = _first_batch(file, list(wanted), rows)
        except Exception as error:
            raise SourceError(f"{path}: cannot be read: {error}") from error
        return {name: as_rows(f"{path}: `{name}`", column) for name, column in found.items()}

    return SampleFile(names, read)


def _first_batch(file, wanted: list[str], rows: int) -> dict[str, np.ndarray]:  # type: ignore[no-untyped-def]  # noqa: ANN001  pyarrow has no types
    parts: dict[str, list[np.ndarray]] = {name: [] for name in wanted}
    left = rows
    for batch in file.iter_batches(batch_size=min(rows, 65_536), columns=wanted):
        frame = batch.slice(0, left).to_pandas(ignore_metadata=True)
        for name in wanted:
            parts[name].append(frame[name].to_numpy())
        left -= len(frame)
        if left <= 0:
            break
    return {name: np.concatenate(found) if found else np.empty(0) for name, found in parts.items()}


def _open_csv(path: Path) -> SampleFile:
    pandas = require("pandas", extra="convert")

    def read(wanted: Sequence[str] | None, rows: int) -> dict[str, np.ndarray]:
        try:
            frame = pandas.read_csv(path, nrows=rows, usecols=wanted, skipinitialspace=True)
        except Exception as error:
            raise SourceError(f"{path}: not a csv file: {error}") from error
        return {str(name): frame[name].to_numpy() for name in frame.columns}

    return SampleFile(tuple(read(None, 0)), read, typed=False)


#: How a file is opened, by its suffix.
READERS: dict[str, Callable[[Path], SampleFile]] = {
    ".npz": _open_npz,
    ".parquet": _open_parquet,
    ".csv": _open_csv,
}
