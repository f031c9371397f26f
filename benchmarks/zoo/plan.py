"""A model's tasks: those of its job up to the validations, and the exactness of its split."""

from pathlib import Path

from benchmarks.zoo import exact
from benchmarks.zoo.order import Step
from pipeline.job.job import Job
from pipeline.planning.node import Node
from pipeline.planning.tasks import Lineage, graph
from pipeline.processes.task import Task
from pipeline.stages.placed import WantedBuild
from pipeline.stages.validate import Options

_NOBODY = Lineage(text="", source="", source_digest="", who="")

#: Of a run's stages those that publish.
_PUBLISH = ("assemble", "push")

EXACT = "exact"


def steps_of(job: Job, folder: Path) -> dict[str, list[Step]]:
    """Return the steps by the toolchain that they run in, each after those that it needs."""
    nodes = [node for node in graph(job, folder, _NOBODY) if node.stage not in _PUBLISH]
    first = next(at for at, node in enumerate(nodes) if node.stage == "convert")
    found: dict[str, list[Step]] = {}
    for node in (*nodes[:first], _exactness(job), *nodes[first:]):
        found.setdefault(node.toolchain, []).append(_step(node, folder))
    return found


def output_of(name: str, folder: Path) -> Path:
    """Return where the task of a name writes."""
    return folder / "work" / name.replace(" ", "-")


def _exactness(job: Job) -> Node:
    build = WantedBuild.whole(job.targets[0])
    options = Options(build=build, parity=job.parity, inputs=job.inputs, axes=job.axes)
    reads = {name: name for name in ("split", "tables", "reference")}
    return Node(EXACT, exact.STAGE, options, reads)


def _step(node: Node, folder: Path) -> Step:
    task = Task(
        name=node.name,
        stage=node.stage,
        inputs={role: output_of(name, folder) for role, name in node.reads.items()},
        options=node.options.model_dump(mode="json", by_alias=True),
        folder=folder,
        toolchain=node.toolchain,
    )
    needs = tuple(dict.fromkeys(node.reads.values()))
    return Step(task=task, out=output_of(node.name, folder), needs=needs)
