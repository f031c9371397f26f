"""Lay out a version's folder, ready to push."""

from pathlib import Path

from pydantic import Field
from safetensors.numpy import save_file

from pipeline.processes.task import Task
from pipeline.stages.layout import link_part, link_pieces, read_pieces
from pipeline.stages.lineage import trace
from pipeline.stages.placed import WantedBuild
from pipeline.stages.sample import sample_of
from pipeline.stages.verdict import Validation, verdict
from pipeline.toolchains import CURRENT, find_toolchain
from pipeline.toolchains.of_target import toolchain_of
from pipeline.toolchains.uses import uses
from registry.manifest import Build, BuiltPart, Draft, ToolchainUse
from registry.progress import Progress
from registry.signature import Axis, Frozen, Input

RECORDED = "recorded.safetensors"


class Options(Frozen):
    """Parts of the job, and where the model comes from.

    Reads the folders `split`, `tables`, `reference` and, for each build, `part:<build>:<part>` of
    each of its parts and `parity:<build>` (the output of its validate task).

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
    builds: tuple[WantedBuild, ...]
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
    builds = tuple(_build(build, task, folder) for build in options.builds)
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
        handed=pieces.split.handed,
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
    placed = [one.target for build in options.builds for one in build.parts]
    targets = {one.name: (toolchain_of(one), f"target {one.name}") for one in placed}
    return uses((source, *targets.values()))


def _build(build: WantedBuild, task: Task, folder: Path) -> Build:
    """Link a build's parts; one that does not answer like the original is none."""
    file = task.inputs[f"parity:{build.name}"] / "parity.json"
    verdict(file)
    validation = Validation.model_validate_json(file.read_bytes())
    layouts = {placed.part: placed.target.layout for placed in build.parts}
    parts = tuple(
        BuiltPart(
            target=demand.target,
            runtime=demand.runtime,
            precision=demand.precision,
            artifact=link_part(
                task.inputs[build_role(build.name, demand.part)], build, demand.part, folder
            ),
            contract=demand.contract,
            layout=layouts[demand.part],
        )
        for demand in validation.parts
    )
    return Build(
        target=build.name, parts=parts, parity=validation.parity, benchmark=validation.benchmark
    )


def build_role(build: str, part: str) -> str:
    """Name the role of the task's output that holds a part of a build."""
    return f"part:{build}:{part}"
