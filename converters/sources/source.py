"""What a place where models come from has to offer."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from converters.brief import Arrays, Brief, Inspection, RefusalError, SourceOptions
from converters.split.policy import SplitOptions
from registry.composition import Split
from registry.format import Format
from registry.progress import Progress

__all__ = ["Arrays", "Brief", "Inspection", "RefusalError", "Source", "SourceOptions"]


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
        toolchain: The pinned environment that opens such models.
    """

    kind: str
    options: type[SourceOptions]
    files: Callable[[SourceOptions, Path], tuple[Path, ...]]
    split: Callable[[Brief, SplitOptions, Path, Progress], Split]
    answers: Callable[[Brief], Callable[[Arrays], dict[str, np.ndarray]]]
    inspect: Callable[[SourceOptions, Path, Arrays], Inspection]
    dense: Format = Format.EXPORTED_PROGRAM
    toolchain: str = "current"
