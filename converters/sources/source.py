"""What a place where models come from has to offer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from converters.split.policy import SplitOptions
from registry.composition import Split
from registry.format import Format
from registry.progress import Progress
from registry.signature import Axis, Frozen, Input

Arrays = Mapping[str, np.ndarray]


class SourceOptions(Frozen):
    """A source's slot in the job. Paths are relative to the job file."""


@dataclass(frozen=True)
class Brief:
    """What the job says of the model: enough to open, export and split it.

    Attributes:
        folder: The job file's folder, which paths in `options` are relative to.
        outputs: Names for the outputs, in order; empty takes the model's own.
    """

    options: SourceOptions
    folder: Path
    inputs: tuple[Input, ...]
    axes: Mapping[str, Axis]
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Inspection:
    """What can be told of a model without a job, for `pipeline init`.

    Attributes:
        inputs: With best guesses; the second of each pair says what was guessed.
        tables: Name, rows, dim of each embedding matrix.
    """

    inputs: tuple[tuple[Input, str], ...]
    outputs: tuple[str, ...]
    axes: Mapping[str, Axis]
    tables: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Source:
    """A kind of source: one file, one row in SOURCES.

    Attributes:
        files: Every file whose content decides the result: for the cache and the lineage.
        split: Open, export and split the model; write `split.json` and the files that it
            names into the folder. Tables stay where they are: `origins` says where.
        answers: Open the unsplit model and return a function that answers like it. The
            function raises `RefusalError` where the original refuses the inputs.
        inspect: What can be told without a job; the samples' arrays help where the
            model does not say.
        dense: The format in which the split leaves the dense part.
    """

    kind: str
    options: type[SourceOptions]
    files: Callable[[SourceOptions, Path], tuple[Path, ...]]
    split: Callable[[Brief, SplitOptions, Path, Progress], Split]
    answers: Callable[[Brief], Callable[[Arrays], dict[str, np.ndarray]]]
    inspect: Callable[[SourceOptions, Path, Arrays], Inspection]
    dense: Format = Format.EXPORTED_PROGRAM


class RefusalError(Exception):
    """The model refuses these inputs, as torch does an id out of range."""
