"""The samples' file against the job, before anything is run."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pipeline.job.compose import compose
from pipeline.job.fault import Fault, JobFileError, Place
from pipeline.job.job import Job
from pipeline.job.misfits import Misfit, MisfitsError
from pipeline.job.node import ABSENT, Node
from pipeline.job.samples import read_samples
from pipeline.job.text import read_text
from registry.errors import SourceError
from targets.parity.rows import row_count

_FILE = ("samples", "file")


class SamplesError(JobFileError):
    """The samples do not fit the job: shown where the job says what they should be."""

    exit_code = SourceError.exit_code


class Fit(NamedTuple):
    """Samples that fit.

    Attributes:
        rows: None where the job names no samples.
        odd: What is odd about them, a sentence each.
    """

    rows: int | None
    odd: tuple[str, ...]


def fit_samples(job: Job, path: Path) -> Fit:
    """Read what the job file at `path` takes of the samples, and count their rows.

    Raises:
        SamplesError: They cannot be read, or are not what the job says of its inputs.
    """
    if job.samples is None:
        return Fit(None, ())
    try:
        recorded = read_samples(job.samples, job.inputs, path.parent)
    except MisfitsError as error:
        raise _shown(path, error.misfits) from error
    except SourceError as error:
        raise _shown(path, [Misfit(_FILE, str(error))]) from error
    return Fit(row_count(job.inputs, recorded.inputs), recorded.odd)


def _shown(path: Path, misfits: Iterable[Misfit]) -> SamplesError:
    text = read_text(path)
    root, _ = compose(text)
    return SamplesError(text, (Fault(_place(root, one.about), one.text) for one in misfits))


def _place(root: Node, about: tuple[str, ...]) -> Place:
    """Find the last of the keys that the file has: an input that says no `ids` is its name."""
    node, place = root, None
    for key in about:
        found = _named(node, key) if node.elements is not None else node[key]
        if not found:
            break
        node, place = found, found.place
    if node["name"]:
        return node["name"].place
    return place or root["samples"]["file"].place


def _named(entries: Node, name: str) -> Node:
    fits = (entry for entry in entries if entry["name"].text == name)
    return next(fits, ABSENT)
