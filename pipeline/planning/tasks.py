"""A job as a graph of tasks: which stages, with which options, reading whose output."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from converters.row_rules import narrows
from converters.sources import find_source
from pipeline.job.job import Job, Samples
from pipeline.planning.builds import builds_of
from pipeline.planning.conversions import as_onnx, built_by, conversions
from pipeline.planning.node import Node
from pipeline.stages import assemble, cut, push, reference, split, tables, validate
from pipeline.stages.chained import onnx_role
from pipeline.stages.placed import WantedBuild, exact_role, part_role
from pipeline.toolchains.of_target import toolchain_of

_EXACT_TABLES = "tables f32"


@dataclass(frozen=True)
class Lineage:
    """What the version is told of where it comes from; see the options of `assemble`."""

    text: str
    source: str
    source_digest: str
    who: str


def source_files(job: Job, folder: Path) -> tuple[Path, ...]:
    """Return every file whose content decides what the model is."""
    around = tuple((folder / file).resolve() for file in job.processing.files)
    return (*find_source(job.source).files(job.source, folder), *around)


def graph(job: Job, folder: Path, lineage: Lineage) -> tuple[Node, ...]:
    """Return a job's tasks, each after those that it reads."""
    files = source_files(job, folder)
    parts: dict[str, Node] = {}
    validations = []
    for build in builds_of(job):
        for placed in build.parts:
            for node in conversions(job, placed):
                parts.setdefault(node.name, node)
        validations.append(_validation(job, build))
    return (
        _split(job, files),
        *_cut(job),
        _reference(job, files, folder),
        *_tables(job),
        *parts.values(),
        *validations,
        _assembly(job, lineage),
        *_pushes(job, lineage),
    )


def _split(job: Job, files: tuple[Path, ...]) -> Node:
    options = split.Options(
        source=job.source,
        inputs=job.inputs,
        axes=job.axes,
        outputs=job.outputs,
        preprocess=job.preprocess,
        postprocess=job.postprocess,
        # Neither changes anything about the cut at lookups.
        split=job.split.model_copy(update={"rows": (), "parts": ()}),
    )
    toolchain = find_source(job.source).toolchain
    return Node("split", "split", options, files=files, toolchain=toolchain)


def _cut(job: Job) -> Iterator[Node]:
    """Yield the cut of the dense part, if the job names parts."""
    if job.split.parts:
        options = cut.Options(
            source=job.source,
            inputs=job.described,
            axes=job.axes,
            outputs=job.outputs,
            parts=job.split.parts,
        )
        yield Node("cut", "cut", options, {"split": "split"})


def _reference(job: Job, files: tuple[Path, ...], folder: Path) -> Node:
    options = reference.Options(
        source=job.source,
        inputs=job.inputs,
        axes=job.axes,
        outputs=job.outputs,
        preprocess=job.preprocess,
        postprocess=job.postprocess,
        samples=job.samples,
        batches=job.parity.batches,
        seed=job.parity.seed,
        leave_out=job.parity.leave_out,
    )
    samples = (folder / job.samples.file,) if job.samples else ()
    toolchain = find_source(job.source).toolchain
    return Node("reference", "reference", options, files=(*files, *samples), toolchain=toolchain)


def _tables(job: Job) -> Iterator[Node]:
    """Yield the tables as shipped and, where formats narrow rows, once more as the model's."""
    for name, rows in (("tables", job.split.rows), (_EXACT_TABLES, ())):
        if name == "tables" or narrows(job.split.rows):
            options = tables.Options(shard_bytes=job.split.shard_bytes, rows=rows)
            yield Node(name, "tables", options, {"split": "split"})


def _validation(job: Job, build: WantedBuild) -> Node:
    options = validate.Options(
        build=build,
        parity=job.parity,
        benchmark=job.benchmark,
        inputs=job.inputs,
        axes=job.axes,
    )
    reads = {name: name for name in ("split", "tables", "reference")}
    for placed in build.parts:
        reads[part_role(placed.part)] = built_by(job, placed, placed.target.weights)
        if placed.target.weights != "f32":
            reads[exact_role(placed.part)] = built_by(job, placed, "f32")
        onnx = as_onnx(job, placed)
        if onnx and len(build.parts) > 1:
            reads[onnx_role(placed.part)] = onnx
    if narrows(job.split.rows):
        reads[validate.EXACT_TABLES] = _EXACT_TABLES
    toolchain = toolchain_of(build.parts[0].target).name
    return Node(f"validate {build.name}", "validate", options, reads, toolchain=toolchain)


def _assembly(job: Job, lineage: Lineage) -> Node:
    options = assemble.Options(
        model=job.model,
        job=lineage.text,
        inputs=job.inputs,
        axes=job.axes,
        builds=builds_of(job),
        record=(job.samples or Samples(file="none")).record,
        source=lineage.source,
        source_digest=lineage.source_digest,
        source_toolchain=find_source(job.source).toolchain,
    )
    reads = {name: name for name in ("split", "tables", "reference")}
    for build in builds_of(job):
        for one in build.parts:
            reads[assemble.build_role(build.name, one.part)] = built_by(
                job, one, one.target.weights
            )
        reads[f"parity:{build.name}"] = f"validate {build.name}"
    return Node("assemble", "assemble", options, reads)


def _pushes(job: Job, lineage: Lineage) -> Iterator[Node]:
    """Yield the push, if the job has one: never from the cache, the store is asked each time."""
    if job.push is None:
        return
    options = push.Options(
        store=job.push.store,
        endpoint=job.push.endpoint,
        channel=job.push.channel,
        who=lineage.who,
    )
    yield Node("push", "push", options, {"assemble": "assemble"}, cached=False)
