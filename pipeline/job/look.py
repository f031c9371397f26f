"""Look at a model before there is a job for it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from converters.sources import SOURCES
from converters.sources.source import Inspection, Source, SourceOptions
from pipeline.job.columns import numbered
from pipeline.job.job import Samples
from pipeline.job.sample_files import open_samples
from pipeline.job.sketch import Given
from pipeline.job.words import FORMS
from registry.errors import JobError

#: As many as a job takes that does not say how many.
_ROWS = int(Samples.model_fields["rows"].default)


def look(given: Given, folder: Path, fetch: Callable[[SourceOptions], SourceOptions]) -> Inspection:
    """Inspect the model that a job in the folder would name.

    Args:
        fetch: Brings here what the source has elsewhere.

    Raises:
        JobError: The source block would be faulty.
        SourceError: The model or the samples cannot be read.
    """
    source = next(row for row in SOURCES if row.kind == given.source["kind"])
    samples = {} if given.samples is None else _first_rows(folder / given.samples)
    return source.inspect(fetch(_options(source, given)), folder, samples)


def _options(source: Source, given: Given) -> SourceOptions:
    try:
        return source.options.model_validate(given.source)
    except ValidationError as error:
        first = error.errors()[0]
        field, value = str(first["loc"][-1]), first["input"]
        raise JobError(f"{field} {value!r}: {FORMS.get(field, first['msg'])}") from error


def _first_rows(path: Path) -> dict[str, np.ndarray]:
    """Read the start of what is numeric in a file of samples, numbered columns also as one."""
    file = open_samples(path)
    arrays = file.read(file.names, _ROWS)
    numbers = {name: array for name, array in arrays.items() if array.dtype.kind in "biuf"}
    joined = {} if path.suffix.lower() == ".npz" else numbered(tuple(numbers))
    return numbers | {
        stem: np.stack([numbers[column] for column in columns], axis=1)
        for stem, columns in joined.items()
    }
