"""Recorded samples as the model's inputs."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pipeline.job.allowed import hold
from pipeline.job.cast import cast, numeric
from pipeline.job.job import Samples
from pipeline.job.misfits import MisfitError, Misfits
from pipeline.job.nearest import did_you_mean
from pipeline.job.oddities import Oddities
from pipeline.job.sample_files import SampleFile, open_samples
from registry.errors import SourceError
from registry.signature import Dim, Input
from targets.parity.rows import row_count

_ALL = 1 << 40


@dataclass(frozen=True)
class Recorded:
    """The first rows of the samples.

    Attributes:
        inputs: By name, in the job's order, with the inputs' dtypes and ranks.
        labels: One number a row, as the file has it.
        odd: What is odd about them, a sentence each.
    """

    inputs: dict[str, np.ndarray]
    labels: np.ndarray | None
    odd: tuple[str, ...] = ()


def read_samples(
    samples: Samples, inputs: tuple[Input, ...], folder: Path, *, held: bool = True
) -> Recorded:
    """Read what the job's `samples` block names.

    Bags are cut where the offsets say, so that `rows` bags remain.

    Args:
        folder: The job file's folder.
        held: Refuse values that the job does not let come; ids and bags are held anyhow.

    Raises:
        SourceError: The file cannot be read, or there are no rows in it.
        MisfitsError: Columns are missing, shapes do not fit, or values would be lost or are not
            such as the job allows.
    """
    path = folder / samples.file
    file = open_samples(path)
    reader = _Reader(path, file, samples, _limits(path, file, samples.rows, inputs), held)
    misfits = Misfits()
    arrays: dict[str, np.ndarray] = {}
    for tensor in inputs:
        with misfits.of("inputs", tensor.name):
            arrays[tensor.name] = reader.input(tensor)
    labels = None
    if samples.labels is not None:
        with misfits.of("samples", "labels"):
            labels = reader.labels(samples.labels)
    misfits.tell()
    _agree(path, arrays, inputs, misfits)
    rows = row_count(inputs, arrays)
    if rows <= 0:
        raise SourceError(f"{path}: there are no rows in it")
    with misfits.of("samples", "labels"):
        if labels is not None and len(labels) != rows:
            raise SourceError(f"{path}: {len(labels)} labels for {rows} rows")
    misfits.tell()
    return Recorded(arrays, labels, reader.odd.tell(samples.file))


@dataclass(frozen=True)
class _Reader:
    """Reads one input at a time; `limits` is how far to read along an axis."""

    path: Path
    file: SampleFile
    samples: Samples
    limits: dict[Dim, int]
    held: bool
    odd: Oddities = field(default_factory=Oddities)

    def input(self, tensor: Input) -> np.ndarray:
        columns = self.samples.columns.get(tensor.name, (tensor.name,))
        rows = self.limits.get(tensor.shape[0], _ALL) if tensor.shape else _ALL
        if tensor.offsets is not None and tensor.includes_last and rows != _ALL:
            rows += 1
        with self.columns_of(tensor):
            arrays = self.read(columns, rows)
        parts = [numeric(f"{self.path}: `{name}`", array) for name, array in arrays.items()]
        alone = len(columns) == 1
        label = f"`{columns[0]}`" if alone else f"the columns of `{tensor.name}`"
        where = f"{self.path}: {label}"
        shaped = (
            _shaped(where, parts[0], tensor)
            if alone
            else _spread(where, _side_by_side(parts), tensor)
        )
        found = cast(where, shaped, tensor)
        if self.held:
            hold(where, found, tensor)
        if self.file.typed:
            self.odd.turned(tensor.name, parts, found.dtype)
        self.odd.beyond(label, found, tensor)
        return found

    @contextmanager
    def columns_of(self, tensor: Input) -> Iterator[None]:
        """Say of a column that is not there that `columns` names it, where that does."""
        try:
            yield
        except SourceError as error:
            named = tensor.name in self.samples.columns
            keys = ("samples", "columns", tensor.name) if named else ("name",)
            raise MisfitError(str(error), *keys) from error

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
        if tensor.cuts is None or tensor.name not in file.names:
            continue
        cutting = numeric(
            f"{path}: `{tensor.name}`", file.read((tensor.name,), rows + 1)[tensor.name]
        )
        limits[tensor.shape[0]] = rows
        end = cutting[:rows].sum() if tensor.lengths else cutting[rows : rows + 1].sum()
        limits[shapes[tensor.cuts][0]] = int(end) if len(cutting) > rows else _ALL
    return limits


def _side_by_side(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Join columns, some of which may hold lists: [rows, values of a row]."""
    return np.concatenate(
        [one.reshape(len(one), math.prod(one.shape[1:])) for one in parts], axis=1
    )


def _spread(where: str, stacked: np.ndarray, tensor: Input) -> np.ndarray:
    """Give the columns of a row the declared shape, the last axis running fastest."""
    sizes = [dim for dim in tensor.shape[1:] if isinstance(dim, int)]
    if len(sizes) == len(tensor.shape) - 1 and math.prod(sizes) == stacked.shape[1]:
        return stacked.reshape(len(stacked), *sizes)
    return _shaped(where, stacked, tensor)


def _shaped(where: str, array: np.ndarray, tensor: Input) -> np.ndarray:
    """Give rows the declared shape where only axes of size 1 are too many or too few."""
    wanted, found = tensor.shape[1:], array.shape[1:]
    if len(found) == len(wanted) and all(map(_fits, wanted, found)):
        return array
    sizes = [dim for dim in wanted if isinstance(dim, int)]
    if len(sizes) == len(wanted) and _without_ones(sizes) == _without_ones(found):
        return array.reshape(len(array), *sizes)
    declared = ", ".join(map(str, tensor.shape))
    raise MisfitError(
        f"{where} has the shape {array.shape}, and the job says [{declared}]", "shape"
    )


def _fits(dim: Dim, size: int) -> bool:
    return isinstance(dim, str) or dim == size


def _without_ones(sizes: Sequence[int]) -> list[int]:
    return [size for size in sizes if size != 1]


def _agree(
    path: Path, arrays: dict[str, np.ndarray], inputs: tuple[Input, ...], misfits: Misfits
) -> None:
    """Hold that an axis has one length in all inputs that name it."""
    seen: dict[Dim, tuple[int, str]] = {}
    for tensor in inputs:
        for dim, size in zip(tensor.shape, arrays[tensor.name].shape, strict=True):
            before, name = seen.setdefault(dim, (size, tensor.name))
            if isinstance(dim, str) and before != size:
                with misfits.of("inputs", tensor.name, "shape"):
                    raise SourceError(
                        f"{path}: the axis `{dim}` has {before} entries in `{name}` "
                        f"and {size} in `{tensor.name}`"
                    )
    misfits.tell()
