"""Load a part as written to disk and hold the composition against the original's answers."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.job.job import BenchmarkOptions, ParityOptions
from pipeline.processes.task import Task
from pipeline.stages.by_part import read_by_part
from pipeline.stages.hearing import NO_BENCHMARK, Composition, Kind, allocated, hear
from pipeline.stages.layout import Pieces, link_part, link_pieces, read_pieces
from pipeline.stages.part import read_split
from pipeline.stages.placed import WantedBuild, exact_role, part_role
from pipeline.stages.reference import LABELS
from pipeline.stages.verdict import Demand, Validation
from registry.composition import Split
from registry.errors import JobError
from registry.manifest import Build, BuiltPart, Draft, Lineage
from registry.progress import Progress
from registry.signature import Axis, Frozen, Input, Precision
from targets import find_target
from targets.host.contract import make_contract

#: The role of tables whose rows are as the model holds them, where those that ship are not.
EXACT_TABLES = "exact_tables"

#: A validation is of no version yet.
NOWHERE = Lineage(job="", source="", source_digest="", tools={})


class Options(Frozen):
    """Parts of the job, as they are.

    Reads the folders `split`, `tables`, `reference` and, for each part, `part:<name>`: of the last
    step of its target's route, or of the split or the cut where the part is in the target's
    format already. Where the target stores narrower weights than f32, the folder `exact:<name>` is
    the same part with f32 weights: the conversion error is measured on it, else on the part.
    Of several parts, `onnx:<name>` is the part as ONNX, where it came that way.
    Likewise `exact_tables`, where rows are stored in less than the model holds.

    An unknown id is refused here whatever its table answers it with: the original has no answer
    to compare with.
    """

    build: WantedBuild
    parity: ParityOptions
    benchmark: BenchmarkOptions = BenchmarkOptions()
    inputs: tuple[Input, ...]
    axes: dict[str, Axis]


@dataclass(frozen=True)
class Load:
    """One time that the composition is loaded.

    Attributes:
        build: In the draft.
        parts: The tasks' outputs that hold its parts, by name.
        tables: The task's output that holds the tables.
        precision: What it has to compute in; None is as shipped.
        kinds: The numbers that come of it.
    """

    build: WantedBuild
    parts: Mapping[str, Path]
    tables: Path
    precision: Precision | None
    kinds: tuple[Kind, ...]


def run(task: Task, out: Path, progress: Progress) -> None:
    """Write `parity.json`, also where the target does not answer like the original.

    Raises:
        JobError: The job's `parity` names an output that there is not, or lacks labels.
        ParityError: Nothing was compared.
        ContractError: This host cannot run the target.
    """
    options = Options.model_validate(task.options)
    reference = task.inputs["reference"]
    _check(options, read_split(task.inputs["split"]), reference)
    loads, before = _loads(options.build, task.inputs), allocated()
    heard = []
    for number, load in enumerate(loads):
        composition = _composed(load, options, task.inputs, out / "view" / str(number))
        share = _share(progress, number, len(loads))
        heard.append(hear(composition, options.parity, reference, load.kinds, share))
    (shipped,) = composition.draft.builds
    memory = heard[-1].memory - before
    demands = _demands(options.build, shipped, composition.folder, memory)
    by_part = read_by_part(options.build.parts, task.inputs, composition, options.parity)
    shutil.rmtree(out / "view")
    validation = Validation(
        target=options.build.name,
        parts=demands,
        parity=tuple(parity for one in heard for parity in one.parity),
        faults=tuple(fault for one in heard for fault in one.faults),
        passed=all(one.passed for one in heard),
        benchmark=heard[-1].benchmark,
        by_part=by_part,
    )
    (out / "parity.json").write_text(validation.model_dump_json(indent=1))


def _composed(
    load: Load, options: Options, inputs: Mapping[str, Path], folder: Path
) -> Composition:
    """Link what is loaded into a folder of its own."""
    pieces = read_pieces({**inputs, "tables": load.tables})
    link_pieces(pieces, folder)
    draft = draft_of(options, pieces, {load.build: load.parts}, folder)
    wanted = options.benchmark if "precision" in load.kinds else NO_BENCHMARK
    return Composition(folder, draft, load.build.name, load.precision, wanted)


def _demands(build: WantedBuild, built: Build, folder: Path, memory: int) -> tuple[Demand, ...]:
    """Write down what each part demands; of the memory taken each has a share by its size."""
    sizes = [_size(folder / part.artifact.folder) for part in built.parts]
    shares = [memory * size // max(1, sum(sizes)) for size in sizes]
    return tuple(
        Demand(
            part=placed.part,
            target=placed.target.name,
            runtime=placed.target.runtime,
            precision=placed.target.precision,
            contract=make_contract(
                find_target(placed.target.runtime), placed.target, memory=max(size, share)
            ),
        )
        for placed, size, share in zip(build.parts, sizes, shares, strict=True)
    )


def _size(folder: Path) -> int:
    """Return the bytes of a part's files: it takes as much at least, mapped or not."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _share(progress: Progress, number: int, count: int) -> Progress:
    """Report one of several rounds over the same cases: a case is done after the last."""

    def report(done: float, total: float, unit: str) -> None:
        progress((number * total + done) / count, total, unit)

    return report


