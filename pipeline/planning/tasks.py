"""A job as a graph of tasks: which stages, with which options, reading whose output."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from converters import route
from converters.converter import Converter
from converters.row_rules import narrows
from converters.sources import find_source
from pipeline.job.job import Job, Samples
from pipeline.planning.node import Node
from pipeline.stages import assemble, convert, push, reference, split, tables, validate
from pipeline.toolchains import CURRENT
from pipeline.toolchains.of_target import toolchain_of
from registry.signature import Layout, Precision
from targets import AnyTarget, find_target

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
    return find_source(job.source).files(job.source, folder)


def graph(job: Job, folder: Path, lineage: Lineage) -> tuple[Node, ...]:
    """Return a job's tasks, each after those that it reads."""
    files = source_files(job, folder)
    parts: dict[str, Node] = {}
    validations = []
    for target in job.targets:
        for node in _conversions(job, target):
            parts.setdefault(node.name, node)
        validations.append(_validation(job, target))
    return (
        _split(job, files),
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
        split=job.split.model_copy(update={"rows": ()}),  # they change nothing about the cut
    )
    toolchain = find_source(job.source).toolchain
    return Node("split", "split", options, files=files, toolchain=toolchain)


def _reference(job: Job, files: tuple[Path, ...], folder: Path) -> Node:
    options = reference.Options(
        source=job.source,
        inputs=job.inputs,
        axes=job.axes,
        outputs=job.outputs,
        samples=job.samples,
        batches=job.parity.batches,
        seed=job.parity.seed,
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


def _steps(job: Job, target: AnyTarget) -> tuple[Converter, ...]:
    return route(find_source(job.source).dense, find_target(target.runtime).format, target.road)


def _conversions(job: Job, target: AnyTarget) -> Iterator[Node]:
    """Yield the steps of a target's route; two targets that need the same step name it alike.

    Where the target narrows weights, the last step is taken twice: as shipped, and exact.
    """
    steps, came = _steps(job, target), "split"
    for step in steps:
        last = step is steps[-1]
        wanted: tuple[Precision, ...] = ("f32", target.weights) if last else ("f32",)
        for weights in dict.fromkeys(wanted):
            options = convert.Options(
                source=step.source,
                result=step.result,
                weights=weights,
                layout=_layout(step, target),
                inputs=job.inputs,
                axes=job.axes,
                isa=_isa(step, target),
            )
            yield Node(
                name=_conversion(step, weights, target),
                stage="convert",
                options=options,
                reads={"from": came},
                toolchain=_place(step, target),
            )
        came = _conversion(step, "f32", target)


def _place(step: Converter, target: AnyTarget) -> str:
    return toolchain_of(target).name if step.in_target else CURRENT


def _layout(step: Converter, target: AnyTarget) -> Layout:
    """Return what the target asks of its own converter; files between are as they are."""
    return target.layout if step.in_target else "auto"


def _isa(step: Converter, target: AnyTarget) -> tuple[str, ...]:
    return target.isa if step.by_isa else ()


def _conversion(step: Converter, weights: Precision, target: AnyTarget) -> str:
    toolchain, layout = _place(step, target), _layout(step, target)
    laid = "" if layout == "auto" else f" {layout}"
    road = " via torch" if target.road == "torch" else ""
    built = "".join(f" {flag}" for flag in _isa(step, target))
    there = "" if toolchain == CURRENT else f" in {toolchain}"
    return f"convert {step.result} {weights}{laid}{built}{road}{there}"


def _part(job: Job, target: AnyTarget, weights: Precision) -> str:
    steps = _steps(job, target)
    return _conversion(steps[-1], weights, target) if steps else "split"


def _validation(job: Job, target: AnyTarget) -> Node:
    options = validate.Options(target=target, parity=job.parity, inputs=job.inputs, axes=job.axes)
    reads = {name: name for name in ("split", "tables", "reference")}
    reads["part"] = _part(job, target, target.weights)
    if target.weights != "f32":
        reads["exact"] = _part(job, target, "f32")
    if narrows(job.split.rows):
        reads[validate.EXACT_TABLES] = _EXACT_TABLES
    toolchain = toolchain_of(target).name
    return Node(f"validate {target.name}", "validate", options, reads, toolchain=toolchain)


def _assembly(job: Job, lineage: Lineage) -> Node:
    options = assemble.Options(
        model=job.model,
        job=lineage.text,
        inputs=job.inputs,
        axes=job.axes,
        targets=job.targets,
        record=(job.samples or Samples(file="none")).record,
        source=lineage.source,
        source_digest=lineage.source_digest,
        source_toolchain=find_source(job.source).toolchain,
    )
    reads = {name: name for name in ("split", "tables", "reference")}
    for target in job.targets:
        reads[f"part:{target.name}"] = _part(job, target, target.weights)
        reads[f"parity:{target.name}"] = f"validate {target.name}"
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
