"""Recorded samples as the model's inputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.job.cast import cast, numeric
from pipeline.job.job import Samples
from pipeline.job.nearest import did_you_mean
from pipeline.job.sample_files import SampleFile, open_samples
from registry.errors import SourceError
from registry.signature import Dim, Input

_ALL = 1 << 40


@dataclass(frozen=True)
class Recorded:
    """The first rows of the samples.

    Attributes:
        inputs: By name, in the job's order, with the inputs' dtypes and ranks.
        labels: One number a row, as the file has it.
    """

    inputs: dict[str, np.ndarray]
    labels: np.ndarray | None


def read_samples(samples: Samples, inputs: tuple[Input, ...], folder: Path) -> Recorded:
    """Read what the job's `samples` block names.

    Bags are cut where the offsets say, so that `rows` bags remain.

    Args:
        folder: The job file's folder.

    Raises:
        SourceError: A file or column is missing, a shape does not fit, or a value would be
            lost or is not one that the job allows.
    """
    path = folder / samples.file
    file = open_samples(path)
    reader = _Reader(path, file, samples, _limits(path, file, samples.rows, inputs))
    arrays = {tensor.name: reader.input(tensor) for tensor in inputs}
    _agree(path, arrays, inputs)
    labels = None if samples.labels is None else reader.labels(samples.labels)
    rows = len(next(iter(arrays.values())))
    if rows == 0:
        raise SourceError(f"{path}: there are no rows in it")
    if labels is not None and len(labels) != rows:
        raise SourceError(f"{path}: {len(labels)} labels for {rows} rows")
    return Recorded(arrays, labels)


@dataclass(frozen=True)
class _Reader:
    """Reads one input at a time; `limits` is how far to read along an axis."""

    path: Path
    file: SampleFile
    samples: Samples
    limits: dict[Dim, int]

    def input(self, tensor: Input) -> np.ndarray:
        columns = self.samples.columns.get(tensor.name, (tensor.name,))
        rows = self.limits.get(tensor.shape[0], _ALL) if tensor.shape else _ALL
        if tensor.offsets is not None and tensor.includes_last and rows != _ALL:
            rows += 1
        arrays = self.read(columns, rows)
        where = f"{self.path}: `{tensor.name}`" if len(columns) == 1 else ""
        parts = [numeric(f"{self.path}: `{name}`", array) for name, array in arrays.items()]
        array = parts[0] if len(parts) == 1 else np.stack(parts, axis=1)
        where = where or f"{self.path}: the columns of `{tensor.name}`"
        return cast(where, _shaped(where, array, tensor), tensor)

    def labels(self, column: str) -> np.ndarray:
        where = f"{self.path}: the labels `{column}`"
        array = numeric(where, self.read((column,), self.samples.rows)[column])
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            raise SourceError(f"{where} have the shape {array.shape}; one number a row is wanted")
        if np.isnan(array).any():
            raise SourceError(f"{where} hold NaN in row {int(np.argmax(np.isnan(array)))}")
        return array

    def read(self, columns: Sequence[str], rows: int) -> dict[str, np.ndarray]:
        for name in columns:
            if name not in self.file.names:
                hint = did_you_mean(name, self.file.names)
                raise SourceError(f"{self.path}: nothing in it is called `{name}`{hint}")
        found = self.file.read(columns, rows)
        return {name: found[name] for name in columns}


def _limits(path: Path, file: SampleFile, rows: int, inputs: tuple[Input, ...]) -> dict[Dim, int]:
    """Say how far to read along each first axis: rows, and the ids of as many bags."""
    limits: dict[Dim, int] = {inputs[0].shape[0]: rows} if inputs[0].shape else {}
    shapes = {tensor.name: tensor.shape for tensor in inputs}
    for tensor in inputs:
        if tensor.offsets is None or tensor.name not in file.names:
            continue
        offsets = numeric(
            f"{path}: `{tensor.name}`", file.read((tensor.name,), rows + 1)[tensor.name]
        )
        limits[tensor.shape[0]] = rows
        limits[shapes[tensor.offsets][0]] = int(offsets[rows]) if len(offsets) > rows else _ALL
    return limits


def _shaped(where: str, array: np.ndarray, tensor: Input) -> np.ndarray:
    """Give rows the declared shape, where only axes of size 1 differ or columns were stacked."""
    wanted = tensor.shape[1:]
    sizes = tuple(dim for dim in wanted if isinstance(dim, int))
    if len(sizes) == len(wanted) and np.prod(sizes, dtype=int) == np.prod(
        array.shape[1:], dtype=int
    ):
        return array.reshape(len(array), *sizes)
    if len(array.shape) == len(tensor.shape) and all(
        isinstance(dim, str) or dim == size
        for dim, size in zip(wanted, array.shape[1:], strict=True)
    ):
        return array
    declared = ", ".join(map(str, tensor.shape))
    raise SourceError(f"{where} has the shape {array.shape}, and the job says [{declared}]")


def _agree(path: Path, arrays: dict[str, np.ndarray], inputs: tuple[Input, ...]) -> None:
    """Hold that an axis has one length in all inputs that name it."""
    seen: dict[Dim, tuple[int, str]] = {}
    for tensor in inputs:
        for dim, size in zip(tensor.shape, arrays[tensor.name].shape, strict=True):
            before, name = seen.setdefault(dim, (size, tensor.name))
            if isinstance(dim, str) and before != size:
                raise SourceError(
                    f"{path}: the axis `{dim}` has {before} entries in `{name}` "
                    f"and {size} in `{tensor.name}`"
                )