def _loads(build: WantedBuild, inputs: Mapping[str, Path]) -> tuple[Load, ...]:
    """Return one load where f32 is what ships, and two where it is not."""
    tables = inputs["tables"]
    parts = {one.part: inputs[part_role(one.part)] for one in build.parts}
    exact = {name: inputs.get(exact_role(name), part) for name, part in parts.items()}
    exact_tables = inputs.get(EXACT_TABLES, tables)
    plain = all((one.target.precision, one.target.weights) == ("f32", "f32") for one in build.parts)
    if plain and (exact, exact_tables) == (parts, tables):
        return (Load(build, parts, tables, "f32", ("conversion", "precision")),)
    name = f"{build.name}.exact" if exact != parts else build.name
    exactly = build.model_copy(update={"name": name})
    return (
        Load(exactly, exact, exact_tables, "f32", ("conversion",)),
        Load(build, parts, tables, None, ("precision",)),
    )


def draft_of(
    options: Options, pieces: Pieces, builds: Mapping[WantedBuild, Mapping[str, Path]], folder: Path
) -> Draft:
    """Link builds into the folder and return a draft of what is there, unknown ids refused.

    Args:
        builds: The tasks' outputs that hold their parts, by the part's name.
    """
    return Draft(
        model=options.build.name,
        signature=pieces.split.signature,
        inputs=options.inputs,
        axes=options.axes,
        ids=pieces.split.ids,
        hops=pieces.split.hops,
        handed=pieces.split.handed,
        tables=tuple(
            table.model_copy(update={"unknown": "error", "default_row": None})
            for table in pieces.tables
        ),
        lookups=pieces.split.lookups,
        builds=tuple(_linked(build, parts, folder) for build, parts in builds.items()),
        recorded=None,
        report=None,
        lineage=NOWHERE,
    )


def _linked(build: WantedBuild, parts: Mapping[str, Path], folder: Path) -> Build:
    return Build(
        target=build.name,
        parts=tuple(
            BuiltPart(
                target=placed.target.name,
                runtime=placed.target.runtime,
                precision=placed.target.precision,
                artifact=link_part(parts[placed.part], build, placed.part, folder),
                contract=make_contract(find_target(placed.target.runtime), placed.target),
            )
            for placed in build.parts
        ),
        parity=(),
    )


def _check(options: Options, split: Split, reference: Path) -> None:
    known = [output.name for output in split.signature.outputs]
    named = (*options.parity.outputs, *(metric.output for metric in options.parity.metrics))
    if unknown := sorted(set(named) - set(known)):
        raise JobError(
            f"parity: the model has no output '{', '.join(unknown)}'; it has {', '.join(known)}"
        )
    if options.parity.metrics and not (reference / LABELS).exists():
        raise JobError("parity.metrics: there is nothing to measure without `samples.labels`")
