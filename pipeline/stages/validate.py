"""Load a part as written to disk and hold the composition against the original's answers."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.job.job import ParityOptions
from pipeline.processes.task import Task
from pipeline.stages.hearing import Composition, Kind, allocated, hear
from pipeline.stages.layout import Pieces, link_part, link_pieces, read_pieces
from pipeline.stages.part import read_split
from pipeline.stages.reference import LABELS
from pipeline.stages.verdict import Validation
from registry.composition import Split
from registry.errors import JobError
from registry.manifest import Build, BuiltPart, Draft, Lineage
from registry.progress import Progress
from registry.signature import Axis, Frozen, Input, Precision
from targets import AnyTarget, find_target
from targets.host.contract import make_contract

#: The role of tables whose rows are as the model holds them, where those that ship are not.
EXACT_TABLES = "exact_tables"

#: A validation is of no version yet.
NOWHERE = Lineage(job="", source="", source_digest="", tools={})


class Options(Frozen):
    """Parts of the job, as they are.

    Reads the folders `split`, `tables`, `reference` and `part`: of the last step of the
    target's route, or of the split where the part is in the target's format already. Where
    the target stores narrower weights than f32, the folder `exact` is the same part with f32
    weights: the conversion error is measured on it. Without `exact` it is measured on `part`.
    Likewise `exact_tables`, where rows are stored in less than the model holds.

    An unknown id is refused here whatever its table answers it with: the original has no answer
    to compare with.
    """

    target: AnyTarget
    parity: ParityOptions
    inputs: tuple[Input, ...]
    axes: dict[str, Axis]


@dataclass(frozen=True)
class Load:
    """One time that the composition is loaded.

    Attributes:
        build: Name of the build in the draft.
        part: The task's output that holds it.
        tables: The task's output that holds the tables.
        precision: What it has to compute in; None is as shipped.
        kinds: The numbers that come of it.
    """

    build: str
    part: Path
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
    loads, before = _loads(options.target, task.inputs), allocated()
    heard = []
    for number, load in enumerate(loads):
        composition = _composed(load, options, task.inputs, out / "view" / str(number))
        share = _share(progress, number, len(loads))
        heard.append(hear(composition, options.parity, reference, load.kinds, share))
    (shipped,) = composition.draft.builds
    memory = max(
        heard[-1].memory - before, _size(composition.folder / shipped.parts[0].artifact.folder)
    )
    shutil.rmtree(out / "view")
    target = find_target(options.target.runtime)
    validation = Validation(
        target=options.target.name,
        runtime=options.target.runtime,
        precision=options.target.precision,
        contract=make_contract(target, options.target, memory=memory),
        parity=tuple(parity for one in heard for parity in one.parity),
        faults=tuple(fault for one in heard for fault in one.faults),
        passed=all(one.passed for one in heard),
    )
    (out / "parity.json").write_text(validation.model_dump_json(indent=1))


def _composed(
    load: Load, options: Options, inputs: Mapping[str, Path], folder: Path
) -> Composition:
    """Link what is loaded into a folder of its own."""
    pieces = read_pieces({**inputs, "tables": load.tables})
    link_pieces(pieces, folder)
    draft = draft_of(options, pieces, {load.build: load.part}, folder)
    return Composition(folder, draft, load.build, load.precision, options.target.threads)


def _size(folder: Path) -> int:
    """Return the bytes of a part's files: it takes as much at least, mapped or not."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _share(progress: Progress, number: int, count: int) -> Progress:
    """Report one of several rounds over the same cases."""

    def report(done: float, total: float, unit: str) -> None:
        progress(number * total + done, count * total, unit)

    return report


def _loads(target: AnyTarget, inputs: Mapping[str, Path]) -> tuple[Load, ...]:
    """Return one load where f32 is what ships, and two where it is not."""
    part, tables = inputs["part"], inputs["tables"]
    exact = inputs.get("exact", part), inputs.get(EXACT_TABLES, tables)
    if (target.precision, target.weights) == ("f32", "f32") and exact == (part, tables):
        return (Load(target.name, part, tables, "f32", ("conversion", "precision")),)
    name = f"{target.name}.exact" if exact[0] != part else target.name
    return (
        Load(name, *exact, "f32", ("conversion",)),
        Load(target.name, part, tables, None, ("precision",)),
    )


def draft_of(options: Options, pieces: Pieces, parts: Mapping[str, Path], folder: Path) -> Draft:
    """Link builds into the folder and return a draft of what is there, unknown ids refused.

    Args:
        parts: The task's output that holds the part, by the build's name.
    """
    contract = make_contract(find_target(options.target.runtime), options.target)
    builds = tuple(
        Build(
            target=name,
            parts=(
                BuiltPart(
                    target=options.target.name,
                    runtime=options.target.runtime,
                    precision=options.target.precision,
                    artifact=link_part(part, name, folder),
                    contract=contract,
                ),
            ),
            parity=(),
        )
        for name, part in parts.items()
    )
    return Draft(
        model=options.target.name,
        signature=pieces.split.signature,
        inputs=options.inputs,
        axes=options.axes,
        ids=pieces.split.ids,
        hops=pieces.split.hops,
        tables=tuple(
            table.model_copy(update={"unknown": "error", "default_row": None})
            for table in pieces.tables
        ),
        lookups=pieces.split.lookups,
        builds=builds,
        recorded=None,
        report=None,
        lineage=NOWHERE,
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
