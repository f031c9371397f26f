"""From a job file to a job, or to all that is wrong with it."""

from pathlib import Path

from pipeline.job.checks import check
from pipeline.job.compose import compose
from pipeline.job.environment import expand
from pipeline.job.fault import Fault, JobFileError, Place
from pipeline.job.job import Job
from pipeline.job.node import Node
from pipeline.job.text import read_text
from pipeline.job.validate import validate


def load_job(path: Path) -> Job:
    """Read and check a job file.

    Raises:
        JobError: With every fault: `file:line:column`, the line, and a caret.
    """
    text = read_text(path)
    root, faults = compose(text)
    if not root or root.entries is None:
        raise JobFileError(text, faults or (_no_job(root),))
    root, undefined = expand(root)
    job, unfit = validate(root)
    faults += (*undefined, *unfit, *check(root, path.parent))
    if faults or job is None:
        raise JobFileError(text, faults)
    return job


def _no_job(root: Node) -> Fault:
    if root.is_scalar and root.scalar is None:
        return Fault(Place(0, 0), "the file is empty; run: pipeline init")
    return Fault(root.place, f"a job is a block of keys, not {root}")
