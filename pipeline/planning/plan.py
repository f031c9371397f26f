"""What a run would do: its tasks in order, which of them are cached, and what they will take."""

import getpass
import hashlib
import socket
from dataclasses import dataclass
from pathlib import Path

from pipeline.caching.digest import Digests, digest_of_code
from pipeline.caching.material import canonical
from pipeline.fetching.weights import fetch_weights
from pipeline.job.job import Job
from pipeline.planning.planner import Planner, relative
from pipeline.planning.steps import Plan
from pipeline.planning.tasks import Lineage, graph, source_files
from pipeline.processes.resources import cpu_name
from pipeline.processes.setting import ROOT
from pipeline.toolchains.versions import tool_versions
from registry.progress import Progress, silent
from targets.host.cpu import host


@dataclass(frozen=True)
class JobFile:
    """What is kept of a job's file.

    Attributes:
        text: For the version's lineage; without it, the job as JSON.
    """

    name: str = "job.yaml"
    text: str | None = None


_UNNAMED = JobFile()


def plan(
    job: Job,
    folder: Path,
    home: Path,
    *,
    file: JobFile = _UNNAMED,
    reading: Progress = silent,
) -> Plan:
    """Find out what a run would do; write nothing but weights that have to be fetched for it.

    Args:
        folder: The job file's folder.
        reading: Told how far the reading of files is that are not known yet.
    """
    folder, home = folder.resolve(), home.resolve()
    named = job
    job = fetch_weights(job, home, reading)
    text = named.model_dump_json(by_alias=True) if file.text is None else file.text
    digests, tools = Digests(home / "digests.json"), tool_versions()
    sources = source_files(job, folder)
    samples = (folder / job.samples.file,) if job.samples else ()
    digests.learn((*sources, *samples), reading)
    files = {relative(source, folder): digests.of(source) for source in sources}
    digest = hashlib.sha256(canonical(dict(files)).encode()).hexdigest()
    lineage = Lineage(text, describe_source(job), digest, _who())
    nodes = graph(job, folder, lineage)
    read = {path for node in nodes for path in node.files}
    here = host()
    planner = Planner(
        job=f"{job.model}/{file.name}",
        folder=folder,
        home=home,
        digests=digests,
        tools=tools,
        code=digest_of_code(ROOT),
        cpu=" ".join(sorted(here.flags)),
        size=sum(path.stat().st_size for path in read if path.is_file()),
    )
    return Plan(
        model=job.model,
        job=f"{job.model}/{file.name}",
        text=text,
        folder=folder,
        home=home,
        steps=planner.steps(nodes),
        source=lineage.source,
        source_digest=digest,
        size=planner.size,
        tools=tools,
        cpu=cpu_name(),
        threads=here.cpus,
        digests=digests,
    )


def describe_source(job: Job) -> str:
    """Name the source in a line: 'torch models.wide_deep:build'."""
    options = job.source.model_dump()
    names = ("factory", "file", "saved_model", "keras")
    return f"{job.source.kind} {next(filter(None, map(options.get, names)), '')}"


def _who() -> str:
    return f"{getpass.getuser()}@{socket.gethostname()}"
