"""A plan: tasks in order, each with its place in the cache and the reason why it has to run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.caching.cache import Entry
from pipeline.caching.digest import Digests
from pipeline.caching.material import Material
from pipeline.job.text import Text
from pipeline.planning.forecast import Forecast
from pipeline.processes.task import Task


@dataclass(frozen=True)
class Step:
    """One task of a plan.

    Attributes:
        needs: Names of the tasks that come before it.
        folder: Its place in the cache.
        entry: The output that an earlier run left, if it is whole.
        why: Why it has to run; "cached" where it does not.
        reusable: Whether its output may be taken from the cache, and is kept there.
    """

    task: Task
    material: Material
    needs: tuple[str, ...]
    folder: Path
    entry: Entry | None
    why: str
    forecast: Forecast
    reusable: bool


@dataclass(frozen=True)
class Plan:
    """A job's tasks, each after those that it needs.

    Attributes:
        job: The model's name and that of the job file, `/` between them.
        text: Of the job file.
        folder: The job file's folder.
        home: Where outputs and runs are kept.
        size: Bytes of the source and its samples.
        cpu: Its name; `threads` are the CPUs that this process may use.
        digests: What was learnt of files; a run saves it.
    """

    model: str
    job: str
    text: str
    folder: Path
    home: Path
    steps: tuple[Step, ...]
    source: str
    source_digest: str
    size: int
    tools: Mapping[str, str]
    cpu: str
    threads: int
    digests: Digests

    @property
    def file(self) -> Text:
        """The job file's text, under its name."""
        return Text(self.job.partition("/")[2], self.text)
