"""What the job says of the model, and what a model answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from pydantic import JsonValue

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
        source: What the job's `source` block has to say beside what is known of it.
    """

    inputs: tuple[tuple[Input, str], ...]
    outputs: tuple[str, ...]
    axes: Mapping[str, Axis]
    tables: tuple[tuple[str, int, int], ...]
    source: Mapping[str, JsonValue] = field(default_factory=dict)


class RefusalError(Exception):
    """The model refuses these inputs, as torch does an id out of range."""
