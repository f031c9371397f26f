"""Lay out a version's folder, ready to push."""

from pathlib import Path

from pydantic import Field
from safetensors.numpy import save_file

from pipeline.processes.task import Task
from pipeline.stages.layout import link_part, link_pieces, read_pieces
from pipeline.stages.lineage import trace
from pipeline.stages.sample import sample_of
from pipeline.stages.verdict import Validation, verdict
from pipeline.toolchains import CURRENT, find_toolchain
from pipeline.toolchains.of_target import toolchain_of
from pipeline.toolchains.uses import uses
from registry.manifest import Build, BuiltPart, Draft, ToolchainUse
from registry.progress import Progress
from registry.signature import Axis, Frozen, Input
from targets import AnyTarget

RECORDED = "recorded.safetensors"


class Options(Frozen):
    """Parts of the job, and where the model comes from.

    Reads the folders `split`, `tables`, `reference` and, for each target, `part:<target>` and
    `parity:<target>` (the output of its validate task).

    Attributes:
        job: The text of the job file.
        record: Of the job's `samples`; its default where the job has none.
        source: The source in a line, for people: 'torch models.wide_deep:build'.
        source_digest: SHA-256 over the source's files, as hex digits.
        source_toolchain: The environment that read it.
    """

    model: str
    job: str
    inputs: tuple[Input, ...]
    axes: dict[str, Axis]
    targets: tuple[AnyTarget, ...]
    record: int = Field(default=64, ge=1)
    source: str
    source_digest: str
    source_toolchain: str = CURRENT


def run(task: Task, out: Path, progress: Progress) -> None:
    """Write the version's folder as `version`, and `draft.json` beside it once it is whole."""
    options = Options.model_validate(task.options)
    folder = out / "version"
    pieces = read_pieces(task.inputs)
    link_pieces(pieces, folder)
    progress(1, 3, "steps")
    builds = tuple(_build(target, task, folder) for target in options.targets)
    progress(2, 3, "steps")
    save_file(
        sample_of(task.inputs["reference"], options.inputs, options.record), folder / RECORDED
    )
    (folder / "job.yaml").write_text(options.job)
    lineage = trace(options.job, options.source, options.source_digest, task.folder)
    draft = Draft(
        model=options.model,
        signature=pieces.split.signature,
        inputs=options.inputs,
        axes=options.axes,
        ids=pieces.split.ids,
        hops=pieces.split.hops,
        tables=pieces.tables,
        lookups=pieces.split.lookups,
        kept=pieces.split.kept,
        vocabularies=pieces.split.vocabularies,
        builds=builds,
        recorded=RECORDED,
        report=None,
        lineage=lineage.model_copy(update={"toolchains": _toolchains(options)}),
    )
    (out / "draft.json").write_text(draft.model_dump_json(indent=1))
    progress(3, 3, "steps")


def _toolchains(options: Options) -> tuple[ToolchainUse, ...]:
    """Return what read the source, and what built and validated the targets."""
    source = (find_toolchain(options.source_toolchain), "source")
    targets = ((toolchain_of(one), f"target {one.name}") for one in options.targets)
    return uses((source, *targets))


def _build(target: AnyTarget, task: Task, folder: Path) -> Build:
    """Link a target's part; a target that does not answer like the original gets no build."""
    file = task.inputs[f"parity:{target.name}"] / "parity.json"
    verdict(file)
    validation = Validation.model_validate_json(file.read_bytes())
    part = BuiltPart(
        target=target.name,
        runtime=target.runtime,
        precision=target.precision,
        artifact=link_part(task.inputs[f"part:{target.name}"], target.name, folder),
        contract=validation.contract,
    )
    return Build(target=target.name, parts=(part,), parity=validation.parity)
