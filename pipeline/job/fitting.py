"""The samples' file against the job, before anything is run."""

from pathlib import Path

from pipeline.job.compose import compose
from pipeline.job.fault import Fault, JobFileError, Place
from pipeline.job.job import Job
from pipeline.job.samples import read_samples
from pipeline.job.text import read_text
from registry.errors import SourceError
from targets.parity.rows import row_count


class SamplesError(JobFileError):
    """The samples do not fit the job: shown at the place where it names their file."""

    exit_code = SourceError.exit_code


def fit_samples(job: Job, path: Path) -> int | None:
    """Read what the job file at `path` takes of the samples, and count their rows.

    Returns:
        None where the job names no samples.

    Raises:
        SamplesError: They cannot be read, or are not what the job says of its inputs.
    """
    if job.samples is None:
        return None
    try:
        recorded = read_samples(job.samples, job.inputs, path.parent)
    except SourceError as error:
        text = read_text(path)
        root, _ = compose(text)
        place = root["samples"]["file"].place if root else Place(0, 0)
        raise SamplesError(text, (Fault(place, str(error)),)) from error
    return row_count(job.inputs, recorded.inputs)
